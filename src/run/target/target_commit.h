// One commit into one of our tables: new rows, removed rows, and what the table remembers, made
// visible together or not at all (ARCHITECTURE section 3).
//
// Order of work: everything is written under names that carry the transaction's id, made durable
// in one sync, then published by one Delta commit. Dropped or lost, a TargetCommit leaves only
// files that sweep() may remove; it removes them itself where it can.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cdc/entry.h"
#include "run/target/row_files.h"
#include "run/target/table.h"
#include "state/pending.h"

namespace lakebed::run {

class TargetCommit {
 public:
  // Requires: the table exists or `memory` was created for it; it is not changed until finish().
  static Result<std::unique_ptr<TargetCommit>> begin(Session& session, Table& table,
                                                     delta::TransactionInfo info);
  ~TargetCommit();

  delta::Transaction& transaction() { return transaction_; }
  state::StateWriter& memory() { return *writer_; }

  // Writes rows (all columns of `schema`, the table's) into new files, one a partition and at most
  // kRowsPerFile rows each. places[i] is where row i of the batches, counted on, lies.
  Status write_rows(const std::vector<const value::ColumnBatch*>& batches,
                    const value::Schema& schema, const std::vector<std::string>& partitions,
                    std::vector<cdc::Place>* places);
  // Hides rows of live files by deletion vectors; files without a row left are removed.
  Status remove_rows(const std::vector<cdc::Place>& places);
  // Writes vectors and memory, syncs, commits. Won: table.snapshot and table.memory are the new
  // ones. Lost: nothing of it is visible; the caller reloads the table.
  Result<delta::CommitOutcome> finish();

  uint64_t rows_written() const { return files_.rows(); }
  const std::vector<std::string>& data_files() const { return files_.written(); }
  // Says that rows are only moved: readers of streams pass such a commit over.
  void data_change(bool on) {
    data_change_ = on;
    files_.data_change(on);
  }

 private:
  TargetCommit(Session& session, Table& table, delta::TransactionInfo info);
  Status write_vectors();
  Result<Hash128> file_set_after() const;
  void remove_written();

  Session& session_;
  Table& table_;
  delta::Transaction transaction_;
  std::string id_;
  std::unique_ptr<state::StateWriter> writer_;
  std::optional<state::Pending> pending_;
  RowFiles files_;
  delta::VectorFile vector_file_;
  std::vector<std::string> written_;  // vectors and memory: paths in the table
  bool data_change_ = true;
  bool finished_ = false;
};

}  // namespace lakebed::run
