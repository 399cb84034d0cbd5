// Parquet files as a relation of DuckDB.
//
// Files of the same shape, one after another, are read by one read_parquet; several such groups
// are put together by UNION ALL, which keeps their order. Deleted rows are left out by a bitmap
// test on (file, row number).
#pragma once

#include <string>
#include <vector>

#include "engine/duck/functions/render.h"
#include "engine/duck/parquet_file.h"
#include "engine/duck/result.h"
#include "engine/engine.h"

namespace lakebed::engine::duck {

// A column of the scan's schema under the name that the query gives it.
struct ScanColumn {
  value::Field field;
  std::string alias;
};

struct ParquetScan {
  std::vector<ScanColumn> columns;
  const std::vector<ParquetFile>* files = nullptr;
  const std::map<std::string, std::string>* physical_names = nullptr;
  std::string condition;  // over file_index and file_row_number; empty: none
};

// What the scan reads besides the text: rows of its files, for the counters.
struct RenderedScan {
  std::string sql;  // a SELECT
  uint64_t rows_in_files = 0;
};

// Columns named "_metadata", "__file_index" and "__row_index" are made up (see ScanInput).
Result<RenderedScan> render_parquet_scan(const std::shared_ptr<Database>& database,
                                         FooterCache& footers, const ParquetScan& scan,
                                         QueryResources& resources, RenderContext& context);

}  // namespace lakebed::engine::duck
