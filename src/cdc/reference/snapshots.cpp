#include "cdc/reference/snapshots.h"

namespace lakebed::cdc::reference {

namespace {

void add_rows(const Arrival& snapshot, std::vector<Delivery>& out) {
  for (const auto& [key, value] : snapshot.rows) {
    Delivery delivery;
    delivery.event.key = key;
    delivery.event.sequence = snapshot.version;
    delivery.event.value_hash = value;
    delivery.event.tracked_hash = snapshot.tracked.at(key);
    out.push_back(delivery);
  }
}

bool holds_at(const TwinRow& row, const SequenceView& version) {
  return !(version < SequenceView(row.start)) && (!row.end || version < SequenceView(*row.end));
}

}  // namespace

std::vector<TwinRow> combined_rows(std::span<const Arrival> arrivals) {
  const Arrival* newest = nullptr;
  for (const Arrival& arrival : arrivals) newest = arrival.is_snapshot ? &arrival : newest;
  std::vector<Delivery> counted;
  if (newest) add_rows(*newest, counted);
  for (const Arrival& arrival : arrivals) {
    for (const Delivery& delivery : arrival.batch) {
      if (!newest || delivery.event.sequence > newest->version) counted.push_back(delivery);
    }
  }
  return scd1_rows(counted);
}

std::vector<TwinRow> snapshot_history(std::span<const Arrival> arrivals) {
  std::vector<Delivery> all;
  for (const Arrival& arrival : arrivals) {
    all.insert(all.end(), arrival.batch.begin(), arrival.batch.end());
    if (!arrival.is_snapshot) continue;
    const std::vector<TwinRow> before = scd2_rows(all);
    add_rows(arrival, all);
    for (const TwinRow& row : before) {
      if (arrival.rows.contains(row.key) || !holds_at(row, arrival.version)) continue;
      Delivery gone;
      gone.event.key = row.key;
      gone.event.sequence = arrival.version;
      gone.event.operation = Operation::kDelete;
      all.push_back(gone);
    }
  }
  return scd2_rows(all);
}

}  // namespace lakebed::cdc::reference
