#include <algorithm>
#include <limits>
#include <unordered_map>

#include "state/run.h"

namespace lakebed::state {

namespace {

template <typename Narrow, typename T>
void append_narrow(const std::vector<T>& values, uint64_t base, std::string& data) {
  const size_t at = data.size();
  data.resize(at + values.size() * sizeof(Narrow));
  char* out = data.data() + at;
  for (size_t i = 0; i < values.size(); ++i) {
    store_number(out + i * sizeof(Narrow), static_cast<Narrow>(values[i] - base));
  }
}

uint32_t width_of(uint64_t span) {
  if (span == 0) return 0;
  if (span <= 0xFF) return 1;
  if (span <= 0xFFFF) return 2;
  return span <= 0xFFFFFFFFU ? 4 : 8;
}

template <typename T>
RunColumnPlace append_numbers(RunColumn id, const std::vector<T>& values, bool raw,
                              std::string& data) {
  pad_to(data, 64);
  RunColumnPlace column{.id = id, .offset = data.size()};
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  column.width = raw ? 8 : width_of(uint64_t{*most} - uint64_t{*least});
  column.base = column.width == 8 ? 0 : uint64_t{*least};
  switch (column.width) {
    case 1: append_narrow<uint8_t>(values, column.base, data); break;
    case 2: append_narrow<uint16_t>(values, column.base, data); break;
    case 4: append_narrow<uint32_t>(values, column.base, data); break;
    case 8: append_narrow<uint64_t>(values, 0, data); break;
    default: break;
  }
  column.bytes = data.size() - column.offset;
  return column;
}

template <typename T>
bool all_zero(const std::vector<T>& values) {
  return std::all_of(values.begin(), values.end(), [](T value) { return value == 0; });
}

}  // namespace

RunBuilder::RunBuilder(const FileNames& files, bool payloads_in_heap)
    : names_(&files), payloads_in_heap_(payloads_in_heap) {}

void RunBuilder::add(const Entry& entry) {
  high_.push_back(entry.key.high);
  low_.push_back(entry.key.low);
  head_.push_back(entry.sequence.head);
  value_hash_.push_back(entry.value_hash);
  tracked_hash_.push_back(entry.tracked_hash);
  payload_.push_back(entry.payload);
  if (payloads_in_heap_ && entry.payload != 0) note_heap(entry.payload);
  tails_.append(entry.sequence.tail);
  LAKEBED_ASSERT(tails_.size() <= std::numeric_limits<uint32_t>::max());
  tail_end_.push_back(static_cast<uint32_t>(tails_.size()));
  file_.push_back(entry.has_place() ? entry.file : kNoFile);
  row_.push_back(entry.has_place() ? entry.row : 0);
  applied_at_.push_back(entry.applied_at);
  flags_.push_back(entry.flags);
}

void RunBuilder::note_heap(PayloadRef payload) {
  const auto heap = static_cast<uint32_t>(payload >> 32);
  if (!heaps_.empty() && heaps_.back() == heap) return;
  const auto known = std::find(heaps_.begin(), heaps_.end(), heap);
  if (known != heaps_.end()) {
    std::swap(*known, heaps_.back());  // neighbours tend to lie in the same heap
  } else {
    heaps_.push_back(heap);
  }
}

// Turns ids of the state into numbers of the run: 0 is "no file", then the files by first use.
std::vector<std::string> RunBuilder::localize_files() {
  std::vector<std::string> names;
  std::unordered_map<uint32_t, uint32_t> local;
  uint32_t last = kNoFile;
  uint32_t last_local = 0;
  for (uint32_t& file : file_) {
    if (file != last) {
      last = file;
      last_local = 0;
      if (file != kNoFile) {
        const auto [item, is_new] = local.emplace(file, names.size() + 1);
        if (is_new) names.push_back(names_->name(file));
        last_local = item->second;
      }
    }
    file = last_local;
  }
  return names;
}

std::string RunBuilder::append_columns(std::vector<RunColumnPlace>& columns) const {
  std::string data;
  data.reserve(size() * 48);
  columns.push_back(append_numbers(RunColumn::kKeyHigh, high_, true, data));
  columns.push_back(append_numbers(RunColumn::kKeyLow, low_, true, data));
  columns.push_back(append_numbers(RunColumn::kHead, head_, false, data));
  columns.push_back(append_numbers(RunColumn::kFlags, flags_, false, data));
  columns.push_back(append_numbers(RunColumn::kFile, file_, false, data));
  columns.push_back(append_numbers(RunColumn::kRow, row_, false, data));
  columns.push_back(append_numbers(RunColumn::kValueHash, value_hash_, false, data));
  if (tracked_hash_ != value_hash_) {
    columns.push_back(append_numbers(RunColumn::kTrackedHash, tracked_hash_, false, data));
  }
  if (!all_zero(applied_at_)) {
    columns.push_back(append_numbers(RunColumn::kAppliedAt, applied_at_, false, data));
  }
  if (!all_zero(payload_)) {
    columns.push_back(append_numbers(RunColumn::kPayload, payload_, false, data));
  }
  if (!tails_.empty()) {
    columns.push_back(append_numbers(RunColumn::kTailEnd, tail_end_, false, data));
    columns.push_back({.id = RunColumn::kTails, .offset = data.size(), .bytes = tails_.size()});
    data.append(tails_);
  }
  return data;
}

// Everything before the data but the hash; sizes are filled in at the end.
static std::string make_header(uint64_t entries, const std::array<uint64_t, 4>& key_bounds,
                               const std::vector<RunColumnPlace>& columns,
                               const std::vector<std::string>& names, std::string_view data) {
  std::string header(kRunMagic);
  append_number<uint32_t>(header, kRunVersion);
  append_number<uint32_t>(header, 0);  // header bytes, below
  append_number<uint64_t>(header, 0);  // total bytes, below
  append_number<uint64_t>(header, entries);
  for (const uint64_t part : key_bounds) append_number(header, part);
  append_number<uint32_t>(header, static_cast<uint32_t>(columns.size()));
  append_number<uint32_t>(header, static_cast<uint32_t>(names.size()));
  append_number<uint64_t>(header, data.size());
  append_number<uint64_t>(header, CheckedBlocks::kBlock);
  append_number<uint64_t>(header, 0);  // reserved
  LAKEBED_ASSERT(header.size() == kRunFixedHeader);
  for (const RunColumnPlace& column : columns) {
    append_number<uint32_t>(header, static_cast<uint32_t>(column.id));
    append_number<uint32_t>(header, column.width);
    append_number(header, column.base);
    append_number(header, column.offset);
    append_number(header, column.bytes);
  }
  for (const std::string& name : names) {
    append_number<uint32_t>(header, static_cast<uint32_t>(name.size()));
    header.append(name);
  }
  pad_to(header, 8);
  CheckedBlocks::append_sums(data, header);
  const size_t header_bytes = header.size() + sizeof(uint64_t);
  const size_t data_at = (header_bytes + 63) / 64 * 64;
  store_number<uint32_t>(header.data() + 12, static_cast<uint32_t>(header_bytes));
  store_number<uint64_t>(header.data() + 16, data_at + data.size());
  return header;
}

// Keeps the memory: the next run is as large.
void RunBuilder::clear() {
  for (auto* column : {&high_, &low_, &head_, &value_hash_, &tracked_hash_, &payload_}) {
    column->clear();
  }
  for (auto* column : {&tail_end_, &file_, &row_, &applied_at_}) column->clear();
  flags_.clear();
  tails_.clear();
  heaps_.clear();
}

RunBuilder::Built RunBuilder::finish() {
  LAKEBED_ASSERT(size() != 0);
  const std::vector<std::string> names = localize_files();
  std::vector<RunColumnPlace> columns;
  const std::string data = append_columns(columns);
  Built built;
  built.bytes = make_header(size(), {high_.front(), low_.front(), high_.back(), low_.back()},
                            columns, names, data);
  built.header_hash = hash64(built.bytes);
  append_number(built.bytes, built.header_hash);
  pad_to(built.bytes, 64);
  built.bytes.append(data);
  built.entries = size();
  built.low = high_.front();
  built.high = high_.back();
  std::sort(heaps_.begin(), heaps_.end());
  built.heaps = std::move(heaps_);
  clear();
  return built;
}

}  // namespace lakebed::state
