// Where the snapshots of a flow come from: one question, "what is the next snapshot after version
// X?", whoever answers it. SQL answers with its two queries; whatever else can deliver a version
// and rows (a function, a table read once an update) stands behind the same interface.
#pragma once

#include <memory>
#include <optional>

#include "run/pipeline/flow_plan.h"
#include "run/snapshot/snapshot_version.h"

namespace lakebed::run {

// A snapshot that is there to be taken.
struct OfferedSnapshot {
  SnapshotVersion version;
  CdcPlan plan;
  std::map<uint32_t, engine::ScanInput> inputs;  // of plan.query
};

// What is known of a flow's snapshots before one is looked for.
struct SnapshotShape {
  value::Field version;  // the column of its versions
  CdcPlan plan;
};

class SnapshotSource {
 public:
  virtual ~SnapshotSource() = default;
  // Versions and columns as the flow is defined now.
  virtual Result<SnapshotShape> shape() = 0;
  // The next snapshot after `last` (null: the first one); nothing where none is there. What it
  // returns may use the source until the next call. Requires: shape() was asked.
  virtual Result<std::optional<OfferedSnapshot>> next(const SnapshotVersion* last) = 0;
  // False for a flow whose versions are its own clock: it can't say which snapshots it took.
  virtual bool has_versions() const = 0;
};

// The snapshots of a flow written in SQL. `now_us`: when the update took the flow up; it is the
// version of a snapshot without WITH VERSION (rule S4), and the one current_timestamp() of all
// queries, so that a version query over the clock comes to an end.
std::unique_ptr<SnapshotSource> sql_snapshots(Session& session, const Pipeline& pipeline,
                                              const Flow& flow, int64_t now_us);

// The shape with names of a catalog of the caller's (planning: tables that do not exist yet).
Result<SnapshotShape> plan_snapshot_flow(const Flow& flow, QueryCatalog& catalog,
                                         const plan::ResolveOptions& options);

}  // namespace lakebed::run
