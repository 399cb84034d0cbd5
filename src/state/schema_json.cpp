#include <array>

#include "base/json.h"
#include "state/row_codec.h"

namespace lakebed::state {

using value::Field;
using value::Kind;
using value::Schema;
using value::Type;

namespace {

constexpr std::array<std::pair<Kind, const char*>, 17> kKinds{{
    {Kind::kVoid, "void"},
    {Kind::kBoolean, "boolean"},
    {Kind::kByte, "byte"},
    {Kind::kShort, "short"},
    {Kind::kInt, "int"},
    {Kind::kLong, "long"},
    {Kind::kFloat, "float"},
    {Kind::kDouble, "double"},
    {Kind::kDecimal, "decimal"},
    {Kind::kString, "string"},
    {Kind::kBinary, "binary"},
    {Kind::kDate, "date"},
    {Kind::kTimestamp, "timestamp"},
    {Kind::kTimestampNtz, "timestamp_ntz"},
    {Kind::kArray, "array"},
    {Kind::kMap, "map"},
    {Kind::kStruct, "struct"},
}};

Json fields_json(const Schema& schema);

Json type_json(const Type& type) {
  Json out;
  for (const auto& [kind, name] : kKinds) {
    if (kind == type.kind) out["kind"] = name;
  }
  LAKEBED_ASSERT(out.contains("kind"));  // intervals live in expressions only
  if (type.kind == Kind::kDecimal) {
    out["precision"] = type.precision;
    out["scale"] = type.scale;
  }
  if (!type.fields.empty() || type.kind == Kind::kStruct) out["fields"] = fields_json(type.fields);
  return out;
}

Json fields_json(const Schema& schema) {
  Json out = Json::array();
  for (const Field& field : schema) {
    Json item = type_json(field.type);
    item["name"] = field.name;
    out.push_back(std::move(item));
  }
  return out;
}

Error bad_schema() { return update_error("STATE_DAMAGED", "a kept schema cannot be read"); }

Result<Schema> fields_from(const Json& json, int depth);

Result<Type> type_from(const Json& json, int depth) {
  if (!json.is_object() || !json.contains("kind") || !json["kind"].is_string()) return bad_schema();
  Type type;
  bool known = false;
  for (const auto& [kind, name] : kKinds) {
    if (json["kind"] != name) continue;
    type.kind = kind;
    known = true;
  }
  if (!known) return bad_schema();
  if (type.kind == Kind::kDecimal) {
    const bool numbers = json.contains("precision") && json["precision"].is_number_integer() &&
                         json.contains("scale") && json["scale"].is_number_integer();
    const int precision = numbers ? json["precision"].get<int>() : 0;
    const int scale = numbers ? json["scale"].get<int>() : -1;
    if (precision < 1 || precision > 38 || scale < 0 || scale > precision) return bad_schema();
    type = Type::decimal(precision, scale);
  }
  if (json.contains("fields")) {
    LAKEBED_ASSIGN(type.fields, fields_from(json["fields"], depth + 1));
  }
  const size_t parts = type.kind == Kind::kArray ? 1 : type.kind == Kind::kMap ? 2 : 0;
  if (type.kind != Kind::kStruct && type.fields.size() != parts) return bad_schema();
  return type;
}

Result<Schema> fields_from(const Json& json, int depth) {
  constexpr int kDeepest = 200;
  if (!json.is_array() || depth > kDeepest) return bad_schema();
  Schema schema;
  for (const Json& item : json) {
    Field field;
    LAKEBED_ASSIGN(field.type, type_from(item, depth));
    if (!item.contains("name") || !item["name"].is_string()) return bad_schema();
    field.name = item["name"].get<std::string>();
    schema.push_back(std::move(field));
  }
  return schema;
}

}  // namespace

std::string schema_to_json(const Schema& schema) {
  return fields_json(schema).dump(-1, ' ', false, Json::error_handler_t::replace);
}

Result<Schema> schema_from_json(std::string_view text) {
  LAKEBED_ASSIGN(const Json json, parse_json(text, "STATE_DAMAGED"));
  return fields_from(json, 0);
}

}  // namespace lakebed::state
