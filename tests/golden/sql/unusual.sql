CREATE STREAMING TABLE `${catalog}`.größe.t_1;
CREATE VIEW v AS
	SELECT "é€" AS `Straße`, `@Code`, `a``b`
	FROM ${catalog}.x;
