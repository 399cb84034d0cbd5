// Columns, constraints and clauses of tables and views.
#include "base/names.h"
#include "sql/expressions.h"
#include "sql/names.h"
#include "sql/statements.h"
#include "sql/types.h"

namespace lakebed::sql {

namespace {

// Takes `( ... )` whatever it holds.
void skip_brackets(Cursor& cursor) {
  if (!cursor.at("(")) cursor.fail_expected("(");
  const size_t close = cursor.matching(0);
  if (cursor.peek(close).kind == TokenKind::kEnd) cursor.fail("a ( that is never closed");
  for (size_t i = 0; i <= close; ++i) cursor.next();
}

plan::ExpressionPtr bracketed(Cursor& cursor) {
  const size_t opened = cursor.position();
  cursor.expect("(");
  plan::ExpressionPtr out = parse_expression(cursor);
  cursor.expect_close(opened);
  return out;
}

// The characteristics that may stand behind a key: they inform, nothing enforces them.
void skip_key_options(Cursor& cursor) {
  while (cursor.accept_all({"NOT", "ENFORCED"}) || cursor.accept("ENFORCED") ||
         cursor.accept("RELY") || cursor.accept("NORELY") || cursor.accept("DEFERRABLE") ||
         cursor.accept_all({"INITIALLY", "DEFERRED"}) || cursor.accept("TIMESERIES") ||
         cursor.accept_all({"MATCH", "FULL"}) ||
         cursor.accept_all({"ON", "UPDATE", "NO", "ACTION"}) ||
         cursor.accept_all({"ON", "DELETE", "NO", "ACTION"})) {
  }
}

void parse_references(Cursor& cursor) {
  cursor.expect("REFERENCES");
  parse_object_name(cursor, "the table that the key refers to");
  if (cursor.at("(")) skip_brackets(cursor);
  skip_key_options(cursor);
}

// PRIMARY KEY (...), FOREIGN KEY (...) REFERENCES ..., CHECK (...). False where none begins.
bool parse_table_constraint(Cursor& cursor, TableClauses& out) {
  const size_t first = cursor.position();
  if (cursor.accept_all({"PRIMARY", "KEY"})) {
    skip_brackets(cursor);
    skip_key_options(cursor);
    out.clauses.emplace("PRIMARY KEY", cursor.span_from(first));
  } else if (cursor.accept_all({"FOREIGN", "KEY"})) {
    skip_brackets(cursor);
    parse_references(cursor);
    out.clauses.emplace("FOREIGN KEY", cursor.span_from(first));
  } else if (cursor.at_all({"CHECK", "("})) {
    cursor.next();
    bracketed(cursor);
    cursor.accept("ENFORCED");
    out.clauses.emplace("CHECK", cursor.span_from(first));
  } else {
    return false;
  }
  return true;
}

plan::ViolationAction parse_violation(Cursor& cursor) {
  if (!cursor.accept("ON")) return plan::ViolationAction::kWarn;
  cursor.expect("VIOLATION");
  if (cursor.accept("DROP")) {
    cursor.expect("ROW");
    return plan::ViolationAction::kDropRow;
  }
  if (!cursor.accept("FAIL")) cursor.fail_expected("DROP ROW or FAIL UPDATE after ON VIOLATION");
  cursor.expect("UPDATE");
  return plan::ViolationAction::kFailUpdate;
}

// The name of a constraint: one word, a string, or several words as they stand.
plan::NameAt parse_constraint_name(Cursor& cursor) {
  const size_t first = cursor.position();
  plan::NameAt out;
  if (cursor.at_string()) {
    out.name = parse_string(cursor, "a name");
  } else {
    out.name = parse_identifier(cursor, "the name of the constraint");
    const auto ends = [&] {
      return cursor.at_any({"EXPECT", "CHECK"}) || cursor.at_all({"PRIMARY", "KEY"}) ||
             cursor.at_all({"FOREIGN", "KEY"});
    };
    while (cursor.at_name() && !ends()) {
      cursor.next();
      out.name = cursor.written_from(first);
    }
  }
  out.span = cursor.span_from(first);
  return out;
}

// CONSTRAINT was taken.
void parse_constraint(Cursor& cursor, TableClauses& out) {
  plan::Expectation expectation;
  expectation.name = parse_constraint_name(cursor);
  if (parse_table_constraint(cursor, out)) return;
  if (!cursor.accept("EXPECT")) {
    cursor.fail_expected("EXPECT (condition), PRIMARY KEY or FOREIGN KEY");
  }
  const size_t opened = cursor.position();
  if (!cursor.accept("(")) cursor.fail_expected("( and the condition after EXPECT");
  const size_t first = cursor.position();
  expectation.condition = parse_expression(cursor);
  expectation.condition_text = cursor.written_from(first);
  cursor.expect_close(opened);
  expectation.action = parse_violation(cursor);
  out.expectations.push_back(std::move(expectation));
}

// GENERATED ALWAYS AS (expr) | GENERATED ALWAYS | BY DEFAULT AS IDENTITY [(...)]; taken: GENERATED.
void parse_generated(Cursor& cursor, plan::ColumnDefinition& column) {
  if (!cursor.accept("ALWAYS")) cursor.expect_all({"BY", "DEFAULT"});
  cursor.expect("AS");
  if (cursor.accept("IDENTITY")) {
    column.identity = true;
    if (cursor.at("(")) skip_brackets(cursor);
  } else {
    const size_t opened = cursor.position();
    cursor.expect("(");
    const size_t first = cursor.position();
    column.generated = parse_expression(cursor);
    column.generated_text = cursor.written_from(first);
    cursor.expect_close(opened);
  }
}

// One option behind a column's type; false where none begins.
bool parse_column_option(Cursor& cursor, plan::ColumnDefinition& column, TableClauses& out) {
  const size_t first = cursor.position();
  if (cursor.accept_all({"NOT", "NULL"})) {
    column.field.nullable = false;
  } else if (cursor.accept("COMMENT")) {
    column.field.comment = parse_string(cursor, "the comment as a string");
  } else if (cursor.accept("DEFAULT")) {
    column.default_value = parse_expression(cursor);
  } else if (cursor.accept("GENERATED")) {
    parse_generated(cursor, column);
  } else if (cursor.accept("MASK")) {
    parse_object_name(cursor, "the function that masks");
    if (cursor.accept_all({"USING", "COLUMNS"})) skip_brackets(cursor);
    out.clauses.emplace("MASK", cursor.span_from(first));
  } else if (cursor.accept_all({"PRIMARY", "KEY"})) {
    column.primary_key = true;
    skip_key_options(cursor);
    out.clauses.emplace("PRIMARY KEY", cursor.span_from(first));
  } else if (cursor.at_all({"FOREIGN", "KEY"}) || cursor.at("REFERENCES")) {
    cursor.accept_all({"FOREIGN", "KEY"});
    parse_references(cursor);
    out.clauses.emplace("FOREIGN KEY", cursor.span_from(first));
  } else if (cursor.at("CONSTRAINT") && !cursor.at("EXPECT", 2)) {
    cursor.next();
    parse_identifier(cursor, "the name of the constraint");
  } else {
    return false;
  }
  return true;
}

void parse_column(Cursor& cursor, TableClauses& out, bool typed) {
  const size_t first = cursor.position();
  plan::ColumnDefinition column;
  column.field.name = parse_identifier(cursor, "a column or CONSTRAINT");
  const bool bare = cursor.at_any({",", ")", "COMMENT"});
  if (bare && typed) cursor.fail_expected("a type for the column " + quote_name(column.field.name));
  if (!bare) {
    cursor.accept(":");
    std::string written;
    column.field.type = parse_type(cursor, &written);
    if (!written.empty()) column.field.metadata["__CHAR_VARCHAR_TYPE_STRING"] = written;
  }
  column.span = cursor.span_from(first);
  while (parse_column_option(cursor, column, out)) {
  }
  out.columns.push_back(std::move(column));
}

std::string parse_property_key(Cursor& cursor) {
  if (cursor.at_string()) return parse_string(cursor, "a property");
  std::string key;
  for (const std::string& part : parse_parts(cursor, "a property")) {
    key += (key.empty() ? "" : ".") + part;
  }
  return key;
}

std::string parse_property_value(Cursor& cursor) {
  if (cursor.at_string()) return parse_string(cursor, "a value");
  const std::string sign = cursor.accept("-") ? "-" : "";
  const bool word = cursor.peek().kind == TokenKind::kWord && sign.empty();
  if (cursor.peek().kind != TokenKind::kNumber && !word) {
    cursor.fail_expected("a value: a string, a number, true or false");
  }
  return sign + cursor.next().text;
}

// SCHEDULE [REFRESH] ..., TRIGGER ON UPDATE ...: noted, this engine runs when it is told to.
void skip_schedule(Cursor& cursor) {
  const bool trigger = cursor.next().upper == "TRIGGER";
  if (trigger) {
    cursor.expect_all({"ON", "UPDATE"});
    if (cursor.accept_all({"AT", "MOST", "EVERY"})) {
      cursor.accept("INTERVAL");
      cursor.next();
      if (cursor.at_name() && !cursor.at("AS")) cursor.next();
    }
    return;
  }
  cursor.accept("REFRESH");
  if (cursor.accept("EVERY")) {
    cursor.next();
    parse_identifier(cursor, "a unit such as HOURS");
  } else {
    cursor.expect("CRON");
    parse_string(cursor, "the schedule as a string");
    if (cursor.accept_all({"AT", "TIME", "ZONE"})) parse_string(cursor, "a time zone");
  }
}

void once(Cursor& cursor, TableClauses& out, const std::string& name) {
  const SourceSpan span = cursor.span_here();
  if (!out.clauses.emplace(name, span).second) cursor.fail_at(span, name + " stands twice");
}

// The clauses that are noted only.
bool parse_noted_clause(Cursor& cursor, TableClauses& out) {
  if (cursor.at_all({"USING"}) && cursor.at_name(1)) {
    once(cursor, out, "USING");
    cursor.next();
    const SourceSpan span = cursor.span_here();
    const std::string format = cursor.peek().upper;
    if (!same_name(parse_identifier(cursor, "a format"), "delta")) {
      cursor.refuse("USING " + format, span, "tables are stored as Delta");
    }
  } else if (cursor.at_all({"DEFAULT", "COLLATION"})) {
    once(cursor, out, "DEFAULT COLLATION");
    cursor.accept_all({"DEFAULT", "COLLATION"});
    parse_identifier(cursor, "a collation");
  } else if (cursor.at_all({"WITH", "ROW", "FILTER"}) || cursor.at_all({"ROW", "FILTER"})) {
    once(cursor, out, "ROW FILTER");
    cursor.accept("WITH");
    cursor.expect_all({"ROW", "FILTER"});
    parse_object_name(cursor, "the function that filters");
    cursor.expect("ON");
    skip_brackets(cursor);
  } else if (cursor.at("SCHEDULE") || cursor.at_all({"TRIGGER", "ON"})) {
    once(cursor, out, cursor.at("SCHEDULE") ? "SCHEDULE" : "TRIGGER");
    skip_schedule(cursor);
  } else if (cursor.at_all({"REFRESH", "POLICY"})) {
    once(cursor, out, "REFRESH POLICY");
    cursor.accept_all({"REFRESH", "POLICY"});
    parse_identifier(cursor, "a policy such as AUTO");
    cursor.accept("STRICT");
  } else {
    return false;
  }
  return true;
}

}  // namespace

void parse_table_spec(Cursor& cursor, TableClauses& out, bool typed) {
  const size_t opened = cursor.position();
  cursor.expect("(");
  if (cursor.at(")")) cursor.fail_expected("a column or CONSTRAINT");
  parse_commas(cursor, [&] {
    if (cursor.at("CONSTRAINT") && (cursor.at_string(1) || cursor.at_name(1))) {
      cursor.next();
      parse_constraint(cursor, out);
    } else if (!parse_table_constraint(cursor, out)) {
      parse_column(cursor, out, typed);
    }
    // Constraints of the column itself may follow each other without a comma.
    while (cursor.accept("CONSTRAINT")) parse_constraint(cursor, out);
  });
  cursor.expect_close(opened);
}

std::vector<plan::Property> parse_properties(Cursor& cursor) {
  std::vector<plan::Property> out;
  const size_t opened = cursor.position();
  cursor.expect("(");
  if (cursor.at(")")) cursor.fail_expected("a property");
  parse_commas(cursor, [&] {
    const size_t first = cursor.position();
    plan::Property property;
    property.key = parse_property_key(cursor);
    if (!cursor.accept("=")) cursor.fail_expected("= after the property " + property.key);
    property.value = parse_property_value(cursor);
    property.span = cursor.span_from(first);
    out.push_back(std::move(property));
  });
  cursor.expect_close(opened);
  return out;
}

bool parse_table_clause(Cursor& cursor, TableClauses& out) {
  if (cursor.at("COMMENT")) {
    once(cursor, out, "COMMENT");
    cursor.next();
    out.comment = parse_string(cursor, "the comment as a string");
  } else if (cursor.at("TBLPROPERTIES")) {
    once(cursor, out, "TBLPROPERTIES");
    cursor.next();
    out.properties = parse_properties(cursor);
  } else if (cursor.at("LOCATION")) {
    once(cursor, out, "LOCATION");
    cursor.next();
    out.location = parse_string(cursor, "the location as a string");
  } else if (cursor.at_all({"PARTITIONED", "BY"})) {
    once(cursor, out, "PARTITIONED BY");
    cursor.accept_all({"PARTITIONED", "BY"});
    out.partitioned_by = parse_name_list(cursor, "a column");
  } else if (cursor.at_all({"CLUSTER", "BY"})) {
    once(cursor, out, "CLUSTER BY");
    cursor.accept_all({"CLUSTER", "BY"});
    if (cursor.accept("NONE")) return true;
    if (cursor.at("AUTO")) {
      once(cursor, out, "CLUSTER BY AUTO");
      cursor.next();
      return true;
    }
    const size_t opened = cursor.position();
    cursor.expect("(");
    parse_commas(cursor, [&] {
      std::string dotted;
      for (const std::string& part : parse_parts(cursor, "a column")) {
        dotted += (dotted.empty() ? "" : ".") + part;
      }
      out.cluster_by.push_back(std::move(dotted));
    });
    cursor.expect_close(opened);
  } else {
    return parse_noted_clause(cursor, out);
  }
  return true;
}

}  // namespace lakebed::sql
