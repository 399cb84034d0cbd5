#include "delta/commit.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "delta/internal.h"
#include "delta/properties.h"
#include "delta/statistics.h"

namespace lakebed::delta {
namespace {

constexpr const char* kEngine = "lakebed/0.1.0";

// The actions as they will stand in the log at `version`.
CommitActions stamp(const Snapshot& snapshot, const Transaction& transaction, int64_t now_ms) {
  CommitActions actions = transaction.actions();
  const int64_t version = snapshot.version() + 1;
  const Metadata& metadata = actions.metadata ? *actions.metadata : snapshot.metadata();
  const TransactionInfo& info = transaction.info();
  CommitInfo out;
  out.timestamp_ms = now_ms;
  if (flag(metadata, "delta.enableInCommitTimestamps")) {
    // Rule F8: strictly rising, whatever the clock does.
    const int64_t least = snapshot.exists() ? snapshot.timestamp_ms() + 1 : 0;
    out.in_commit_ms = std::max(now_ms, least);
    out.timestamp_ms = out.in_commit_ms;
  }
  out.operation = info.operation;
  out.parameters = info.parameters;
  out.metrics = info.metrics;
  out.engine = kEngine;
  out.transaction_id = uuid_text(transaction.uuid());
  out.blind_append = info.blind_append;
  out.other = info.other;
  actions.info = std::move(out);
  for (AddFile& add : actions.adds) {
    const AddFilePtr live = snapshot.find_path(add.path);
    const int64_t first = live ? live->added_version : version;
    if (first >= 0) set_added_version_tag(add, first);
  }
  return actions;
}

Conflict conflict_of_file(const std::set<std::string>& touched, const std::string& path,
                          Conflict otherwise) {
  return touched.contains(path) ? Conflict::kRemovedFile : otherwise;
}

// What a commit that was faster holds, seen from our own actions.
std::set<Conflict> conflicts_with(const CommitActions& ours, const CommitActions& theirs) {
  std::set<Conflict> found;
  if (theirs.protocol) found.insert(Conflict::kProtocol);
  if (theirs.metadata) found.insert(Conflict::kMetadata);
  for (const DomainMetadata& domain : theirs.domains) {
    for (const DomainMetadata& own : ours.domains) {
      if (own.domain == domain.domain) found.insert(Conflict::kSameDomain);
    }
  }
  for (const SetTransaction& transaction : theirs.transactions) {
    for (const SetTransaction& own : ours.transactions) {
      if (own.app_id == transaction.app_id) found.insert(Conflict::kSameTransaction);
    }
  }
  std::set<std::string> touched;
  for (const RemoveFile& remove : ours.removes) touched.insert(remove.path);
  for (const RemoveFile& remove : theirs.removes) {
    found.insert(conflict_of_file(touched, remove.path,
                                  remove.data_change ? Conflict::kOtherRows
                                                     : Conflict::kUnrelated));
  }
  for (const AddFile& add : theirs.adds) {
    found.insert(conflict_of_file(touched, add.path,
                                  add.data_change ? Conflict::kAppends : Conflict::kUnrelated));
  }
  if (found.empty()) found.insert(Conflict::kUnrelated);
  return found;
}

// Reads the commits that were faster, from `version` on.
Result<CommitOutcome> study_loss(store::Store& store, int64_t version, const CommitActions& ours) {
  CommitOutcome outcome;
  std::set<Conflict> conflicts;
  while (true) {
    const std::string path = commit_file(version);
    auto text = store.read(path);
    if (!text.ok() && text.error().code == "STORE.NOT_FOUND") break;
    if (!text.ok()) return std::move(text).error();
    LAKEBED_ASSIGN(const CommitActions theirs, parse_commit(*text, path));
    conflicts.merge(conflicts_with(ours, theirs));
    outcome.latest_version = version++;
  }
  outcome.conflicts.assign(conflicts.begin(), conflicts.end());
  return outcome;
}

enum class Fate : uint8_t { kOurs, kTheirs, kAbsent };

// Whose commit stands at `path`? Decided by the transaction's id in commitInfo.
Result<Fate> read_back(store::Store& store, const std::string& path, const CommitActions& ours) {
  auto text = store.read(path);
  if (!text.ok() && text.error().code == "STORE.NOT_FOUND") return Fate::kAbsent;
  if (!text.ok()) return std::move(text).error();
  LAKEBED_ASSIGN(const CommitActions theirs, parse_commit(*text, path));
  const bool same = theirs.info && theirs.info->transaction_id == ours.info->transaction_id;
  return same ? Fate::kOurs : Fate::kTheirs;
}

Error unclear(const std::string& path, const Error& cause) {
  return update_error("DELTA_COMMIT.UNCLEAR",
                      fmt::format("Writing '{}' failed, and whether it was written cannot be "
                                  "found out: {}",
                                  path, cause.message))
      .with_hint("Run again: the table's state is read anew before anything is written.");
}

// Puts the commit and says whether it stands. The store's failure may hide a success: then the
// file is read back, and made durable again if it is ours.
Result<Fate> publish(store::Store& store, const std::string& path, const std::string& text,
                     const CommitActions& actions) {
  const Result<bool> put = store.put_if_absent(path, text);
  if (put.ok() && put.value()) return Fate::kOurs;
  const Result<Fate> fate = read_back(store, path, actions);
  if (put.ok()) {
    if (!fate.ok()) return fate.error();
    return fate.value() == Fate::kAbsent ? Fate::kTheirs : fate.value();
  }
  if (!fate.ok()) return unclear(path, put.error());
  if (fate.value() == Fate::kAbsent) return put.error();
  if (fate.value() == Fate::kTheirs) return Fate::kTheirs;
  const Status durable = store.sync({path});
  if (!durable.ok()) return unclear(path, durable.error());
  return Fate::kOurs;
}

}  // namespace

Transaction::Transaction(TransactionInfo info, Random& random)
    : info_(std::move(info)), uuid_(make_uuid(random)) {}

void Transaction::add(AddFile file) { actions_.adds.push_back(std::move(file)); }

void Transaction::remove(const AddFile& live, int64_t now_ms, bool data_change) {
  actions_.removes.push_back(remove_of(live, now_ms, data_change));
}

Status Transaction::replace_vector(const AddFile& live, const DeletionVector& vector,
                                   int64_t now_ms, bool data_change) {
  const std::optional<int64_t> rows = live.physical_rows();
  if (!rows) {
    return update_error("DELTA_FILE_WITHOUT_NUM_RECORDS",
                        fmt::format("The statistics of '{}' do not say how many rows it has.",
                                    live.path));
  }
  remove(live, now_ms, data_change);
  if (vector.cardinality >= *rows) return {};
  AddFile file = live;
  file.vector = vector;
  file.data_change = data_change;
  file.stats = loosen_statistics(live.stats);
  add(std::move(file));
  return {};
}

void Transaction::set_domain(std::string domain, std::string configuration) {
  actions_.domains.push_back({std::move(domain), std::move(configuration), false});
}

void Transaction::remove_domain(std::string domain, std::string old_configuration) {
  actions_.domains.push_back({std::move(domain), std::move(old_configuration), true});
}

void Transaction::set_transaction(std::string app_id, int64_t version, int64_t now_ms) {
  actions_.transactions.push_back({std::move(app_id), version, now_ms});
}

void Transaction::set_metadata(Metadata metadata) { actions_.metadata = std::move(metadata); }
void Transaction::set_protocol(Protocol protocol) { actions_.protocol = std::move(protocol); }

const char* conflict_text(Conflict conflict) {
  switch (conflict) {
    case Conflict::kProtocol:
      return "the protocol changed";
    case Conflict::kMetadata:
      return "the metadata changed";
    case Conflict::kSameDomain:
      return "another writer moved the same domain";
    case Conflict::kSameTransaction:
      return "another writer moved the same application";
    case Conflict::kRemovedFile:
      return "a file that is changed here was changed";
    case Conflict::kOtherRows:
      return "rows of other files were changed";
    case Conflict::kAppends:
      return "rows were appended";
    case Conflict::kUnrelated:
      return "nothing that matters here changed";
  }
  return "";
}

bool CommitOutcome::has(Conflict conflict) const {
  return std::find(conflicts.begin(), conflicts.end(), conflict) != conflicts.end();
}

bool CommitOutcome::may_retry() const {
  return !won && std::all_of(conflicts.begin(), conflicts.end(), [](Conflict conflict) {
    return conflict == Conflict::kOtherRows || conflict == Conflict::kAppends ||
           conflict == Conflict::kUnrelated;
  });
}

Result<CommitOutcome> commit(const Environment& environment, Snapshot& snapshot,
                             const Transaction& transaction) {
  const CommitActions& wanted = transaction.actions();
  const Metadata& metadata = wanted.metadata ? *wanted.metadata : snapshot.metadata();
  const Protocol& protocol = wanted.protocol ? *wanted.protocol : snapshot.protocol();
  LAKEBED_ASSERT(snapshot.exists() || (wanted.metadata && wanted.protocol));
  LAKEBED_TRY(check_writable(protocol, metadata));
  const CommitActions actions = stamp(snapshot, transaction, environment.clock.now_us() / 1000);
  const int64_t version = snapshot.version() + 1;
  const std::string path = commit_file(version);
  LAKEBED_ASSIGN(const Fate fate,
                 publish(environment.store, path, render_commit(actions), actions));
  if (fate != Fate::kOurs) return study_loss(environment.store, version, actions);
  LAKEBED_TRY(snapshot.apply(actions, version, path));
  CommitOutcome outcome;
  outcome.won = true;
  outcome.version = version;
  return outcome;
}

}  // namespace lakebed::delta
