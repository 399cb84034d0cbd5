CREATE TEMPORARY VIEW account_changes AS
SELECT
  CAST(fields['id'] AS BIGINT) AS id,
  CAST(fields['customer'] AS INT) AS customer,
  fields['kind'] AS kind,
  CAST(fields['balance'] AS DECIMAL(14, 2)) AS balance,
  CAST(fields['blocked'] AS BOOLEAN) AS blocked,
  CAST(fields['opened'] AS TIMESTAMP) AS opened,
  lsn,
  deleted
FROM STREAM(changes)
WHERE source_table = 'accounts';

-- The accounts as they are.
CREATE OR REFRESH STREAMING TABLE accounts;

CREATE FLOW keep_accounts AS AUTO CDC INTO accounts
FROM STREAM(account_changes)
KEYS (id)
APPLY AS DELETE WHEN deleted
SEQUENCE BY lsn
COLUMNS * EXCEPT (lsn, deleted)
STORED AS SCD TYPE 1;

-- The accounts as they ever were.
CREATE OR REFRESH STREAMING TABLE accounts_history;

CREATE FLOW keep_accounts_history AS AUTO CDC INTO accounts_history
FROM STREAM(account_changes)
KEYS (id)
APPLY AS DELETE WHEN deleted
SEQUENCE BY lsn
COLUMNS * EXCEPT (lsn, deleted)
STORED AS SCD TYPE 2;
