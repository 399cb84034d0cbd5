SELECT a + b * -c % 2 DIV 3 - 1, NOT a = b OR c AND d <=> e, a || 'x' || "y", ~a & b | c ^ d << 2,
  a BETWEEN 1 AND 2, b NOT IN (1, 2), c LIKE 'x\_%' ESCAPE '!', d NOT RLIKE r'\d+', e ILIKE ANY ('a', 'b'),
  f IS NOT NULL, g IS NOT TRUE, h IS DISTINCT FROM i,
  CASE WHEN a THEN 1 ELSE 2 END, CASE a WHEN 1 THEN 'one' END,
  CAST(a AS DECIMAL(10, 2)), TRY_CAST(a AS ARRAY<STRUCT<x: INT, y: MAP<STRING, DATE>>>), a::INT::STRING,
  j:a.b[0]['x']::STRING, s.x.y, arr[1].z, m['k'], f(x).y,
  transform(arr, x -> x + 1), aggregate(arr, 0, (acc, x) -> acc + x), f(1, named => 2),
  count(*), count(DISTINCT a, b), first(a IGNORE NULLS), last(a) IGNORE NULLS OVER (ORDER BY b),
  struct(a, b AS c), (a, b), (SELECT max(x) FROM t), EXTRACT(DAY FROM ts), TRIM(LEADING '0' FROM a),
  SUBSTRING(a FROM 2 FOR 3), POSITION('x' IN a), OVERLAY(a PLACING 'x' FROM 1), timestampdiff(HOUR, a, b),
  CURRENT_DATE, current_timestamp(), IDENTIFIER('a.b')
FROM t;
SELECT timestamp, date, offset, key, value, source, keys, columns, sequence, order, end, user FROM t;
