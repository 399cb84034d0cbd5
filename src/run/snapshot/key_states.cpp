#include "run/snapshot/key_states.h"

#include <algorithm>
#include <bit>
#include <numeric>

#include "run/apply/apply.h"
#include "run/apply/key_walk.h"

namespace lakebed::run {

namespace {

using Kind = cdc::KeyState::Kind;

// Counts keys that come more than once, from a walk over sorted ones.
Status count_duplicates(SeenKeys& seen, KeyStates::Rest& rest) {
  LAKEBED_ASSIGN(SeenKeys::Walk walk, seen.walk());
  while (true) {
    LAKEBED_ASSIGN(const bool more, walk.next());
    if (!more) return {};
    if (walk.count() == 1) continue;
    if (rest.duplicate_keys++ == 0) rest.first_duplicate = walk.key();
    rest.duplicate_rows += walk.count();
  }
}

// An index of the keys whose state is not "absent". Keys are hashes, so a directory by their first
// bits leaves about one to look at.
class Indexed : public KeyStates {
 public:
  explicit Indexed(std::filesystem::path spill_folder) : others_(std::move(spill_folder)) {}

  Status build(const state::TableState& memory, TargetKind kind, cdc::SequenceView version);
  Status see(const std::vector<Hash128>& keys, std::vector<cdc::KeyState>& states) override;
  Result<Rest> finish() override;

 private:
  static constexpr size_t kAhead = 16;  // keys whose part of the directory is fetched early
  static constexpr uint8_t kNewerBit = 4;
  static constexpr uint8_t kSeenMask = 3;  // seen 0, 1, or 2 and more times

  struct Known {
    Hash128 key;
    uint64_t value_hash;
  };
  size_t bucket(const Hash128& key) const { return key.high >> shift_; }
  size_t find(const Hash128& key) const {
    size_t at = directory_[bucket(key)];
    const size_t end = directory_[bucket(key) + 1];
    while (at < end && known_[at].key < key) ++at;
    return at < end && known_[at].key == key ? at : SIZE_MAX;
  }
  void note_again(size_t at);

  std::vector<Known> known_;
  std::vector<uint8_t> marks_;       // beside known_
  std::vector<uint32_t> directory_;  // first index of each bucket, and the end
  int shift_ = 63;
  SeenKeys others_;  // keys of the snapshot that are not in the index
  Rest rest_;
};

Status Indexed::build(const state::TableState& memory, TargetKind kind, cdc::SequenceView version) {
  known_.reserve(memory.stats().entries);
  marks_.reserve(memory.stats().entries);
  const auto add = [this](const Hash128& key, const cdc::KeyState& state, bool has_row) -> Status {
    rest_.present_before += has_row ? 1 : 0;
    if (state.kind == Kind::kAbsent) return {};
    known_.push_back({key, state.value_hash});
    marks_.push_back(state.kind == Kind::kNewer ? kNewerBit : 0);
    return {};
  };
  LAKEBED_TRY(walk_keys(memory, kind, version, add));
  const int bits = std::max(1, static_cast<int>(std::bit_width(known_.size())));
  shift_ = 64 - bits;
  directory_.assign((size_t{1} << bits) + 1, 0);
  for (const Known& known : known_) ++directory_[bucket(known.key) + 1];
  std::partial_sum(directory_.begin(), directory_.end(), directory_.begin());
  return {};
}

void Indexed::note_again(size_t at) {
  uint8_t& mark = marks_[at];
  if ((mark & kSeenMask) == 0) {
    ++mark;
    return;
  }
  const bool second = (mark & kSeenMask) == 1;
  if (second) ++mark;
  if (second && rest_.duplicate_keys++ == 0) rest_.first_duplicate = known_[at].key;
  rest_.duplicate_rows += second ? 2 : 1;
}

Status Indexed::see(const std::vector<Hash128>& keys, std::vector<cdc::KeyState>& states) {
  states.assign(keys.size(), {});
  std::vector<Hash128> others;
  for (size_t i = 0; i < keys.size(); ++i) {
    if (i + kAhead < keys.size()) {
      __builtin_prefetch(&directory_[bucket(keys[i + kAhead])]);
      if (!known_.empty()) {
        const size_t soon = directory_[bucket(keys[i + kAhead / 2])];
        __builtin_prefetch(known_.data() + std::min(soon, known_.size() - 1));
      }
    }
    const size_t at = find(keys[i]);
    if (at == SIZE_MAX) {
      others.push_back(keys[i]);
      continue;
    }
    note_again(at);
    const bool newer = (marks_[at] & kNewerBit) != 0;
    states[i] = {newer ? Kind::kNewer : Kind::kRow, known_[at].value_hash};
  }
  rest_.rows += keys.size();
  std::sort(others.begin(), others.end());
  return others_.add(std::move(others));
}

Result<KeyStates::Rest> Indexed::finish() {
  LAKEBED_TRY(count_duplicates(others_, rest_));
  for (size_t at = 0; at < known_.size(); ++at) {
    if (marks_[at] == 0) rest_.absent.push_back(known_[at].key);
  }
  return std::move(rest_);
}

// One key of the memory, as far as the state at a version asks for it.
class AtMostCursor : public cdc::Cursor {
 public:
  explicit AtMostCursor(const state::TableState& memory) : cursor_(memory) {}

  Status move_to(const Hash128& key) {
    LAKEBED_ASSIGN(known_, cursor_.seek(key));
    return std::exchange(status_, {});
  }
  const Status& status() const { return status_; }

  bool seek(cdc::EntrySet set, cdc::Seek how, const cdc::SequenceView& sequence,
            cdc::Entry& out) override {
    LAKEBED_ASSERT(how == cdc::Seek::kAtMost);
    if (!known_ || !status_.ok()) return false;
    const auto kind =
        set == cdc::EntrySet::kAbsorbed ? state::EntryKind::kHidden : state::EntryKind::kRow;
    auto found = cursor_.at_most(kind, sequence);
    if (!found.ok()) status_ = std::move(found).error();
    if (!status_.ok() || !found->has_value()) return false;
    out = to_kernel(**found);
    return true;
  }

 private:
  state::Cursor cursor_;
  bool known_ = false;
  Status status_;
};

// The memory is searched where it lies; all keys that were seen are kept.
class Searched : public KeyStates {
 public:
  Searched(const state::TableState& memory, TargetKind kind, cdc::SequenceView version,
           std::filesystem::path spill_folder)
      : memory_(memory), kind_(kind), version_(version), seen_(std::move(spill_folder)) {}

  Status see(const std::vector<Hash128>& keys, std::vector<cdc::KeyState>& states) override;
  Result<Rest> finish() override;

 private:
  Status search(const std::vector<Hash128>& sorted, std::vector<cdc::KeyState>& states) const;

  const state::TableState& memory_;
  TargetKind kind_;
  cdc::SequenceView version_;
  SeenKeys seen_;
};

Status Searched::search(const std::vector<Hash128>& sorted,
                        std::vector<cdc::KeyState>& states) const {
  states.assign(sorted.size(), {});
  if (kind_ == TargetKind::kScd1) {
    LAKEBED_ASSIGN(const auto found, memory_.find_greatest(sorted));
    for (size_t i = 0; i < sorted.size(); ++i) {
      if (!found[i].found) continue;
      const cdc::Entry known = to_kernel(found[i].entry);
      states[i] = cdc::key_state_scd1(&known, version_);
    }
    return {};
  }
  AtMostCursor cursor(memory_);
  for (size_t i = 0; i < sorted.size(); ++i) {
    LAKEBED_TRY(cursor.move_to(sorted[i]));
    states[i] = cdc::key_state_scd2(cursor, version_);
    LAKEBED_TRY(Status(cursor.status()));
  }
  return {};
}

Status Searched::see(const std::vector<Hash128>& keys, std::vector<cdc::KeyState>& states) {
  std::vector<uint32_t> order(keys.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) { return keys[a] < keys[b]; });
  std::vector<Hash128> sorted;
  sorted.reserve(keys.size());
  for (const uint32_t at : order) sorted.push_back(keys[at]);
  std::vector<cdc::KeyState> found;
  LAKEBED_TRY(search(sorted, found));
  states.resize(keys.size());
  for (size_t i = 0; i < order.size(); ++i) states[order[i]] = found[i];
  return seen_.add(std::move(sorted));
}

Result<KeyStates::Rest> Searched::finish() {
  Rest rest;
  rest.rows = seen_.size();
  LAKEBED_TRY(count_duplicates(seen_, rest));
  LAKEBED_ASSIGN(SeenKeys::Walk seen, seen_.walk());
  LAKEBED_ASSIGN(bool more, seen.next());
  const auto compare = [&](const Hash128& key, const cdc::KeyState& state, bool has_row) -> Status {
    while (more && seen.key() < key) {
      LAKEBED_ASSIGN(more, seen.next());
    }
    rest.present_before += has_row ? 1 : 0;
    const bool there = more && seen.key() == key;
    if (!there && cdc::key_vanishes(state)) rest.absent.push_back(key);
    return {};
  };
  LAKEBED_TRY(walk_keys(memory_, kind_, version_, compare));
  return rest;
}

}  // namespace

Result<std::unique_ptr<KeyStates>> key_states(const state::TableState& memory, TargetKind kind,
                                              cdc::SequenceView version,
                                              std::filesystem::path spill_folder,
                                              uint64_t indexed) {
  if (memory.stats().entries > indexed) {
    return std::unique_ptr<KeyStates>(
        std::make_unique<Searched>(memory, kind, version, std::move(spill_folder)));
  }
  auto index = std::make_unique<Indexed>(std::move(spill_folder));
  LAKEBED_TRY(index->build(memory, kind, version));
  return std::unique_ptr<KeyStates>(std::move(index));
}

}  // namespace lakebed::run
