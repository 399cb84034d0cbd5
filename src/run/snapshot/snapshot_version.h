// The version of a snapshot: a value of the version query's one column, and how a target
// remembers the one that it took last (rule S2).
#pragma once

#include <string>

#include "base/json.h"
#include "value/order.h"

namespace lakebed::run {

struct SnapshotVersion {
  value::ColumnBatch row;  // one column, of the version query's name and type; one row

  const value::Field& field() const { return row.schema[0]; }
  const value::Column& column() const { return row.columns[0]; }
  value::SequenceCode code() const { return value::sequence_code(column(), 0); }
  // For messages and the table's history.
  std::string text(const std::string& zone) const;

  // What a target remembers, as JSON: {"column": schema, "row": hex, "text": for people}.
  std::string to_fact(const std::string& zone) const;
  // Error STATE_DAMAGED where the text is no such fact.
  static Result<SnapshotVersion> from_fact(const std::string& fact);
};

// Rule M2: the version of the last snapshot is the floor of an SCD type 1 target, kept as a fact of
// the table; a sequence at or below it changes nothing.
inline constexpr const char* kSnapshotFloorFact = "snapshot_floor";

// Sequences as facts keep them: {"head": "<16 hex>", "tail": "<hex>"}.
Json sequence_to_json(const value::SequenceCode& code);
Result<value::SequenceCode> sequence_from_json(const std::string& fact);

}  // namespace lakebed::run
