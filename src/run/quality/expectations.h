// Expectations (rule F6): conditions that the rows of a dataset are tested against, what becomes of
// a row that does not meet one, and how many did and did not.
//
// A dataset's conditions become BOOLEAN columns behind the outputs of the query that fills it; what
// is not TRUE fails. Where a row is dropped depends on the dataset: a plain table leaves it out, a
// CDC target hides it, since its sequence counts (run/batch/event_batch.cpp); a view filters. The
// rows of a view are counted by a query of their own over the same slice, because a view may be
// read through joins and aggregates.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "delta/commit.h"
#include "run/event_log/report.h"
#include "run/pipeline/catalog.h"

namespace lakebed::run {

class FlowProgress;

// Of one expectation, how many rows of a batch met it.
struct ExpectationCount {
  std::string name;
  std::string dataset;
  uint64_t passed = 0;
  uint64_t failed = 0;
};

// What a batch is told to have been like.
struct DataQuality {
  uint64_t dropped = 0;
  std::vector<ExpectationCount> expectations;

  bool empty() const { return expectations.empty(); }
  void add(const DataQuality& other);
  // {"dropped_records": n, "expectations": [{"name", "dataset", "passed_records",
  // "failed_records"}]}: the event log's form.
  Json json() const;
};

// Puts it where an event and a commit tell of their batch; nothing where nothing was tested.
void add_quality(const DataQuality& quality, Event& event);
void add_quality(const DataQuality& quality, delta::TransactionInfo& info);

// Errors, at the condition: EXPECTATION_DUPLICATE_NAME, EXPECTATION_NOT_A_ROW_CONDITION (a
// subquery or window in it).
Status check_expectations(const Dataset& dataset);

// The conditions as columns named __lakebed_expectation_0 and so on, to be resolved over a query
// that yields `delivered`. A column of `others` that the query lacks stands for NULL. `where`: rows
// that are tested, as an expression (null: all); the columns are NULL for others. Error, at the
// column: UNRESOLVED_COLUMN.WITH_SUGGESTION for any other name.
Result<std::vector<plan::ExpressionPtr>> expectation_columns(
    const std::vector<plan::Expectation>& expectations, const value::Schema& delivered,
    const value::Schema& others, const plan::ExpressionPtr& where);

// Tests the rows of one flow or table, batch after batch.
class RowTests {
 public:
  // `flow` is named in errors.
  RowTests(const std::vector<plan::Expectation>& expectations, std::string dataset,
           std::string flow);

  // The columns first, first + 1, ... of the batch are the conditions. Sets hidden[row] where the
  // row is to be dropped. Rows that `counts` says no to (empty: all count) are passed over.
  void judge(const value::ColumnBatch& batch, size_t first, std::vector<bool>& hidden,
             const std::function<bool(size_t row)>& counts = {});
  // Error EXPECTATION_VIOLATION (the update fails) where a row failed one that says FAIL UPDATE,
  // with flow, count and a sample.
  Status verdict() const;
  const DataQuality& quality() const { return quality_; }

 private:
  const std::vector<plan::Expectation>& expectations_;
  std::string flow_;
  DataQuality quality_;
  std::string sample_;  // a row that fails the update
};

// `query` with the dataset's conditions behind its columns (rule F6): for tables that are filled by
// a query. The query itself where the dataset has none.
Result<plan::ResolvedQuery> resolve_with_expectations(const plan::RelationPtr& query,
                                                      const Dataset& dataset, QueryCatalog& catalog,
                                                      const plan::ResolveOptions& options);

// Takes the conditions off a batch and leaves out what is dropped.
value::ColumnBatch sift(value::ColumnBatch batch, const Dataset& dataset, RowTests& tests);

// The view's query as its readers see it: what DROP ROW drops is filtered out.
plan::RelationPtr filtered_view(const Dataset& view);

// Counts the rows of all views with expectations that `query` reads, directly or through others,
// over the slices that `progress` (null: a batch read) has next. Errors: those of verdict().
Status count_views(Session& session, const Pipeline& pipeline, const plan::RelationPtr& query,
                   const NameScope& scope, FlowProgress* progress, const std::string& flow,
                   DataQuality& quality);

}  // namespace lakebed::run
