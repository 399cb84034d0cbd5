-- SCD type 1: the latest state of each user.
CREATE OR REFRESH STREAMING TABLE users_current;

CREATE FLOW apply_current AS AUTO CDC INTO users_current
FROM stream(main.cdc_tutorial.users_cdf)
KEYS (userId)
APPLY AS DELETE WHEN operation = "DELETE"
APPLY AS TRUNCATE WHEN operation = "TRUNCATE"
SEQUENCE BY sequenceNum
COLUMNS * EXCEPT (operation, sequenceNum)
STORED AS SCD TYPE 1;

-- The same from the feed with the truncate: what was written below sequence 3 is gone.
CREATE OR REFRESH STREAMING TABLE users_current_truncated;

CREATE FLOW apply_current_truncated AS AUTO CDC INTO users_current_truncated
FROM stream(main.cdc_tutorial.users_cdf_with_truncate)
KEYS (userId)
APPLY AS DELETE WHEN operation = "DELETE"
APPLY AS TRUNCATE WHEN operation = "TRUNCATE"
SEQUENCE BY sequenceNum
COLUMNS * EXCEPT (operation, sequenceNum)
STORED AS SCD TYPE 1;
