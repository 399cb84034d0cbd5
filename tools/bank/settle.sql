-- The end of the year: as many accounts are closed or opened as it takes to have 20,000 again.
DELETE FROM accounts
WHERE id IN (SELECT id FROM accounts ORDER BY id DESC
             LIMIT greatest(0, (SELECT count(*) FROM accounts) - 20000));
INSERT INTO accounts
SELECT nextval('account_ids'), 3, 'giro', 0, NULL, clock_timestamp()
FROM generate_series(1, greatest(0, 20000 - (SELECT count(*) FROM accounts)));
