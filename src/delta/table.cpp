#include "delta/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>

#include "base/names.h"
#include "delta/evolve.h"
#include "delta/properties.h"
#include "delta/schema.h"

namespace lakebed::delta {
namespace {

using value::Field;
using value::Kind;
using value::Schema;
using value::Type;

constexpr const char* kMaxColumnId = "delta.columnMapping.maxColumnId";
constexpr const char* kMappingMode = "delta.columnMapping.mode";

Status check_names(const Schema& fields, const std::string& prefix) {
  std::set<std::string> seen;
  for (const Field& field : fields) {
    if (!seen.insert(fold_case(field.name)).second) {
      return project_error("DELTA_DUPLICATE_COLUMNS",
                           fmt::format("The column '{}{}' stands twice in the table's schema; "
                                       "names are compared without case.",
                                       prefix, field.name));
    }
  }
  return {};
}

Status check_type(const Type& type, const std::string& path) {
  const bool interval =
      type.kind == Kind::kIntervalYearMonth || type.kind == Kind::kIntervalDayTime;
  if (interval || type.kind == Kind::kVoid) {
    return project_error("DELTA_UNSUPPORTED_TYPE." + type.text(),
                         fmt::format("The column '{}' has the type {}, which no table can hold.",
                                     path, type.text()))
        .with_hint("Cast it to a type that a table can hold.");
  }
  if (type.kind == Kind::kStruct) LAKEBED_TRY(check_names(type.fields, path + "."));
  for (const Field& field : type.fields) {
    LAKEBED_TRY(check_type(field.type, path + "." + field.name));
  }
  return {};
}

Status check_schema(const Schema& schema) {
  LAKEBED_TRY(check_names(schema, ""));
  for (const Field& field : schema) LAKEBED_TRY(check_type(field.type, field.name));
  return {};
}

// The partition columns in the schema's spelling.
Result<std::vector<std::string>> check_partitions(const TableDefinition& definition) {
  std::vector<std::string> names;
  for (const std::string& name : definition.partition_columns) {
    const auto at = value::find_field(definition.schema, name);
    if (!at) {
      return project_error(
          "DELTA_UNKNOWN_PARTITION_COLUMN",
          fmt::format("The partition column '{}' is no column of the table.", name));
    }
    const Field& field = definition.schema[*at];
    if (field.type.is_nested() || field.type.kind == Kind::kBinary) {
      return project_error("DELTA_INVALID_PARTITION_COLUMN",
                           fmt::format("The column '{}' of type {} cannot partition a table.", name,
                                       field.type.text()));
    }
    if (std::find(names.begin(), names.end(), field.name) != names.end()) {
      return project_error("DELTA_DUPLICATE_COLUMNS",
                           fmt::format("The partition column '{}' is named twice.", name));
    }
    names.push_back(field.name);
  }
  if (!names.empty() && names.size() == definition.schema.size()) {
    return project_error("DELTA_INVALID_PARTITION_COLUMN",
                         "All columns of the table are partition columns.");
  }
  return names;
}

bool contains_kind(const Type& type, Kind kind) {
  if (type.kind == kind) return true;
  return std::any_of(type.fields.begin(), type.fields.end(),
                     [&](const Field& field) { return contains_kind(field.type, kind); });
}

bool has_not_null(const Schema& schema) {
  return std::any_of(schema.begin(), schema.end(), [](const Field& field) {
    return !field.nullable || (field.type.kind == Kind::kStruct && has_not_null(field.type.fields));
  });
}

bool has_generated(const Schema& schema) {
  return std::any_of(schema.begin(), schema.end(),
                     [](const Field& field) { return !generation_expression(field).empty(); });
}

void include(std::vector<std::string>& names, const std::string& name) {
  if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
}

// Adds the features that the shape needs to both lists; never takes one away.
void add_features(TableShape& shape, bool mapped, bool wants_ntz) {
  Protocol& protocol = shape.protocol;
  const Schema& schema = shape.schema;
  protocol.reader_version = 3;
  protocol.writer_version = 7;
  const auto both = [&](const char* name) {
    include(protocol.reader_features, name);
    include(protocol.writer_features, name);
  };
  both("deletionVectors");
  if (mapped) both("columnMapping");
  if (type_changes(schema) > 0 || flag(shape.metadata, kEnableTypeWidening)) both(kTypeWidening);
  if (wants_ntz || contains_kind(Type::structure(schema), Kind::kTimestampNtz)) {
    both("timestampNtz");
  }
  include(protocol.writer_features, "domainMetadata");
  include(protocol.writer_features, "inCommitTimestamp");
  if (has_not_null(schema)) include(protocol.writer_features, "invariants");
  if (has_generated(schema)) include(protocol.writer_features, "generatedColumns");
}

int32_t max_column_id(const TextMap& configuration) {
  const auto at = configuration.find(kMaxColumnId);
  int32_t id = 0;
  if (at == configuration.end()) return 0;
  std::from_chars(at->second.data(), at->second.data() + at->second.size(), id);
  return id;
}

// Fills in what follows from schema and configuration: ids, features, the schema's text.
void complete(TableShape& shape, bool mapped, bool wants_ntz, Random& random) {
  TextMap& configuration = shape.metadata.configuration;
  if (mapped) {
    int32_t max_id = max_column_id(configuration);
    shape.schema = assign_column_ids(shape.schema, random, max_id);
    configuration[kMappingMode] = "name";
    configuration[kMaxColumnId] = std::to_string(max_id);
  }
  if (type_changes(shape.schema) > 0 && !configuration.contains(kEnableTypeWidening)) {
    configuration[kEnableTypeWidening] = "true";
  }
  add_features(shape, mapped, wants_ntz);
  shape.metadata.schema_string = schema_to_json(shape.schema);
}

bool wants_feature(const TextMap& properties, std::string_view feature) {
  return std::any_of(properties.begin(), properties.end(), [&](const auto& property) {
    return same_name(property.first, fmt::format("delta.feature.{}", feature));
  });
}

Result<TableShape> shape_of(const TableDefinition& definition) {
  LAKEBED_TRY(check_schema(definition.schema));
  TableShape shape;
  LAKEBED_ASSIGN(shape.metadata.configuration, check_properties(definition.properties));
  LAKEBED_ASSIGN(shape.metadata.partition_columns, check_partitions(definition));
  shape.metadata.name = definition.name;
  shape.metadata.description = definition.comment;
  shape.metadata.configuration["delta.enableDeletionVectors"] = "true";
  shape.metadata.configuration["delta.enableInCommitTimestamps"] = "true";
  shape.schema = without_table_metadata(definition.schema);
  return shape;
}

// A table whose owner wrote that its types must not widen keeps them.
Status check_widening(const Snapshot& snapshot, const Schema& grown) {
  const auto& configuration = snapshot.metadata().configuration;
  const bool forbidden = configuration.contains(kEnableTypeWidening) &&
                         !flag(snapshot.metadata(), kEnableTypeWidening);
  if (!forbidden || type_changes(grown) == type_changes(snapshot.schema())) return {};
  return project_error("CANNOT_MERGE_INCOMPATIBLE_DATA_TYPE",
                       fmt::format("A column of the table would become wider, which its property "
                                   "{} = false forbids.",
                                   kEnableTypeWidening))
      .with_hint("Remove the property, or cast the column in the query.");
}

}  // namespace

Result<TableShape> new_table(const TableDefinition& definition, Clock& clock, Random& random) {
  LAKEBED_ASSIGN(TableShape shape, shape_of(definition));
  shape.metadata.id = uuid_text(make_uuid(random));
  shape.metadata.created_ms = clock.now_us() / 1000;
  // Rule E7: names that Delta allows only under column mapping switch it on.
  const bool mapped = has_column_mapping(shape.metadata) || needs_column_mapping(shape.schema);
  complete(shape, mapped, wants_feature(definition.properties, "timestampNtz"), random);
  return shape;
}

Result<TableShape> evolve_table(const Snapshot& snapshot, const value::Schema& wanted,
                                Random& random) {
  LAKEBED_TRY(check_schema(wanted));
  TableShape shape;
  shape.protocol = snapshot.protocol();
  shape.metadata = snapshot.metadata();
  LAKEBED_ASSIGN(shape.schema, grow_schema(snapshot.schema(), wanted));
  if (schema_to_json(shape.schema) == schema_to_json(snapshot.schema())) {
    shape.schema = snapshot.schema();
    return shape;
  }
  LAKEBED_TRY(check_widening(snapshot, shape.schema));
  const bool mapped = has_column_mapping(shape.metadata) || needs_column_mapping(shape.schema);
  complete(shape, mapped, false, random);
  return shape;
}

Result<TableShape> replace_table(const Snapshot& snapshot, const TableDefinition& definition,
                                 Random& random) {
  LAKEBED_ASSIGN(TableShape shape, shape_of(definition));
  shape.protocol = snapshot.protocol();
  shape.metadata.id = snapshot.metadata().id;
  shape.metadata.created_ms = snapshot.metadata().created_ms;
  const bool was_mapped = has_column_mapping(snapshot.metadata());
  if (was_mapped) {
    // Ids go on; a column that stays the same keeps its own, all others get fresh names.
    const int32_t id = max_column_id(snapshot.metadata().configuration);
    shape.metadata.configuration[kMaxColumnId] = std::to_string(id);
    for (Field& field : shape.schema) {
      const auto at = value::find_field(snapshot.schema(), field.name);
      if (!at || !(snapshot.schema()[*at].type == field.type)) continue;
      const std::string generated = generation_expression(field);
      field.metadata = snapshot.schema()[*at].metadata;
      field.metadata.erase(kTypeChanges);  // no file of a narrower type is left
      set_generation_expression(field, generated);
      field.type = snapshot.schema()[*at].type;
    }
  }
  const bool mapped =
      was_mapped || has_column_mapping(shape.metadata) || needs_column_mapping(shape.schema);
  complete(shape, mapped, wants_feature(definition.properties, "timestampNtz"), random);
  return shape;
}

Result<TableShape> with_properties(const Snapshot& snapshot, const TextMap& properties) {
  TableShape shape;
  shape.protocol = snapshot.protocol();
  shape.metadata = snapshot.metadata();
  shape.schema = snapshot.schema();
  LAKEBED_ASSIGN(TextMap stored, check_properties(properties));
  const auto mode = stored.find(kMappingMode);
  const bool mapping = mode != stored.end() && same_name(mode->second, "name");
  if (mapping && !has_column_mapping(snapshot.metadata())) {
    return project_error(std::string("NOT_BUILT_YET.") + kMappingMode,
                         "Switching column mapping on for a table that exists is not built yet.");
  }
  for (const auto& [name, value] : snapshot.metadata().configuration) {
    const bool kept = name.starts_with("delta.columnMapping.") || name == kEnableTypeWidening ||
                      name.starts_with("delta.inCommitTimestampEnablement");
    if (kept) stored.emplace(name, value);
  }
  stored["delta.enableDeletionVectors"] = "true";
  stored["delta.enableInCommitTimestamps"] = "true";
  shape.metadata.configuration = std::move(stored);
  add_features(shape, has_column_mapping(shape.metadata), false);
  return shape;
}

}  // namespace lakebed::delta
