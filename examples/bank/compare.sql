-- How many rows of our tables are, value for value, those of the database's final dump.
SELECT 'accounts' AS table_name,
       (SELECT count(*) FROM (
          SELECT id, customer, kind, balance, blocked, opened FROM accounts
          INTERSECT
          SELECT id, customer, kind, balance, blocked, opened FROM read_files(
            'final/accounts.json.gz', format => 'json',
            schema => 'id BIGINT, customer INT, kind STRING, balance DECIMAL(14, 2),
                       blocked BOOLEAN, opened TIMESTAMP'))) AS agree,
       (SELECT count(*) FROM accounts) AS ours,
       (SELECT count(*) FROM read_files('final/accounts.json.gz', format => 'json',
                                        schema => 'id BIGINT')) AS theirs
UNION ALL
SELECT 'customers' AS table_name,
       (SELECT count(*) FROM (
          SELECT id, name, city, rating, since, notes FROM customers
          INTERSECT
          SELECT id, name, city, rating, since, notes FROM read_files(
            'final/customers.json.gz', format => 'json',
            schema => 'id INT, name STRING, city STRING, rating DOUBLE, since DATE,
                       notes STRING'))) AS agree,
       (SELECT count(*) FROM customers) AS ours,
       (SELECT count(*) FROM read_files('final/customers.json.gz', format => 'json',
                                        schema => 'id INT')) AS theirs;
