#include "cdc/reference/memory_target.h"

#include <algorithm>
#include <utility>

namespace lakebed::cdc::reference {

namespace {

// The events of a batch, numbered by position; truncates apart.
struct Sorted {
  std::vector<Event> events;      // sorted for the kernel
  std::vector<Event> by_arrival;  // truncates included, so that positions fit
  std::vector<Truncate> truncates;
};

Sorted sort_batch(std::span<const Delivery> batch) {
  Sorted out;
  for (size_t at = 0; at < batch.size(); ++at) {
    Event event = batch[at].event;
    event.arrival = static_cast<uint32_t>(at);
    out.by_arrival.push_back(event);
    if (batch[at].is_truncate) {
      out.truncates.push_back({event.sequence, event.arrival});
    } else {
      out.events.push_back(event);
    }
  }
  sort_events(out.events);
  return out;
}

OwnedEntry own(const Entry& entry) { return {entry.sequence.own(), entry}; }

}  // namespace

Entry OwnedEntry::view() const {
  Entry entry = fields;
  entry.sequence = sequence;
  return entry;
}

// ---- the table -------------------------------------------------------------------------------

Place MemoryTable::add(TwinRow row) {
  const Place place{file_, next_row_++};
  rows_[{place.file, place.row}] = std::move(row);
  return place;
}

std::optional<TwinRow> MemoryTable::at(const Place& place) const {
  const auto found = rows_.find({place.file, place.row});
  if (found == rows_.end()) return std::nullopt;
  return found->second;
}

bool MemoryTable::remove(const Place& place) { return rows_.erase({place.file, place.row}) == 1; }

std::vector<TwinRow> MemoryTable::rows() const {
  std::vector<TwinRow> out;
  for (const auto& [place, row] : rows_) out.push_back(row);
  std::sort(out.begin(), out.end());
  return out;
}

// ---- SCD type 1 ------------------------------------------------------------------------------

void MemoryTargetScd1::fault(std::string text) { faults_ += text + "\n"; }

void MemoryTargetScd1::apply(std::span<const Delivery> batch) {
  const Sorted sorted = sort_batch(batch);
  metrics_ = Metrics();
  changed_ = false;
  table_.begin_batch();
  std::optional<SequenceView> remembered;
  if (floor_) remembered = SequenceView(*floor_);
  const TruncateFloor floor(remembered, sorted.truncates);

  std::vector<std::pair<Hash128, Scd1Decision>> decisions;
  std::map<Hash128, Entry> views;
  const auto find = [&](const Hash128& key) -> const Entry* {
    const auto found = entries_.find(key);
    return found == entries_.end() ? nullptr : &(views[key] = found->second.view());
  };
  run_scd1(sorted.events, floor, find,
           [&](const Hash128& key, const Scd1Decision& decision, const Entry*) {
             decisions.emplace_back(key, decision);
           }, metrics_);
  if (floor.arrived()) {  // the keys without events
    for (const auto& [key, entry] : entries_) {
      if (views.contains(key)) continue;
      const Entry known = entry.view();
      decisions.emplace_back(key, decide_scd1({}, &known, floor, metrics_));
    }
  }
  for (const auto& [key, decision] : decisions) perform(key, decision);
  if (floor.floor()) floor_ = floor.floor()->own();
}

void MemoryTargetScd1::perform(const Hash128& key, const Scd1Decision& decision) {
  if (decision.action == Scd1Action::kNothing) return;
  changed_ = true;
  const auto found = entries_.find(key);
  std::optional<Entry> known;
  if (found != entries_.end()) known = found->second.view();
  const bool had_row = known && !known->is_delete();
  const Scd1Action action = decision.action;
  const bool writes = action == Scd1Action::kWriteRow;
  const bool row_goes = action == Scd1Action::kRemoveRow || action == Scd1Action::kForgetRow ||
                        (writes && had_row);
  if (row_goes) {
    const auto row = had_row ? table_.at(known->place) : std::nullopt;
    if (!row || row->key != key) fault("scd1: a row is removed that is not the key's");
    if (row && writes && row->value_hash == decision.winner->value_hash) {
      fault("scd1: a row is written again unchanged");
    }
    if (had_row) table_.remove(known->place);
  }
  if (decision.winner == nullptr) {
    entries_.erase(key);
    return;
  }
  Entry entry = scd1_entry(decision, known ? &*known : nullptr);
  if (writes) entry.place = table_.add({key, {}, std::nullopt, decision.winner->value_hash});
  entries_[key] = own(entry);
}

KeyState MemoryTargetScd1::state_at(const Hash128& key, const SequenceView& version) const {
  const auto found = entries_.find(key);
  if (found == entries_.end()) return key_state_scd1(nullptr, version);
  const Entry known = found->second.view();
  return key_state_scd1(&known, version);
}

std::vector<Hash128> MemoryTargetScd1::keys() const {
  std::vector<Hash128> out;
  for (const auto& [key, entry] : entries_) out.push_back(key);
  return out;
}

// ---- SCD type 2 ------------------------------------------------------------------------------

class MemoryTargetScd2::HistoryCursor : public Cursor {
 public:
  explicit HistoryCursor(History& history) : history_(history) {}

  bool seek(EntrySet which, Seek how, const SequenceView& sequence, Entry& out) override {
    const OwnedSet& set = history_.set(which);
    const value::SequenceCode code = sequence.own();
    auto at = set.end();  // the position after the entry wanted, or the entry itself
    bool step_back = true;
    switch (how) {
      case Seek::kAtMost: at = set.upper_bound(code); break;
      case Seek::kBelow: at = set.lower_bound(code); break;
      case Seek::kGreatest: break;
      case Seek::kAbove: at = set.upper_bound(code); step_back = false; break;
      case Seek::kAtLeast: at = set.lower_bound(code); step_back = false; break;
    }
    if (at == (step_back ? set.begin() : set.end())) return false;
    if (step_back) --at;
    out = at->second.view();
    return true;
  }

 private:
  History& history_;
};

void MemoryTargetScd2::fault(std::string text) { faults_ += text + "\n"; }

size_t MemoryTargetScd2::entries() const {
  size_t total = 0;
  for (const auto& [key, history] : histories_) {
    total += history.boundaries.size() + history.absorbed.size();
  }
  return total;
}

KeyState MemoryTargetScd2::state_at(const Hash128& key, const SequenceView& version) {
  const auto found = histories_.find(key);
  if (found == histories_.end()) return {};
  HistoryCursor cursor(found->second);
  const KeyState asked = key_state_scd2(cursor, version);
  KeyStateScd2 walked(version);
  for (const auto& [code, entry] : found->second.boundaries) walked.add(entry.view());
  for (const auto& [code, entry] : found->second.absorbed) walked.add(entry.view());
  const KeyState seen = walked.state();
  if (seen.kind != asked.kind || seen.value_hash != asked.value_hash) {
    fault("scd2: a walk and the cursor see different states of a key");
  }
  return asked;
}

std::vector<Hash128> MemoryTargetScd2::keys() const {
  std::vector<Hash128> out;
  for (const auto& [key, history] : histories_) out.push_back(key);
  return out;
}

std::unique_ptr<Cursor> MemoryTargetScd2::cursor(const Hash128& key) {
  return std::make_unique<HistoryCursor>(histories_[key]);
}

void MemoryTargetScd2::apply(std::span<const Delivery> batch) {
  const Sorted sorted = sort_batch(batch);
  batch_notes_.clear();
  for (const Delivery& delivery : batch) batch_notes_.push_back(delivery.note);
  metrics_ = Metrics();
  changes_.clear();
  table_.begin_batch();
  std::vector<Hash128> keys;
  for_each_key(sorted.events, [&](std::span<const Event> events) {
    HistoryCursor cursor(histories_[events.front().key]);
    kernel_.run(static_cast<uint32_t>(keys.size()), events, cursor, changes_, metrics_);
    keys.push_back(events.front().key);
  });
  write(sorted.by_arrival, keys);
  check_memory();
  collect_garbage();
}

uint64_t MemoryTargetScd2::value_of(const ValueSource& source,
                                    const std::vector<Event>& by_arrival) {
  switch (source.kind) {
    case ValueSource::Kind::kNone: break;
    case ValueSource::Kind::kEvent: return by_arrival.at(source.arrival).value_hash;
    case ValueSource::Kind::kHeap: {
      const auto found = heap_.find(source.payload);
      if (found != heap_.end()) return found->second;
      fault("scd2: a payload is asked for that is not there");
      return 0;
    }
    case ValueSource::Kind::kOldRow: {
      ++old_rows_read_;
      const auto row = table_.at(source.place);
      if (row) return row->value_hash;
      fault("scd2: an old row is asked for that is not there");
      return 0;
    }
  }
  fault("scd2: values without a source");
  return 0;
}

// Carries out the kernel's answer: read all that is asked for, remove and add rows, then entries.
void MemoryTargetScd2::write(const std::vector<Event>& by_arrival,
                             const std::vector<Hash128>& keys) {
  std::vector<TwinRow> added;
  for (const AddedRow& row : changes_.added) {
    TwinRow out{keys.at(row.key), row.start.own(), std::nullopt, value_of(row.values, by_arrival)};
    if (row.has_end) out.end = row.end.own();
    added.push_back(std::move(out));
  }
  std::map<uint32_t, uint64_t> kept_arrivals;  // one payload an event, however often it is shared
  for (PutEntry& put : changes_.puts) {
    const ValueSource& source = put.payload;
    if (source.kind == ValueSource::Kind::kNone) continue;
    const uint64_t values = value_of(source, by_arrival);
    if (values != put.entry.value_hash) fault("scd2: a payload of another event is kept");
    if (source.kind == ValueSource::Kind::kHeap) continue;
    uint64_t fresh = 0;
    uint64_t& payload =
        source.kind == ValueSource::Kind::kEvent ? kept_arrivals[source.arrival] : fresh;
    if (payload == 0) {
      payload = next_payload_++;
      heap_[payload] = values;
      if (source.kind == ValueSource::Kind::kEvent) notes_[payload] = batch_notes_[source.arrival];
    }
    put.entry.payload = payload;
  }
  for (const RemovedRow& removed : changes_.removed) {
    const auto row = table_.at(removed.place);
    if (!row || SequenceView(row->start) != removed.start) fault("scd2: removes no such row");
    if (row && std::find(added.begin(), added.end(), *row) != added.end()) {
      fault("scd2: a row is written again unchanged");
    }
    table_.remove(removed.place);
  }
  std::vector<Place> places;
  for (TwinRow& row : added) places.push_back(table_.add(std::move(row)));
  // What comes in may view what goes out: own it first.
  std::vector<std::pair<Hash128, OwnedEntry>> puts;
  for (const PutEntry& put : changes_.puts) {
    OwnedEntry entry = own(put.entry);
    if (put.row != kNoRow) entry.fields.place = places.at(put.row);
    puts.emplace_back(keys.at(put.key), std::move(entry));
  }
  for (const DroppedEntry& drop : changes_.drops) {
    OwnedSet& set = histories_[keys.at(drop.key)].set(drop.set);
    if (set.erase(drop.sequence.own()) != 1) fault("scd2: drops an entry that is not there");
  }
  for (auto& [key, entry] : puts) {
    OwnedSet& set = histories_[key].set(set_of(entry.fields.kind));
    const value::SequenceCode at = entry.sequence;
    set[at] = std::move(entry);
  }
}

// What entry.h promises about places and payloads, for all entries.
void MemoryTargetScd2::check_memory() {
  size_t heads = 0;
  for (const auto& [key, history] : histories_) {
    for (const auto& [sequence, entry] : history.absorbed) {
      check_entry(entry, false);
      if (history.boundaries.contains(sequence)) fault("scd2: two entries at one sequence");
    }
    for (const auto& [sequence, entry] : history.boundaries) {
      if (entry.fields.is_delete()) continue;
      ++heads;
      const auto row = table_.at(entry.fields.place);
      if (!row || row->key != key || row->start != sequence) {
        fault("scd2: a head without its row");
        continue;
      }
      check_entry(entry, !row->end);
      const bool shown = row->value_hash == entry.fields.value_hash;
      if (entry.fields.payload == 0 && !shown) fault("scd2: a head's values are lost");
    }
  }
  if (heads != table_.rows().size()) fault("scd2: rows without a head");
}

void MemoryTargetScd2::check_entry(const OwnedEntry& entry, bool row_is_open) {
  const Entry& fields = entry.fields;
  if (fields.payload == 0) {
    if (fields.kind == EntryKind::kAbsorbed) fault("scd2: an absorbed event without payload");
    if (row_is_open || keeps_all_) fault("scd2: an event without the payload that it needs");
    return;
  }
  const auto found = heap_.find(fields.payload);
  if (found == heap_.end() || found->second != fields.value_hash) {
    fault("scd2: an entry's payload is not its own");
  }
}

void MemoryTargetScd2::collect_garbage() {
  std::map<uint64_t, uint64_t> live;
  const auto keep = [&](const OwnedSet& set) {
    for (const auto& [sequence, entry] : set) {
      const uint64_t payload = entry.fields.payload;
      if (payload != 0) live[payload] = heap_[payload];
    }
  };
  for (const auto& [key, history] : histories_) {
    keep(history.boundaries);
    keep(history.absorbed);
  }
  heap_ = std::move(live);
}

}  // namespace lakebed::cdc::reference
