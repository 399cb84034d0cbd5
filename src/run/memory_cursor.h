// The kernels' view of one key in the memory of a target with history.
#pragma once

#include "cdc/entry.h"
#include "state/table_state.h"

namespace lakebed::run {

// An error of the memory is kept for later: the kernel sees "nothing there", and whoever runs it
// asks status() before the answer is used. Not thread-safe. Views of entries live as long as the
// memory's version, not as long as this.
class MemoryCursor : public cdc::Cursor {
 public:
  explicit MemoryCursor(const state::TableState& memory) : cursor_(memory) {}

  Status move_to(const Hash128& key);
  bool seek(cdc::EntrySet set, cdc::Seek how, const value::SequenceView& sequence,
            cdc::Entry& out) override;
  Status status() const { return status_; }

 private:
  Result<std::optional<state::Entry>> ask(state::EntryKind kind, cdc::Seek how,
                                          const value::SequenceView& sequence);

  state::Cursor cursor_;
  bool known_ = false;
  Status status_;
};

}  // namespace lakebed::run
