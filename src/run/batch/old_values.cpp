#include "run/batch/old_values.h"

#include "delta/partition.h"
#include "delta/schema.h"

namespace lakebed::run {

using value::Column;
using value::ColumnBatch;

Result<const state::RowReader*> OldValues::reader(uint32_t schema_id) {
  const auto known = readers_.find(schema_id);
  if (known != readers_.end()) return &known->second;
  LAKEBED_ASSIGN(const value::Schema stored, context_.table.memory->schema(schema_id));
  LAKEBED_ASSIGN(state::RowReader made, state::RowReader::make(stored, columns_));
  return &readers_.emplace(schema_id, std::move(made)).first->second;
}

Result<uint32_t> OldValues::add_heap(uint64_t payload, std::vector<Column>& out) {
  LAKEBED_ASSIGN(const auto stored, context_.table.memory->payload(payload));
  LAKEBED_ASSIGN(const state::RowReader* row_reader, reader(stored.schema_id));
  LAKEBED_TRY(row_reader->append(stored.row, out));
  return stored.schema_id;
}

Result<ColumnBatch> OldValues::read_places(const std::vector<cdc::Place>& places) {
  Table& table = context_.table;
  std::map<uint32_t, std::vector<size_t>> by_file;
  for (size_t i = 0; i < places.size(); ++i) by_file[places[i].file].push_back(i);
  ColumnBatch found = ColumnBatch::empty(context_.columns);
  std::vector<uint32_t> position(places.size());
  for (const auto& [file, wanted] : by_file) {
    const std::string& name = table.memory->files().name(file);
    const delta::AddFilePtr live = table.snapshot.find_path(delta::encode_path(name));
    if (!live) {
      return update_error("STATE_MISMATCH",
                          "the memory places a row in " + name + ", which is no live file");
    }
    LAKEBED_ASSIGN(engine::ParquetFile parquet,
                   delta::parquet_file(*table.store, table.snapshot, *live, table.vectors));
    parquet.deleted_rows = nullptr;  // positions count all rows of the file
    std::vector<uint64_t> rows;
    for (const size_t i : wanted) {
      position[i] = static_cast<uint32_t>(found.rows + rows.size());
      rows.push_back(places[i].row);
    }
    LAKEBED_ASSIGN(engine::Engine * engine, context_.session.engine());
    LAKEBED_ASSIGN(const ColumnBatch read,
                   engine->read_rows(parquet, context_.columns,
                                     delta::physical_names(table.snapshot.schema()), rows));
    found.append_range(read, 0, read.rows);
  }
  ColumnBatch out;
  out.schema = context_.columns;
  out.rows = places.size();
  for (const Column& column : found.columns) out.columns.push_back(column.gather(position));
  return out;
}

}  // namespace lakebed::run
