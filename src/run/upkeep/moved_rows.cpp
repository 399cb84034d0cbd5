#include "run/upkeep/moved_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <numeric>
#include <optional>

#include "base/json.h"
#include "value/hash.h"
#include "value/order.h"

namespace lakebed::run {

namespace {

// A pass over the memory reads an entry far faster than a look-up finds one.
constexpr uint64_t kPassBelow = 8;

Error unknown_place(const std::string& file, uint64_t row) {
  return update_error(
      "STATE_MISMATCH",
      fmt::format("the memory places a row in {}, row {}, where none lives", file, row));
}

// Takes entries in the order of the memory and counts the moved ones.
class Replacer {
 public:
  Replacer(Table& table, TargetCommit& commit, const MovedRows& rows, const MovedFiles& merged,
           const std::vector<cdc::Place>& places)
      : table_(table), commit_(commit), rows_(rows), merged_(merged), places_(places) {}

  Status take(const state::Entry& old) {
    if (!old.has_place()) return {};
    const auto file = merged_.find(old.file);
    if (file == merged_.end()) return {};
    const std::vector<uint32_t>& moves = rows_.moves[file->second];
    const uint32_t moved = old.row < moves.size() ? moves[old.row] : kNowhere;
    if (moved == kNowhere) return unknown_place(table_.memory->files().name(old.file), old.row);
    state::Entry entry = old;
    entry.file = places_[moved].file;
    entry.row = places_[moved].row;
    ++known_;
    return commit_.memory().add_entry(entry);
  }

  Status finish() const {
    if (known_ == rows_.rows) return {};
    return update_error("STATE_MISMATCH",
                        fmt::format("the files to merge hold {} rows, the memory knows {} of them",
                                    rows_.rows, known_));
  }

 private:
  Table& table_;
  TargetCommit& commit_;
  const MovedRows& rows_;
  const MovedFiles& merged_;
  const std::vector<cdc::Place>& places_;
  uint64_t known_ = 0;
};

// The key columns of the table in hash order, as any flow's definition names them; nothing where
// none does.
std::optional<std::vector<size_t>> key_columns(const Table& table) {
  const auto& definitions = table.memory->facts(state::FactSection::kDefinition);
  if (definitions.empty()) return std::nullopt;
  const auto json = parse_json(definitions.begin()->second);
  if (!json.ok() || !json->contains("keys")) return std::nullopt;
  std::vector<size_t> columns;
  for (const Json& key : (*json)["keys"]) {
    const auto at = value::find_field(table.snapshot.schema(), key.value("name", ""));
    if (!at) return std::nullopt;
    columns.push_back(*at);
  }
  return columns;
}

// What identifies the rows that moved: their keys and, in a history, where they start.
struct Identities {
  std::vector<Hash128> keys;
  std::vector<value::SequenceView> starts;  // SCD type 2 only
  std::deque<std::string> tails;            // what long starts point into
  std::vector<uint32_t> order;              // row numbers by key, then start
};

void add_starts(const value::Column& column, Identities& out) {
  for (size_t row = 0; row < column.size(); ++row) {
    value::SequenceCode code = value::sequence_code(column, row);
    if (code.tail.empty()) {
      out.starts.push_back({code.head, {}});
      continue;
    }
    out.tails.push_back(std::move(code.tail));
    out.starts.push_back({code.head, out.tails.back()});
  }
}

Identities identify(const Table& table, const MovedRows& rows,
                    const std::vector<size_t>& key_columns) {
  Identities out;
  const auto start = value::find_field(table.snapshot.schema(), "__START_AT");
  const bool history = table.kind() == TargetKind::kScd2;
  for (const value::ColumnBatch& part : rows.parts) {
    std::vector<const value::Column*> keys;
    for (const size_t column : key_columns) keys.push_back(&part.columns[column]);
    const std::vector<Hash128> hashes = value::key_hashes(keys);
    out.keys.insert(out.keys.end(), hashes.begin(), hashes.end());
    if (history) add_starts(part.columns[*start], out);
  }
  out.order.resize(out.keys.size());
  std::iota(out.order.begin(), out.order.end(), 0U);
  std::sort(out.order.begin(), out.order.end(), [&](uint32_t a, uint32_t b) {
    if (out.keys[a] != out.keys[b]) return out.keys[a] < out.keys[b];
    return history && out.starts[a] < out.starts[b];
  });
  return out;
}

Status take_by_key(const Table& table, const Identities& wanted, Replacer& replacer) {
  std::vector<Hash128> keys;
  keys.reserve(wanted.order.size());
  for (const uint32_t row : wanted.order) keys.push_back(wanted.keys[row]);
  LAKEBED_ASSIGN(const auto found, table.memory->find_greatest(keys));
  for (const state::Found& one : found) {
    if (one.found) LAKEBED_TRY(replacer.take(one.entry));
  }
  return {};
}

Status take_by_start(const Table& table, const Identities& wanted, Replacer& replacer) {
  state::Cursor cursor(*table.memory);
  const Hash128* key = nullptr;
  bool known = false;
  for (const uint32_t row : wanted.order) {
    if (!key || *key != wanted.keys[row]) {
      LAKEBED_ASSIGN(known, cursor.seek(wanted.keys[row]));
    }
    key = &wanted.keys[row];
    if (!known) continue;
    LAKEBED_ASSIGN(const auto entry, cursor.at_most(state::EntryKind::kRow, wanted.starts[row]));
    if (entry && entry->sequence == wanted.starts[row]) LAKEBED_TRY(replacer.take(*entry));
  }
  return {};
}

}  // namespace

Status replace_places(Table& table, TargetCommit& commit, const MovedRows& rows,
                      const MovedFiles& merged, const std::vector<cdc::Place>& places) {
  Replacer replacer(table, commit, rows, merged, places);
  const auto kind = table.kind();
  const bool few = uint64_t{rows.rows} * kPassBelow < table.memory->stats().entries;
  const bool by_key = kind == TargetKind::kScd1 || kind == TargetKind::kScd2;
  const auto keys = few && by_key ? key_columns(table) : std::nullopt;
  if (!keys) {
    LAKEBED_TRY(
        table.memory->scan_all([&](const state::Entry& entry) { return replacer.take(entry); }));
    return replacer.finish();
  }
  const Identities wanted = identify(table, rows, *keys);
  LAKEBED_TRY(kind == TargetKind::kScd1 ? take_by_key(table, wanted, replacer)
                                        : take_by_start(table, wanted, replacer));
  return replacer.finish();
}

}  // namespace lakebed::run
