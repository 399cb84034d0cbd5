-- The bank: its tables, as the source database has them. REPLICA IDENTITY FULL makes the feed carry
-- the whole row as it was before a change.
CREATE TABLE customers (
  id      integer PRIMARY KEY,
  name    text NOT NULL,
  city    text,
  rating  double precision,
  since   date NOT NULL,
  notes   text
);
-- Long notes go to the TOAST table as they are: updates of other columns then leave them out.
ALTER TABLE customers ALTER COLUMN notes SET STORAGE EXTERNAL;
ALTER TABLE customers REPLICA IDENTITY FULL;

CREATE TABLE accounts (
  id        bigint PRIMARY KEY,
  customer  integer NOT NULL,
  kind      text NOT NULL,
  balance   numeric(14,2) NOT NULL,
  blocked   boolean,
  opened    timestamptz NOT NULL
);
ALTER TABLE accounts REPLICA IDENTITY FULL;

CREATE SEQUENCE account_ids START 20001;
CREATE SEQUENCE customer_ids START 1001;
