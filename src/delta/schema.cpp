#include "delta/schema.h"

#include <fmt/format.h>

#include <charconv>
#include <cstdio>

#include "base/json.h"
#include "delta/json_text.h"
#include "engine/engine.h"

namespace lakebed::delta {
namespace {

using value::Field;
using value::Kind;
using value::Schema;
using value::Type;

constexpr const char* kIdKey = "delta.columnMapping.id";
constexpr const char* kGenerationKey = "delta.generationExpression";
constexpr const char* kPhysicalKey = "delta.columnMapping.physicalName";
constexpr const char* kNestedIdsKey = "delta.columnMapping.nested.ids";

struct SimpleName {
  Kind kind;
  const char* name;
};
constexpr SimpleName kSimpleNames[] = {
    {Kind::kBoolean, "boolean"},     {Kind::kByte, "byte"},
    {Kind::kShort, "short"},         {Kind::kInt, "integer"},
    {Kind::kLong, "long"},           {Kind::kFloat, "float"},
    {Kind::kDouble, "double"},       {Kind::kString, "string"},
    {Kind::kBinary, "binary"},       {Kind::kDate, "date"},
    {Kind::kTimestamp, "timestamp"}, {Kind::kTimestampNtz, "timestamp_ntz"},
    {Kind::kVoid, "void"},
};

Error damaged(std::string problem) {
  return update_error("DELTA_LOG.DAMAGED", "The table's schema: " + std::move(problem) + ".");
}

Result<Type> read_type(const Json& json);

Result<Type> read_simple(const std::string& name) {
  for (const SimpleName& simple : kSimpleNames) {
    if (name == simple.name) return Type(simple.kind);
  }
  if (name == "decimal") return Type::decimal(10, 0);
  int precision = 0;
  int scale = 0;
  char end = 0;
  if (std::sscanf(name.c_str(), "decimal(%d,%d%c", &precision, &scale, &end) == 3 && end == ')') {
    const bool legal = precision >= 1 && precision <= 38 && scale >= 0 && scale <= precision;
    if (legal) return Type::decimal(precision, scale);
  }
  return update_error(
      "DELTA_UNSUPPORTED_TYPE." + name,
      fmt::format("The table has a column of type '{}', which is not supported.", name));
}

Result<Field> read_field(const Json& json) {
  if (!json.is_object() || !json.contains("name") || !json.contains("type") ||
      !json["name"].is_string()) {
    return damaged("a field has no name or no type");
  }
  Field field;
  field.name = json["name"].get<std::string>();
  LAKEBED_ASSIGN(field.type, read_type(json["type"]));
  if (json.contains("nullable") && json["nullable"].is_boolean()) {
    field.nullable = json["nullable"].get<bool>();
  }
  if (!json.contains("metadata") || !json["metadata"].is_object()) return field;
  for (const auto& [key, item] : json["metadata"].items()) {
    if (key == "comment" && item.is_string()) {
      field.comment = item.get<std::string>();
    } else {
      field.metadata[key] = item.dump();
    }
  }
  return field;
}

bool flag_in(const Json& json, const char* name) {
  return !json.contains(name) || !json[name].is_boolean() || json[name].get<bool>();
}

Result<Type> read_nested(const Json& json) {
  const bool named = json.contains("type") && json["type"].is_string();
  const std::string kind = named ? json["type"].get<std::string>() : "";
  const auto part = [&](const char* name) -> const Json& {
    static const Json none;
    return json.contains(name) ? json.at(name) : none;
  };
  if (kind == "struct") {
    if (!part("fields").is_array()) return damaged("a struct has no fields");
    std::vector<Field> fields;
    for (const Json& item : part("fields")) {
      LAKEBED_ASSIGN(Field field, read_field(item));
      fields.push_back(std::move(field));
    }
    return Type::structure(std::move(fields));
  }
  if (kind == "array") {
    LAKEBED_ASSIGN(Type element, read_type(part("elementType")));
    return Type::array(std::move(element), flag_in(json, "containsNull"));
  }
  if (kind == "map") {
    LAKEBED_ASSIGN(Type key, read_type(part("keyType")));
    LAKEBED_ASSIGN(Type item, read_type(part("valueType")));
    return Type::map(std::move(key), std::move(item), flag_in(json, "valueContainsNull"));
  }
  return damaged(fmt::format("the type '{}' is unknown", kind));
}

Result<Type> read_type(const Json& json) {
  if (json.is_string()) return read_simple(json.get<std::string>());
  if (json.is_object()) return read_nested(json);
  return damaged("a type is neither text nor object");
}

void write_type(std::string& out, const Type& type);

void write_fields(std::string& out, const std::vector<Field>& fields) {
  JsonObject object(out);
  object.text("type", "struct");
  object.name("fields") += '[';
  for (size_t i = 0; i < fields.size(); ++i) {
    const Field& field = fields[i];
    if (i > 0) out += ',';
    JsonObject member(out);
    member.text("name", field.name);
    member.name("type");
    write_type(out, field.type);
    member.flag("nullable", field.nullable);
    member.name("metadata");
    JsonObject metadata(out);
    if (!field.comment.empty()) metadata.text("comment", field.comment);
    for (const auto& [key, json] : field.metadata) metadata.raw(key, json);
    metadata.close();
    member.close();
  }
  out += ']';
  object.close();
}

void write_type(std::string& out, const Type& type) {
  switch (type.kind) {
    case Kind::kStruct: return write_fields(out, type.fields);
    case Kind::kArray: {
      JsonObject object(out);
      object.text("type", "array");
      object.name("elementType");
      write_type(out, type.element());
      object.flag("containsNull", type.fields[0].nullable);
      return object.close();
    }
    case Kind::kMap: {
      JsonObject object(out);
      object.text("type", "map");
      object.name("keyType");
      write_type(out, type.map_key());
      object.name("valueType");
      write_type(out, type.map_value());
      object.flag("valueContainsNull", type.fields[1].nullable);
      return object.close();
    }
    case Kind::kDecimal:
      return append_json_string(out, fmt::format("decimal({},{})", type.precision, type.scale));
    default: break;
  }
  for (const SimpleName& simple : kSimpleNames) {
    if (type.kind == simple.kind) return append_json_string(out, simple.name);
  }
  LAKEBED_ASSERT(false);  // intervals never reach a table: new_table() refuses them
}

bool is_odd(std::string_view name) {
  return name.find_first_of(" ,;{}()\n\t=") != std::string_view::npos;
}

bool type_needs_mapping(const Type& type) {
  for (const Field& field : type.fields) {
    if (is_odd(field.name) || type_needs_mapping(field.type)) return true;
  }
  return false;
}

int32_t number_in(const Field& field, const char* key) {
  const auto at = field.metadata.find(key);
  int32_t number = 0;
  if (at == field.metadata.end()) return 0;
  std::from_chars(at->second.data(), at->second.data() + at->second.size(), number);
  return number;
}

// Where names come from. In a table that is mapped already a plain name may have been the physical
// name of a column that was dropped or renamed, so new columns never take theirs.
struct Naming {
  Random& random;
  int32_t& max_id;
  bool keep_plain;
};

void assign_field(Field& field, Naming& naming);

// Ids of list elements, keys and values go to the nearest struct field, under dotted names that
// begin with its physical name; fields of structs inside are fields of their own.
void assign_inside(Type& type, const std::string& prefix, Json& nested, Naming& naming) {
  if (type.kind == Kind::kStruct) {
    for (Field& field : type.fields) assign_field(field, naming);
    return;
  }
  for (Field& part : type.fields) {
    const std::string name = prefix + "." + part.name;
    if (!nested.contains(name)) nested[name] = ++naming.max_id;
    assign_inside(part.type, name, nested, naming);
  }
}

void assign_field(Field& field, Naming& naming) {
  if (number_in(field, kIdKey) == 0) field.metadata[kIdKey] = std::to_string(++naming.max_id);
  if (!field.metadata.contains(kPhysicalKey)) {
    // A dot would make the dotted paths of ids and statistics ambiguous.
    const bool plain =
        naming.keep_plain && !is_odd(field.name) && field.name.find('.') == std::string::npos;
    const std::string name = plain ? field.name : "col-" + uuid_text(make_uuid(naming.random));
    field.metadata[kPhysicalKey] = Json(name).dump();
  }
  Json nested = Json::object();
  if (const auto at = field.metadata.find(kNestedIdsKey); at != field.metadata.end()) {
    auto parsed = parse_json(at->second);
    if (parsed.ok() && parsed->is_object()) nested = std::move(parsed).value();
  }
  assign_inside(field.type, physical_name(field), nested, naming);
  if (!nested.empty()) field.metadata[kNestedIdsKey] = nested.dump();
}

Type physical_type(const Type& type) {
  Type out = type;
  for (Field& field : out.fields) {
    if (type.kind == Kind::kStruct) field.name = physical_name(field);
    field.type = physical_type(field.type);
  }
  return out;
}

void collect_names(const Field& field, const std::string& path,
                   std::map<std::string, std::string>& names) {
  const std::string physical = physical_name(field);
  if (physical != field.name) names[path] = physical;
  for (const Field& inner : field.type.fields) {
    collect_names(inner, path + engine::kNestedName + inner.name, names);
  }
}

void collect_ids(const Field& field, const std::string& prefix,
                 std::map<std::string, int32_t>& ids);

void collect_inside(const Type& type, const std::string& path, const std::string& dotted,
                    const Json& nested, std::map<std::string, int32_t>& ids) {
  if (type.kind == Kind::kStruct) {
    for (const Field& field : type.fields) collect_ids(field, path + ".", ids);
    return;
  }
  for (const Field& part : type.fields) {
    const std::string name = dotted + "." + part.name;
    const std::string inner = path + "." + part.name;
    if (nested.contains(name) && nested[name].is_number_integer()) {
      ids[inner] = nested[name].get<int32_t>();
    }
    collect_inside(part.type, inner, name, nested, ids);
  }
}

void collect_ids(const Field& field, const std::string& prefix,
                 std::map<std::string, int32_t>& ids) {
  const std::string physical = physical_name(field);
  const std::string path = prefix + physical;
  if (const auto id = column_id(field)) ids[path] = *id;
  Json nested = Json::object();
  if (const auto at = field.metadata.find(kNestedIdsKey); at != field.metadata.end()) {
    auto parsed = parse_json(at->second);
    if (parsed.ok()) nested = std::move(parsed).value();
  }
  collect_inside(field.type, path, physical, nested, ids);
}

}  // namespace

Result<value::Schema> schema_from_json(std::string_view text) {
  auto json = parse_json(text, "DELTA_LOG.DAMAGED");
  if (!json.ok()) return damaged("not valid JSON");
  LAKEBED_ASSIGN(Type type, read_type(*json));
  if (type.kind != Kind::kStruct) return damaged("it is no struct");
  return std::move(type.fields);
}

std::string schema_to_json(const value::Schema& schema) {
  std::string out;
  write_fields(out, schema);
  return out;
}

std::string type_to_json(const value::Type& type) {
  std::string out;
  write_type(out, type);
  return out;
}

bool needs_column_mapping(const value::Schema& schema) {
  return type_needs_mapping(Type::structure(schema));
}

std::string physical_name(const value::Field& field) {
  const auto at = field.metadata.find(kPhysicalKey);
  if (at == field.metadata.end()) return field.name;
  const auto json = parse_json(at->second);
  return json.ok() && json->is_string() ? json->get<std::string>() : field.name;
}

std::string generation_expression(const value::Field& field) {
  const auto at = field.metadata.find(kGenerationKey);
  if (at == field.metadata.end()) return "";
  const auto json = parse_json(at->second);
  return json.ok() && json->is_string() ? json->get<std::string>() : "";
}

void set_generation_expression(value::Field& field, const std::string& text) {
  field.metadata.erase(kGenerationKey);
  if (!text.empty()) field.metadata[kGenerationKey] = Json(text).dump();
}

std::optional<int32_t> column_id(const value::Field& field) {
  const int32_t id = number_in(field, kIdKey);
  return id == 0 ? std::nullopt : std::optional<int32_t>(id);
}

value::Schema assign_column_ids(const value::Schema& schema, Random& random, int32_t& max_id) {
  Schema out = schema;
  Naming naming{random, max_id, max_id == 0};
  for (Field& field : out) assign_field(field, naming);
  return out;
}

value::Schema physical_schema(const value::Schema& schema) {
  return physical_type(Type::structure(schema)).fields;
}

std::map<std::string, std::string> physical_names(const value::Schema& schema) {
  std::map<std::string, std::string> names;
  for (const Field& field : schema) collect_names(field, field.name, names);
  return names;
}

std::map<std::string, int32_t> field_ids(const value::Schema& schema) {
  std::map<std::string, int32_t> ids;
  for (const Field& field : schema) collect_ids(field, "", ids);
  return ids;
}

}  // namespace lakebed::delta
