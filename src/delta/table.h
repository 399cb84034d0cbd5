// Making tables and changing their schemas. Both yield metadata and protocol for a Transaction;
// nothing is written here.
//
// A new table is protocol (3, 7) with deletion vectors, in-commit timestamps and domain metadata;
// column mapping only where a name needs it (rule E7), `invariants` where a column is NOT NULL,
// `timestampNtz` where such a column exists, `typeWidening` once a column was widened (rule F3).
#pragma once

#include <string>
#include <vector>

#include "delta/actions.h"
#include "delta/snapshot.h"

namespace lakebed::delta {

struct TableDefinition {
  std::string name;
  std::string comment;
  value::Schema schema;
  std::vector<std::string> partition_columns;
  TextMap properties;  // as the user wrote them; checked here
};

struct TableShape {
  Protocol protocol;
  Metadata metadata;
  value::Schema schema;  // with column mapping metadata
};

// The shape of a new table. Errors: those of check_properties; DELTA_DUPLICATE_COLUMNS,
// DELTA_UNKNOWN_PARTITION_COLUMN, DELTA_INVALID_PARTITION_COLUMN, DELTA_UNSUPPORTED_TYPE.<type>.
Result<TableShape> new_table(const TableDefinition& definition, Clock& clock, Random& random);

// The shape of an existing table after new columns and nested fields were added and types widened
// (evolve.h): `wanted` holds the whole new schema. Columns of the table that `wanted` lacks stay;
// existing ones keep their spelling and id. New NOT NULL columns become nullable. Error
// CANNOT_MERGE_INCOMPATIBLE_DATA_TYPE where a type differs and does not widen, or where the
// property delta.enableTypeWidening is false. Equal shape: same metadata.
Result<TableShape> evolve_table(const Snapshot& snapshot, const value::Schema& wanted,
                                Random& random);

// The shape after a full refresh (rule F2): exactly `wanted` and `properties`; id and creation time
// stay, ids of column mapping go on. Only legal in a commit that removes every live file.
Result<TableShape> replace_table(const Snapshot& snapshot, const TableDefinition& definition,
                                 Random& random);

// The same table with other properties (ALTER TABLE SET / UNSET): `properties` is the whole map.
Result<TableShape> with_properties(const Snapshot& snapshot, const TextMap& properties);

}  // namespace lakebed::delta
