// Partial updates of SCD type 1: each leaf shows the latest event that wrote it, so a late event
// still fills what nothing newer wrote; a delete writes NULL to all leaves, and a truncate takes
// away what was written below it (rules P3, T2).
//
// A key has one remembered entry, its greatest event. Behind it lie the row and, for each leaf, the
// sequence at which it was written last, and the greatest delete below: all that the events that
// made the row can still mean.
#pragma once

#include <memory>
#include <optional>

#include "cdc/partial.h"
#include "cdc/truncate.h"

namespace lakebed::cdc {

// Who wrote the leaves of a row. author[leaf] is 0 where nobody did, else one more than the index
// of the sequence.
struct LeafAuthors {
  std::vector<SequenceView> sequences;
  std::vector<uint32_t> author;
  std::optional<SequenceView> floor;  // the greatest delete; it wrote NULL to all leaves

  void clear() {
    sequences.clear();
    author.clear();
    floor.reset();
  }
};

// What is remembered of a key.
struct KnownRow {
  Entry entry;
  Source source = kNulls;  // an upsert's row
  LeafAuthors authors;     // of an upsert; a delete is its own floor
  // False where the values are read later only (see HistoryOfRows::Row).
  bool at_hand = true;
};

// Keeps its working memory between keys; use one a thread.
class PartialScd1 {
 public:
  explicit PartialScd1(size_t leaves) : leaves_(leaves) {}

  // Resolves the events of one key (sorted by sequence, arrival; none where the batch has truncates
  // that may reach the row) over what is known of it (nullptr: nothing). True: the key changes, and
  // `out` has one more event, its state; authors() tells who wrote it, until the next call. The
  // truncates of the batch have been applied to that state. Counts late and tied events.
  bool run(uint32_t key, std::span<const PartialEvent> events, const KnownRow* known,
           const TruncateFloor& floor, LeafValues& values, Resolved& out, Metrics& metrics);

  const LeafAuthors& authors() const { return authors_; }

 private:
  void begin(const KnownRow* known, const TruncateFloor& floor);
  bool fold(const PartialEvent& event);
  bool fold_delete(const PartialEvent& event);
  bool fold_upsert(const PartialEvent& event);
  bool write_leaf(size_t leaf, const PartialEvent& event, uint32_t author);
  bool stands_at(const SequenceView& sequence) const;
  bool below_floor(const SequenceView& sequence) const {
    return authors_.floor && sequence < *authors_.floor;
  }

  size_t leaves_;
  LeafValues* values_ = nullptr;
  const KnownRow* unread_ = nullptr;  // what is known, where its values are not at hand
  LeafAuthors authors_;
  std::vector<Source> row_;
  SequenceView greatest_;
  bool present_ = false;  // the key has a state
  bool deleted_ = false;  // which is a tombstone
  bool changed_ = false;
};

}  // namespace lakebed::cdc
