// Partial updates of SCD type 2: each event takes what it does not write from the event before it,
// and what a late event brings flows on into later ones until it is written over or a delete comes
// (rule P3).
//
// Every remembered upsert keeps its whole row and which leaves of it the event wrote itself, so
// looking back needs one entry; forward it goes as far as rows change, never to the key's end
// otherwise.
#pragma once

#include <memory>

#include "cdc/partial.h"

namespace lakebed::cdc {

// The remembered entries of one key, and the rows behind them.
class HistoryOfRows : public Cursor, public LeafValues {
 public:
  struct Row {
    Source source = kNulls;
    LeafBits written;  // lives until the next call
    // False where the values are read later only, which is so for rows from before a target
    // remembered authors. All that is known of them is the entry's hash.
    bool at_hand = true;
  };
  // The row of an upsert.
  virtual Row row_of(const Entry& entry) = 0;
};

// Keeps its working memory between keys; use one a thread.
class PartialScd2 {
 public:
  explicit PartialScd2(size_t leaves);
  ~PartialScd2();
  PartialScd2(const PartialScd2&) = delete;
  PartialScd2& operator=(const PartialScd2&) = delete;

  // Resolves the events of one key (sorted by sequence, arrival; at least one). Appends to `out` in
  // order of sequence, at most one event a sequence; events that change nothing are left out.
  // Counts late and tied events, which the kernel's own counts of the resolved ones do not tell.
  void run(uint32_t key, std::span<const PartialEvent> events, HistoryOfRows& history,
           Resolved& out, Metrics& metrics);

 private:
  struct Work;
  std::unique_ptr<Work> work_;
};

}  // namespace lakebed::cdc
