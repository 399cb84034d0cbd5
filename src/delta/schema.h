// Table schemas: JSON both ways, and column mapping.
//
// value::Field::metadata holds the field's metadata as JSON text per key (`delta.columnMapping.id`
// -> `3`, `delta.columnMapping.physicalName` -> `"col-..."`); `comment` is taken out of it.
// Physical names are the names in Parquet files, statistics and partition values; without column
// mapping they are the logical ones. Pure functions.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/world.h"
#include "value/type.h"

namespace lakebed::delta {

// Reads a schemaString. Errors: DELTA_LOG.DAMAGED, DELTA_UNSUPPORTED_TYPE.<type> (variant, ...).
Result<value::Schema> schema_from_json(std::string_view text);
std::string schema_to_json(const value::Schema& schema);
// Only the type, as Delta writes it in JSON.
std::string type_to_json(const value::Type& type);

// True where some name, nested ones too, is legal only under column mapping: it holds one of
// space , ; { } ( ) \n \t =
bool needs_column_mapping(const value::Schema& schema);

std::string physical_name(const value::Field& field);
// The id that column mapping gave the field.
std::optional<int32_t> column_id(const value::Field& field);

// The expression that fills a generated column (SQL text), or "". Delta keeps it in the field's
// metadata as `delta.generationExpression`.
std::string generation_expression(const value::Field& field);
void set_generation_expression(value::Field& field, const std::string& text);

// Gives every field that has none, nested ones too, an id above `max_id` and a physical name. In a
// table that was not mapped before (`max_id` 0) plain names stay as they are; all other physical
// names are "col-<uuid>". Returns the schema; `max_id` grows.
value::Schema assign_column_ids(const value::Schema& schema, Random& random, int32_t& max_id);

// The same schema under its physical names, nested ones too: what Parquet files hold.
value::Schema physical_schema(const value::Schema& schema);
// Column -> name in the file where they differ; nested fields under the path of
// logical names with engine::kNestedName between them.
std::map<std::string, std::string> physical_names(const value::Schema& schema);
// Ids by dotted *physical* path, for engine::WriteOptions; lists and maps have the parts
// `element`, `key`, `value`. Empty without column mapping.
std::map<std::string, int32_t> field_ids(const value::Schema& schema);

}  // namespace lakebed::delta
