// Look-ups of many keys at once.
#include <algorithm>
#include <optional>
#include <thread>

#include "state/run.h"
#include "state/table_state.h"

namespace lakebed::state {

namespace {

constexpr size_t kChunk = 1024;             // answers of one chunk stay in the second-level cache
constexpr size_t kKeysForTwoThreads = 8192;

// What one chunk of keys still looks for, and what it found in the run at hand.
struct Hits {
  std::vector<uint32_t> rows;
  std::vector<uint32_t> slots;
};

// Looks up those keys of a chunk that lie in the run's window and are not answered yet.
// `hint`: the first row that may matter, moved on.
Status find_in_run(const OpenRun& run, uint64_t low, uint64_t high, std::span<const Hash128> keys,
                   std::vector<uint8_t>& answered, size_t& hint, Hits& hits) {
  hits.rows.clear();
  hits.slots.clear();
  const auto begin = std::lower_bound(keys.begin(), keys.end(), low,
                                      [](const Hash128& key, uint64_t l) { return key.high < l; });
  for (auto slot = static_cast<size_t>(begin - keys.begin()); slot < keys.size(); ++slot) {
    const Hash128& key = keys[slot];
    if (key.high > high) break;
    if (answered[slot] != 0) continue;
    hint = run.find(key, hint);
    LAKEBED_TRY(run.check_keys_around(hint));
    if (hint >= run.size()) break;
    if (run.key(hint) != key) continue;
    LAKEBED_TRY(run.check_row(hint));
    answered[slot] = 1;
    hits.rows.push_back(static_cast<uint32_t>(hint));
    hits.slots.push_back(static_cast<uint32_t>(slot));
  }
  return {};
}

}  // namespace

Status TableState::find(const LiveRuns& runs, std::span<const Hash128> keys, Found* out) const {
  std::vector<size_t> hints(runs.size(), 0);
  std::vector<uint8_t> answered;
  Hits hits;
  for (size_t first = 0; first < keys.size(); first += kChunk) {
    const auto chunk = keys.subspan(first, std::min(kChunk, keys.size() - first));
    answered.assign(chunk.size(), 0);
    for (size_t i = 0; i < runs.size(); ++i) {
      const LiveRun& live = runs[i];
      if (live.ref.low > chunk.back().high || live.ref.high < chunk.front().high) continue;
      LAKEBED_TRY(find_in_run(*live.run, live.ref.low, live.ref.high, chunk, answered, hints[i],
                              hits));
      live.run->gather(hits.rows, hits.slots, out + first);
    }
  }
  return {};
}

Result<std::vector<Found>> TableState::find_greatest(std::span<const Hash128> keys) const {
  LAKEBED_ASSERT(identity() == Identity::kKey);
  LAKEBED_ASSERT(std::is_sorted(keys.begin(), keys.end()));
  std::vector<Found> found(keys.size());
  const LiveRuns& runs = set("");
  if (keys.size() < kKeysForTwoThreads || std::thread::hardware_concurrency() < 2) {
    LAKEBED_TRY(find(runs, keys, found.data()));
    return found;
  }
  const size_t half = keys.size() / 2;
  Status second;
  std::thread other(
      [&] { second = find(runs, keys.subspan(half), found.data() + half); });
  const Status first = find(runs, keys.first(half), found.data());
  other.join();
  LAKEBED_TRY(Status(first));
  LAKEBED_TRY(std::move(second));
  return found;
}

Result<std::vector<std::optional<SeenFile>>> TableState::seen(
    const std::string& source, const std::vector<std::string>& names) const {
  std::vector<std::pair<Hash128, size_t>> order;
  for (size_t i = 0; i < names.size(); ++i) order.emplace_back(hash128(names[i]), i);
  std::sort(order.begin(), order.end());
  std::vector<Hash128> keys;
  for (const auto& [key, at] : order) keys.push_back(key);
  std::vector<Found> found(keys.size());
  LAKEBED_TRY(find(set(kSeenPrefix + source), keys, found.data()));
  std::vector<std::optional<SeenFile>> out(names.size());
  for (size_t i = 0; i < order.size(); ++i) {
    if (!found[i].found) continue;
    const Entry& entry = found[i].entry;
    out[order[i].second] = SeenFile{entry.payload, static_cast<int64_t>(entry.sequence.head)};
  }
  return out;
}

Result<std::optional<SeenFile>> TableState::seen(const std::string& source,
                                                 std::string_view name) const {
  LAKEBED_ASSIGN(auto all, seen(source, std::vector<std::string>{std::string(name)}));
  return all.front();
}

}  // namespace lakebed::state
