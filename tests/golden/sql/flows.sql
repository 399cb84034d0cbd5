-- Every clause of AUTO CDC, and every way to write a flow.
CREATE OR REFRESH STREAMING TABLE users;
CREATE FLOW users_feed COMMENT 'from the shop' AS AUTO CDC INTO users
FROM STREAM(shop.raw.users)
KEYS (id, `country code`)
APPLY AS DELETE WHEN operation = "DELETE" -- the feed writes capitals
APPLY AS TRUNCATE WHEN operation = "TRUNCATE"
SEQUENCE BY STRUCT(changed_at, n)
COLUMNS * EXCEPT (operation, n)
STORED AS
SCD TYPE 1;

create or refresh flow history as auto cdc into users_history
from stream users track history on name, city
keys(id) sequence by (changed_at) stored as scd type 2 columns id, name, city, changed_at;

CREATE FLOW beliefs AS AUTO CDC INTO b FROM STREAM s WITH (skipChangeCommits = true)
KEYS (id) SEQUENCE BY valid SYSTEM SEQUENCE BY known STORED AS BITEMPORAL;

CREATE FLOW partial AS AUTO CDC ONCE INTO p FROM (
  FROM STREAM(s) |> WHERE op <> 'x' |> SELECT *, v:id::BIGINT AS id
) KEYS (id) IGNORE NULL UPDATES ON * EXCEPT (a) SEQUENCE BY ts;
CREATE FLOW listed AS AUTO CDC INTO p FROM STREAM(s) KEYS (id) SEQUENCE BY ts
COLUMNS TO UPDATE changed;

CREATE FLOW snapshots AS AUTO CDC INTO t FROM SNAPSHOT (
  SELECT * FROM read_files('/in', format => 'csv')
) WITH VERSION (SELECT max(day) AS v FROM days WHERE day > (FROM last_snapshot_version()))
KEYS (id) STORED AS SCD TYPE 2 TRACK HISTORY ON * EXCEPT (loaded_at);

APPLY CHANGES INTO LIVE.gold.users FROM STREAM(LIVE.users_clean) KEYS (id) SEQUENCE BY ts;

CREATE STREAMING TABLE inline_target FLOW AUTO CDC FROM STREAM(s) KEYS (id) SEQUENCE BY ts;
CREATE FLOW appended AS INSERT INTO ONCE t BY NAME SELECT * FROM old;
CREATE FLOW IF NOT EXISTS replaced AS INSERT INTO t BY NAME
REPLACE USING (day) SEQUENCE BY ts SELECT * FROM STREAM s;
