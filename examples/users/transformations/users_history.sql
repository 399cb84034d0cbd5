-- SCD type 2: every version of each user, with the interval in which it held.
CREATE OR REFRESH STREAMING TABLE users_history;

CREATE FLOW apply_history AS AUTO CDC INTO users_history
FROM stream(main.cdc_tutorial.users_cdf)
KEYS (userId)
APPLY AS DELETE WHEN operation = "DELETE"
SEQUENCE BY sequenceNum
COLUMNS * EXCEPT (operation, sequenceNum)
STORED AS SCD TYPE 2;

-- The same, but a change of the city alone opens no new version.
CREATE OR REFRESH STREAMING TABLE users_history_without_city;

CREATE FLOW apply_history_without_city AS AUTO CDC INTO users_history_without_city
FROM stream(main.cdc_tutorial.users_cdf)
KEYS (userId)
APPLY AS DELETE WHEN operation = "DELETE"
SEQUENCE BY sequenceNum
COLUMNS * EXCEPT (operation, sequenceNum)
STORED AS SCD TYPE 2
TRACK HISTORY ON * EXCEPT (city);
