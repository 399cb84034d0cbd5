// How the schema of a table grows: new fields anywhere inside, and types that widen (rule F3).
//
// A widened column keeps its name, place and id; its old Parquet files keep the narrow type and
// are read widened. What was changed is written down as the protocol's feature typeWidening asks:
// the struct field that holds the value has `delta.typeChanges`, a list of {fromType, toType} in
// the order of the changes, with `fieldPath` ("element", "key", "value.element", ...) where the
// value lies inside arrays or maps. Pure functions, internal to this room.
#pragma once

#include "base/result.h"
#include "value/type.h"

namespace lakebed::delta {

inline constexpr const char* kTypeWidening = "typeWidening";
inline constexpr const char* kEnableTypeWidening = "delta.enableTypeWidening";
inline constexpr const char* kTypeChanges = "delta.typeChanges";

// The table's columns after they grew to `wanted`: existing fields keep name, order and metadata,
// wider types are taken over, new fields come last and nullable. Error
// CANNOT_MERGE_INCOMPATIBLE_DATA_TYPE where a type is neither the same nor wider.
Result<value::Schema> grow_schema(const value::Schema& current, const value::Schema& wanted);

// How many changes of types the fields write down; a table with any has the feature.
size_t type_changes(const value::Schema& schema);

// Drops what only a table's own history says of a field: column mapping and type changes.
value::Schema without_table_metadata(value::Schema schema);

}  // namespace lakebed::delta
