// Truncates (rule T1, SCD type 1 only): a floor under all keys of a target.
//
// A truncate at T removes what was written below T whenever it arrived, and at T what arrived
// before it. Only the greatest truncate matters, so the target remembers one sequence for ever.
#pragma once

#include <optional>
#include <span>

#include "cdc/event.h"

namespace lakebed::cdc {

struct Truncate {
  SequenceView sequence;
  uint32_t arrival = 0;  // in the same numbering as the batch's events
};

class TruncateFloor {
 public:
  TruncateFloor() = default;
  // `remembered`: the floor before the batch, if any; `arrived`: the batch's truncates, any order.
  TruncateFloor(std::optional<SequenceView> remembered, std::span<const Truncate> arrived);

  // True where the event counts for nothing: it lies below the floor, or at it and before the
  // truncate of this batch. (Rule T1)
  bool drops(const SequenceView& sequence, uint32_t arrival) const {
    if (!present_) return false;
    const auto order = sequence <=> sequence_;
    return order < 0 || (order == 0 && arrival < arrival_);
  }
  bool drops(const Event& event) const { return drops(event.sequence, event.arrival); }
  // True where the event lies below the floor that stood before the batch.
  bool is_late(const SequenceView& sequence) const {
    return remembered_ && sequence < *remembered_;
  }
  bool is_late(const Event& event) const { return is_late(event.sequence); }
  // True where an entry remembered before the batch goes away, be it row or tombstone. Whoever
  // applies a batch with truncates asks this for every entry of the target.
  bool removes(const SequenceView& remembered_sequence) const {
    return arrived_ && remembered_sequence <= cut_;
  }
  // True where the batch brought a truncate that can remove anything.
  bool arrived() const { return arrived_; }
  // The floor to remember after the batch.
  std::optional<SequenceView> floor() const;

 private:
  std::optional<SequenceView> remembered_;  // the floor before the batch
  SequenceView sequence_;  // the floor after the batch
  SequenceView cut_;       // the greatest truncate of the batch
  uint32_t arrival_ = 0;   // of the last truncate of the batch at sequence_; 0: none
  bool present_ = false;
  bool arrived_ = false;
};

}  // namespace lakebed::cdc
