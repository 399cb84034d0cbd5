CREATE TEMPORARY VIEW customer_changes AS
SELECT
  CAST(fields['id'] AS INT) AS id,
  fields['name'] AS name,
  fields['city'] AS city,
  CAST(fields['rating'] AS DOUBLE) AS rating,
  CAST(fields['since'] AS DATE) AS since,
  fields['notes'] AS notes,
  lsn,
  deleted
FROM STREAM(changes)
WHERE source_table = 'customers';

-- The customers as they are.
CREATE OR REFRESH STREAMING TABLE customers;

CREATE FLOW keep_customers AS AUTO CDC INTO customers
FROM STREAM(customer_changes)
KEYS (id)
APPLY AS DELETE WHEN deleted
SEQUENCE BY lsn
COLUMNS * EXCEPT (lsn, deleted)
STORED AS SCD TYPE 1;

-- Where customers lived and how they were rated; a new note alone is no new version.
CREATE OR REFRESH STREAMING TABLE customers_history;

CREATE FLOW keep_customers_history AS AUTO CDC INTO customers_history
FROM STREAM(customer_changes)
KEYS (id)
APPLY AS DELETE WHEN deleted
SEQUENCE BY lsn
COLUMNS * EXCEPT (lsn, deleted)
STORED AS SCD TYPE 2
TRACK HISTORY ON city, rating;
