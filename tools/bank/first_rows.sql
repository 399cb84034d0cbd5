-- What the bank begins with: 1,000 customers, 20,000 accounts.
INSERT INTO customers
SELECT n, 'Customer ' || n, (ARRAY['Oaxaca', 'Puebla', 'Mérida', 'Tepic', NULL])[1 + n % 5],
       CASE WHEN n % 7 = 0 THEN NULL ELSE (n % 50) / 10.0 END,
       date '2020-01-01' + n % 700,
       CASE WHEN n % 4 = 0 THEN repeat('Note ' || n || ': asked about a loan. ', 80)
            WHEN n % 4 = 1 THEN 'short note' END
FROM generate_series(1, 1000) AS n;

INSERT INTO accounts
SELECT n, 1 + n % 1000, (ARRAY['giro', 'savings', 'depot'])[1 + n % 3], (n * 37 % 100000) / 100.0,
       NULL, timestamptz '2024-01-01 00:00:00+00' + n * interval '7 minutes'
FROM generate_series(1, 20000) AS n;
