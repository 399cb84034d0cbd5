// Flows: AUTO CDC from feeds and snapshots, APPLY CHANGES, INSERT flows.
#include <algorithm>
#include <array>

#include "base/names.h"
#include "sql/expressions.h"
#include "sql/names.h"
#include "sql/queries.h"
#include "sql/statements.h"

namespace lakebed::sql {

namespace {

using Clauses = std::map<std::string, SourceSpan>;

constexpr std::array<std::string_view, 10> kFeedClauses = {"KEYS",
                                                           "IGNORE NULL UPDATES",
                                                           "APPLY AS DELETE WHEN",
                                                           "APPLY AS TRUNCATE WHEN",
                                                           "SEQUENCE BY",
                                                           "SYSTEM SEQUENCE BY",
                                                           "COLUMNS",
                                                           "STORED AS",
                                                           "TRACK HISTORY ON",
                                                           "COLUMNS TO UPDATE"};

// Notes where a clause begins, its words taken; a second one is an error that names it.
void note(Cursor& cursor, Clauses& clauses, const std::string& name, size_t first) {
  const SourceSpan span = cursor.span_from(first);
  const auto [place, fresh] = clauses.emplace(name, span);
  if (fresh) return;
  cursor.fail_at(span, name + " stands twice in this flow",
                 "it stands at line " + std::to_string(place->second.line) + " already");
}

plan::ColumnChoice star_choice(SourceSpan span) {
  plan::ColumnChoice out;
  out.all_except = true;
  out.span = std::move(span);
  return out;
}

plan::StoredAs parse_stored_as(Cursor& cursor) {
  if (cursor.accept("BITEMPORAL")) return plan::StoredAs::kBitemporal;
  if (!cursor.accept("SCD")) cursor.fail_expected("SCD TYPE 1, SCD TYPE 2 or BITEMPORAL");
  cursor.expect("TYPE");
  const Token& token = cursor.peek();
  const bool number = token.kind == TokenKind::kNumber;
  if (!number || (token.text != "1" && token.text != "2")) {
    cursor.fail_expected("1 or 2 as the SCD type");
  }
  return cursor.next().text == "1" ? plan::StoredAs::kScd1 : plan::StoredAs::kScd2;
}

// A query in brackets, a stream, a table or a function, with an alias if one is given.
plan::RelationPtr parse_feed_source(Cursor& cursor) {
  plan::RelationPtr out;
  if (cursor.at("(")) {
    const size_t opened = cursor.position();
    const bool query = at_query(cursor, 1);
    cursor.next();
    out = query ? parse_query(cursor) : parse_from(cursor);
    cursor.expect_close(opened);
  } else if (!cursor.at_name()) {
    cursor.fail_expected("the source of the flow: STREAM(name), a name or ( query )");
  } else {
    out = parse_named_relation(cursor);
  }
  return cursor.at("AS") ? parse_table_alias(cursor, std::move(out)) : out;
}

plan::ColumnChoice parse_keys(Cursor& cursor) {
  if (!cursor.at("(")) cursor.fail_expected("( and the names of the key columns after KEYS");
  if (cursor.at("*", 1)) cursor.fail("KEYS takes the names of columns, no *");
  return parse_column_choice(cursor, false);
}

// Reads the first word of a clause that two clauses share, and decides. Returns the clause's name
// with its words taken, or "".
std::string take_clause_words(Cursor& cursor) {
  if (cursor.accept("KEYS")) return "KEYS";
  if (cursor.accept_all({"IGNORE", "NULL", "UPDATES"})) return "IGNORE NULL UPDATES";
  if (cursor.accept_all({"APPLY", "AS", "DELETE", "WHEN"})) return "APPLY AS DELETE WHEN";
  if (cursor.accept_all({"APPLY", "AS", "TRUNCATE", "WHEN"})) return "APPLY AS TRUNCATE WHEN";
  if (cursor.accept_all({"SYSTEM", "SEQUENCE", "BY"})) return "SYSTEM SEQUENCE BY";
  if (cursor.accept_all({"SEQUENCE", "BY"})) return "SEQUENCE BY";
  // COLUMNS to, update is a list of two columns; COLUMNS TO UPDATE c is the clause.
  if (cursor.at_all({"COLUMNS", "TO", "UPDATE"}) && cursor.at_name(3)) {
    cursor.accept_all({"COLUMNS", "TO", "UPDATE"});
    return "COLUMNS TO UPDATE";
  }
  if (cursor.accept("COLUMNS")) return "COLUMNS";
  if (cursor.accept_all({"STORED", "AS"})) return "STORED AS";
  if (cursor.accept_all({"TRACK", "HISTORY", "ON"})) return "TRACK HISTORY ON";
  if (cursor.accept_all({"WITH", "VERSION"})) return "WITH VERSION";
  return "";
}

void parse_feed_clause(Cursor& cursor, const std::string& clause, plan::FeedSpec& out) {
  const SourceSpan& span = out.clauses[clause];
  if (clause == "KEYS") {
    out.keys = parse_keys(cursor);
  } else if (clause == "IGNORE NULL UPDATES") {
    out.ignore_null_updates =
        cursor.accept("ON") ? parse_column_choice(cursor, true) : star_choice(span);
  } else if (clause == "APPLY AS DELETE WHEN") {
    out.delete_when = parse_expression(cursor);
  } else if (clause == "APPLY AS TRUNCATE WHEN") {
    out.truncate_when = parse_expression(cursor);
  } else if (clause == "SEQUENCE BY") {
    out.sequence_by = parse_expression(cursor);
  } else if (clause == "SYSTEM SEQUENCE BY") {
    out.system_sequence_by = parse_expression(cursor);
  } else if (clause == "COLUMNS TO UPDATE") {
    out.columns_to_update = parse_name_at(cursor, "a column");
  } else if (clause == "COLUMNS") {
    out.columns = parse_column_choice(cursor, true);
  } else if (clause == "STORED AS") {
    out.stored_as = parse_stored_as(cursor);
    out.stored_as_written = true;
  } else if (clause == "TRACK HISTORY ON") {
    out.track_history = parse_column_choice(cursor, true);
  } else {
    cursor.fail_at(span, clause + " belongs to FROM SNAPSHOT, not to a change feed");
  }
}

void parse_snapshot_clause(Cursor& cursor, const std::string& clause, plan::SnapshotSpec& out) {
  const SourceSpan& span = out.clauses[clause];
  if (clause == "KEYS") {
    out.keys = parse_keys(cursor);
  } else if (clause == "STORED AS") {
    out.stored_as = parse_stored_as(cursor);
  } else if (clause == "TRACK HISTORY ON") {
    out.track_history = parse_column_choice(cursor, true);
  } else if (clause == "WITH VERSION") {
    const size_t opened = cursor.position();
    cursor.expect("(");
    out.version = parse_query(cursor);
    cursor.expect_close(opened);
  } else {
    cursor.fail_at(span, clause + " cannot stand in a flow FROM SNAPSHOT",
                   "select and filter inside the snapshot's query");
  }
}

// What stands where a clause should: the nearest clause as a hint.
[[noreturn]] void fail_clause(const Cursor& cursor) {
  std::vector<std::string> starts;
  for (size_t words = 1; words <= 4; ++words) {
    std::string written;
    for (size_t i = 0; i < words && cursor.peek(i).kind == TokenKind::kWord; ++i) {
      written += (i == 0 ? "" : " ") + cursor.peek(i).upper;
    }
    for (const std::string_view clause : kFeedClauses) {
      const auto count = static_cast<size_t>(std::count(clause.begin(), clause.end(), ' ') + 1);
      if (count != words) continue;
      const std::string near = nearest_name(written, {std::string(clause)});
      if (!near.empty()) cursor.fail_expected("a clause of the flow", "did you mean " + near + "?");
    }
  }
  std::string all;
  for (const std::string_view clause : kFeedClauses) {
    all += (all.empty() ? "" : ", ") + std::string(clause);
  }
  cursor.fail_expected("a clause of the flow", "the clauses are " + all);
}

// Runs `parse` for every clause up to the end of the flow.
template <typename Parse>
void parse_clauses(Cursor& cursor, Clauses& clauses, Parse parse) {
  while (!cursor.at_end() && !cursor.at(";")) {
    const size_t first = cursor.position();
    const std::string clause = take_clause_words(cursor);
    if (clause.empty()) fail_clause(cursor);
    note(cursor, clauses, clause, first);
    parse(clause);
  }
}

void require_clause(const Clauses& clauses, const std::string& clause, const SourceSpan& flow) {
  if (clauses.count(clause) > 0) return;
  Error error = project_error("MISSING_CLAUSES_FOR_OPERATION",
                              "an AUTO CDC flow needs the clause " + clause, flow);
  error.with_hint(clause == "KEYS" ? "write KEYS (the columns that tell rows apart)"
                                   : "write SEQUENCE BY and the column that orders the events");
  throw Failure{std::move(error)};
}

// FROM ... up to the end of the flow.
void parse_cdc_spec(Cursor& cursor, plan::FlowBody& body, const SourceSpan& flow) {
  const size_t first = cursor.position();
  if (!cursor.accept("FROM")) cursor.fail_expected("FROM and the source of the flow");
  // A table may be called snapshot: then KEYS follows at once.
  if (cursor.at("SNAPSHOT") &&
      (cursor.at("(", 1) || (cursor.at_name(1) && !cursor.at("KEYS", 1)))) {
    cursor.next();
    plan::SnapshotSpec spec;
    spec.clauses["FROM SNAPSHOT"] = cursor.span_from(first);
    spec.source = parse_feed_source(cursor);
    parse_clauses(cursor, spec.clauses,
                  [&](const std::string& clause) { parse_snapshot_clause(cursor, clause, spec); });
    require_clause(spec.clauses, "KEYS", flow);
    body.spec = std::move(spec);
    return;
  }
  plan::FeedSpec spec;
  spec.clauses["FROM"] = cursor.span_from(first);
  spec.source = parse_feed_source(cursor);
  parse_clauses(cursor, spec.clauses,
                [&](const std::string& clause) { parse_feed_clause(cursor, clause, spec); });
  require_clause(spec.clauses, "KEYS", flow);
  require_clause(spec.clauses, "SEQUENCE BY", flow);
  if (body.once) spec.clauses["ONCE"] = body.once_span;
  body.spec = std::move(spec);
}

bool take_once(Cursor& cursor, plan::FlowBody& body) {
  if (!cursor.at("ONCE")) return false;
  body.once_span = cursor.span_here();
  cursor.next();
  if (body.once) cursor.fail_at(body.once_span, "ONCE stands twice in this flow");
  body.once = true;
  return true;
}

// [ONCE] INTO [ONCE] name: both orders are in use. A target may itself be called once.
plan::ObjectName parse_into(Cursor& cursor, plan::FlowBody& body) {
  take_once(cursor, body);
  if (!cursor.accept("INTO")) cursor.fail_expected("INTO and the name of the target");
  if (cursor.at("ONCE") && cursor.at_name(1) && !cursor.at_any({"BY", "FROM"}, 1)) {
    take_once(cursor, body);
  }
  return parse_object_name(cursor, "the name of the target");
}

// [BY NAME] [REPLACE WHERE ... | REPLACE USING (...) SEQUENCE BY ...] query, in either order.
void parse_insert_spec(Cursor& cursor, plan::FlowBody& body) {
  plan::InsertSpec spec;
  bool by_name = cursor.accept_all({"BY", "NAME"});
  if (cursor.accept_all({"REPLACE", "WHERE"})) {
    spec.replace_kind = "WHERE";
    parse_expression(cursor);
  } else if (cursor.accept_all({"REPLACE", "USING"})) {
    spec.replace_kind = "USING";
    parse_name_list(cursor, "a column");
    cursor.expect_all({"SEQUENCE", "BY"});
    parse_identifier(cursor, "a column");
  }
  by_name = by_name || cursor.accept_all({"BY", "NAME"});
  if (!by_name) {
    cursor.fail_expected("BY NAME",
                         "a flow matches columns by name: INSERT INTO t BY NAME SELECT ...");
  }
  if (!at_query(cursor)) cursor.fail_expected("a query after BY NAME");
  spec.query = parse_query(cursor);
  body.spec = std::move(spec);
}

}  // namespace

plan::ColumnChoice parse_column_choice(Cursor& cursor, bool star) {
  plan::ColumnChoice out;
  const size_t first = cursor.position();
  const auto item = [&] {
    const size_t start = cursor.position();
    out.names.push_back(parse_parts(cursor, "the name of a column"));
    out.spans.push_back(cursor.span_from(start));
    const TokenKind kind = cursor.peek().kind;
    if (cursor.at_any({"(", "+", "-", "*", "/", "||", ":", "::", "["}) &&
        kind == TokenKind::kSymbol) {
      cursor.fail("an expression stands where the name of a column must stand",
                  "compute it in the source, under a name of its own");
    }
  };
  bool brackets = true;
  if (star && cursor.accept("*")) {
    out.all_except = true;
    brackets = cursor.accept("EXCEPT");
    if (brackets && !cursor.at("(")) cursor.fail_expected("( and column names after EXCEPT");
    if (!brackets && cursor.at("(")) {
      cursor.fail_expected("EXCEPT between * and the list");
    }
  }
  if (brackets && cursor.at("(")) {
    const size_t opened = cursor.position();
    cursor.next();
    if (!cursor.at(")")) parse_commas(cursor, item);
    cursor.expect_close(opened);
  } else if (!out.all_except) {
    parse_commas(cursor, item);
  }
  out.span = cursor.span_from(first);
  return out;
}

plan::FlowBody parse_inner_flow(Cursor& cursor) {
  const size_t first = cursor.position();
  plan::FlowBody body;
  if (cursor.accept_all({"AUTO", "CDC"}) || cursor.accept_all({"APPLY", "CHANGES"})) {
    const SourceSpan flow = cursor.span_from(first);
    take_once(cursor, body);
    if (cursor.at("INTO")) {
      cursor.fail("a flow inside CREATE STREAMING TABLE has no INTO",
                  "leave out INTO and the name");
    }
    parse_cdc_spec(cursor, body, flow);
  } else if (cursor.accept("INSERT")) {
    take_once(cursor, body);
    parse_insert_spec(cursor, body);
  } else if (cursor.at("REPLACE")) {
    parse_insert_spec(cursor, body);
  } else {
    cursor.fail_expected("AUTO CDC, INSERT BY NAME or REPLACE after FLOW");
  }
  body.span = cursor.span_from(first);
  return body;
}

plan::Statement parse_create_flow(Cursor& cursor, size_t first, bool or_refresh) {
  plan::CreateFlow out;
  out.or_refresh = or_refresh;
  out.if_not_exists = accept_if_not_exists(cursor);
  out.name = parse_object_name(cursor, "the name of the flow");
  if (cursor.accept("COMMENT")) out.comment = parse_string(cursor, "the comment as a string");
  const std::string hint = "write CREATE FLOW name AS AUTO CDC INTO target FROM ...";
  if (!cursor.accept("AS")) cursor.fail_expected("AS", hint);
  const size_t body_first = cursor.position();
  if (cursor.accept_all({"AUTO", "CDC"}) || cursor.accept_all({"APPLY", "CHANGES"})) {
    const SourceSpan flow = cursor.span_from(body_first);
    out.target = parse_into(cursor, out.body);
    parse_cdc_spec(cursor, out.body, flow);
  } else if (cursor.accept("INSERT")) {
    out.target = parse_into(cursor, out.body);
    parse_insert_spec(cursor, out.body);
  } else {
    cursor.fail_expected("AUTO CDC INTO, APPLY CHANGES INTO or INSERT INTO", hint);
  }
  out.body.span = cursor.span_from(body_first);
  out.span = cursor.span_from(first);
  return out;
}

plan::Statement parse_apply_changes(Cursor& cursor) {
  const size_t first = cursor.position();
  plan::CreateFlow out;
  out.implicit_name = true;
  cursor.expect_all({"APPLY", "CHANGES"});
  const SourceSpan flow = cursor.span_from(first);
  out.target = parse_into(cursor, out.body);
  out.name.parts = {out.target.parts.back()};
  out.name.span = out.target.span;
  parse_cdc_spec(cursor, out.body, flow);
  out.body.span = cursor.span_from(first);
  out.span = out.body.span;
  return out;
}

}  // namespace lakebed::sql
