#include "engine/duck/scan.h"

#include <fmt/format.h>

#include "engine/duck/api.h"
#include "engine/duck/functions/render.h"

namespace lakebed::engine::duck {

Result<std::unique_ptr<ScanView>> ScanView::open(std::shared_ptr<Database> database,
                                                 const value::Schema& schema,
                                                 ArrowSource::Next next) {
  std::unique_ptr<ScanView> view(new ScanView());
  view->source_ = std::make_unique<ArrowSource>(schema, std::move(next));
  LAKEBED_ASSIGN(auto connection, database->connect());
  view->database_ = std::move(database);
  view->name_ = view->database_->fresh_name("lakebed_scan_");
  auto* stream = reinterpret_cast<duckdb_arrow_stream>(view->source_->stream());
  if (api().arrow_scan(connection->handle(), view->name_.c_str(), stream) == DuckDBError) {
    return update_error("ENGINE_ERROR", "DuckDB did not take a stream of rows");
  }
  return view;
}

ScanView::~ScanView() {
  if (name_.empty()) return;
  auto connection = database_->connect();
  if (!connection.ok()) return;
  // A view that cannot be dropped is left: its name is never used again.
  auto dropped = (*connection)->execute("DROP VIEW IF EXISTS " + quote_identifier(name_));
  static_cast<void>(dropped);
}

}  // namespace lakebed::engine::duck
