// Resolution: from names to attributes, types and implicit casts.
//
// Everything outside the query (tables, views, files) is asked of a Catalog, which the caller
// implements. The result says which scans the query reads; the caller binds data to them. Pure:
// no clock, no I/O of its own. Spark 4 semantics with ANSI on (rule F10 for streams).
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "plan/tree.h"

namespace lakebed::plan {

// What a name or table function stands for.
struct Source {
  // Either a view: its unresolved query, to be resolved in place (with its own default names)...
  RelationPtr view;
  std::vector<std::string> view_columns;  // names from CREATE VIEW v (a, b)
  // ... or a scan: columns of the data, and a token that only the catalog understands.
  value::Schema schema;
  value::Schema hidden;        // columns found by name only: _metadata STRUCT<...>
  bool streaming = false;      // this scan delivers slices
  std::string token;
};

class Catalog {
 public:
  virtual ~Catalog() = default;
  // A table, view or dataset. `streaming`: written under STREAM. Errors carry TABLE_OR_VIEW_NOT_FOUND
  // and a hint with the nearest name; the resolver adds the span.
  virtual Result<Source> find_table(const std::vector<std::string>& name, bool streaming,
                                    const std::map<std::string, std::string>& options) = 0;
  // A table function that reads data: read_files, cloud_files, table_changes, list_files. All
  // arguments are constants by now: positional ones first, named ones by folded name, MAP values
  // spread into it. A name that the catalog does not know: nullopt.
  virtual Result<std::optional<Source>> call_function(
      const std::string& name, const std::vector<std::string>& positional,
      const std::map<std::string, std::string>& named, bool streaming) = 0;
};

struct ResolveOptions {
  std::string time_zone = "UTC";        // spark.sql.session.timeZone
  int64_t now_us = 0;                   // current_timestamp(), one value a batch
  bool allow_stateful_streams = false;  // true only for tests
};

struct Scan {
  uint32_t leaf = 0;
  std::string token;      // from Source
  value::Schema schema;   // all columns, hidden ones at the end
  bool streaming = false;
  SourceSpan span;
};

struct ResolvedQuery {
  RelationPtr root;
  std::vector<Scan> scans;
  bool streaming = false;  // some scan is
  // The visible output columns as a schema.
  value::Schema schema() const;
};

// Resolves a query. Errors: UNRESOLVED_COLUMN.WITH_SUGGESTION, UNRESOLVED_ROUTINE,
// DATATYPE_MISMATCH.*, FUNCTION_NOT_SUPPORTED.<name>, STREAMING_OPERATION_NOT_SUPPORTED.<op>, ...
// each with the span of the node, blame kProject.
Result<ResolvedQuery> resolve_query(const RelationPtr& query, Catalog& catalog,
                                    const ResolveOptions& options);

// Resolves `query` and puts a projection of `expressions` on top of it; each is resolved over the
// visible columns of the query. This is how a CDC flow evaluates its keys, sequence, conditions
// and output columns on the whole source row (rule E2). `condition` may be null.
Result<ResolvedQuery> resolve_projection(const RelationPtr& query,
                                         const std::vector<ExpressionPtr>& expressions,
                                         const ExpressionPtr& condition, Catalog& catalog,
                                         const ResolveOptions& options);

}  // namespace lakebed::plan
