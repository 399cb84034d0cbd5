#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "state/run.h"

namespace lakebed::state {

namespace {

bool all_zeroes(std::string_view bytes) {
  return std::all_of(bytes.begin(), bytes.end(), [](char byte) { return byte == 0; });
}

// Writes base + stored number of each row to `put(slot, number)`, with the width known outside.
template <typename Narrow, typename Put>
void each_number(const char* data, uint64_t base, const std::vector<uint32_t>& rows, Put put) {
  for (size_t i = 0; i < rows.size(); ++i) {
    put(i, base + load_number<Narrow>(data + size_t{rows[i]} * sizeof(Narrow)));
  }
}

}  // namespace

Result<std::shared_ptr<const OpenRun>> OpenRun::open(std::shared_ptr<store::Mapping> mapping,
                                                     const RunRef& ref, FileNames& files) {
  auto run = std::make_shared<OpenRun>();
  run->file_ = ref.file;
  const std::string_view whole = mapping->bytes();
  run->mapping_ = std::move(mapping);
  if (ref.offset > whole.size() || ref.length > whole.size() - ref.offset) {
    return damaged(ref.file, "cut short");
  }
  LAKEBED_TRY(run->read_header(whole.substr(ref.offset, ref.length), ref, files));
  return std::shared_ptr<const OpenRun>(std::move(run));
}

Status OpenRun::read_header(std::string_view bytes, const RunRef& ref, FileNames& files) {
  if (bytes.size() < kRunFixedHeader || bytes.substr(0, 8) != kRunMagic) {
    return damaged(file_, "not a state run");
  }
  if (load_number<uint32_t>(bytes.data() + 8) != kRunVersion ||
      load_number<uint64_t>(bytes.data() + 80) != CheckedBlocks::kBlock) {
    return update_error("STATE_FORMAT_UNKNOWN",
                        fmt::format("state file {} was written by a newer program", file_));
  }
  const size_t header = load_number<uint32_t>(bytes.data() + 12);
  const size_t data_at = (header + 63) / 64 * 64;
  const uint64_t data_bytes = load_number<uint64_t>(bytes.data() + 72);
  if (header < kRunFixedHeader + 8 || data_at > bytes.size() ||
      bytes.size() - data_at != data_bytes) {
    return damaged(file_, "lengths do not fit");
  }
  const uint64_t hash = load_number<uint64_t>(bytes.data() + header - 8);
  if (hash != ref.header_hash || hash64(bytes.substr(0, header - 8)) != hash ||
      !all_zeroes(bytes.substr(header, data_at - header))) {
    return damaged(file_, "the header's checksum is wrong");
  }
  // From here on the header is what its writer wrote.
  length_ = bytes.size();
  size_ = load_number<uint64_t>(bytes.data() + 24);
  const size_t columns = load_number<uint32_t>(bytes.data() + 64);
  const size_t names = load_number<uint32_t>(bytes.data() + 68);
  const std::string_view data = bytes.substr(data_at);
  LAKEBED_TRY(read_columns(bytes, columns, data));
  size_t at = kRunFixedHeader + columns * kRunDescriptor;
  for (size_t i = 0; i < names; ++i) {
    const size_t length = load_number<uint32_t>(bytes.data() + at);
    file_ids_.push_back(files.id(bytes.substr(at + 4, length)));
    at += 4 + length;
  }
  at = (at + 7) / 8 * 8;
  if (at + CheckedBlocks::block_count(data.size()) * 8 + 8 != header) {
    return damaged(file_, "the header does not add up");
  }
  blocks_ = CheckedBlocks(data, bytes.data() + at);
  groups_ = std::make_unique<std::atomic<uint8_t>[]>(size_ / kCheckedGroup + 1);
  const double first = static_cast<double>(load_number<uint64_t>(bytes.data() + 32));
  const double last = static_cast<double>(load_number<uint64_t>(bytes.data() + 48));
  density_ = last > first ? static_cast<double>(size_) / (last - first) : 0;
  return {};
}

Status OpenRun::read_columns(std::string_view bytes, size_t count, std::string_view data) {
  for (size_t i = 0; i < count; ++i) {
    const char* at = bytes.data() + kRunFixedHeader + i * kRunDescriptor;
    const auto id = load_number<uint32_t>(at);
    const auto width = load_number<uint32_t>(at + 4);
    const auto offset = load_number<uint64_t>(at + 16);
    const auto length = load_number<uint64_t>(at + 24);
    if (offset > data.size() || length > data.size() - offset) {
      return damaged(file_, "a column lies outside of the file");
    }
    if (id >= kRunColumns) continue;  // of a newer program that knows more columns
    regions_[id] = {offset, length};
    numbers_[id] = {data.data() + offset, load_number<uint64_t>(at + 8),
                    static_cast<uint8_t>(width), true};
    const bool is_tails = id == static_cast<uint32_t>(RunColumn::kTails);
    if (!is_tails && length != size_ * width) return damaged(file_, "a column is cut short");
  }
  const auto column = [this](RunColumn id) { return numbers_[static_cast<size_t>(id)]; };
  if (size_ == 0 || column(RunColumn::kKeyHigh).width != 8 ||
      column(RunColumn::kKeyLow).width != 8) {
    return damaged(file_, "it has no keys");
  }
  high_ = reinterpret_cast<const uint64_t*>(column(RunColumn::kKeyHigh).data);
  low_ = reinterpret_cast<const uint64_t*>(column(RunColumn::kKeyLow).data);
  tails_ = column(RunColumn::kTails).data;
  tail_bytes_ = regions_[static_cast<size_t>(RunColumn::kTails)].bytes;
  return {};
}

// Rows from `at` to where `high` should be, as keys are spread evenly; negative: before it.
double OpenRun::rows_to(uint64_t high, size_t at) const {
  const uint64_t there = high_[at];
  return there < high ? static_cast<double>(high - there) * density_
                      : -static_cast<double>(there - high) * density_;
}

// Looks at the next few rows (keys may be about as dense as the run), else interpolates from
// where the last key was, twice or thrice, as each guess is off by about the square root of its
// distance; then gallops to enclose the row and halves.
size_t OpenRun::find_high(uint64_t high, size_t from) const {
  constexpr size_t kNear = 4;
  const size_t near = std::min(size_, from + kNear);
  while (from < near && high_[from] < high) ++from;
  if (from < near || from >= size_) return from;
  size_t below = from - 1;  // high_[below] < high
  size_t above = size_;     // high_[above] >= high, or the end
  size_t at = below;
  double step = rows_to(high, at);
  for (int round = 0; round < 3 && std::abs(step) >= 8 && above - below > 1; ++round) {
    const double target = static_cast<double>(at) + step;
    at = std::clamp(static_cast<size_t>(std::max(target, 0.0)), below + 1, above - 1);
    (high_[at] < high ? below : above) = at;
    step = rows_to(high, at);
  }
  size_t jump = 2 + static_cast<size_t>(std::min(std::abs(step), static_cast<double>(size_)));
  if (at == below) {
    while (above - below > jump && high_[below + jump] < high) {
      below += jump;
      jump *= 2;
    }
    above = std::min(above, below + jump);
  } else {
    while (above - below > jump && high_[above - jump] >= high) {
      above -= jump;
      jump *= 2;
    }
    below = above - below > jump ? above - jump : below;
  }
  while (above - below > 1) {
    const size_t middle = below + (above - below) / 2;
    (high_[middle] < high ? below : above) = middle;
  }
  return above;
}

size_t OpenRun::find(const Hash128& key, size_t from) const {
  size_t row = find_high(key.high, from);
  while (row < size_ && high_[row] == key.high && low_[row] < key.low) ++row;
  return row;
}

size_t OpenRun::end_of_key(size_t first) const {
  const Hash128 wanted = key(first);
  size_t below = first;
  size_t jump = 1;
  while (size_ - below > jump && key(below + jump) == wanted) {
    below += jump;
    jump *= 2;
  }
  size_t above = std::min(size_, below + jump);
  while (above - below > 1) {
    const size_t middle = below + (above - below) / 2;
    (key(middle) == wanted ? below : above) = middle;
  }
  return above;
}

uint64_t OpenRun::number(RunColumn column, size_t row) const {
  const Numbers& numbers = numbers_[static_cast<size_t>(column)];
  switch (numbers.width) {
    case 1: return numbers.base + load_number<uint8_t>(numbers.data + row);
    case 2: return numbers.base + load_number<uint16_t>(numbers.data + row * 2);
    case 4: return numbers.base + load_number<uint32_t>(numbers.data + row * 4);
    case 8: return numbers.base + load_number<uint64_t>(numbers.data + row * 8);
    default: return numbers.base;
  }
}

value::SequenceView OpenRun::sequence(size_t row) const {
  const uint64_t head = number(RunColumn::kHead, row);
  if (tails_ == nullptr) return {head, {}};
  const uint64_t begin = row == 0 ? 0 : number(RunColumn::kTailEnd, row - 1);
  const uint64_t end = number(RunColumn::kTailEnd, row);
  if (begin > end || end > tail_bytes_) return {head, {}};  // damaged: the row's check says so
  return {head, {tails_ + begin, end - begin}};
}

Entry OpenRun::entry(size_t row) const {
  Entry entry;
  entry.key = key(row);
  entry.sequence = sequence(row);
  entry.value_hash = number(RunColumn::kValueHash, row);
  entry.tracked_hash = numbers_[static_cast<size_t>(RunColumn::kTrackedHash)].present
                           ? number(RunColumn::kTrackedHash, row)
                           : entry.value_hash;
  entry.payload = number(RunColumn::kPayload, row);
  const uint64_t file = number(RunColumn::kFile, row);
  entry.file = file == 0 || file > file_ids_.size() ? kNoFile : file_ids_[file - 1];
  entry.row = static_cast<uint32_t>(number(RunColumn::kRow, row));
  entry.applied_at = static_cast<uint32_t>(number(RunColumn::kAppliedAt, row));
  entry.flags = static_cast<uint8_t>(number(RunColumn::kFlags, row));
  return entry;
}

void OpenRun::gather(const std::vector<uint32_t>& rows, const std::vector<uint32_t>& slots,
                     Found* entries) const {
  const auto fill = [&](RunColumn column, auto put) {
    const Numbers& numbers = numbers_[static_cast<size_t>(column)];
    const auto at_slot = [&](size_t i, uint64_t number) { put(entries[slots[i]].entry, number); };
    switch (numbers.width) {
      case 1: each_number<uint8_t>(numbers.data, numbers.base, rows, at_slot); break;
      case 2: each_number<uint16_t>(numbers.data, numbers.base, rows, at_slot); break;
      case 4: each_number<uint32_t>(numbers.data, numbers.base, rows, at_slot); break;
      case 8: each_number<uint64_t>(numbers.data, numbers.base, rows, at_slot); break;
      default:
        for (size_t i = 0; i < rows.size(); ++i) at_slot(i, numbers.base);
    }
  };
  fill(RunColumn::kHead, [](Entry& e, uint64_t n) { e.sequence.head = n; });
  fill(RunColumn::kFlags, [](Entry& e, uint64_t n) { e.flags = static_cast<uint8_t>(n); });
  fill(RunColumn::kFile, [this](Entry& e, uint64_t n) {
    e.file = n == 0 || n > file_ids_.size() ? kNoFile : file_ids_[n - 1];
  });
  fill(RunColumn::kRow, [](Entry& e, uint64_t n) { e.row = static_cast<uint32_t>(n); });
  fill(RunColumn::kValueHash, [](Entry& e, uint64_t n) { e.value_hash = e.tracked_hash = n; });
  if (numbers_[static_cast<size_t>(RunColumn::kTrackedHash)].present) {
    fill(RunColumn::kTrackedHash, [](Entry& e, uint64_t n) { e.tracked_hash = n; });
  }
  fill(RunColumn::kAppliedAt,
       [](Entry& e, uint64_t n) { e.applied_at = static_cast<uint32_t>(n); });
  fill(RunColumn::kPayload, [](Entry& e, uint64_t n) { e.payload = n; });
  for (size_t i = 0; i < rows.size(); ++i) {
    Found& found = entries[slots[i]];
    found.entry.key = key(rows[i]);
    if (tails_ != nullptr) found.entry.sequence = sequence(rows[i]);
    found.found = !found.entry.is_gone();
  }
}

bool OpenRun::check_bytes(RunColumn column, size_t first, size_t end) const {
  const auto at = static_cast<size_t>(column);
  const size_t width = numbers_[at].width;
  return blocks_.check(regions_[at].offset + first * width, (end - first) * width);
}

bool OpenRun::check_tails(size_t first, size_t end) const {
  if (tails_ == nullptr) return true;
  if (first > 0 && !check_bytes(RunColumn::kTailEnd, first - 1, first)) return false;
  const uint64_t begin = first == 0 ? 0 : number(RunColumn::kTailEnd, first - 1);
  const uint64_t stop = number(RunColumn::kTailEnd, end - 1);
  if (begin > stop || stop > tail_bytes_) return false;
  return blocks_.check(regions_[static_cast<size_t>(RunColumn::kTails)].offset + begin,
                       stop - begin);
}

Status OpenRun::check_rows(size_t first, size_t end) const {
  if (first >= end) return {};
  for (size_t column = 0; column < kRunColumns; ++column) {
    const auto id = static_cast<RunColumn>(column);
    if (id == RunColumn::kTails || check_bytes(id, first, end)) continue;
    return damaged(file_, fmt::format("a block of column {} has a wrong checksum", column));
  }
  if (!check_tails(first, end)) return damaged(file_, "a sequence has a wrong checksum");
  return {};
}

Status OpenRun::check_group(size_t group) const {
  const size_t first = group * kCheckedGroup;
  LAKEBED_TRY(check_rows(first, std::min(size_, first + kCheckedGroup)));
  groups_[group].store(1, std::memory_order_relaxed);
  return {};
}

Status OpenRun::check_keys_around(size_t row) const {
  const size_t first = row == 0 ? 0 : row - 1;
  const size_t end = std::min(size_, row + 1);
  if (!check_bytes(RunColumn::kKeyHigh, first, end) ||
      !check_bytes(RunColumn::kKeyLow, first, end)) {
    return damaged(file_, "a block of keys has a wrong checksum");
  }
  return {};
}

Status OpenRun::check_around(size_t row) const {
  if (row > 0) LAKEBED_TRY(check_row(row - 1));
  return row < size_ ? check_row(row) : Status{};
}

}  // namespace lakebed::state
