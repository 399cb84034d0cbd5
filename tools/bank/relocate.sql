-- A customer moves; the notes, often long, stay as they are and are missing from the feed's new row.
\set customer random(1, 1000)
\set city random(1, 4)
UPDATE customers SET city = (ARRAY['Oaxaca', 'Puebla', 'Mérida', NULL])[:city] WHERE id = :customer;
