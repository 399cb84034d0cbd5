// Walks several runs at once, in order, each identity once: the newest entry of it.
#pragma once

#include <vector>

#include "state/run.h"

namespace lakebed::state {

// Rows [at, end) of one run.
struct RunSlice {
  const OpenRun* run = nullptr;
  size_t at = 0;
  size_t end = 0;
};

class MergeScan {
 public:
  // `slices`: newest first; rows must be checked (OpenRun::check_rows) by then.
  MergeScan(std::vector<RunSlice> slices, Identity identity);
  // Moves to the next identity; false at the end. Entries that say kGone come too.
  bool next();
  Entry entry() const { return slices_[current_].run->entry(current_row_); }

 private:
  struct Node {
    Hash128 key;
    uint64_t head = 0;
    uint32_t slice = 0;
    EntryKind kind = EntryKind::kRow;
  };
  bool less(const Node& a, const Node& b) const;
  bool same_identity(const Node& a, const Node& b) const;
  std::strong_ordering compare_tails(const Node& a, const Node& b) const;
  void load(Node& node) const;
  void sift_down(size_t at);
  void advance_top();

  std::vector<RunSlice> slices_;
  Identity identity_;
  std::vector<Node> heap_;  // a binary heap, the smallest on top
  Node last_;
  bool started_ = false;
  uint32_t current_ = 0;
  size_t current_row_ = 0;
};

// The rows of `run` that lie in the window [low, high] of key.high. Rows at both ends are checked.
Result<RunSlice> slice_of(const OpenRun& run, uint64_t low, uint64_t high);

}  // namespace lakebed::state
