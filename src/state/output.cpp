#include "state/output.h"

#include <fmt/core.h>

namespace lakebed::state {

Output::Output(store::Store& store, std::string txn, const Tuning& tuning)
    : store_(&store), txn_(std::move(txn)), tuning_(tuning) {}

uint64_t Output::embedded_bytes() const {
  uint64_t total = 0;
  for (const std::string& section : sections_) total += section.size();
  return total;
}

Status Output::place(std::string bytes, const char* extension, std::string& file,
                     uint64_t& offset) {
  if (bytes.size() < tuning_.embed_bytes &&
      embedded_bytes() + bytes.size() <= tuning_.embed_total) {
    file.clear();
    offset = sections_.size();
    sections_.push_back(std::move(bytes));
    return {};
  }
  file = fmt::format("{}-{}.{}", txn_, files_.size(), extension);
  offset = 0;
  files_.push_back(std::string(kStateFolder) + file);
  return store_->put(files_.back(), bytes);
}

Status Output::place_run(RunBuilder::Built built, uint64_t age, bool base, RunRef& ref) {
  ref.length = built.bytes.size();
  ref.header_hash = built.header_hash;
  ref.age = age;
  ref.entries = built.entries;
  ref.low = built.low;
  ref.high = built.high;
  ref.base = base;
  ref.heaps = std::move(built.heaps);
  return place(std::move(built.bytes), "run", ref.file, ref.offset);
}

Status Output::place_heap(HeapBuilder heap, HeapRef& ref) {
  std::string bytes = heap.finish(ref.hash);
  ref.length = bytes.size();
  return place(std::move(bytes), "rows", ref.file, ref.offset);
}

RunSink::RunSink(Output& output, const FileNames& files, uint64_t age, bool payloads_in_heap)
    : output_(&output), age_(age), builder_(files, payloads_in_heap) {}

Status RunSink::add(const Entry& entry) {
  if (builder_.size() >= output_->tuning().range_entries &&
      builder_.last_high() != entry.key.high) {
    LAKEBED_TRY(close());
  }
  builder_.add(entry);
  return {};
}

Status RunSink::close() {
  if (builder_.size() == 0) return {};
  return output_->place_run(builder_.finish(), age_, false, runs_.emplace_back());
}

Result<PayloadRef> HeapSink::append(uint32_t schema_id, std::string_view row) {
  if (builder_.has_value() && builder_->bytes() >= output_->tuning().heap_file_bytes) {
    LAKEBED_TRY(close());
  }
  if (!builder_.has_value()) builder_.emplace(next_->fetch_add(1));
  return builder_->append(schema_id, row);
}

Status HeapSink::close() {
  if (!builder_.has_value()) return {};
  const uint32_t number = builder_->number();
  HeapBuilder done = std::move(*builder_);
  builder_.reset();
  return output_->place_heap(std::move(done), heaps_[number]);
}

}  // namespace lakebed::state
