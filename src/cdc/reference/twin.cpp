#include "cdc/reference/twin.h"

#include <map>

namespace lakebed::cdc::reference {

namespace {

// Of each key, the event that won each sequence.
using Winners = std::map<Hash128, std::map<value::SequenceCode, Event>>;

// Rule T1: what lies below a truncate goes, and at it what has arrived so far.
void truncate_at(Winners& winners, const SequenceView& sequence) {
  for (auto& [key, history] : winners) {
    std::erase_if(history, [&](const auto& item) {
      return SequenceView(item.first) <= sequence;
    });
  }
}

Winners winners_of(std::span<const Delivery> deliveries) {
  Winners winners;
  std::optional<value::SequenceCode> floor;
  for (const Delivery& delivery : deliveries) {
    const SequenceView& sequence = delivery.event.sequence;
    if (delivery.is_truncate) {
      truncate_at(winners, sequence);
      if (!floor || sequence > SequenceView(*floor)) floor = sequence.own();
      continue;
    }
    if (floor && sequence < SequenceView(*floor)) continue;
    winners[delivery.event.key][sequence.own()] = delivery.event;  // rule E4: the later wins
  }
  return winners;
}

}  // namespace

std::vector<TwinRow> scd1_rows(std::span<const Delivery> deliveries) {
  std::vector<TwinRow> rows;
  for (const auto& [key, history] : winners_of(deliveries)) {
    if (history.empty()) continue;
    const Event& greatest = history.rbegin()->second;
    if (greatest.is_delete()) continue;
    rows.push_back({key, {}, std::nullopt, greatest.value_hash});
  }
  return rows;
}

std::vector<TwinRow> scd2_rows(std::span<const Delivery> deliveries) {
  std::vector<TwinRow> rows;
  for (const auto& [key, history] : winners_of(deliveries)) {
    const Event* before = nullptr;
    for (const auto& [sequence, event] : history) {
      const bool in_stretch = before != nullptr && !before->is_delete() && !event.is_delete() &&
                              before->tracked_hash == event.tracked_hash;
      if (in_stretch) {
        rows.back().value_hash = event.value_hash;  // rule B1: the last event's values
      } else {
        if (before != nullptr && !before->is_delete()) rows.back().end = sequence;
        if (!event.is_delete()) rows.push_back({key, sequence, std::nullopt, event.value_hash});
      }
      before = &event;
    }
  }
  return rows;
}

}  // namespace lakebed::cdc::reference
