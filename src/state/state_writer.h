// What one transaction changes in the memory of a table: new entries, payloads, facts, seen files,
// adopted merges. Nothing of it is visible before the Delta commit that names the manifest; a
// writer that is dropped leaves only files that carry the transaction's name, for sweep().
//
// Small runs and payloads lie inside the manifest file, so that a small batch writes one state
// file. Everything is written with Store::put; `Finished::to_sync` names what must be made durable
// before the commit (all in one folder). Not thread-safe.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "state/expiry.h"
#include "state/table_state.h"

namespace lakebed::state {

// Result of StateWriter::finish.
struct Finished {
  ManifestRef manifest;              // for the commit's domain metadata
  std::vector<std::string> to_sync;  // paths relative to the table
  std::vector<std::string> written;  // all paths that this transaction wrote
  ManifestData data;
  std::vector<ManifestRef> chain;
};

// How much of the merging to do now.
struct MergeBudget {
  uint64_t max_entries = UINT64_MAX;  // read; a step that was begun is finished
  std::function<bool()> may_go_on;    // asked between steps; empty: yes
  bool full = false;                  // everything into base runs, due or not
  Expiry expiry;                      // what is old is left behind (rule F4)
};

// Runs that a merge made and the ones that they replace. Not live until a writer adopts it and its
// commit is won; a state that moved on in the meantime may still adopt what it still fits.
struct Merged {
  struct Step {
    std::string set;
    uint64_t low = 0, high = 0;         // the window merged
    bool base = false;                  // inputs are all that lies in the window
    std::vector<RunRef> inputs;         // as they were live, newest first
    std::vector<RunRef> outputs;        // file "" and offset = index into sections: embedded
    std::map<uint32_t, HeapRef> heaps;  // likewise
  };
  std::vector<Step> steps;
  std::vector<std::string> sections;
  std::vector<std::string> files;  // paths already written
  uint64_t entries_read = 0;
  bool more = false;  // merging is still due
  bool empty() const { return steps.empty(); }
};

// True when merge() would find something to do.
bool merge_due(const TableState& state);

// True when what is superseded may weigh so much that a merge should be published by a commit of
// its own instead of waiting for the next batch (size of the state <= 1.4 x the least).
bool merge_urgent(const TableState& state);

// Merges within the budget, range by range (docs/storage.md). Writes files named by `txn` and
// "-m", durable only after the `to_sync` of the writer that adopts them; small results stay in
// memory for its manifest. Requires: a txn of its own for each call.
Result<Merged> merge(const TableState& state, const std::string& txn, const MergeBudget& budget);

class StateWriter {
 public:
  // `txn`: text that names the transaction in all its files (a UUID, and more if wanted).
  // Requires: the state outlives the writer and is not changed before finish().
  StateWriter(TableState& state, std::string txn);
  ~StateWriter();
  StateWriter(StateWriter&&) noexcept;

  // Adds entries. Requires: ascending by compare_entries over all calls (Identity::kKey: keys
  // strictly ascending); files from state.files(); payloads from here or the state.
  Status add_entries(std::span<const Entry> entries);
  Status add_entry(const Entry& entry);

  // Keeps a row for later (see row_codec.h) and says where.
  Result<PayloadRef> append_payload(uint32_t schema_id, std::string_view row);
  // The id of a schema of payloads; equal schemas share one.
  uint32_t schema_id(const value::Schema& schema);

  // Full refresh (F2): entries, payloads, seen files and facts are forgotten; what this writer
  // adds afterwards stays. Requires: called first. `identity` may change with it.
  void forget_everything(Identity identity);

  void add_seen(const std::string& source, std::string_view name, SeenFile file);
  // JSON texts; the empty text removes the fact.
  void set_fact(FactSection section, const std::string& key, std::string json);
  void set_position(const std::string& flow, std::string json) {
    set_fact(FactSection::kPosition, flow, std::move(json));
  }

  // Takes over a merge; steps whose inputs are no longer live are left out (their files are then
  // orphans). Returns the number of steps taken. Requires: no forget_everything before.
  Result<size_t> adopt(Merged merged);

  // All paths written so far: what a caller that gives up before finish() has to remove.
  const std::vector<std::string>& written() const;

  // Writes what is left and the manifest `<version>-<txn>.manifest`. Call once.
  Result<Finished> finish(int64_t table_version, const std::string& file_set_hash);

 private:
  uint32_t known_schema(const std::string& text);
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace lakebed::state
