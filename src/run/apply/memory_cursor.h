// The kernels' view of one key in the memory of a target with history.
#pragma once

#include "cdc/entry.h"
#include "state/expiry.h"

namespace lakebed::run {

// An error of the memory is kept for later: the kernel sees "nothing there", and whoever runs it
// asks status() before the answer is used. Not thread-safe. Views of entries live as long as the
// memory's version, not as long as this.
class MemoryCursor : public cdc::Cursor {
 public:
  // What is old by `expiry` is not there (rule F4).
  MemoryCursor(const state::TableState& memory, const state::Expiry& expiry)
      : cursor_(memory, expiry) {}

  Status move_to(const Hash128& key);
  bool seek(cdc::EntrySet set, cdc::Seek how, const value::SequenceView& sequence,
            cdc::Entry& out) override;
  Status status() const { return status_; }
  // Old entries of the key that answers left out: state::ExpiringCursor::passed_over.
  const std::vector<state::Entry>& passed_over() const { return cursor_.passed_over(); }

 private:
  Result<std::optional<state::Entry>> ask(state::EntryKind kind, cdc::Seek how,
                                          const value::SequenceView& sequence);

  state::ExpiringCursor cursor_;
  bool known_ = false;
  Status status_;
};

}  // namespace lakebed::run
