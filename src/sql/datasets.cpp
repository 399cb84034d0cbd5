// CREATE of streaming tables, materialized views, views and tables, in all three generations of
// the grammar.
#include "sql/expressions.h"
#include "sql/names.h"
#include "sql/queries.h"
#include "sql/statements.h"

namespace lakebed::sql {

namespace {

using plan::DatasetKind;

// The words between CREATE and TABLE or VIEW.
struct Modifiers {
  bool or_refresh = false;
  bool or_replace = false;
  bool is_private = false;
  bool temporary = false;
  bool streaming = false;
  bool live = false;
  bool materialized = false;
  std::string words;  // as written, for messages
};

bool take_modifier(Cursor& cursor, Modifiers& out) {
  const size_t first = cursor.position();
  if (cursor.accept_all({"OR", "REFRESH"})) {
    out.or_refresh = true;
  } else if (cursor.accept_all({"OR", "REPLACE"})) {
    out.or_replace = true;
  } else if (cursor.accept("PRIVATE")) {
    out.is_private = true;
  } else if (cursor.accept("TEMPORARY") || cursor.accept("TEMP")) {
    out.temporary = true;
  } else if (cursor.accept("STREAMING") || cursor.accept("INCREMENTAL")) {
    out.streaming = true;
  } else if (cursor.accept("LIVE")) {
    out.live = true;
  } else if (cursor.accept("MATERIALIZED")) {
    out.materialized = true;
  } else if (!cursor.accept("GLOBAL") && !cursor.accept("EXTERNAL") && !cursor.accept("MANAGED")) {
    return false;
  }
  out.words += (out.words.empty() ? "" : " ") + cursor.written_from(first);
  return true;
}

DatasetKind kind_of(const Modifiers& words, bool view) {
  if (words.materialized) return DatasetKind::kMaterializedView;
  if (view) {
    const bool temporary = words.temporary || words.live || words.streaming;
    return temporary ? DatasetKind::kTemporaryView : DatasetKind::kPersistedView;
  }
  if (words.streaming) return DatasetKind::kStreamingTable;
  // CREATE LIVE TABLE: what is a materialized view today.
  return words.live ? DatasetKind::kMaterializedView : DatasetKind::kManagedTable;
}

const char* kind_text(DatasetKind kind) {
  switch (kind) {
    case DatasetKind::kStreamingTable: return "STREAMING TABLE";
    case DatasetKind::kMaterializedView: return "MATERIALIZED VIEW";
    case DatasetKind::kManagedTable: return "TABLE";
    default: return "VIEW";
  }
}

[[noreturn]] void fail_clause(Cursor& cursor, DatasetKind kind) {
  if (at_query(cursor)) cursor.fail_expected("AS", "AS is missing before the query");
  static const std::vector<std::string> known = {
      "COMMENT", "TBLPROPERTIES", "PARTITIONED", "CLUSTER", "LOCATION", "USING", "FLOW",
      "AS",      "SCHEDULE",      "TRIGGER",     "SELECT"};
  cursor.fail_expected(std::string("a clause of CREATE ") + kind_text(kind) +
                           " (COMMENT, TBLPROPERTIES, CLUSTER BY, FLOW, AS, ...)",
                       suggest(cursor, known));
}

// Everything behind the name.
void parse_tail(Cursor& cursor, plan::CreateDataset& out) {
  TableClauses clauses;
  const bool view =
      out.kind == DatasetKind::kTemporaryView || out.kind == DatasetKind::kPersistedView;
  const bool table =
      out.kind == DatasetKind::kStreamingTable || out.kind == DatasetKind::kManagedTable;
  if (cursor.at("(") && !at_query(cursor)) parse_table_spec(cursor, clauses, !view && table);
  while (!cursor.at_end() && !cursor.at(";")) {
    if (parse_table_clause(cursor, clauses)) continue;
    if (cursor.accept("AS")) {
      if (!at_query(cursor)) cursor.fail_expected("a query after AS");
      const size_t first = cursor.position();
      out.query = parse_query(cursor);
      out.query_text = cursor.written_from(first);
      break;
    }
    if (table && cursor.accept("FLOW")) {
      out.flow = parse_inner_flow(cursor);
      break;
    }
    fail_clause(cursor, out.kind);
  }
  out.columns = std::move(clauses.columns);
  out.expectations = std::move(clauses.expectations);
  out.partitioned_by = std::move(clauses.partitioned_by);
  out.cluster_by = std::move(clauses.cluster_by);
  out.comment = std::move(clauses.comment);
  out.location = std::move(clauses.location);
  out.properties = std::move(clauses.properties);
  out.clauses = std::move(clauses.clauses);
  if (out.query == nullptr && !table) {
    cursor.fail_expected(std::string("AS and the query of the ") + kind_text(out.kind));
  }
}

// What a plain table has no place for and would silently lose.
void refuse_lost_clauses(Cursor& cursor, const plan::CreateDataset& table) {
  for (const char* clause : {"CHECK", "MASK", "ROW FILTER"}) {
    const auto found = table.clauses.find(clause);
    if (found != table.clauses.end()) cursor.refuse(clause, found->second);
  }
}

// CREATE TABLE without anything of a pipeline is also a statement of `lakebed sql`.
plan::Statement as_plain_table(plan::CreateDataset&& from, bool or_replace) {
  plan::CreateTable out;
  out.name = std::move(from.name);
  out.or_replace = or_replace;
  out.if_not_exists = from.if_not_exists;
  out.columns = std::move(from.columns);
  out.partitioned_by = std::move(from.partitioned_by);
  out.comment = std::move(from.comment);
  out.location = std::move(from.location);
  out.properties = std::move(from.properties);
  out.query = std::move(from.query);
  out.span = std::move(from.span);
  return out;
}

plan::Statement parse_dataset(Cursor& cursor, size_t first, const Modifiers& words, bool view) {
  plan::CreateDataset out;
  out.kind = kind_of(words, view);
  out.or_refresh = words.or_refresh || words.or_replace;
  out.is_private = words.is_private;
  out.temporary = words.temporary;
  out.if_not_exists = accept_if_not_exists(cursor);
  out.name = parse_object_name(cursor, std::string("the name of the ") + kind_text(out.kind));
  parse_tail(cursor, out);
  out.span = cursor.span_from(first);
  const bool plain = out.kind == DatasetKind::kManagedTable && !words.is_private &&
                     !words.temporary && !words.or_refresh && !out.flow.has_value() &&
                     out.expectations.empty();
  if (plain) refuse_lost_clauses(cursor, out);
  return plain ? as_plain_table(std::move(out), words.or_replace) : plan::Statement(std::move(out));
}

}  // namespace

plan::Statement parse_create(Cursor& cursor) {
  const size_t first = cursor.position();
  cursor.expect("CREATE");
  Modifiers words;
  while (take_modifier(cursor, words)) {
  }
  if (words.or_refresh && words.or_replace) {
    cursor.fail_at(cursor.span_from(first), "OR REFRESH and OR REPLACE exclude each other");
  }
  if (cursor.accept("FLOW")) return parse_create_flow(cursor, first, words.or_refresh);
  if (words.materialized && !cursor.at("VIEW")) cursor.fail_expected("VIEW after MATERIALIZED");
  if (cursor.accept("TABLE")) return parse_dataset(cursor, first, words, false);
  if (cursor.accept("VIEW")) return parse_dataset(cursor, first, words, true);
  return parse_create_other(cursor, first, words.words);
}

bool accept_if_not_exists(Cursor& cursor) { return cursor.accept_all({"IF", "NOT", "EXISTS"}); }
bool accept_if_exists(Cursor& cursor) { return cursor.accept_all({"IF", "EXISTS"}); }

}  // namespace lakebed::sql
