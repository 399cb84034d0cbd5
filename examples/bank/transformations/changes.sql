-- From the lines of wal2json to changes of rows.
--
-- A line holds the row after the change in `columns` and the row before it in `identity`, each an
-- array of names and values; a value stays the text that the line has, so no digit is lost. A long
-- value that did not change is missing from `columns` (PostgreSQL keeps it in its TOAST table): it
-- comes from `identity`, which is whole because the tables have REPLICA IDENTITY FULL.
CREATE TEMPORARY VIEW lines AS
SELECT
  `table` AS source_table,
  -- An LSN is two hexadecimal numbers; as text, LSNs would sort wrongly.
  CAST(conv(split_part(lsn, '/', 1), 16, 10) AS BIGINT) * 4294967296
    + CAST(conv(split_part(lsn, '/', 2), 16, 10) AS BIGINT) AS lsn,
  map_from_entries(transform(identity, c -> struct(c.name, c.value))) AS before,
  map_from_entries(transform(
    concat(columns, filter(coalesce(identity, array()),
                           old -> NOT array_contains(transform(columns, c -> c.name), old.name))),
    c -> struct(c.name, c.value))) AS after
FROM STREAM read_files(
  '${feeds}/*/*.json.gz',
  format => 'json',
  schema => 'action STRING, lsn STRING, `table` STRING,
             columns ARRAY<STRUCT<name: STRING, value: STRING>>,
             identity ARRAY<STRUCT<name: STRING, value: STRING>>')
WHERE action IN ('I', 'U', 'D');

-- A line makes one change, or two: a row whose key changes is deleted under the old key and comes
-- anew under the new one.
CREATE TEMPORARY VIEW changes AS
SELECT source_table, lsn, change.deleted AS deleted, change.fields AS fields
FROM (
  SELECT source_table, lsn, before, after,
         explode(array(named_struct('deleted', true, 'fields', before),
                       named_struct('deleted', false, 'fields', after))) AS change
  FROM STREAM(lines)
)
WHERE change.fields IS NOT NULL
  AND (NOT change.deleted OR after IS NULL OR before['id'] <> after['id']);
