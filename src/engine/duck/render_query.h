// From a resolved plan to one SQL statement of DuckDB.
//
// Every column is named after its attribute, c<id>, so that names never clash and a correlated
// column finds the enclosing query by itself. Each relation becomes a SELECT around those of its
// inputs. Only columns that something uses are asked of the scans.
//
// Order of rows: DuckDB keeps that of the source through projections, filters and generators. A
// join may turn sides around, so where a plan has joins, scans number their rows, and the outermost
// SELECT sorts by these numbers ("ordinals"), left before right.
#pragma once

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "engine/duck/functions/render.h"
#include "plan/resolve.h"

namespace lakebed::engine::duck {

// The columns of a leaf that the query uses, in the scan's order, by index.
struct LeafRequest {
  const plan::Relation* leaf = nullptr;
  std::vector<size_t> columns;          // indexes in leaf->output and in the scan's schema
  std::vector<std::string> aliases;     // one a column
  std::vector<std::string> ordinals;    // names for two columns (file, row); empty: not wanted
};

// Gives the FROM item or the SELECT of a leaf. Called once for each use.
using LeafRenderer = std::function<Result<std::string>(const LeafRequest&, RenderContext&)>;

// The statement whose columns are the visible columns of the query, in order.
Result<std::string> render_query(const plan::ResolvedQuery& query, const LeafRenderer& leaves,
                                 RenderContext& context);

// "c12".
std::string column_name(plan::AttributeId id);

}  // namespace lakebed::engine::duck
