-- The account gets another number: a change of the key. Now and then the old number is given away
-- again, in the same transaction.
\set account random(1, 20000)
\set again random(0, 3)
BEGIN;
UPDATE accounts SET id = nextval('account_ids'), kind = 'moved' WHERE id = :account;
INSERT INTO accounts
SELECT :account, 1, 'reissued', 1.00, NULL, clock_timestamp() WHERE :again = 0
ON CONFLICT (id) DO NOTHING;
COMMIT;
