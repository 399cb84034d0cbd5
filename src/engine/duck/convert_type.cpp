#include <fmt/format.h>

#include "engine/duck/api.h"
#include "engine/duck/convert.h"
#include "engine/duck/functions/render.h"

namespace lakebed::engine::duck {

namespace {

using value::Kind;
using value::Type;

duckdb_type simple_type(Kind kind) {
  switch (kind) {
    case Kind::kBoolean: return DUCKDB_TYPE_BOOLEAN;
    case Kind::kByte: return DUCKDB_TYPE_TINYINT;
    case Kind::kShort: return DUCKDB_TYPE_SMALLINT;
    case Kind::kVoid:
    case Kind::kIntervalYearMonth:
    case Kind::kInt: return DUCKDB_TYPE_INTEGER;
    case Kind::kIntervalDayTime:
    case Kind::kLong: return DUCKDB_TYPE_BIGINT;
    case Kind::kFloat: return DUCKDB_TYPE_FLOAT;
    case Kind::kDouble: return DUCKDB_TYPE_DOUBLE;
    case Kind::kString: return DUCKDB_TYPE_VARCHAR;
    case Kind::kBinary: return DUCKDB_TYPE_BLOB;
    case Kind::kDate: return DUCKDB_TYPE_DATE;
    case Kind::kTimestamp: return DUCKDB_TYPE_TIMESTAMP_TZ;
    case Kind::kTimestampNtz: return DUCKDB_TYPE_TIMESTAMP;
    case Kind::kDecimal: return DUCKDB_TYPE_DECIMAL;
    case Kind::kArray: return DUCKDB_TYPE_LIST;
    case Kind::kMap: return DUCKDB_TYPE_MAP;
    case Kind::kStruct: return DUCKDB_TYPE_STRUCT;
  }
  return DUCKDB_TYPE_INVALID;
}

LogicalType make_struct(const Type& type) {
  std::vector<LogicalType> fields;
  std::vector<duckdb_logical_type> handles;
  std::vector<const char*> names;
  for (const auto& field : type.fields) {
    fields.push_back(make_logical_type(field.type));
    handles.push_back(fields.back().get());
    names.push_back(field.name.c_str());
  }
  return LogicalType(api().create_struct_type(handles.data(), names.data(), handles.size()));
}

std::string type_name(duckdb_type id) {
  switch (id) {
    case DUCKDB_TYPE_UTINYINT: return "unsigned 8-bit integer";
    case DUCKDB_TYPE_USMALLINT: return "unsigned 16-bit integer";
    case DUCKDB_TYPE_UINTEGER: return "unsigned 32-bit integer";
    case DUCKDB_TYPE_UBIGINT: return "unsigned 64-bit integer";
    case DUCKDB_TYPE_HUGEINT:
    case DUCKDB_TYPE_UHUGEINT: return "128-bit integer";
    case DUCKDB_TYPE_TIME:
    case DUCKDB_TYPE_TIME_TZ: return "TIME";
    case DUCKDB_TYPE_TIMESTAMP_NS: return "timestamp of nanoseconds";
    case DUCKDB_TYPE_TIMESTAMP_S:
    case DUCKDB_TYPE_TIMESTAMP_MS: return "timestamp of seconds or milliseconds";
    case DUCKDB_TYPE_INTERVAL: return "INTERVAL";
    case DUCKDB_TYPE_UUID: return "UUID";
    case DUCKDB_TYPE_ENUM: return "ENUM";
    case DUCKDB_TYPE_BIT: return "BIT";
    case DUCKDB_TYPE_UNION: return "UNION";
    default: return fmt::format("type number {} of the engine", static_cast<int>(id));
  }
}

std::optional<Kind> kind_of(duckdb_type id) {
  switch (id) {
    case DUCKDB_TYPE_BOOLEAN: return Kind::kBoolean;
    case DUCKDB_TYPE_TINYINT: return Kind::kByte;
    case DUCKDB_TYPE_SMALLINT: return Kind::kShort;
    case DUCKDB_TYPE_INTEGER: return Kind::kInt;
    case DUCKDB_TYPE_BIGINT: return Kind::kLong;
    case DUCKDB_TYPE_FLOAT: return Kind::kFloat;
    case DUCKDB_TYPE_DOUBLE: return Kind::kDouble;
    case DUCKDB_TYPE_VARCHAR: return Kind::kString;
    case DUCKDB_TYPE_BLOB: return Kind::kBinary;
    case DUCKDB_TYPE_DATE: return Kind::kDate;
    case DUCKDB_TYPE_TIMESTAMP_TZ: return Kind::kTimestamp;
    case DUCKDB_TYPE_TIMESTAMP: return Kind::kTimestampNtz;
    case DUCKDB_TYPE_SQLNULL: return Kind::kVoid;
    default: return std::nullopt;
  }
}

Result<Type> struct_of(duckdb_logical_type type, const std::string& what) {
  std::vector<value::Field> fields;
  for (idx_t i = 0; i < api().struct_type_child_count(type); ++i) {
    char* name = api().struct_type_child_name(type, i);
    value::Field field;
    field.name = name;
    api().free(name);
    const LogicalType child(api().struct_type_child_type(type, i));
    LAKEBED_ASSIGN(field.type, type_of(child.get(), what + "." + field.name));
    fields.push_back(std::move(field));
  }
  return Type::structure(std::move(fields));
}

bool struct_carries(duckdb_logical_type duck, const Type& type) {
  if (api().struct_type_child_count(duck) != type.fields.size()) return false;
  for (size_t i = 0; i < type.fields.size(); ++i) {
    const LogicalType child(api().struct_type_child_type(duck, i));
    if (!carries(child.get(), type.fields[i].type)) return false;
  }
  return true;
}

}  // namespace

LogicalType::~LogicalType() {
  if (type_ != nullptr) api().destroy_logical_type(&type_);
}

LogicalType make_logical_type(const Type& type) {
  switch (type.kind) {
    case Kind::kDecimal:
      return LogicalType(api().create_decimal_type(type.precision, type.scale));
    case Kind::kArray: {
      const auto element = make_logical_type(type.element());
      return LogicalType(api().create_list_type(element.get()));
    }
    case Kind::kMap: {
      const auto key = make_logical_type(type.map_key());
      const auto element = make_logical_type(type.map_value());
      return LogicalType(api().create_map_type(key.get(), element.get()));
    }
    case Kind::kStruct: return make_struct(type);
    default: return LogicalType(api().create_logical_type(simple_type(type.kind)));
  }
}

Result<Type> type_of(duckdb_logical_type type, const std::string& what) {
  const duckdb_type id = api().get_type_id(type);
  if (const auto kind = kind_of(id)) return Type(*kind);
  switch (id) {
    case DUCKDB_TYPE_DECIMAL:
      return Type::decimal(api().decimal_width(type), api().decimal_scale(type));
    case DUCKDB_TYPE_STRUCT: return struct_of(type, what);
    case DUCKDB_TYPE_LIST: {
      const LogicalType child(api().list_type_child_type(type));
      LAKEBED_ASSIGN(auto element, type_of(child.get(), what + ".element"));
      return Type::array(std::move(element));
    }
    case DUCKDB_TYPE_MAP: {
      const LogicalType key_type(api().map_type_key_type(type));
      const LogicalType value_type(api().map_type_value_type(type));
      LAKEBED_ASSIGN(auto key, type_of(key_type.get(), what + ".key"));
      LAKEBED_ASSIGN(auto element, type_of(value_type.get(), what + ".value"));
      return Type::map(std::move(key), std::move(element));
    }
    default:
      return update_error("UNSUPPORTED_TYPE",
                          fmt::format("{} is of the type {}, which Lakebed does not read", what,
                                      type_name(id)));
  }
}

bool carries(duckdb_logical_type duck, const Type& type) {
  const duckdb_type id = api().get_type_id(duck);
  if (type.kind == Kind::kVoid && id == DUCKDB_TYPE_SQLNULL) return true;
  if (id != simple_type(type.kind)) return false;
  switch (type.kind) {
    case Kind::kDecimal:
      return api().decimal_width(duck) == type.precision &&
             api().decimal_scale(duck) == type.scale;
    case Kind::kArray: {
      const LogicalType child(api().list_type_child_type(duck));
      return carries(child.get(), type.element());
    }
    case Kind::kMap: {
      const LogicalType key(api().map_type_key_type(duck));
      const LogicalType element(api().map_type_value_type(duck));
      return carries(key.get(), type.map_key()) && carries(element.get(), type.map_value());
    }
    case Kind::kStruct: return struct_carries(duck, type);
    default: return true;
  }
}

std::string duck_type(const Type& type) {
  switch (type.kind) {
    case Kind::kBoolean: return "BOOLEAN";
    case Kind::kByte: return "TINYINT";
    case Kind::kShort: return "SMALLINT";
    case Kind::kVoid:
    case Kind::kIntervalYearMonth:
    case Kind::kInt: return "INTEGER";
    case Kind::kIntervalDayTime:
    case Kind::kLong: return "BIGINT";
    case Kind::kFloat: return "FLOAT";
    case Kind::kDouble: return "DOUBLE";
    case Kind::kDecimal: return fmt::format("DECIMAL({},{})", type.precision, type.scale);
    case Kind::kString: return "VARCHAR";
    case Kind::kBinary: return "BLOB";
    case Kind::kDate: return "DATE";
    case Kind::kTimestamp: return "TIMESTAMPTZ";
    case Kind::kTimestampNtz: return "TIMESTAMP";
    case Kind::kArray: return duck_type(type.element()) + "[]";
    case Kind::kMap:
      return fmt::format("MAP({}, {})", duck_type(type.map_key()), duck_type(type.map_value()));
    case Kind::kStruct: break;
  }
  std::string fields;
  for (const auto& field : type.fields) {
    fields += fmt::format("{}{} {}", fields.empty() ? "" : ", ", quote_identifier(field.name),
                          duck_type(field.type));
  }
  return "STRUCT(" + fields + ")";
}

}  // namespace lakebed::engine::duck
