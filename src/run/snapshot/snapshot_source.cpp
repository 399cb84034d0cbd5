#include "run/snapshot/snapshot_source.h"

#include "run/snapshot/version_query.h"
#include "run/update/flow_run.h"

namespace lakebed::run {

namespace {

value::ColumnBatch no_row(const value::Field& column) {
  return value::ColumnBatch::empty({column});
}

// The version of a snapshot that has none of its own: a TIMESTAMP.
value::Field clock_column() { return {"timestamp", value::Kind::kTimestamp, true, "", {}}; }

Result<CdcPlan> plan_rows(const Flow& flow, const value::Field& column,
                          const value::ColumnBatch& current, QueryCatalog& catalog,
                          const plan::ResolveOptions& options) {
  if (flow.snapshot()->version) {
    catalog.offer_version(kCurrentVersion, current);
  } else {
    catalog.offer_version("", {});
  }
  return plan_snapshot_query(flow, column.type, catalog, options);
}

class SqlSnapshots : public SnapshotSource {
 public:
  SqlSnapshots(Session& session, const Pipeline& pipeline, const Flow& flow, int64_t now_us)
      : session_(session), pipeline_(pipeline), flow_(flow), options_(session.resolve_options()) {
    options_.now_us = now_us;
  }

  bool has_versions() const override { return flow_.snapshot()->version != nullptr; }
  Result<SnapshotShape> shape() override;
  Result<std::optional<OfferedSnapshot>> next(const SnapshotVersion* last) override;

 private:
  Result<std::optional<SnapshotVersion>> next_by_clock(const SnapshotVersion* last) const;

  Session& session_;
  const Pipeline& pipeline_;
  const Flow& flow_;
  plan::ResolveOptions options_;
  std::optional<value::Field> column_;
  std::unique_ptr<QueryCatalog> catalog_;  // of the answer given last
};

Result<SnapshotShape> SqlSnapshots::shape() {
  QueryCatalog catalog(session_, &pipeline_, nullptr);
  catalog.set_scope(flow_.scope);
  LAKEBED_ASSIGN(SnapshotShape shape, plan_snapshot_flow(flow_, catalog, options_));
  column_ = shape.version;
  return shape;
}

// One snapshot an update: at its time, strictly after the one before.
Result<std::optional<SnapshotVersion>> SqlSnapshots::next_by_clock(
    const SnapshotVersion* last) const {
  SnapshotVersion version;
  version.row = no_row(*column_);
  version.row.columns[0].append_fixed(options_.now_us);
  version.row.rows = 1;
  if (last && !(last->code() < version.code())) return std::optional<SnapshotVersion>{};
  return std::optional(std::move(version));
}

Result<std::optional<OfferedSnapshot>> SqlSnapshots::next(const SnapshotVersion* last) {
  LAKEBED_ASSERT(column_.has_value());
  catalog_ = std::make_unique<QueryCatalog>(session_, &pipeline_, nullptr);
  catalog_->set_scope(flow_.scope);
  LAKEBED_ASSIGN(auto version,
                 has_versions() ? next_version(session_, flow_, *column_, last, *catalog_, options_)
                                : next_by_clock(last));
  if (!version) return std::optional<OfferedSnapshot>{};
  OfferedSnapshot offered;
  LAKEBED_ASSIGN(offered.plan, plan_rows(flow_, *column_, version->row, *catalog_, options_));
  LAKEBED_ASSIGN(offered.inputs, whole_inputs(offered.plan.query, *catalog_));
  offered.version = std::move(*version);
  return std::optional(std::move(offered));
}

}  // namespace

std::unique_ptr<SnapshotSource> sql_snapshots(Session& session, const Pipeline& pipeline,
                                              const Flow& flow, int64_t now_us) {
  return std::make_unique<SqlSnapshots>(session, pipeline, flow, now_us);
}

Result<SnapshotShape> plan_snapshot_flow(const Flow& flow, QueryCatalog& catalog,
                                         const plan::ResolveOptions& options) {
  SnapshotShape shape;
  shape.version = clock_column();
  if (flow.snapshot()->version) {
    LAKEBED_ASSIGN(shape.version, plan_version(flow, catalog, options));
  }
  LAKEBED_ASSIGN(shape.plan,
                 plan_rows(flow, shape.version, no_row(shape.version), catalog, options));
  return shape;
}

}  // namespace lakebed::run
