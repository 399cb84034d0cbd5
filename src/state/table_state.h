// The memory of one table at one of its versions, read through mapped files.
//
//   auto state = TableState::open(store, ref);            // or TableState::create(store, identity)
//   auto found = state->find_greatest(keys);              // SCD type 1: one entry a key
//   Cursor cursor(*state); cursor.seek(key);              // history: neighbours of a sequence
//   StateWriter writer(*state, txn); ...                  // what a batch adds (state_writer.h)
//   auto done = writer.finish(version, files); ...commit... ; state->apply(std::move(*done));
//
// Reading is safe from several threads; apply() is not, and invalidates views into entries
// (tails of sequences, payloads) and cursors made before. Bytes read from files are checked
// against checksums the first time they are touched; damage is STATE_DAMAGED with the file.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "state/entry.h"
#include "state/manifest.h"
#include "store/store.h"

namespace lakebed::state {

class Heap;         // heap.h
class OpenRun;      // run.h
struct Finished;    // state_writer.h

// Data files by number, for the life of a process. Thread-safe; numbers are never reused.
class FileNames {
 public:
  FileNames();
  ~FileNames();
  uint32_t id(std::string_view name);
  const std::string& name(uint32_t id) const;
  size_t size() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

// The answer for one key.
struct Found {
  Entry entry;
  bool found = false;  // false for unknown keys and for kGone
};

struct StateStats {
  uint64_t entries = 0;       // in live windows, superseded ones of upper runs included
  uint64_t base_entries = 0;  // in base runs: after a full merge these are the live entries
  uint64_t run_bytes = 0;     // of all run files and sections that are live
  uint64_t heap_bytes = 0;
  uint64_t runs = 0;
  uint64_t heaps = 0;
  uint64_t depth = 0;         // the greatest number of runs that one key has to look into
};

struct SeenFile {
  uint64_t size = 0;
  int64_t modified_us = 0;
};

// Sizes that decide how runs and heaps are cut and merged. Tests make them small; files say all
// that is needed to read them, so any table may be written with any of these.
struct Tuning {
  uint64_t range_entries = 512 * 1024;        // a key range of a full merge holds at most these
  uint64_t embed_bytes = 1 << 20;             // smaller runs and heaps lie in the manifest
  uint64_t embed_total = 4 << 20;             // of one manifest
  uint64_t heap_file_bytes = 64 << 20;        // a heap file is closed beyond these
  uint64_t copy_heap_below = 4 << 20;         // merges of upper runs copy out of smaller heaps
  uint64_t depth = 8;                         // runs over the base before they are merged
  double upper_share = 0.25;                  // of base entries; beyond it a range is merged whole
};

class TableState {
 public:
  // An empty memory, of a table that is about to be created.
  static Result<std::unique_ptr<TableState>> create(store::Store& store, Identity identity);
  // Requires: the store outlives the state. Errors: as load_manifest, and STATE_DAMAGED for runs
  // and heap files that are missing, cut short or not the ones that the manifest means.
  static Result<std::unique_ptr<TableState>> open(store::Store& store, const ManifestRef& head);
  ~TableState();

  // The newest entry of each key. Requires: keys ascend; Identity::kKey.
  Result<std::vector<Found>> find_greatest(std::span<const Hash128> keys) const;
  // The bytes of a payload, without length and checksum. Requires: ref is not 0.
  struct Payload {
    uint32_t schema_id = 0;
    std::string_view row;  // as append_row wrote it
  };
  Result<Payload> payload(PayloadRef ref) const;
  // The schema of payloads. Error STATE_DAMAGED for an id that was never given.
  Result<value::Schema> schema(uint32_t schema_id) const;

  // What is known of a source's file, by name. `source` names the set (flow, or flow and source).
  Result<std::optional<SeenFile>> seen(const std::string& source, std::string_view name) const;
  // The same for many names at once.
  Result<std::vector<std::optional<SeenFile>>> seen(const std::string& source,
                                                    const std::vector<std::string>& names) const;

  // Every live entry in order, newest wins, kGone left out. Stops at the first error.
  Status scan_all(const std::function<Status(const Entry&)>& visit) const;

  // A small fact as JSON text.
  std::optional<std::string> fact(FactSection section, const std::string& key) const;
  const std::map<std::string, std::string>& facts(FactSection section) const;

  int64_t table_version() const;
  const std::string& file_set_hash() const;
  Identity identity() const;
  // The head; nothing for a state that was never written.
  std::optional<ManifestRef> manifest() const;
  const ManifestData& data() const { return data_; }
  // Paths (relative to the table) of all files that this version needs.
  std::vector<std::string> live_files() const;
  FileNames& files() const { return *files_; }
  store::Store& store() const { return *store_; }
  StateStats stats() const;
  // Reads every byte of runs and heap against its checksum (`lakebed check`).
  Status verify_all() const;

  // For tests. Call before anything is written.
  void tune(const Tuning& tuning) { tuning_ = tuning; }
  const Tuning& tuning() const { return tuning_; }

  // Takes over what a writer finished, after its commit was won, without reading anything again.
  // Requires: the writer was made from this state as it stands.
  Status apply(Finished finished);

 private:
  friend class StateWriter;
  friend class Cursor;
  friend class Merger;

  // Runs of one set that are open, newest first.
  struct LiveRun {
    RunRef ref;
    std::shared_ptr<const OpenRun> run;  // shared: unchanged runs pass from version to version
  };
  using LiveRuns = std::vector<LiveRun>;

  TableState(store::Store& store, std::shared_ptr<FileNames> files);
  // Opens what is not open yet; on an error the state is as before.
  Status take(ManifestData data, std::vector<ManifestRef> chain);
  const LiveRuns& set(const std::string& name) const;
  Status find(const LiveRuns& runs, std::span<const Hash128> keys, Found* out) const;

  store::Store* store_;
  std::shared_ptr<FileNames> files_;  // shared with writers, which outlive no state but may move
  ManifestData data_;
  std::vector<ManifestRef> chain_;
  std::map<std::string, LiveRuns> sets_;
  std::unique_ptr<Heap> heap_;
  Tuning tuning_;
  // Heap numbers are given out once in a process, so that a merge and a batch never share one.
  mutable std::atomic<uint32_t> next_heap_{1};
};

// Looks at one key's entries in order of sequence, over all runs. Cheap to move to the next key
// when keys ascend. Each question costs O(log of the key's history) a run. Not thread-safe; make
// one a thread. Invalid after TableState::apply.
class Cursor {
 public:
  explicit Cursor(const TableState& state);
  ~Cursor();
  Cursor(Cursor&&) noexcept;

  // Moves to a key. False when no run has an entry of it (one that is gone may count).
  Result<bool> seek(const Hash128& key);

  // The entry of that kind with the greatest sequence <= s (< s, of all), or the smallest >= s
  // (> s, of all). The views live as long as the state's version.
  Result<std::optional<Entry>> at_most(EntryKind kind, value::SequenceView s);
  Result<std::optional<Entry>> below(EntryKind kind, value::SequenceView s);
  Result<std::optional<Entry>> greatest(EntryKind kind);
  Result<std::optional<Entry>> at_least(EntryKind kind, value::SequenceView s);
  Result<std::optional<Entry>> above(EntryKind kind, value::SequenceView s);
  Result<std::optional<Entry>> smallest(EntryKind kind);

  // Entries decoded since the cursor was made: the gate of "O(log h) a event".
  uint64_t entries_read() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace lakebed::state
