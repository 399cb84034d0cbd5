#include "cdc/reference/bitemporal_twin.h"

#include <algorithm>
#include <set>

namespace lakebed::cdc::reference {

namespace {

template <typename Map>
auto find_in(const Map& map, Seek how, const TwinMoment& at) {
  const bool down = how == Seek::kAtMost || how == Seek::kBelow;
  if (how == Seek::kGreatest) return map.empty() ? map.end() : std::prev(map.end());
  if (how == Seek::kAtLeast) return map.lower_bound(at);
  if (how == Seek::kAbove) return map.upper_bound(at);
  const auto after = how == Seek::kAtMost ? map.upper_bound(at) : map.lower_bound(at);
  return !down || after == map.begin() ? map.end() : std::prev(after);
}

TwinMoment moment(Moment business, Moment system) {
  return {std::string(business), std::string(system)};
}

std::optional<Moment> view(const std::optional<std::string>& text) {
  return text ? std::optional<Moment>(*text) : std::nullopt;
}

std::optional<std::string> own(const std::optional<Moment>& code) {
  return code ? std::optional<std::string>(*code) : std::nullopt;
}

TwinBelief own(const Belief& belief) {
  return {std::string(belief.start), std::string(belief.system_start), own(belief.end),
          own(belief.system_end), belief.value_hash};
}

}  // namespace

void BitemporalTwin::add(const BitemporalEvent& event) {
  events_[moment(event.business, event.system)] = {event.is_delete(),
                                                   event.is_delete() ? 0 : event.value_hash};
}

std::vector<TwinBelief> BitemporalTwin::timeline(const std::string& system) const {
  std::map<std::string, What> at;  // events come by system time within a business time
  for (const auto& [when, what] : events_) {
    if (when.system <= system) at[when.business] = what;
  }
  std::vector<TwinBelief> out;
  bool open = false;
  for (const auto& [business, what] : at) {
    if (open && !what.deletes && what.value_hash == out.back().value_hash) continue;
    if (open) out.back().end = business;
    open = !what.deletes;
    if (open) out.push_back({business, system, std::nullopt, std::nullopt, what.value_hash});
  }
  return out;
}

std::vector<TwinBelief> BitemporalTwin::rows() const {
  std::set<std::string> systems;
  for (const auto& [when, what] : events_) systems.insert(when.system);
  std::vector<TwinBelief> done;
  std::vector<TwinBelief> living;
  const auto same = [](const TwinBelief& a, const TwinBelief& b) {
    return a.start == b.start && a.end == b.end && a.value_hash == b.value_hash;
  };
  for (const std::string& system : systems) {
    std::vector<TwinBelief> now = timeline(system);
    for (TwinBelief& old : living) {
      const auto kept = std::find_if(now.begin(), now.end(),
                                     [&](const TwinBelief& one) { return same(one, old); });
      if (kept != now.end()) {
        kept->system_start = old.system_start;
        continue;
      }
      old.system_end = system;
      done.push_back(old);
    }
    living = std::move(now);
  }
  done.insert(done.end(), living.begin(), living.end());
  std::sort(done.begin(), done.end());
  return done;
}

std::vector<TwinBelief> BitemporalTwin::current() const {
  std::string last;
  for (const auto& [when, what] : events_) last = std::max(last, when.system);
  return timeline(last);
}

bool BitemporalMemory::event(Seek how, Moment business, Moment system, BusinessEvent& out) {
  const auto found = find_in(events_, how, moment(business, system));
  if (found == events_.end()) return false;
  out = {found->first.business, found->first.system, found->second.value_hash, {},
         found->second.deletes};
  if (!out.deletes) out.values = {ValueSource::Kind::kHeap, kNoArrival, found->second.payload, {}};
  return true;
}

bool BitemporalMemory::belief(Seek how, Moment start, Moment system_start, Belief& out) {
  const auto found = find_in(rows_, how, moment(start, system_start));
  if (found == rows_.end()) return false;
  const Row& row = found->second;
  out.start = found->first.business;
  out.system_start = found->first.system;
  out.end = view(row.fields.end);
  out.system_end = view(row.fields.system_end);
  out.value_hash = row.fields.value_hash;
  out.values = {ValueSource::Kind::kHeap, kNoArrival, row.payload, {}};
  out.place = {0, row.number};
  return true;
}

void BitemporalMemory::begin_batch(std::span<const BitemporalEvent> events) {
  arrivals_.clear();
  for (const BitemporalEvent& event : events) arrivals_[event.arrival] = event.value_hash;
}

uint64_t BitemporalMemory::payload_of(const ValueSource& values) {
  if (values.kind == ValueSource::Kind::kHeap) {
    if (!heap_.contains(values.payload)) fault("a payload that was never kept");
    return values.payload;
  }
  if (values.kind != ValueSource::Kind::kEvent || !arrivals_.contains(values.arrival)) {
    fault("values out of nowhere");
    return 0;
  }
  const uint64_t payload = heap_.size() + 1;
  heap_[payload] = arrivals_[values.arrival];
  return payload;
}

void BitemporalMemory::take(const BitemporalChanges& changes) {
  std::vector<Row> made;
  for (const BitemporalChanges::Change& change : changes.beliefs) {
    if (!change.after) continue;
    Row row{own(*change.after), next_row_++, payload_of(change.after->values)};
    if (heap_[row.payload] != row.fields.value_hash) fault("a row with other values than its own");
    if (row.fields.end && *row.fields.end <= row.fields.start) fault("an empty row");
    if (row.fields.system_end && *row.fields.system_end <= row.fields.system_start) {
      fault("a belief of zero length");
    }
    if (change.before && own(*change.before) == row.fields) fault("a row written as it was");
    made.push_back(std::move(row));
  }
  std::map<TwinMoment, What> puts;
  for (const BitemporalChanges::Put& put : changes.events) {
    const What what{put.event.deletes, put.event.value_hash,
                    put.event.deletes ? 0 : payload_of(put.event.values)};
    puts[moment(put.event.business, put.event.system)] = what;
  }
  for (const BitemporalChanges::Change& change : changes.beliefs) {
    if (!change.before) continue;
    const auto at = rows_.find(moment(change.before->start, change.before->system_start));
    if (at == rows_.end() || at->second.number != change.before->place.row) {
      fault("a row removed that is not there");
    } else {
      rows_.erase(at);
    }
  }
  for (Row& row : made) {
    const TwinMoment at{row.fields.start, row.fields.system_start};
    if (!rows_.emplace(at, std::move(row)).second) fault("two rows of one identity");
  }
  for (auto& [at, what] : puts) events_[at] = what;
}

std::vector<TwinBelief> BitemporalMemory::rows() const {
  std::vector<TwinBelief> out;
  for (const auto& [at, row] : rows_) out.push_back(row.fields);
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace lakebed::cdc::reference
