#include "run/apply/key_walk.h"

#include "run/apply/apply.h"

namespace lakebed::run {

namespace {

using Visit = std::function<Status(const Hash128&, const cdc::KeyState&, bool)>;

// Targets with history: all entries of a key come one after another.
Status walk_history(const state::TableState& memory, const cdc::SequenceView& version,
                    const Visit& visit) {
  std::optional<Hash128> key;
  bool has_row = false;
  cdc::KeyStateScd2 state(version);
  const auto add = [&](const state::Entry& entry) -> Status {
    if (!key || entry.key != *key) {
      if (key) LAKEBED_TRY(visit(*key, state.state(), has_row));
      key = entry.key;
      has_row = false;
      state = cdc::KeyStateScd2(version);
    }
    const cdc::Entry known = to_kernel(entry);
    // Boundaries ascend: the last one says whether a row is open, hidden or not (rule F6).
    if (cdc::set_of(known.kind) == cdc::EntrySet::kBoundaries) has_row = !known.is_tombstone();
    state.add(known);
    return {};
  };
  LAKEBED_TRY(memory.scan_all(add));
  return key ? visit(*key, state.state(), has_row) : Status{};
}

}  // namespace

Status walk_keys(const state::TableState& memory, TargetKind kind, const cdc::SequenceView& version,
                 const Visit& visit) {
  if (kind != TargetKind::kScd1) return walk_history(memory, version, visit);
  return memory.scan_all([&](const state::Entry& entry) {
    const cdc::Entry known = to_kernel(entry);
    return visit(entry.key, cdc::key_state_scd1(&known, version), !known.is_tombstone());
  });
}

}  // namespace lakebed::run
