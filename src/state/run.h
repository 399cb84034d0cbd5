// A run: entries in order, column by column, in one immutable file or a part of one.
//
//   header   "LBRUN001", version, sizes, smallest and greatest key, columns, names of data files,
//            one 64-bit checksum for each 4 KiB of data, hash of the header itself
//   data     the columns, each aligned to 64 bytes
//
// A column of numbers holds value - base in 0, 1, 2, 4 or 8 bytes a row: 0 bytes where all rows
// are alike. A column that a run does not have is 0 everywhere (the tracked hash: as the value
// hash), so a new kind of column never needs a rebuild. OpenRun is immutable and thread-safe.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "state/bytes.h"
#include "state/entry.h"
#include "state/table_state.h"
#include "store/store.h"

namespace lakebed::state {

enum class RunColumn : uint8_t {
  kKeyHigh,
  kKeyLow,
  kHead,
  kTailEnd,
  kTails,
  kFile,
  kRow,
  kFlags,
  kValueHash,
  kTrackedHash,
  kAppliedAt,
  kPayload,
};
constexpr size_t kRunColumns = 12;
constexpr std::string_view kRunMagic = "LBRUN001";
constexpr uint32_t kRunVersion = 1;
constexpr size_t kRunFixedHeader = 96;
constexpr size_t kRunDescriptor = 32;

// Where a column lies in the data area, and how: as the header describes it.
struct RunColumnPlace {
  RunColumn id{};
  uint32_t width = 0;
  uint64_t base = 0;
  uint64_t offset = 0;
  uint64_t bytes = 0;
};

// Collects entries that arrive in order and makes the bytes of a run.
class RunBuilder {
 public:
  // `payloads_in_heap`: whether payload columns hold PayloadRefs (seen files keep sizes there).
  RunBuilder(const FileNames& files, bool payloads_in_heap);
  void add(const Entry& entry);
  size_t size() const { return flags_.size(); }
  uint64_t last_high() const { return high_.back(); }
  uint64_t first_high() const { return high_.front(); }
  // The run's bytes and what its RunRef says of it; the builder is empty afterwards.
  struct Built {
    std::string bytes;
    uint64_t header_hash = 0;
    uint64_t entries = 0;
    uint64_t low = 0, high = 0;
    std::vector<uint32_t> heaps;
  };
  Built finish();

 private:
  void clear();
  void note_heap(PayloadRef payload);
  std::vector<std::string> localize_files();
  std::string append_columns(std::vector<RunColumnPlace>& columns) const;

  const FileNames* names_;
  bool payloads_in_heap_;
  std::vector<uint64_t> high_, low_, head_, value_hash_, tracked_hash_, payload_;
  std::vector<uint32_t> tail_end_, file_, row_, applied_at_;
  std::vector<uint8_t> flags_;
  std::string tails_;
  std::vector<uint32_t> heaps_;
};

class OpenRun {
 public:
  // Checks the header. `file` names it in errors. Errors: STATE_DAMAGED, STATE_FORMAT_UNKNOWN.
  static Result<std::shared_ptr<const OpenRun>> open(std::shared_ptr<store::Mapping> mapping,
                                                     const RunRef& ref, FileNames& files);

  size_t size() const { return size_; }
  uint64_t bytes() const { return length_; }
  const std::string& file() const { return file_; }
  Hash128 key(size_t row) const { return {high_[row], low_[row]}; }
  uint64_t key_high(size_t row) const { return high_[row]; }

  // The first row at or after `from` whose key is >= `key` (or whose key.high is >= `high`).
  // Requires: all rows before `from` are smaller. Unchecked: see check_around.
  size_t find(const Hash128& key, size_t from) const;
  size_t find_high(uint64_t high, size_t from) const;
  // The end of the rows that have the key of row `first`. Unchecked likewise.
  size_t end_of_key(size_t first) const;
  EntryKind kind(size_t row) const {
    return (number(RunColumn::kFlags, row) & kHiddenBit) != 0 ? EntryKind::kHidden
                                                              : EntryKind::kRow;
  }
  value::SequenceView sequence(size_t row) const;
  Entry entry(size_t row) const;
  uint64_t number(RunColumn column, size_t row) const;
  // Fills one field of many entries: `rows[i]` into `entries[slots[i]]`.
  void gather(const std::vector<uint32_t>& rows, const std::vector<uint32_t>& slots,
              Found* entries) const;

  // Checks of bytes against their checksums. A search may walk over damaged rows, but an answer
  // between two rows that are whole and enclose the key is right: check both and nothing else.
  Status check_row(size_t row) const {
    const size_t group = row / kCheckedGroup;
    if (groups_[group].load(std::memory_order_relaxed) != 0) return {};
    return check_group(group);
  }
  Status check_around(size_t row) const;  // rows row - 1 and row, where they exist
  Status check_rows(size_t first, size_t end) const;
  Status check_keys_around(size_t row) const;

 private:
  // Rows that are checked together by check_row, once: most columns of so many lie in one block.
  static constexpr size_t kCheckedGroup = 128;

  struct Numbers {
    const char* data = nullptr;
    uint64_t base = 0;
    uint8_t width = 0;
    bool present = false;
  };
  struct Region {
    size_t offset = 0;  // in the data area
    uint64_t bytes = 0;
  };

  Status read_header(std::string_view bytes, const RunRef& ref, FileNames& files);
  Status read_columns(std::string_view bytes, size_t count, std::string_view data);
  double rows_to(uint64_t high, size_t at) const;
  bool check_bytes(RunColumn column, size_t first, size_t end) const;
  bool check_tails(size_t first, size_t end) const;
  Status check_group(size_t group) const;

  std::shared_ptr<store::Mapping> mapping_;  // shared: runs of one file have one mapping
  std::string file_;
  size_t size_ = 0;
  uint64_t length_ = 0;
  const uint64_t* high_ = nullptr;
  const uint64_t* low_ = nullptr;
  double density_ = 0;  // rows a step of key.high
  std::array<Numbers, kRunColumns> numbers_{};
  std::array<Region, kRunColumns> regions_{};
  const char* tails_ = nullptr;
  uint64_t tail_bytes_ = 0;
  std::vector<uint32_t> file_ids_;
  CheckedBlocks blocks_;
  std::unique_ptr<std::atomic<uint8_t>[]> groups_;  // 1: its rows are checked
};

}  // namespace lakebed::state
