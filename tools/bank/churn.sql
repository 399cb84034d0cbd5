-- Many changes of one row in one transaction, part of which never happened.
\set account random(1, 20000)
BEGIN;
DELETE FROM accounts WHERE id = :account;
INSERT INTO accounts VALUES (:account, 2, 'depot', 10.10, true, '2025-05-05 05:05:05.123456+00');
SAVEPOINT doubt;
DELETE FROM accounts WHERE id = :account;
ROLLBACK TO doubt;
UPDATE accounts SET blocked = NULL WHERE id = :account;
UPDATE accounts SET balance = 20.20 WHERE id = :account;
COMMIT;
