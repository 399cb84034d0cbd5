-- Run once, before the pipeline: lakebed sql -f explorations/sample_data.sql
CREATE SCHEMA IF NOT EXISTS main.cdc_tutorial;

CREATE TABLE main.cdc_tutorial.users_cdf AS
SELECT col1 AS userId, col2 AS name, col3 AS city, col4 AS operation, col5 AS sequenceNum
FROM (
  VALUES
    -- The first load.
    (124, "Raul", "Oaxaca", "INSERT", 1),
    (123, "Isabel", "Monterrey", "INSERT", 1),
    -- New users.
    (125, "Mercedes", "Tijuana", "INSERT", 2),
    (126, "Lily", "Cancun", "INSERT", 2),
    -- Isabel leaves, Mercedes moves to Guadalajara.
    (123, null, null, "DELETE", 6),
    (125, "Mercedes", "Guadalajara", "UPDATE", 6),
    -- These two arrive late: what stands at sequence 6 is the last word.
    (125, "Mercedes", "Mexicali", "UPDATE", 5),
    (123, "Isabel", "Chihuahua", "UPDATE", 5)
);

-- The same feed, and a truncate that arrives after everything else but belongs to sequence 3.
CREATE TABLE main.cdc_tutorial.users_cdf_with_truncate AS
SELECT * FROM main.cdc_tutorial.users_cdf;

INSERT INTO main.cdc_tutorial.users_cdf_with_truncate VALUES (null, null, null, "TRUNCATE", 3);
