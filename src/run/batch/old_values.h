// Values of rows that are not in the batch: from the payload heap, or read back from where their
// row lies in the table.
#pragma once

#include <map>

#include "run/apply/apply.h"
#include "state/row_codec.h"

namespace lakebed::run {

class OldValues {
 public:
  // Rows are read under `columns`, those of the events and what else payloads hold. Requires: the
  // context outlives this.
  OldValues(ApplyContext& context, value::Schema columns)
      : context_(context), columns_(std::move(columns)) {}

  // Appends the payload to each of `out`, made for the columns. Returns the id of the schema that
  // it was kept under.
  Result<uint32_t> add_heap(uint64_t payload, std::vector<value::Column>& out);
  // Rows at these places, in their order, with the columns of the events.
  Result<value::ColumnBatch> read_places(const std::vector<cdc::Place>& places);

 private:
  Result<const state::RowReader*> reader(uint32_t schema_id);

  ApplyContext& context_;
  value::Schema columns_;
  std::map<uint32_t, state::RowReader> readers_;
};

}  // namespace lakebed::run
