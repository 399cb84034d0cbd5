#include "value/type.h"

#include <fmt/core.h>

#include "base/names.h"

namespace lakebed::value {

Type Type::decimal(int precision, int scale) {
  LAKEBED_ASSERT(precision >= 1 && precision <= 38 && scale >= 0 && scale <= precision);
  Type type(Kind::kDecimal);
  type.precision = static_cast<uint8_t>(precision);
  type.scale = static_cast<uint8_t>(scale);
  return type;
}

Type Type::array(Type element, bool contains_null) {
  Type type(Kind::kArray);
  type.fields.push_back({"element", std::move(element), contains_null, "", {}});
  return type;
}

Type Type::map(Type key, Type element, bool contains_null) {
  Type type(Kind::kMap);
  type.fields.push_back({"key", std::move(key), false, "", {}});
  type.fields.push_back({"value", std::move(element), contains_null, "", {}});
  return type;
}

Type Type::structure(std::vector<Field> fields) {
  Type type(Kind::kStruct);
  type.fields = std::move(fields);
  return type;
}

const Type& Type::element() const {
  LAKEBED_ASSERT(kind == Kind::kArray);
  return fields[0].type;
}

const Type& Type::map_key() const {
  LAKEBED_ASSERT(kind == Kind::kMap);
  return fields[0].type;
}

const Type& Type::map_value() const {
  LAKEBED_ASSERT(kind == Kind::kMap);
  return fields[1].type;
}

bool Type::is_integer() const { return kind >= Kind::kByte && kind <= Kind::kLong; }
bool Type::is_numeric() const { return kind >= Kind::kByte && kind <= Kind::kDecimal; }
bool Type::is_nested() const {
  return kind == Kind::kArray || kind == Kind::kMap || kind == Kind::kStruct;
}

static const char* simple_name(Kind kind) {
  switch (kind) {
    case Kind::kVoid: return "VOID";
    case Kind::kBoolean: return "BOOLEAN";
    case Kind::kByte: return "TINYINT";
    case Kind::kShort: return "SMALLINT";
    case Kind::kInt: return "INT";
    case Kind::kLong: return "BIGINT";
    case Kind::kFloat: return "FLOAT";
    case Kind::kDouble: return "DOUBLE";
    case Kind::kString: return "STRING";
    case Kind::kBinary: return "BINARY";
    case Kind::kDate: return "DATE";
    case Kind::kTimestamp: return "TIMESTAMP";
    case Kind::kTimestampNtz: return "TIMESTAMP_NTZ";
    case Kind::kIntervalYearMonth: return "INTERVAL YEAR TO MONTH";
    case Kind::kIntervalDayTime: return "INTERVAL DAY TO SECOND";
    default: return "?";
  }
}

std::string Type::text() const {
  switch (kind) {
    case Kind::kDecimal: return fmt::format("DECIMAL({},{})", precision, scale);
    case Kind::kArray: return fmt::format("ARRAY<{}>", element().text());
    case Kind::kMap: return fmt::format("MAP<{}, {}>", map_key().text(), map_value().text());
    case Kind::kStruct: {
      std::string out = "STRUCT<";
      for (size_t i = 0; i < fields.size(); ++i) {
        if (i > 0) out += ", ";
        out += quote_name(fields[i].name) + ": " + fields[i].type.text();
        if (!fields[i].nullable) out += " NOT NULL";
      }
      return out + ">";
    }
    default: return simple_name(kind);
  }
}

bool Type::operator==(const Type& other) const {
  return kind == other.kind && precision == other.precision && scale == other.scale &&
         fields == other.fields;
}

std::optional<size_t> find_field(const Schema& schema, std::string_view name) {
  for (size_t i = 0; i < schema.size(); ++i) {
    if (same_name(schema[i].name, name)) return i;
  }
  return std::nullopt;
}

bool is_orderable(const Type& type) {
  if (type.kind == Kind::kMap || type.kind == Kind::kVoid) return false;
  for (const Field& field : type.fields) {
    if (!is_orderable(field.type)) return false;
  }
  return true;
}

static int integer_digits(Kind kind) {
  switch (kind) {
    case Kind::kByte: return 3;
    case Kind::kShort: return 5;
    case Kind::kInt: return 10;
    default: return 20;
  }
}

bool can_widen(const Type& from, const Type& to) {
  if (from == to) return true;
  if (from.is_integer() && to.is_integer()) return from.kind < to.kind;
  if (from.kind == Kind::kFloat && to.kind == Kind::kDouble) return true;
  if (from.is_integer() && to.kind == Kind::kDouble) return from.kind <= Kind::kInt;
  if (from.is_integer() && to.kind == Kind::kDecimal) {
    const int needed = from.kind == Kind::kLong ? 20 : 10;
    return to.precision - to.scale >= std::max(needed, integer_digits(from.kind));
  }
  if (from.kind == Kind::kDecimal && to.kind == Kind::kDecimal) {
    return to.scale >= from.scale && to.precision - to.scale >= from.precision - from.scale;
  }
  return from.kind == Kind::kDate && to.kind == Kind::kTimestampNtz;
}

}  // namespace lakebed::value
