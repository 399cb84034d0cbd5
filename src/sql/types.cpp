#include "sql/types.h"

#include <array>
#include <charconv>

#include "base/names.h"
#include "sql/names.h"

namespace lakebed::sql {

namespace {

using value::Kind;
using value::Type;

struct NamedKind {
  std::string_view name;
  Kind kind;
};
constexpr std::array<NamedKind, 17> kSimple = {{
    {"BOOLEAN", Kind::kBoolean},
    {"TINYINT", Kind::kByte},
    {"BYTE", Kind::kByte},
    {"SMALLINT", Kind::kShort},
    {"SHORT", Kind::kShort},
    {"INT", Kind::kInt},
    {"INTEGER", Kind::kInt},
    {"BIGINT", Kind::kLong},
    {"LONG", Kind::kLong},
    {"FLOAT", Kind::kFloat},
    {"REAL", Kind::kFloat},
    {"DOUBLE", Kind::kDouble},
    {"BINARY", Kind::kBinary},
    {"DATE", Kind::kDate},
    {"TIMESTAMP_NTZ", Kind::kTimestampNtz},
    {"TIMESTAMP_LTZ", Kind::kTimestamp},
    {"VOID", Kind::kVoid},
}};

int small_number(Cursor& cursor, std::string_view what, int from, int to) {
  const Token& token = cursor.peek();
  int value = 0;
  const char* end = token.text.data() + token.text.size();
  const auto read = std::from_chars(token.text.data(), end, value);
  if (token.kind != TokenKind::kNumber || read.ec != std::errc() || read.ptr != end) {
    cursor.fail_expected(what);
  }
  if (value < from || value > to) {
    cursor.fail(std::string(what) + " must lie between " + std::to_string(from) + " and " +
                std::to_string(to) + ", found " + token.text);
  }
  cursor.next();
  return value;
}

Type decimal(Cursor& cursor) {
  if (!cursor.at("(")) return Type::decimal(10, 0);
  const size_t opened = cursor.position();
  cursor.next();
  const int precision = small_number(cursor, "the precision", 1, 38);
  int scale = 0;
  if (cursor.accept(",")) scale = small_number(cursor, "the scale", 0, precision);
  cursor.expect_close(opened);
  return Type::decimal(precision, scale);
}

Type text(Cursor& cursor) {
  if (!cursor.at("COLLATE")) return Kind::kString;
  const size_t first = cursor.position();
  cursor.next();
  const std::string name = parse_identifier(cursor, "a collation");
  if (!same_name(name, "UTF8_BINARY")) cursor.refuse("COLLATION", cursor.span_from(first));
  return Kind::kString;
}

Type sized_text(Cursor& cursor, size_t first, std::string* as_written) {
  const size_t opened = cursor.position();
  cursor.expect("(");
  small_number(cursor, "the length", 1, 1'000'000'000);
  cursor.expect_close(opened);
  if (as_written != nullptr) *as_written = fold_case(cursor.written_from(first));
  return Kind::kString;
}

Type interval(Cursor& cursor) {
  const auto year_month = [&cursor] { return cursor.at_any({"YEAR", "MONTH"}); };
  const auto unit = [&cursor] {
    return cursor.at_any({"YEAR", "MONTH", "DAY", "HOUR", "MINUTE", "SECOND"});
  };
  if (!unit()) cursor.fail_expected("YEAR, MONTH, DAY, HOUR, MINUTE or SECOND after INTERVAL");
  const bool months = year_month();
  cursor.next();
  if (cursor.accept("TO")) {
    if (!unit() || year_month() != months) cursor.fail_expected("a smaller unit of the same kind");
    cursor.next();
  }
  return months ? Kind::kIntervalYearMonth : Kind::kIntervalDayTime;
}

void close_angle(Cursor& cursor) {
  if (!cursor.accept(">")) cursor.fail_expected(", or > at the end of the type");
}

Type structure(Cursor& cursor) {
  if (cursor.accept("<>")) return Type::structure({});
  cursor.expect("<");
  if (cursor.accept(">")) return Type::structure({});
  std::vector<value::Field> fields;
  parse_commas(cursor, [&] { fields.push_back(parse_field(cursor)); });
  close_angle(cursor);
  return Type::structure(std::move(fields));
}

Type nested(Cursor& cursor, const std::string& name) {
  if (name == "STRUCT") return structure(cursor);
  cursor.expect("<");
  Type first = parse_type(cursor);
  if (name == "ARRAY") {
    close_angle(cursor);
    return Type::array(std::move(first));
  }
  cursor.expect(",");
  Type second = parse_type(cursor);
  close_angle(cursor);
  return Type::map(std::move(first), std::move(second));
}

Type timestamp(Cursor& cursor) {
  if (cursor.accept_all({"WITHOUT", "TIME", "ZONE"})) return Kind::kTimestampNtz;
  cursor.accept_all({"WITH", "LOCAL", "TIME", "ZONE"});
  return Kind::kTimestamp;
}

[[noreturn]] void unknown_type(const Cursor& cursor) {
  static const std::vector<std::string> known = {
      "BOOLEAN", "TINYINT", "SMALLINT", "INT",     "BIGINT",  "FLOAT",     "DOUBLE",
      "DECIMAL", "STRING",  "VARCHAR",  "BINARY",  "DATE",    "TIMESTAMP", "TIMESTAMP_NTZ",
      "ARRAY",   "MAP",     "STRUCT",   "INTEGER", "NUMERIC", "LONG",      "CHAR"};
  const std::string& name = cursor.peek().text;
  const std::string near = nearest_name(name, known);
  Error error = project_error("UNSUPPORTED_DATATYPE", "there is no type " + quote_name(name),
                              cursor.span_here());
  if (!near.empty()) error.with_hint("did you mean " + near + "?");
  throw Failure{std::move(error)};
}

}  // namespace

Type parse_type(Cursor& cursor, std::string* as_written) {
  const Nesting nesting(cursor);
  if (cursor.peek().kind != TokenKind::kWord) cursor.fail_expected("a type");
  const size_t first = cursor.position();
  const std::string name = cursor.peek().upper;
  for (const NamedKind& simple : kSimple) {
    if (simple.name != name) continue;
    cursor.next();
    if (name == "DOUBLE") cursor.accept("PRECISION");
    return simple.kind;
  }
  const bool is_decimal = name == "DECIMAL" || name == "DEC" || name == "NUMERIC";
  const bool is_sized = name == "VARCHAR" || name == "CHAR" || name == "CHARACTER";
  const bool is_nested = name == "ARRAY" || name == "MAP" || name == "STRUCT";
  if (name == "VARIANT" || name == "GEOGRAPHY" || name == "GEOMETRY" || name == "TIME") {
    cursor.refuse("THE TYPE " + name, cursor.span_here());
  }
  if (!is_decimal && !is_sized && !is_nested && name != "STRING" && name != "TIMESTAMP" &&
      name != "INTERVAL") {
    unknown_type(cursor);
  }
  cursor.next();
  if (is_decimal) return decimal(cursor);
  if (is_sized) return sized_text(cursor, first, as_written);
  if (is_nested) return nested(cursor, name);
  if (name == "STRING") return text(cursor);
  return name == "TIMESTAMP" ? timestamp(cursor) : interval(cursor);
}

value::Field parse_field(Cursor& cursor) {
  value::Field field;
  field.name = parse_identifier(cursor, "the name of a field");
  cursor.accept(":");
  std::string written;
  field.type = parse_type(cursor, &written);
  if (!written.empty()) field.metadata["__CHAR_VARCHAR_TYPE_STRING"] = written;
  if (cursor.accept_all({"NOT", "NULL"})) field.nullable = false;
  if (cursor.accept("COMMENT")) field.comment = parse_string(cursor, "the comment as a string");
  return field;
}

value::Schema parse_fields(Cursor& cursor) {
  value::Schema schema;
  if (cursor.at_end()) return schema;
  parse_commas(cursor, [&] { schema.push_back(parse_field(cursor)); });
  return schema;
}

}  // namespace lakebed::sql
