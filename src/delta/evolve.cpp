#include "delta/evolve.h"

#include <fmt/format.h>

#include "base/json.h"
#include "delta/schema.h"

namespace lakebed::delta {
namespace {

using value::Field;
using value::Kind;
using value::Schema;
using value::Type;

Error incompatible(const std::string& path, const Type& old_type, const Type& new_type) {
  return project_error("CANNOT_MERGE_INCOMPATIBLE_DATA_TYPE",
                       fmt::format("The column '{}' of the table is {}, the data is {}.", path,
                                   old_type.text(), new_type.text()))
      .with_hint("Cast the column in the query, or refresh the table fully.");
}

Json type_json(const Type& type) {
  auto json = parse_json(type_to_json(type));
  return json.ok() ? std::move(json).value() : Json();
}

// One struct field while its type grows: whatever widens in it, through arrays and maps but not
// into structs, is written down in its metadata (rule F3).
class GrowingField {
 public:
  GrowingField(const Field& current, std::string path)
      : field_(current), path_(std::move(path)) {}

  Result<Field> grow(const Type& wanted) {
    LAKEBED_ASSIGN(field_.type, grow_type(field_.type, wanted, ""));
    if (changes_.empty()) return std::move(field_);
    Json all = Json::array();
    if (const auto known = field_.metadata.find(kTypeChanges); known != field_.metadata.end()) {
      LAKEBED_ASSIGN(all, parse_json(known->second, "DELTA_LOG.DAMAGED"));
    }
    for (Json& change : changes_) all.push_back(std::move(change));
    field_.metadata[kTypeChanges] = all.dump();
    return std::move(field_);
  }

 private:
  // `inside`: the way from the field to the type, "" for its own.
  Result<Type> grow_type(const Type& current, const Type& wanted, const std::string& inside) {
    const std::string path = inside.empty() ? path_ : path_ + "." + inside;
    if (current.kind == wanted.kind && current.is_nested()) {
      return current.kind == Kind::kStruct ? grow_struct(current, wanted, path)
                                           : grow_parts(current, wanted, inside);
    }
    if (current == wanted) return current;
    if (!value::can_widen(current, wanted)) return incompatible(path, current, wanted);
    Json change = {{"fromType", type_json(current)}, {"toType", type_json(wanted)}};
    if (!inside.empty()) change["fieldPath"] = inside;
    changes_.push_back(std::move(change));
    return wanted;
  }

  static Result<Type> grow_struct(const Type& current, const Type& wanted,
                                  const std::string& path);

  Result<Type> grow_parts(const Type& current, const Type& wanted, const std::string& inside) {
    Type grown = current;
    for (size_t i = 0; i < grown.fields.size(); ++i) {
      const std::string& name = current.fields[i].name;
      LAKEBED_ASSIGN(grown.fields[i].type,
                     grow_type(current.fields[i].type, wanted.fields[i].type,
                               inside.empty() ? name : inside + "." + name));
    }
    return grown;
  }

  Field field_;
  std::string path_;
  std::vector<Json> changes_;
};

Result<Schema> grow_fields(const Schema& current, const Schema& wanted,
                           const std::string& prefix) {
  Schema grown = current;
  for (const Field& field : wanted) {
    const auto at = value::find_field(current, field.name);
    if (!at) {
      Field added = without_table_metadata({field}).front();
      added.nullable = true;
      grown.push_back(std::move(added));
      continue;
    }
    GrowingField growing(grown[*at], prefix + current[*at].name);
    LAKEBED_ASSIGN(grown[*at], growing.grow(field.type));
  }
  return grown;
}

Result<Type> GrowingField::grow_struct(const Type& current, const Type& wanted,
                                       const std::string& path) {
  Type grown = current;
  LAKEBED_ASSIGN(grown.fields, grow_fields(current.fields, wanted.fields, path + "."));
  return grown;
}

}  // namespace

Result<Schema> grow_schema(const Schema& current, const Schema& wanted) {
  return grow_fields(current, wanted, "");
}

size_t type_changes(const Schema& schema) {
  size_t changes = 0;
  for (const Field& field : schema) {
    if (const auto at = field.metadata.find(kTypeChanges); at != field.metadata.end()) {
      const auto json = parse_json(at->second);
      changes += json.ok() ? json->size() : 1;
    }
    changes += type_changes(field.type.fields);
  }
  return changes;
}

Schema without_table_metadata(Schema schema) {
  for (Field& field : schema) {
    std::erase_if(field.metadata, [](const auto& item) {
      return item.first.starts_with("delta.columnMapping.") || item.first == kTypeChanges;
    });
    field.type.fields = without_table_metadata(std::move(field.type.fields));
  }
  return schema;
}

}  // namespace lakebed::delta
