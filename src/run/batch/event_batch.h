// The events of one batch: source rows after evaluation, checked, hashed and sorted, with their
// values beside them (rules E1, E2, E6, F12).
#pragma once

#include <deque>
#include <map>
#include <string>
#include <vector>

#include "cdc/bitemporal.h"
#include "cdc/event.h"
#include "cdc/truncate.h"
#include "engine/engine.h"
#include "run/pipeline/flow_plan.h"
#include "run/quality/expectations.h"
#include "run/quality/quarantine.h"

namespace lakebed::run {

struct EventBatch {
  // The output columns, under `columns` of read_events. Row r of part p arrived as first[p] + r.
  std::vector<value::ColumnBatch> parts;
  std::vector<uint32_t> first;
  size_t rows = 0;
  std::vector<cdc::Event> events;  // sorted by (key, sequence, arrival)
  std::vector<cdc::Truncate> truncates;
  // Bitemporal targets have these instead of `events`: by key, then arrival.
  std::vector<cdc::BitemporalEvent> bitemporal;
  std::deque<std::string> tails;      // what long sequence codes and moments point into
  std::vector<InvalidEvent> invalid;  // set aside, where the project says so (rule E6)
  DataQuality quality;                // of the target's expectations (rule F6)
  bool rows_tested = true;            // else they are tested when they are whole (rule P3)
  uint64_t below_floor = 0;           // events left out because a snapshot is newer (rule M2)

  // Partial updates. As read: the leaves that each row writes, leaf_words(leaves) words a row of
  // the batch; empty: each row writes all. (Rules P1, P2)
  std::vector<uint64_t> written;
  // As resolved: for each part what the memory keeps beside a row's values, in a column of
  // BINARY called kAuthorsColumn; empty: nothing. (Rule P3)
  std::vector<value::Column> authors;
  // The same for rows from before the target remembered authors.
  std::string authors_before;

  struct Location {
    size_t part = 0;
    size_t row = 0;
  };
  Location locate(uint32_t arrival) const;
  // A batch of the rows of these arrivals, in their order. Requires: ascending.
  value::ColumnBatch gather(const std::vector<uint32_t>& arrivals) const;
};

// The hashes of rows under `columns`: of all columns but the keys, and of the tracked ones (left
// empty where all are tracked).
void hash_rows(const CdcPlan& plan, const value::Schema& columns, const value::ColumnBatch& part,
               std::vector<uint64_t>& values, std::vector<uint64_t>& tracked);

// When a target's expectations are asked of the rows of its events (rule F6).
enum class RowsTested : uint8_t {
  kAsTheyCome,
  kWhenWhole,  // where the target remembers authors: by resolve_partial
};

// Runs the plan over the slices and reads all events. `columns` is the target's schema without the
// time columns: values are brought to it. Errors (nothing is written):
// AUTOCDC_MICROBATCH_VALIDATION.{NULL_SEQUENCE, NULL_SYSTEM_SEQUENCE, NULL_KEY} with flow, counts
// and a sample; NOT_NULL_CONSTRAINT_VIOLATION naming the column; those of source and engine.
Result<EventBatch> read_events(const CdcPlan& plan, engine::Engine& engine,
                               const std::map<uint32_t, engine::ScanInput>& inputs,
                               const value::Schema& columns, RowsTested tested);

// Rows that are at hand as upserts (rule F5), in the order of arrival. They have `columns`, and the
// sequence behind them unless all have `sequence`, which must outlive the answer. Keys are not
// NULL. Errors: NOT_NULL_CONSTRAINT_VIOLATION.
Result<EventBatch> events_of_rows(CdcPlan plan, const value::Schema& columns,
                                  const std::vector<value::ColumnBatch>& rows,
                                  const cdc::SequenceView* sequence);

// Says which rows of a snapshot make events (rule S1).
class RowSieve {
 public:
  virtual ~RowSieve() = default;
  // Takes the events out that change nothing; those of a part of the snapshot, in its order, which
  // stays.
  virtual Status keep_changes(std::vector<cdc::Event>& events) = 0;
};

// Streams a snapshot through the sieve: every row is an upsert at `version`, and only rows that
// pass are kept. NULL in a key is a value (rule S3). Requires: plan.from_snapshots; what `version`
// views outlives the answer. Errors: NOT_NULL_CONSTRAINT_VIOLATION, those of source and engine.
Result<EventBatch> read_snapshot(const CdcPlan& plan, engine::Engine& engine,
                                 const std::map<uint32_t, engine::ScanInput>& inputs,
                                 const value::Schema& columns, cdc::SequenceView version,
                                 RowSieve& sieve);

}  // namespace lakebed::run
