#include "state/merge_scan.h"

namespace lakebed::state {

MergeScan::MergeScan(std::vector<RunSlice> slices, Identity identity)
    : slices_(std::move(slices)), identity_(identity) {
  for (uint32_t i = 0; i < slices_.size(); ++i) {
    if (slices_[i].at >= slices_[i].end) continue;
    Node node;
    node.slice = i;
    load(node);
    heap_.push_back(node);
  }
  for (size_t i = heap_.size() / 2; i-- > 0;) sift_down(i);
}

void MergeScan::load(Node& node) const {
  const RunSlice& slice = slices_[node.slice];
  node.key = slice.run->key(slice.at);
  if (identity_ == Identity::kKey) return;
  node.kind = slice.run->kind(slice.at);
  node.head = slice.run->number(RunColumn::kHead, slice.at);
}

std::strong_ordering MergeScan::compare_tails(const Node& a, const Node& b) const {
  const RunSlice& left = slices_[a.slice];
  const RunSlice& right = slices_[b.slice];
  return left.run->sequence(left.at) <=> right.run->sequence(right.at);
}

bool MergeScan::less(const Node& a, const Node& b) const {
  if (a.key != b.key) return a.key < b.key;
  if (identity_ == Identity::kKeyKindSequence) {
    if (a.kind != b.kind) return a.kind < b.kind;
    if (a.head != b.head) return a.head < b.head;
    const auto order = compare_tails(a, b);
    if (order != 0) return order < 0;
  }
  return a.slice < b.slice;  // newer first
}

bool MergeScan::same_identity(const Node& a, const Node& b) const {
  if (a.key != b.key) return false;
  if (identity_ == Identity::kKey) return true;
  if (a.kind != b.kind || a.head != b.head) return false;
  const RunSlice& now = slices_[b.slice];
  return slices_[current_].run->sequence(current_row_) == now.run->sequence(now.at);
}

void MergeScan::sift_down(size_t at) {
  const Node moved = heap_[at];
  for (;;) {
    size_t child = 2 * at + 1;
    if (child >= heap_.size()) break;
    if (child + 1 < heap_.size() && less(heap_[child + 1], heap_[child])) ++child;
    if (!less(heap_[child], moved)) break;
    heap_[at] = heap_[child];
    at = child;
  }
  heap_[at] = moved;
}

void MergeScan::advance_top() {
  RunSlice& slice = slices_[heap_[0].slice];
  if (++slice.at < slice.end) {
    load(heap_[0]);
  } else {
    heap_[0] = heap_.back();
    heap_.pop_back();
  }
  if (!heap_.empty()) sift_down(0);
}

bool MergeScan::next() {
  while (!heap_.empty()) {
    const Node top = heap_[0];
    const size_t row = slices_[top.slice].at;
    if (!started_ || !same_identity(last_, top)) {
      started_ = true;
      last_ = top;
      current_ = top.slice;
      current_row_ = row;
      advance_top();
      return true;
    }
    advance_top();  // an older entry of the identity that was just given
  }
  return false;
}

Result<RunSlice> slice_of(const OpenRun& run, uint64_t low, uint64_t high) {
  RunSlice slice{&run, run.find_high(low, 0), run.size()};
  LAKEBED_TRY(run.check_keys_around(slice.at));
  if (high != UINT64_MAX) {
    slice.end = run.find_high(high + 1, slice.at);
    LAKEBED_TRY(run.check_keys_around(slice.end));
  }
  return slice;
}

}  // namespace lakebed::state
