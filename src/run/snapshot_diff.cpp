#include "run/snapshot_diff.h"

#include "run/apply.h"

namespace lakebed::run {

namespace {

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

}  // namespace

SnapshotDiff::SnapshotDiff(const state::TableState& memory, TargetKind kind,
                           cdc::SequenceView version, std::filesystem::path spill_folder)
    : memory_(memory), kind_(kind), version_(version), seen_(std::move(spill_folder)) {}

Result<std::vector<cdc::KeyState>> SnapshotDiff::states_of(const std::vector<Hash128>& keys) const {
  std::vector<cdc::KeyState> states(keys.size());
  if (kind_ == TargetKind::kScd1) {
    LAKEBED_ASSIGN(const auto found, memory_.find_greatest(keys));
    for (size_t i = 0; i < keys.size(); ++i) {
      if (!found[i].found) continue;
      const cdc::Entry known = to_kernel(found[i].entry);
      states[i] = cdc::key_state_scd1(&known, version_);
    }
    return states;
  }
  AtMostCursor cursor(memory_);
  for (size_t i = 0; i < keys.size(); ++i) {
    LAKEBED_TRY(cursor.move_to(keys[i]));
    states[i] = cdc::key_state_scd2(cursor, version_);
    LAKEBED_TRY(Status(cursor.status()));
  }
  return states;
}

Status SnapshotDiff::keep_changes(std::vector<cdc::Event>& events) {
  std::vector<Hash128> keys;
  keys.reserve(events.size());
  for (const cdc::Event& event : events) keys.push_back(event.key);
  LAKEBED_ASSIGN(const auto states, states_of(keys));
  size_t kept = 0;
  for (size_t i = 0; i < events.size(); ++i) {
    if (cdc::row_differs(events[i], states[i])) events[kept++] = events[i];
  }
  events.resize(kept);
  return seen_.add(std::move(keys));
}

// Every remembered key once, in order, with its state at the version.
Status SnapshotDiff::walk_memory(
    const std::function<Status(const Hash128&, const cdc::KeyState&, bool)>& visit) const {
  using Kind = cdc::KeyState::Kind;
  if (kind_ == TargetKind::kScd1) {
    return memory_.scan_all([&](const state::Entry& entry) {
      const cdc::Entry known = to_kernel(entry);
      return visit(entry.key, cdc::key_state_scd1(&known, version_), !known.is_delete());
    });
  }
  std::optional<Hash128> key;
  cdc::KeyStateScd2 state(version_);
  const auto close = [&]() -> Status {
    if (!key) return {};
    const cdc::KeyState now = state.state();
    return visit(*key, now, now.kind == Kind::kRow);
  };
  const auto add = [&](const state::Entry& entry) -> Status {
    if (!key || entry.key != *key) {
      LAKEBED_TRY(close());
      key = entry.key;
      state = cdc::KeyStateScd2(version_);
    }
    state.add(to_kernel(entry));
    return {};
  };
  LAKEBED_TRY(memory_.scan_all(add));
  return close();
}

Result<SnapshotDiff::Rest> SnapshotDiff::finish() {
  Rest rest;
  rest.rows = seen_.size();
  LAKEBED_ASSIGN(SeenKeys::Walk seen, seen_.walk());
  bool more = true;
  const auto step = [&]() -> Status {
    LAKEBED_ASSIGN(more, seen.next());
    if (!more || seen.count() == 1) return {};
    if (rest.duplicate_keys++ == 0) rest.first_duplicate = seen.key();
    rest.duplicate_rows += seen.count();
    return {};
  };
  LAKEBED_TRY(step());
  const auto compare = [&](const Hash128& key, const cdc::KeyState& state,
                           bool has_row) -> Status {
    while (more && seen.key() < key) LAKEBED_TRY(step());
    rest.present_before += has_row ? 1 : 0;
    const bool there = more && seen.key() == key;
    if (!there && cdc::key_vanishes(state)) rest.absent.push_back(key);
    return {};
  };
  LAKEBED_TRY(walk_memory(compare));
  while (more) LAKEBED_TRY(step());
  return rest;
}

}  // namespace lakebed::run
