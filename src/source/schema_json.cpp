// Schemas as JSON, in the form in which Spark and Delta write them.
#include <fmt/core.h>

#include <utility>

#include "base/json.h"
#include "source/infer.h"

namespace lakebed::source {

using value::Field;
using value::Kind;
using value::Schema;
using value::Type;

namespace {

struct Name {
  const char* text;
  Kind kind;
};
constexpr Name kNames[] = {
    {"void", Kind::kVoid},
    {"boolean", Kind::kBoolean},
    {"byte", Kind::kByte},
    {"short", Kind::kShort},
    {"integer", Kind::kInt},
    {"long", Kind::kLong},
    {"float", Kind::kFloat},
    {"double", Kind::kDouble},
    {"string", Kind::kString},
    {"binary", Kind::kBinary},
    {"date", Kind::kDate},
    {"timestamp", Kind::kTimestamp},
    {"timestamp_ntz", Kind::kTimestampNtz},
};

Json type_json(const Type& type);

Json struct_json(const Schema& schema) {
  Json fields = Json::array();
  for (const Field& field : schema) {
    fields.push_back({{"name", field.name},
                      {"type", type_json(field.type)},
                      {"nullable", field.nullable},
                      {"metadata", Json::object()}});
  }
  return {{"type", "struct"}, {"fields", std::move(fields)}};
}

Json type_json(const Type& type) {
  switch (type.kind) {
    case Kind::kStruct: return struct_json(type.fields);
    case Kind::kArray:
      return {
          {"type", "array"}, {"elementType", type_json(type.element())}, {"containsNull", true}};
    case Kind::kMap:
      return {{"type", "map"},
              {"keyType", type_json(type.map_key())},
              {"valueType", type_json(type.map_value())},
              {"valueContainsNull", true}};
    case Kind::kDecimal: return fmt::format("decimal({},{})", type.precision, type.scale);
    default: break;
  }
  for (const Name& name : kNames) {
    if (name.kind == type.kind) return name.text;
  }
  return "void";
}

Error damaged(const std::string& why) {
  return update_error("SCHEMA_JSON.DAMAGED", "a schema kept as JSON cannot be read: " + why);
}

Result<Type> parse_type(const Json& json);

Result<Schema> parse_fields(const Json& json) {
  Schema out;
  if (!json.is_object() || !json.contains("fields") || !json["fields"].is_array()) {
    return damaged("a struct has no fields");
  }
  for (const Json& item : json["fields"]) {
    if (!item.is_object() || !item.contains("name") || !item["name"].is_string() ||
        !item.contains("type")) {
      return damaged("a field has no name or no type");
    }
    Field field;
    field.name = item["name"].get<std::string>();
    field.nullable = item.value("nullable", Json(true)) != Json(false);
    LAKEBED_ASSIGN(field.type, parse_type(item["type"]));
    out.push_back(std::move(field));
  }
  return out;
}

Result<Type> parse_simple(const std::string& text) {
  for (const Name& name : kNames) {
    if (text == name.text) return Type(name.kind);
  }
  int precision = 0;
  int scale = 0;
  if (std::sscanf(text.c_str(), "decimal(%d,%d)", &precision, &scale) == 2 && precision >= 1 &&
      precision <= 38 && scale >= 0 && scale <= precision) {
    return Type::decimal(precision, scale);
  }
  return damaged("the type " + text + " is unknown");
}

Result<Type> parse_type(const Json& json) {
  if (json.is_string()) return parse_simple(json.get<std::string>());
  if (!json.is_object()) return damaged("a type is neither a name nor an object");
  const Json kind = json.value("type", Json());
  const auto part = [&json](const char* name) { return json.value(name, Json()); };
  if (kind == "struct") {
    LAKEBED_ASSIGN(Schema fields, parse_fields(json));
    return Type::structure(std::move(fields));
  }
  if (kind == "array") {
    LAKEBED_ASSIGN(Type element, parse_type(part("elementType")));
    return Type::array(std::move(element));
  }
  if (kind == "map") {
    LAKEBED_ASSIGN(Type key, parse_type(part("keyType")));
    LAKEBED_ASSIGN(Type item, parse_type(part("valueType")));
    return Type::map(std::move(key), std::move(item));
  }
  return damaged("the kind of a nested type is unknown");
}

}  // namespace

std::string schema_json(const Schema& schema) { return struct_json(schema).dump(); }

Result<Schema> parse_schema_json(const std::string& text) {
  LAKEBED_ASSIGN(const Json json, parse_json(text, "SCHEMA_JSON.DAMAGED"));
  return parse_fields(json);
}

}  // namespace lakebed::source
