// The statements besides datasets and flows, and the choice between all of them.
#include <array>

#include "sql/expressions.h"
#include "sql/names.h"
#include "sql/queries.h"
#include "sql/statements.h"

namespace lakebed::sql {

namespace {

// First words of statements that are known and not built.
constexpr std::array<std::string_view, 29> kUnsupported = {
    "MERGE",   "UPDATE",  "DELETE",  "OPTIMIZE", "VACUUM", "ALTER", "TRUNCATE", "RESTORE",
    "BEGIN",   "REFRESH", "CALL",    "GRANT",    "REVOKE", "DENY",  "ANALYZE",  "CACHE",
    "UNCACHE", "CLEAR",   "COPY",    "LOAD",     "MSCK",   "FSCK",  "REPAIR",   "CONVERT",
    "REORG",   "EXPLAIN", "COMMENT", "EXECUTE",  "DECLARE"};

plan::UnsupportedStatement unsupported(Cursor& cursor, size_t first, std::string what) {
  plan::UnsupportedStatement out;
  out.what = std::move(what);
  out.span = cursor.span_here();
  skip_statement(cursor);
  out.span = cursor.span_from(first);
  return out;
}

plan::Statement parse_use(Cursor& cursor) {
  const size_t first = cursor.position();
  cursor.next();
  plan::UseStatement out;
  if (cursor.at_any({"CATALOG", "SCHEMA", "DATABASE"}) && cursor.at_name(1)) {
    out.what = cursor.next().upper == "CATALOG" ? "CATALOG" : "SCHEMA";
  }
  out.name = parse_object_name(cursor, "a catalog or schema");
  out.span = cursor.span_from(first);
  return out;
}

// SET key = value: the value is the rest of the statement as it stands.
plan::Statement parse_set(Cursor& cursor) {
  const size_t first = cursor.position();
  cursor.next();
  plan::SetStatement out;
  if (cursor.accept_all({"TIME", "ZONE"})) {
    out.key = "spark.sql.session.timeZone";
    out.value = cursor.accept("LOCAL") ? "UTC" : parse_string(cursor, "a time zone as a string");
  } else if (cursor.at("CATALOG") && (cursor.at_name(1) || cursor.at_string(1))) {
    cursor.next();
    plan::UseStatement use;
    use.what = "CATALOG";
    use.name = parse_object_name(cursor, "a catalog");
    use.span = cursor.span_from(first);
    return use;
  } else {
    for (const std::string& part : parse_parts(cursor, "the name of a setting")) {
      out.key += (out.key.empty() ? "" : ".") + part;
    }
    if (cursor.accept("=")) {
      const size_t begin = cursor.peek().begin;
      skip_statement(cursor);
      const size_t end = cursor.peek().begin;
      std::string value = cursor.text().text().substr(begin, end - begin);
      while (!value.empty() && static_cast<unsigned char>(value.back()) <= ' ') value.pop_back();
      out.value = std::move(value);
    }
  }
  out.span = cursor.span_from(first);
  return out;
}

std::string dataset_word(const Cursor& cursor) {
  return cursor.peek().upper == "DATABASE" ? "SCHEMA" : cursor.peek().upper;
}

plan::Statement parse_drop(Cursor& cursor) {
  const size_t first = cursor.position();
  cursor.next();
  plan::DropStatement out;
  if (cursor.at("MATERIALIZED") || cursor.at("STREAMING") || cursor.at("TEMPORARY")) cursor.next();
  if (!cursor.at_any({"TABLE", "VIEW", "SCHEMA", "DATABASE", "VOLUME"})) {
    if (cursor.at_any({"CATALOG", "FUNCTION", "INDEX", "VARIABLE", "TEMP", "FLOW"})) {
      return unsupported(cursor, first, "DROP " + cursor.peek().upper);
    }
    cursor.fail_expected("TABLE, VIEW, SCHEMA or VOLUME after DROP");
  }
  out.what = dataset_word(cursor);
  cursor.next();
  out.if_exists = accept_if_exists(cursor);
  out.name = parse_object_name(cursor, "what to drop");
  out.cascade = cursor.accept("CASCADE");
  if (!out.cascade) cursor.accept("RESTRICT");
  cursor.accept("PURGE");
  out.span = cursor.span_from(first);
  return out;
}

// [IN | FROM] name
void parse_show_place(Cursor& cursor, plan::ShowStatement& out) {
  if (cursor.accept("IN") || cursor.accept("FROM")) {
    out.name = parse_object_name(cursor, "a name");
  }
}

plan::Statement parse_show(Cursor& cursor) {
  const size_t first = cursor.position();
  cursor.next();
  plan::ShowStatement out;
  if (cursor.accept_all({"CREATE", "TABLE"})) {
    out.what = "CREATE TABLE";
    out.name = parse_object_name(cursor, "a table");
  } else if (cursor.accept("TBLPROPERTIES")) {
    out.what = "TBLPROPERTIES";
    out.name = parse_object_name(cursor, "a table");
    if (cursor.at("(")) {
      const size_t opened = cursor.position();
      cursor.next();
      out.pattern = cursor.at_string() ? parse_string(cursor, "a property")
                                       : parse_object_name(cursor, "a property").text();
      cursor.expect_close(opened);
    }
  } else if (cursor.at_any(
                 {"TABLES", "VIEWS", "SCHEMAS", "DATABASES", "COLUMNS", "CATALOGS", "VOLUMES"})) {
    out.what = cursor.next().upper;
    if (out.what == "DATABASES") out.what = "SCHEMAS";
    parse_show_place(cursor, out);
    const bool like = cursor.accept("LIKE");
    if (like || cursor.at_string()) out.pattern = parse_string(cursor, "a pattern as a string");
    if (out.what == "COLUMNS" && !out.name.has_value()) cursor.fail_expected("IN and a table");
  } else if (cursor.at_name()) {
    return unsupported(cursor, first, "SHOW " + cursor.peek().upper);
  } else {
    cursor.fail_expected("TABLES, SCHEMAS, COLUMNS, ... after SHOW");
  }
  out.span = cursor.span_from(first);
  return out;
}

plan::Statement parse_describe(Cursor& cursor) {
  const size_t first = cursor.position();
  cursor.next();
  plan::DescribeStatement out;
  const auto word = [&](std::string_view text) {
    return cursor.at(text) && cursor.at_name(1) && cursor.accept(text);
  };
  if (cursor.at_any({"FUNCTION", "QUERY", "SCHEMA", "DATABASE", "CATALOG", "VOLUME"}) &&
      cursor.at_name(1)) {
    return unsupported(cursor, first, "DESCRIBE " + cursor.peek().upper);
  }
  const bool table = cursor.at("TABLE") && cursor.at_name(1);  // else it begins the query TABLE t
  if (!table && at_query(cursor)) return unsupported(cursor, first, "DESCRIBE QUERY");
  word("TABLE");
  out.history = word("HISTORY");
  out.detail = !out.history && word("DETAIL");
  out.extended = word("EXTENDED") || word("FORMATTED");
  out.name = parse_object_name(cursor, "a table");
  if (cursor.accept("AS")) cursor.expect("JSON");
  out.span = cursor.span_from(first);
  return out;
}

plan::Statement parse_insert(Cursor& cursor) {
  const size_t first = cursor.position();
  cursor.next();
  plan::InsertStatement out;
  out.overwrite = cursor.accept("OVERWRITE");
  if (!out.overwrite && !cursor.accept("INTO")) cursor.fail_expected("INTO or OVERWRITE");
  if (out.overwrite) cursor.accept("INTO");
  if (cursor.at("TABLE") && cursor.at_name(1)) cursor.next();
  out.table = parse_object_name(cursor, "a table");
  if (cursor.at("PARTITION")) return unsupported(cursor, first, "INSERT PARTITION");
  if (cursor.at("(") && !at_query(cursor)) {
    const size_t opened = cursor.position();
    cursor.next();
    parse_commas(cursor, [&] { out.columns.push_back(parse_name_at(cursor, "a column")); });
    cursor.expect_close(opened);
  }
  out.by_name = cursor.accept_all({"BY", "NAME"});
  if (cursor.at("REPLACE")) return unsupported(cursor, first, "INSERT REPLACE");
  if (!at_query(cursor)) cursor.fail_expected("VALUES or a query");
  out.query = parse_query(cursor);
  out.span = cursor.span_from(first);
  return out;
}

// BEGIN ... END holds statements of its own: everything up to the END that closes it.
plan::Statement skip_block(Cursor& cursor) {
  plan::UnsupportedStatement out;
  out.what = "BEGIN";
  const size_t first = cursor.position();
  size_t depth = 0;
  do {
    const bool loop_end =
        cursor.at("END") && cursor.at_any({"IF", "FOR", "WHILE", "LOOP", "REPEAT"}, 1);
    if (cursor.at_any({"BEGIN", "CASE"})) ++depth;
    if (cursor.at("END") && !loop_end && depth > 0) --depth;
    if (cursor.at("END")) cursor.accept_all({"END", "CASE"});
    if (depth > 0 && !cursor.at_end()) cursor.next();
  } while (depth > 0 && !cursor.at_end());
  if (cursor.at("END")) cursor.next();
  out.span = cursor.span_from(first);
  return out;
}

[[noreturn]] void fail_statement(Cursor& cursor) {
  if (cursor.at_all({"AUTO", "CDC"})) {
    cursor.fail("AUTO CDC is no statement of its own",
                "write CREATE FLOW name AS AUTO CDC INTO target FROM ...");
  }
  static const std::vector<std::string> starts = {"CREATE",   "SELECT", "WITH",  "INSERT",
                                                  "SET",      "USE",    "DROP",  "SHOW",
                                                  "DESCRIBE", "VALUES", "APPLY", "FROM"};
  cursor.fail_expected("a statement (CREATE ..., SELECT ..., INSERT ..., ...)",
                       suggest(cursor, starts));
}

}  // namespace

void skip_statement(Cursor& cursor) {
  while (!cursor.at_end() && !cursor.at(";")) cursor.skip();
}

plan::Statement parse_create_other(Cursor& cursor, size_t first, const std::string& modifiers) {
  if (cursor.at_any({"SCHEMA", "DATABASE", "CATALOG"})) {
    plan::CreateSchema out;
    out.what = dataset_word(cursor);
    cursor.next();
    out.if_not_exists = accept_if_not_exists(cursor);
    out.name = parse_object_name(cursor, "a name");
    // A schema is a folder of the warehouse: it keeps no comment, and lies nowhere else.
    if (cursor.accept("COMMENT")) parse_string(cursor, "the comment as a string");
    if (cursor.at("LOCATION") || cursor.at_all({"MANAGED", "LOCATION"})) {
      cursor.refuse("A SCHEMA AT A LOCATION", cursor.span_here());
    }
    if (cursor.accept_all({"WITH", "DBPROPERTIES"})) parse_properties(cursor);
    out.span = cursor.span_from(first);
    return out;
  }
  if (cursor.accept("VOLUME")) {
    plan::CreateVolume out;
    out.if_not_exists = accept_if_not_exists(cursor);
    out.name = parse_object_name(cursor, "the name of the volume");
    if (cursor.accept("COMMENT")) parse_string(cursor, "the comment as a string");
    if (cursor.at("LOCATION")) cursor.refuse("A VOLUME AT A LOCATION", cursor.span_here());
    out.span = cursor.span_from(first);
    return out;
  }
  for (const std::string_view what :
       {"FUNCTION", "SINK", "CONNECTION", "INDEX", "VARIABLE", "PROCEDURE", "SHARE", "POLICY"}) {
    if (cursor.at(what)) return unsupported(cursor, first, "CREATE " + std::string(what));
  }
  static const std::vector<std::string> known = {
      "TABLE",        "VIEW",      "FLOW",    "SCHEMA",   "VOLUME",  "STREAMING",
      "MATERIALIZED", "TEMPORARY", "CATALOG", "DATABASE", "PRIVATE", "FUNCTION"};
  const std::string after = modifiers.empty() ? "CREATE" : "CREATE " + modifiers;
  cursor.fail_expected("TABLE, VIEW, FLOW, SCHEMA or VOLUME after " + after,
                       suggest(cursor, known));
}

plan::Statement parse_statement(Cursor& cursor) {
  const size_t first = cursor.position();
  if (cursor.at("CREATE")) return parse_create(cursor);
  if (cursor.at_all({"APPLY", "CHANGES"})) return parse_apply_changes(cursor);
  if (cursor.at("SET")) return parse_set(cursor);
  if (cursor.at("USE")) return parse_use(cursor);
  if (cursor.at("INSERT")) return parse_insert(cursor);
  if (cursor.at("DROP")) return parse_drop(cursor);
  if (cursor.at("SHOW")) return parse_show(cursor);
  if (cursor.at_any({"DESCRIBE", "DESC"})) return parse_describe(cursor);
  if (at_query(cursor) || cursor.at_any({"SELECT", "VALUES", "WITH", "FROM"})) {
    plan::QueryStatement out;
    out.query = parse_query(cursor);
    out.span = cursor.span_from(first);
    return out;
  }
  if (cursor.at("BEGIN") && !cursor.at("TRANSACTION", 1)) return skip_block(cursor);
  for (const std::string_view what : kUnsupported) {
    if (cursor.at(what)) return unsupported(cursor, first, std::string(what));
  }
  fail_statement(cursor);
}

}  // namespace lakebed::sql
