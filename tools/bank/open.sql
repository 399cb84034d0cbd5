-- A new customer with an account.
BEGIN;
INSERT INTO customers VALUES (nextval('customer_ids'), 'New customer', 'Tepic', NULL, current_date,
                              repeat('Welcome letter sent. ', 120));
INSERT INTO accounts VALUES (nextval('account_ids'), currval('customer_ids'), 'giro', 0, false,
                             clock_timestamp());
COMMIT;
