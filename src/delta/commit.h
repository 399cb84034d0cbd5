// Writing one commit: a Transaction collects actions against a snapshot, commit() publishes them
// as version N + 1 or says who was faster. Never both: an unclear put is resolved by reading back.
//
// Order of work: write and sync() all data files, vectors and state files first; then commit().
// After a loss on appends by others only: refresh() the snapshot and commit() again. A Transaction
// belongs to one thread.
#pragma once

#include <string>
#include <vector>

#include "delta/actions.h"
#include "delta/environment.h"
#include "delta/snapshot.h"

namespace lakebed::delta {

struct TransactionInfo {
  std::string operation;   // "STREAMING UPDATE", "CREATE TABLE", "WRITE", "OPTIMIZE", ...
  TextMap parameters;      // values as JSON text or plain text
  TextMap metrics;         // operationMetrics; numbers as text
  TextMap other;           // further fields of commitInfo, JSON text by name
  bool blind_append = false;  // it read nothing of the table
};

class Transaction {
 public:
  Transaction(TransactionInfo info, Random& random);

  // The id that stands in commitInfo; file names of the commit should carry it.
  const Uuid& uuid() const { return uuid_; }
  TransactionInfo& info() { return info_; }
  const TransactionInfo& info() const { return info_; }

  void add(AddFile file);
  // Removes a live file of the snapshot.
  void remove(const AddFile& live, int64_t now_ms, bool data_change = true);
  // Gives a live file a new vector (all of its deleted rows, the old ones too): one remove and one
  // add, statistics loosened. A vector that covers all rows becomes a plain remove.
  // Error DELTA_FILE_WITHOUT_NUM_RECORDS where the file's rows are not known.
  Status replace_vector(const AddFile& live, const DeletionVector& vector, int64_t now_ms,
                        bool data_change = true);
  void set_domain(std::string domain, std::string configuration);
  void remove_domain(std::string domain, std::string old_configuration);
  void set_transaction(std::string app_id, int64_t version, int64_t now_ms);
  void set_metadata(Metadata metadata);
  void set_protocol(Protocol protocol);
  const CommitActions& actions() const { return actions_; }

 private:
  TransactionInfo info_;
  Uuid uuid_;
  CommitActions actions_;
};

enum class Conflict : uint8_t {
  kProtocol,
  kMetadata,
  kSameDomain,       // another writer moved a domain that we write: we are fenced
  kSameTransaction,  // ... or an appId
  kRemovedFile,      // a file that we remove or re-vector was removed or got another vector
  kOtherRows,        // rows of files that we do not touch were removed
  kAppends,          // new rows by others
  kUnrelated,        // nothing that touches us
};
const char* conflict_text(Conflict conflict);

struct CommitOutcome {
  bool won = false;
  int64_t version = -1;             // won: the new version
  std::vector<Conflict> conflicts;  // lost: what the commits since hold, each kind once
  int64_t latest_version = -1;      // lost: the newest version found
  bool has(Conflict conflict) const;
  // Lost, but only to commits that do not touch what we did: refresh and commit again.
  bool may_retry() const;
};

// Publishes `transaction` as snapshot.version() + 1; on victory the snapshot is moved there.
// Errors (nothing was published): DELTA_UNSUPPORTED_WRITER_FEATURE, STORE.*, DELTA_COMMIT.UNCLEAR
// (the store failed and the log could not be read back: the caller must reload before it goes on).
Result<CommitOutcome> commit(const Environment& environment, Snapshot& snapshot,
                             const Transaction& transaction);

}  // namespace lakebed::delta
