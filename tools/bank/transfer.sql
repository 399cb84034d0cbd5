-- Two accounts, one transaction; the first one is charged a fee as well: two changes of one row.
\set source random(1, 20000)
\set target random(1, 20000)
\set cents random(1, 50000)
BEGIN;
UPDATE accounts SET balance = balance - :cents / 100.0 WHERE id = :source;
UPDATE accounts SET balance = balance + :cents / 100.0 WHERE id = :target;
UPDATE accounts SET balance = balance - 0.35 WHERE id = :source;
COMMIT;
