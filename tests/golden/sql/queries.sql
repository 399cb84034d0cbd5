WITH latest AS (
  SELECT *, row_number() OVER (PARTITION BY id ORDER BY ts DESC NULLS FIRST) AS rank
  FROM events
), named (k, n) AS (SELECT id, max(name) FILTER (WHERE name <> '') FROM latest GROUP BY id)
SELECT DISTINCT l.id, l.* EXCEPT (id, ts), n.n AS name, price * 2 doubled, doubled + 1 AS more
FROM latest AS l
LEFT JOIN named n ON l.id = n.k AND NOT l.gone
JOIN regions USING (zone, part)
WHERE l.id IN (SELECT id FROM wanted) AND EXISTS (SELECT 1 FROM other o WHERE o.id = l.id)
QUALIFY rank = 1
ORDER BY name, 2 DESC LIMIT 10 OFFSET 5;

SELECT a, b, grouping_id() FROM t GROUP BY GROUPING SETS ((a, b), a, ()) HAVING count(*) > 1;
SELECT a, sum(b) FROM t GROUP BY a, CUBE (b, c);
SELECT 1 UNION ALL BY NAME SELECT 2 INTERSECT SELECT 3 MINUS SELECT 4;
SELECT sum(x) OVER w, avg(x) OVER (w ROWS BETWEEN 2 PRECEDING AND 1 FOLLOWING)
FROM t WINDOW w AS (PARTITION BY k ORDER BY ts);
FROM orders o LATERAL VIEW OUTER explode(o.items) AS item SELECT o.id, item.price;
SELECT b.item.qty FROM orders o, LATERAL explode(o.items) AS b(item) NATURAL JOIN p;
SELECT * FROM a LEFT SEMI JOIN b ON a.x <=> b.x ANTI JOIN c USING (x) CROSS JOIN (d JOIN e ON true);
SELECT * FROM delta.`/data/t` VERSION AS OF 3, STREAM t WITH (readChangeFeed = true) AS feed;
FROM STREAM(feed)
|> EXTEND a + 1 AS b
|> SET a = upper(a)
|> DROP c
|> AS f
|> AGGREGATE count(*) AS n GROUP BY f.a AS key
|> ORDER BY n DESC
|> LIMIT 3;
