// One Delta table at its newest version and, where it is a target of ours, our memory of it.
//
// The memory (room state) is named by the commit's domain metadata, so table and memory move
// together. A memory that does not fit the table is an error by name, never used in silence.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "delta/commit.h"
#include "delta/deletion_vector.h"
#include "delta/scan.h"
#include "delta/snapshot.h"
#include "delta/table.h"
#include "run/project/session.h"
#include "state/state_writer.h"
#include "state/table_state.h"

namespace lakebed::run {

// The domain that holds {"manifest": name, "hash": hash}.
inline constexpr const char* kDomain = "lakebed";

// What kind of target a memory belongs to; kept in it as a fact.
enum class TargetKind : uint8_t { kAppend, kScd1, kScd2, kBitemporal, kMaterializedView };
const char* target_kind_text(TargetKind kind);
// True where AUTO CDC flows fill it.
bool is_cdc(TargetKind kind);

class Table {
 public:
  // Opens the table in `folder`, which may not exist yet (exists() is false then).
  // Errors: those of delta::load and TableState::open; STATE_MISMATCH where the memory belongs to
  // another table or version; PATH_IS_NOT_A_DELTA_TABLE where files of others lie there.
  static Result<std::unique_ptr<Table>> open(Session& session, TableName name);

  // Keeps a table that was read for the next open() of it in this session, which then reads only
  // what is new. Requires: nothing failed with it, and nothing refers to it any more.
  static void park(std::unique_ptr<Table> table);

  // The same for a full refresh: a memory that can't be used is replaced by an empty one.
  static Result<std::unique_ptr<Table>> open_for_reset(Session& session, TableName name);

  bool exists() const { return snapshot.exists(); }
  bool is_ours() const { return memory != nullptr; }
  // The kind of target that the memory belongs to; nothing for a table that is not ours.
  std::optional<TargetKind> kind() const;
  // Error TARGET_CHANGED_BY_OTHERS where live files are not those that we committed.
  Status check_unchanged() const;
  // Forgets what was read and reads the newest version again.
  Status reload();

  TableName name;
  std::shared_ptr<store::Store> store;  // shared: readers of scans hold it, too
  delta::Snapshot snapshot;
  delta::VectorCache vectors;
  std::unique_ptr<state::TableState> memory;

 private:
  Table(Session& session, TableName table_name);
  Status open_memory();
  // Moves a parked table to the newest version; reads it anew where it is another table by now.
  Status catch_up();

  Session& session_;
  // The commit file of the version that was parked.
  uint64_t parked_size_ = 0;
  int64_t parked_at_us_ = 0;
};

// The name of that fact in section kTable.
inline constexpr const char* kTableFact = "table";
// The id of the last full refresh; nothing where there was none.
inline constexpr const char* kRefreshFact = "refresh";
// How memories write the hash of a set of files: 32 hexadecimal digits.
std::string hash_text(const Hash128& hash);

// A fact that every memory of ours holds: id and kind of the table.
std::string table_fact(const std::string& table_id, TargetKind kind);

}  // namespace lakebed::run
