-- The notes change: grow long, become NULL, become short again.
\set customer random(1, 1000)
\set way random(1, 3)
UPDATE customers
SET notes = CASE :way WHEN 1 THEN NULL WHEN 2 THEN 'called' ELSE repeat('Called again. ', 180) END,
    rating = CASE WHEN :way = 1 THEN NULL ELSE :customer % 50 / 10.0 END
WHERE id = :customer;
