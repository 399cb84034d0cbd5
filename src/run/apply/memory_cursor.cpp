#include "run/apply/memory_cursor.h"

#include "run/apply/apply.h"

namespace lakebed::run {

Status MemoryCursor::move_to(const Hash128& key) {
  LAKEBED_ASSIGN(known_, cursor_.seek(key));
  return {};
}

bool MemoryCursor::seek(cdc::EntrySet set, cdc::Seek how, const value::SequenceView& sequence,
                        cdc::Entry& out) {
  if (!known_ || !status_.ok()) return false;
  const auto kind =
      set == cdc::EntrySet::kAbsorbed ? state::EntryKind::kHidden : state::EntryKind::kRow;
  auto found = ask(kind, how, sequence);
  if (!found.ok()) {
    status_ = std::move(found).error();
    return false;
  }
  if (!found->has_value()) return false;
  out = to_kernel(**found);
  return true;
}

Result<std::optional<state::Entry>> MemoryCursor::ask(state::EntryKind kind, cdc::Seek how,
                                                      const value::SequenceView& sequence) {
  switch (how) {
    case cdc::Seek::kAtMost: return cursor_.at_most(kind, sequence);
    case cdc::Seek::kBelow: return cursor_.below(kind, sequence);
    case cdc::Seek::kAbove: return cursor_.above(kind, sequence);
    case cdc::Seek::kAtLeast: return cursor_.at_least(kind, sequence);
    case cdc::Seek::kGreatest: return cursor_.greatest(kind);
  }
  return std::optional<state::Entry>{};
}

}  // namespace lakebed::run
