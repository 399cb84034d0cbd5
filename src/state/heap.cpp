#include "state/heap.h"

#include <fmt/core.h>

#include "base/hash.h"

namespace lakebed::state {

namespace {

constexpr std::string_view kMagic = "LBROW001";
constexpr uint32_t kVersion = 1;
constexpr size_t kHeader = 32;

std::string make_header(uint32_t number, uint64_t data_bytes) {
  std::string header(kMagic);
  append_number(header, kVersion);
  append_number(header, number);
  append_number(header, data_bytes);
  append_number<uint64_t>(header, 0);  // reserved
  return header;
}

}  // namespace

HeapBuilder::HeapBuilder(uint32_t number) : number_(number) {}

PayloadRef HeapBuilder::append(uint32_t schema_id, std::string_view row) {
  const uint64_t offset = data_.size();
  LAKEBED_ASSERT(offset <= UINT32_MAX);
  append_varint(data_, schema_id);
  append_varint(data_, row.size());
  data_.append(row);
  return (uint64_t{number_} << 32) | offset;
}

std::string HeapBuilder::finish(uint64_t& hash) {
  std::string header = make_header(number_, data_.size());
  std::string sums;
  CheckedBlocks::append_sums(data_, sums);
  hash = hash64(header + sums);
  data_.insert(0, header);
  data_.append(sums);
  append_number(data_, hash);
  return std::move(data_);
}

void Heap::set_refs(const std::map<uint32_t, HeapRef>& refs) {
  const std::lock_guard guard(mutex_);
  for (auto item = open_.begin(); item != open_.end();) {
    const auto now = refs.find(item->first);
    const bool same = now != refs.end() && now->second == refs_.at(item->first);
    item = same ? std::next(item) : open_.erase(item);
  }
  refs_ = refs;
}

Result<std::unique_ptr<Heap::OpenHeap>> Heap::open_heap(uint32_t number,
                                                        const HeapRef& ref) const {
  auto open = std::make_unique<OpenHeap>();
  open->file = ref.file;
  auto mapping = store_->map(std::string(kStateFolder) + ref.file);
  if (!mapping.ok()) return damaged(ref.file, mapping.error().message);
  open->mapping = std::move(mapping).value();
  const std::string_view whole = open->mapping->bytes();
  if (ref.offset > whole.size() || ref.length > whole.size() - ref.offset ||
      ref.length < kHeader + 8) {
    return damaged(ref.file, "cut short");
  }
  const std::string_view bytes = whole.substr(ref.offset, ref.length);
  const auto data_bytes = load_number<uint64_t>(bytes.data() + 16);
  const uint64_t sum_bytes = CheckedBlocks::block_count(data_bytes) * 8;
  if (data_bytes > bytes.size() || kHeader + data_bytes + sum_bytes + 8 != bytes.size()) {
    return damaged(ref.file, "lengths of the heap do not fit");
  }
  const char* sums = bytes.data() + kHeader + data_bytes;
  const uint64_t hash = hash64(std::string(bytes.substr(0, kHeader)).append(sums, sum_bytes));
  if (hash != ref.hash || load_number<uint64_t>(sums + sum_bytes) != hash ||
      bytes.substr(0, kHeader) != make_header(number, data_bytes)) {
    return damaged(ref.file, "the heap's header has a wrong checksum");
  }
  open->data = bytes.substr(kHeader, data_bytes);
  open->blocks = CheckedBlocks(open->data, sums);
  return open;
}

Result<const Heap::OpenHeap*> Heap::heap(uint32_t number) const {
  const std::lock_guard guard(mutex_);
  const auto known = open_.find(number);
  if (known != open_.end()) return const_cast<const OpenHeap*>(known->second.get());
  const auto ref = refs_.find(number);
  if (ref == refs_.end()) {
    return update_error("STATE_DAMAGED", fmt::format("payload heap {} is not known", number));
  }
  LAKEBED_ASSIGN(auto opened, open_heap(number, ref->second));
  const OpenHeap* heap = opened.get();
  open_.emplace(number, std::move(opened));
  return heap;
}

Result<TableState::Payload> Heap::read(PayloadRef ref) const {
  LAKEBED_ASSIGN(const OpenHeap* heap, this->heap(static_cast<uint32_t>(ref >> 32)));
  const std::string_view data = heap->data;
  size_t at = static_cast<uint32_t>(ref);
  constexpr size_t kLongestPrefix = 15;  // two varints of 32 and 64 bits
  const size_t prefix = at < data.size() ? std::min(kLongestPrefix, data.size() - at) : 0;
  if (prefix == 0 || !heap->blocks.check(at, prefix)) {
    return damaged(heap->file, fmt::format("a payload at {} has a wrong checksum", at));
  }
  uint64_t schema_id = 0;
  uint64_t length = 0;
  if (!read_varint(data, at, schema_id) || !read_varint(data, at, length) ||
      length > data.size() - at || !heap->blocks.check(at, length)) {
    return damaged(heap->file, fmt::format("a payload at {} has a wrong checksum", at));
  }
  return TableState::Payload{static_cast<uint32_t>(schema_id), data.substr(at, length)};
}

Status Heap::check_all() const {
  for (const auto& [number, ref] : refs_) {
    LAKEBED_ASSIGN(const OpenHeap* heap, this->heap(number));
    if (!heap->blocks.check_all()) return damaged(ref.file, "a block has a wrong checksum");
  }
  return {};
}

}  // namespace lakebed::state
