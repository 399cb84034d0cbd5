#include "cdc/truncate.h"

namespace lakebed::cdc {

TruncateFloor::TruncateFloor(std::optional<SequenceView> remembered,
                             std::span<const Truncate> arrived)
    : remembered_(remembered) {
  if (remembered) {
    present_ = true;
    sequence_ = *remembered;
  }
  for (const Truncate& truncate : arrived) {
    if (!arrived_ || truncate.sequence > cut_) cut_ = truncate.sequence;
    arrived_ = true;
    if (!present_ || truncate.sequence > sequence_) {
      present_ = true;
      sequence_ = truncate.sequence;
      arrival_ = truncate.arrival;
    } else if (truncate.sequence == sequence_ && truncate.arrival > arrival_) {
      arrival_ = truncate.arrival;
    }
  }
}

std::optional<SequenceView> TruncateFloor::floor() const {
  if (!present_) return std::nullopt;
  return sequence_;
}

}  // namespace lakebed::cdc
