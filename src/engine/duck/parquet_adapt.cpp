#include "engine/duck/parquet_adapt.h"

#include <fmt/format.h>

#include "engine/duck/parquet_file.h"

namespace lakebed::engine::duck {

namespace {

using value::Field;
using value::Kind;
using value::Type;

bool is_raw(const Field& field) { return field.metadata.count(kRawKey) != 0; }

class Adapter {
 public:
  Adapter(const WantedColumn& wanted, RenderContext& context)
      : wanted_(wanted), context_(context) {}

  Result<std::string> adapt(const std::string& operand, const Field& from, const Type& to,
                            const std::string& path) {
    if (same_layout(from, to, path)) return operand;
    if (from.type.kind != to.kind || !to.is_nested()) return scalar(operand, from, to, path);
    if (to.kind == Kind::kArray) return array(operand, from, to, path);
    if (to.kind == Kind::kMap) return map(operand, from, to, path);
    return structure(operand, from, to, path);
  }

 private:
  // True where the file's vectors can be taken as they are. Fields must have their names already:
  // queries ask for them, and other files of the scan are united with these by name.
  bool same_layout(const Field& from, const Type& to, const std::string& path) const {
    if (is_raw(from) || from.type.kind != to.kind) return false;
    if (!to.is_nested()) {
      return from.type.precision == to.precision && from.type.scale == to.scale;
    }
    if (from.type.fields.size() != to.fields.size()) return false;
    for (size_t i = 0; i < to.fields.size(); ++i) {
      const auto& field = to.fields[i];
      const std::string below = path + kNestedName + field.name;
      const bool named = to.kind != Kind::kStruct ||
                         (from.type.fields[i].name == field.name &&
                          name_in_file(wanted_, below, field.name) == field.name);
      if (!named || !same_layout(from.type.fields[i], field.type, below)) return false;
    }
    return true;
  }

  static bool same_scalar(const Type& from, const Type& to) {
    return from.kind == to.kind && from.precision == to.precision && from.scale == to.scale;
  }

  Result<std::string> scalar(const std::string& operand, const Field& from, const Type& to,
                             const std::string& path) const {
    const bool int96 = from.metadata.count(kRawKey) != 0 && from.metadata.at(kRawKey) == "int96";
    // A wall clock of INT96 is UTC, whatever the session's zone.
    if (int96 && to.kind == Kind::kTimestamp) return "timezone('UTC', " + operand + ")";
    if (int96 && to.kind == Kind::kTimestampNtz) return operand;
    if (!same_scalar(from.type, to) && !value::can_widen(from.type, to)) {
      return update_error("FAILED_READ_FILE.PARQUET_COLUMN_DATA_TYPE_MISMATCH",
                          fmt::format("column {} is of type {} in the file and {} in the table",
                                      path, from.type.text(), to.text()));
    }
    return fmt::format("CAST({} AS {})", operand, duck_type(to));
  }

  Result<std::string> array(const std::string& operand, const Field& from, const Type& to,
                            const std::string& path) {
    const std::string item = context_.fresh_name("e");
    LAKEBED_ASSIGN(auto body,
                   adapt(item, from.type.fields[0], to.element(), path + kNestedName + "element"));
    return fmt::format("list_transform({}, lambda {}: {})", operand, item, body);
  }

  Result<std::string> map(const std::string& operand, const Field& from, const Type& to,
                          const std::string& path) {
    const std::string item = context_.fresh_name("e");
    LAKEBED_ASSIGN(auto key, adapt(item + ".key", from.type.fields[0], to.map_key(),
                                   path + kNestedName + "key"));
    LAKEBED_ASSIGN(auto element, adapt(item + ".value", from.type.fields[1], to.map_value(),
                                       path + kNestedName + "value"));
    return fmt::format(
        "map_from_entries(list_transform(map_entries({}), lambda {}: struct_pack(k := {}, "
        "v := {})))",
        operand, item, key, element);
  }

  Result<std::string> structure(const std::string& operand, const Field& from, const Type& to,
                                const std::string& path) {
    std::string fields;
    for (const auto& field : to.fields) {
      const std::string below = path + kNestedName + field.name;
      const auto found =
          value::find_field(from.type.fields, name_in_file(wanted_, below, field.name));
      std::string item = "CAST(NULL AS " + duck_type(field.type) + ")";
      if (found) {
        const auto& inner = from.type.fields[*found];
        const auto part = fmt::format("struct_extract({}, {})", operand, quote_text(inner.name));
        LAKEBED_ASSIGN(item, adapt(part, inner, field.type, below));
      }
      fields +=
          fmt::format("{}{} := {}", fields.empty() ? "" : ", ", quote_identifier(field.name), item);
    }
    return fmt::format("(CASE WHEN {} IS NOT NULL THEN struct_pack({}) END)", operand, fields);
  }

  const WantedColumn& wanted_;
  RenderContext& context_;
};

}  // namespace

std::string name_in_file(const WantedColumn& wanted, const std::string& path,
                         const std::string& name) {
  if (wanted.physical_names == nullptr) return name;
  const auto found = wanted.physical_names->find(path);
  return found == wanted.physical_names->end() ? name : found->second;
}

Result<std::string> adapt_column(const std::string& operand, const Field& from,
                                 const WantedColumn& wanted, RenderContext& context) {
  return Adapter(wanted, context).adapt(operand, from, wanted.field->type, wanted.field->name);
}

}  // namespace lakebed::engine::duck
