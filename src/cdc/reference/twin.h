// The slow and obvious twins of the kernels: from all events ever delivered, in the order of
// their arrival, to the rows that the table must show. They know no batch, no memory and no
// cursor, and keep no secret cleverness; the kernels are tested against them.
#pragma once

#include <compare>
#include <optional>
#include <span>
#include <vector>

#include "cdc/event.h"

namespace lakebed::cdc::reference {

// A feed's item: an event, or a truncate (then only `event.sequence` matters; SCD type 1 only).
struct Delivery {
  Event event;
  bool is_truncate = false;
  uint64_t note = 0;  // what a memory target keeps beside the values; the twins do not look at it
};

// A visible row. Values are known by their hash. SCD type 1 leaves start and end out.
struct TwinRow {
  Hash128 key;
  value::SequenceCode start;
  std::optional<value::SequenceCode> end;
  uint64_t value_hash = 0;
  auto operator<=>(const TwinRow&) const = default;
};

// The rows in order of key (and start). `arrival` of the events is ignored: the order counts.
std::vector<TwinRow> scd1_rows(std::span<const Delivery> in_order_of_arrival);
// Requires: no truncates.
std::vector<TwinRow> scd2_rows(std::span<const Delivery> in_order_of_arrival);

}  // namespace lakebed::cdc::reference
