#include "run/update/update.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/names.h"
#include "plan/graph.h"
#include "run/event_log/event_log.h"
#include "run/pipeline/combined.h"
#include "run/pipeline/plan_reads.h"
#include "run/pipeline/validate.h"
#include "run/quality/quarantine.h"
#include "run/snapshot/snapshot_run.h"
#include "run/target/generated.h"
#include "run/target/target_table.h"
#include "run/update/flow_run.h"
#include "run/update/once.h"
#include "run/update/update_events.h"
#include "run/upkeep/expiry.h"

namespace lakebed::run {

namespace {

struct ScopedQuery {
  plan::RelationPtr query;
  const NameScope& scope;  // what its short names mean
};

// Queries that fill a dataset: its own, and those of its flows.
std::vector<ScopedQuery> queries_of(const Pipeline& pipeline, const Dataset& dataset) {
  std::vector<ScopedQuery> queries;
  if (dataset.declaration.query) queries.push_back({dataset.declaration.query, dataset.scope});
  for (const size_t index : dataset.flows) {
    const Flow& flow = pipeline.flows[index];
    if (const plan::FeedSpec* feed = flow.feed()) queries.push_back({feed->source, flow.scope});
    if (const plan::SnapshotSpec* snapshot = flow.snapshot()) {
      queries.push_back({snapshot->source, flow.scope});
      if (snapshot->version) queries.push_back({snapshot->version, flow.scope});
    }
    if (const plan::InsertSpec* insert = flow.insert()) {
      queries.push_back({insert->query, flow.scope});
    }
  }
  return queries;
}

std::vector<plan::GraphNode> graph_of(const Pipeline& pipeline) {
  std::vector<plan::GraphNode> nodes;
  for (const Dataset& dataset : pipeline.datasets) {
    plan::GraphNode node;
    node.name = dataset.name.text();
    node.span = dataset.declaration.span;
    for (const auto& [query, scope] : queries_of(pipeline, dataset)) {
      for (const auto& name : names_read(query)) {
        const Dataset* read = pipeline.find(name, scope);
        if (read) node.reads.push_back(read->name.text());
      }
    }
    nodes.push_back(std::move(node));
  }
  return nodes;
}

// An error of columns that don't fit is one of the flow that delivers them.
Result<value::Schema> placed(Result<value::Schema> schema, const SourceSpan& span) {
  if (!schema.ok()) return std::move(schema).error().with_span(span);
  return schema;
}

// The query of a declaration, as a flow named like its dataset.
AppendFlow own_query(const Dataset& dataset) {
  const plan::CreateDataset& declared = dataset.declaration;
  return {dataset.name.table, declared.query, false, declared.span, dataset.scope};
}

AppendFlow append_flow(const Flow& flow) {
  return {flow.name, flow.insert()->query, flow.body.once, flow.span, flow.scope};
}

// Plans datasets one after another; what one yields is what the next ones read.
class Planner {
 public:
  Planner(Session& session, const Pipeline& pipeline, const std::set<std::string>& resets)
      : session_(session), pipeline_(pipeline), resets_(resets) {}

  // The schema of the dataset's table or view.
  Result<value::Schema> plan(const Dataset& dataset);
  std::vector<std::string> warnings;
  std::string planning;  // the flow that was looked at last, for messages; "": the table's query

 private:
  Result<value::Schema> plan_query(const AppendFlow& flow, const Table* table, bool may_stream,
                                   bool must_stream);
  Result<CdcPlan> plan_flow(const Dataset& dataset, const Flow& flow, const Table* table);
  Result<value::Schema> plan_cdc(const Dataset& dataset, const Table* table);
  Result<value::Schema> new_table_schema(const Dataset& dataset, value::Schema schema);
  Result<value::Schema> plan_appended(const Dataset& dataset, const Table* table);
  QueryCatalog catalog_for(FlowProgress* progress, const NameScope& scope);

  Session& session_;
  const Pipeline& pipeline_;
  const std::set<std::string>& resets_;
  std::vector<std::pair<TableName, value::Schema>> planned_;
};

QueryCatalog Planner::catalog_for(FlowProgress* progress, const NameScope& scope) {
  QueryCatalog catalog(session_, &pipeline_, progress);
  catalog.set_scope(scope);
  catalog.planning_only(true);
  for (const auto& [name, schema] : planned_) catalog.set_planned_schema(name, schema);
  return catalog;
}

Result<value::Schema> Planner::plan_query(const AppendFlow& flow, const Table* table,
                                          bool may_stream, bool must_stream) {
  FlowProgress progress(session_.project(), table ? table->memory.get() : nullptr, flow.name);
  QueryCatalog catalog = catalog_for(&progress, flow.scope);
  plan::ResolveOptions options = session_.resolve_options();
  LAKEBED_ASSIGN(const plan::ResolvedQuery resolved,
                 plan::resolve_query(flow.query, catalog, options));
  if (resolved.streaming && !may_stream) {
    return project_error("INVALID_FLOW_QUERY_TYPE",
                         "the query of a materialized view may not stream", flow.span)
        .with_hint("read without STREAM, or declare a streaming table");
  }
  if (!resolved.streaming && must_stream) {
    return project_error("INVALID_FLOW_QUERY_TYPE",
                         "the query that fills a streaming table must stream", flow.span)
        .with_hint("read with STREAM, or declare a materialized view");
  }
  value::Schema schema = resolved.schema();
  LAKEBED_TRY(plan::check_unique_columns(schema, flow.span));  // rule F12
  for (value::Field& field : schema) field.nullable = true;
  return schema;
}

Result<CdcPlan> Planner::plan_flow(const Dataset& dataset, const Flow& flow, const Table* table) {
  planning = flow.name;
  const state::TableState* memory = table ? table->memory.get() : nullptr;
  FlowProgress progress(session_.project(), memory, flow.name);
  QueryCatalog catalog = catalog_for(&progress, flow.scope);
  if (flow.snapshot()) {
    LAKEBED_ASSIGN(SnapshotShape shape,
                   plan_snapshot_flow(flow, catalog, session_.resolve_options()));
    if (table) {
      LAKEBED_TRY(check_remembered(flow, dataset, shape, *table));
      LAKEBED_TRY(check_unversioned(flow, dataset, *table));
    }
    return std::move(shape.plan);
  }
  LAKEBED_ASSIGN(CdcPlan plan, plan_cdc_flow(session_, flow, catalog));
  if (memory) LAKEBED_TRY(check_drift(plan, *memory, dataset));
  return plan;
}

Result<value::Schema> Planner::new_table_schema(const Dataset& dataset, value::Schema schema) {
  delta::TableDefinition definition;
  definition.schema = std::move(schema);
  definition.partition_columns = dataset.declaration.partitioned_by;
  definition.properties = declared_properties(dataset);
  LAKEBED_ASSIGN(delta::TableShape shape,
                 delta::new_table(definition, session_.clock(), session_.random()));
  return std::move(shape.schema);
}

// A target has the columns of all its flows, in the order of their names (rule F1).
Result<value::Schema> Planner::plan_cdc(const Dataset& dataset, const Table* table) {
  if (session_.project().quarantine) LAKEBED_TRY(check_quarantine_name(pipeline_, dataset));
  const bool there = table && table->exists();
  const bool combined = is_combined(pipeline_, dataset);
  LAKEBED_TRY(check_declared_properties(dataset));
  LAKEBED_TRY(tombstone_threshold(session_.project(), dataset));
  std::optional<value::Schema> schema;
  if (there) schema = table->snapshot.schema();
  std::vector<CdcPlan> plans;
  bool all = true;
  for (const size_t index : dataset.flows) {
    const Flow& flow = pipeline_.flows[index];
    if (is_complete(flow, table ? table->memory.get() : nullptr)) {
      all = false;
      continue;
    }
    LAKEBED_ASSIGN(CdcPlan plan, plan_flow(dataset, flow, table));
    warnings.insert(warnings.end(), plan.warnings.begin(), plan.warnings.end());
    if (!plans.empty() && !combined) {
      LAKEBED_TRY(check_flows_agree(plans.front(), plan, flow, dataset));
    }
    LAKEBED_ASSIGN(schema,
                   placed(target_schema(plan, dataset, schema ? &*schema : nullptr), flow.span));
    plans.push_back(std::move(plan));
  }
  if (!schema) return value::Schema{};
  // A ONCE flow that is complete may have delivered the wider type.
  if (there && all) LAKEBED_TRY(check_not_narrowed(plans, dataset, table->snapshot.schema()));
  LAKEBED_TRY(check_combined_plans(pipeline_, dataset, plans, *schema));
  LAKEBED_TRY(check_generated(session_, dataset.declaration.columns, *schema));
  if (there) return std::move(*schema);
  return new_table_schema(dataset, std::move(*schema));
}

Result<value::Schema> Planner::plan_appended(const Dataset& dataset, const Table* table) {
  LAKEBED_TRY(check_declared_properties(dataset));
  const value::Schema declared = declared_schema(dataset.declaration.columns);
  value::Schema schema = declared;
  const bool stream = dataset.declaration.kind == plan::DatasetKind::kStreamingTable;
  if (table && table->exists()) {
    schema = table->snapshot.schema();
    if (stream) LAKEBED_TRY(check_generated_unchanged(dataset.declaration.columns, schema));
  }
  const auto add = [&](const AppendFlow& flow) -> Status {
    LAKEBED_ASSIGN(value::Schema delivered, plan_query(flow, table, stream, stream && !flow.once));
    LAKEBED_TRY(check_not_delivered(declared, delivered, "the query", flow.span));
    if (!declared.empty()) {
      LAKEBED_ASSIGN(delivered, placed(merge_schemas(declared, delivered, kDeclared), flow.span));
    }
    LAKEBED_ASSIGN(schema, placed(merge_schemas(schema, delivered), flow.span));
    return {};
  };
  if (dataset.declaration.query) {
    if (!stream && dataset.declaration.columns.empty()) schema.clear();
    LAKEBED_TRY(add(own_query(dataset)));
  }
  for (const size_t index : dataset.flows) {
    const Flow& flow = pipeline_.flows[index];
    if (is_complete(flow, table ? table->memory.get() : nullptr)) continue;
    LAKEBED_TRY(add(append_flow(flow)));
  }
  LAKEBED_TRY(check_generated(session_, dataset.declaration.columns, schema));
  if (table && stream) LAKEBED_TRY(check_owner(*table, TargetKind::kAppend));
  return schema;
}

Result<value::Schema> Planner::plan(const Dataset& dataset) {
  planning.clear();
  if (dataset.is_view()) {
    return plan_query(own_query(dataset), nullptr, true, false);
  }
  std::unique_ptr<Table> table;
  if (resets_.count(dataset.name.key()) == 0) {
    LAKEBED_ASSIGN(table, Table::open(session_, dataset.name));
  }
  if (table && dataset.declaration.kind == plan::DatasetKind::kMaterializedView) {
    LAKEBED_TRY(check_view_place(*table));
  }
  const bool cdc = std::any_of(dataset.flows.begin(), dataset.flows.end(),
                               [this](size_t index) { return !pipeline_.flows[index].insert(); });
  LAKEBED_ASSIGN(value::Schema schema,
                 cdc ? plan_cdc(dataset, table.get()) : plan_appended(dataset, table.get()));
  planned_.emplace_back(dataset.name, schema);
  Table::park(std::move(table));
  return schema;
}

// By flow name (rule E4), but snapshots before feeds: what they do together does not depend on it
// (rule M2), and a snapshot without a version needs an empty target.
std::vector<size_t> run_order_of(const Pipeline& pipeline, const Dataset& dataset) {
  std::vector<size_t> order = dataset.flows;
  std::stable_partition(order.begin(), order.end(),
                        [&](size_t index) { return pipeline.flows[index].snapshot() != nullptr; });
  return order;
}

Status run_flow(RunContext& context, const Flow& flow, const Dataset& dataset,
                const value::Schema& planned) {
  if (flow.insert()) return run_append_flow(context, append_flow(flow), dataset);
  if (flow.snapshot()) return run_snapshot_flow(context, flow, dataset);
  return run_cdc_flow(context, flow, dataset, planned);
}

// Rule F2: a table whose rows no refresh may drop.
bool keeps_rows(const Dataset& dataset) {
  return fold_case(dataset.property("pipelines.reset.allowed").value_or("true")) == "false";
}

// An update while it runs.
class Update {
 public:
  Update(Session& session, const UpdateRequest& request, EventSink& sink)
      : session_(session), request_(request), sink_(sink) {}

  Result<UpdateResult> run();

 private:
  Status choose();
  Status choose_names(const std::vector<std::string>& names, std::set<std::string>& chosen);
  Status check_resets();
  void plan_all(const std::vector<size_t>& order);
  Status reset(const Dataset& dataset);
  void fill(const Dataset& dataset);
  void start(const Dataset& dataset, const std::string& flow);
  void went_well(const Dataset& dataset, const std::string& flow, Status done);
  void fail(const Dataset& dataset, const std::string& flow, Error error);
  bool is_chosen(const Dataset& dataset) const {
    return chosen_.empty() || chosen_.count(dataset.name.key()) > 0;
  }
  bool reads_failed(size_t node) const;
  std::string flow_of(const Dataset& dataset) const;

  Session& session_;
  const UpdateRequest& request_;
  EventSink& sink_;
  Pipeline pipeline_;
  std::vector<plan::GraphNode> graph_;
  std::set<std::string> chosen_;                  // keys; empty: all
  std::set<std::string> resets_;                  // keys
  std::set<std::string> failed_;                  // texts of datasets, as the graph names them
  std::map<std::string, value::Schema> schemas_;  // by key
  std::optional<Error> project_problem_;
  UpdateResult result_;
};

Status Update::choose_names(const std::vector<std::string>& names, std::set<std::string>& chosen) {
  for (const std::string& text : names) {
    std::vector<std::string> parts;
    for (size_t begin = 0; begin <= text.size();) {
      const size_t end = std::min(text.find('.', begin), text.size());
      parts.push_back(text.substr(begin, end - begin));
      begin = end + 1;
    }
    const Dataset* dataset = pipeline_.find(parts, session_.default_scope());
    if (!dataset || dataset->is_view()) {
      std::vector<std::string> known;
      for (const Dataset& one : pipeline_.datasets) known.push_back(one.name.table);
      const std::string near = nearest_name(text, known);
      return project_error("DATASET_NOT_FOUND", "no table of the project is called " + text)
          .with_hint(near.empty() ? "" : "did you mean " + near + "?");
    }
    chosen.insert(dataset->name.key());
  }
  return {};
}

Status Update::choose() {
  LAKEBED_TRY(choose_names(request_.refresh, chosen_));
  LAKEBED_TRY(choose_names(request_.full_refresh, resets_));
  if (!chosen_.empty() || !request_.full_refresh.empty()) {
    chosen_.insert(resets_.begin(), resets_.end());
  }
  LAKEBED_TRY(check_resets());
  if (!request_.full_refresh_all) return {};
  chosen_.clear();
  for (const Dataset& dataset : pipeline_.datasets) {
    if (dataset.is_view()) continue;
    if (keeps_rows(dataset)) {
      Event event = flow_event("", dataset.name.text(), "RUNNING",
                               dataset.name.text() +
                                   " keeps its rows: pipelines.reset.allowed is "
                                   "false");
      event.level = Level::kWarn;
      sink_.emit(event);
      continue;
    }
    resets_.insert(dataset.name.key());
  }
  return {};
}

// Rule F2: a table that forbids it is not reset when it is named.
Status Update::check_resets() {
  for (const Dataset& dataset : pipeline_.datasets) {
    if (resets_.count(dataset.name.key()) == 0 || !keeps_rows(dataset)) continue;
    return project_error("RESET_NOT_ALLOWED",
                         fmt::format("{} can't be fully refreshed: its property "
                                     "pipelines.reset.allowed is false",
                                     dataset.name.text()),
                         dataset.declaration.span);
  }
  return {};
}

std::string Update::flow_of(const Dataset& dataset) const {
  return dataset.flows.empty() ? dataset.name.table : pipeline_.flows[dataset.flows[0]].name;
}

void Update::fail(const Dataset& dataset, const std::string& flow, Error error) {
  failed_.insert(dataset.name.text());
  result_.failed_flows.push_back(flow);
  Event event = flow_event(flow, dataset.name.text(), "FAILED",
                           fmt::format("flow {} failed: {}", flow, error.text()));
  event.level = Level::kError;
  event.error = error_json(error.code, error.message);
  sink_.emit(event);
  error.within("flow " + flow);
  result_.errors.push_back(std::move(error));
}

bool Update::reads_failed(size_t node) const {
  for (const std::string& read : graph_[node].reads) {
    if (failed_.count(read)) return true;
  }
  return false;
}

// Plans everything before anything is touched. What is wrong with the project stops the update;
// what is wrong with a source or a table fails its flow only (rule F13). Under a selection the
// other tables stand as they are, and views are looked at where they are read (rule F2).
void Update::plan_all(const std::vector<size_t>& order) {
  Planner planner(session_, pipeline_, resets_);
  for (const size_t node : order) {
    const Dataset& dataset = pipeline_.datasets[node];
    if (reads_failed(node)) {
      failed_.insert(dataset.name.text());
      continue;
    }
    if (!is_chosen(dataset)) continue;
    auto schema = planner.plan(dataset);
    if (schema.ok()) {
      schemas_[dataset.name.key()] = std::move(schema).value();
    } else if (schema.error().blame == Blame::kProject) {
      project_problem_ = std::move(schema).error();
      return;
    } else {
      fail(dataset, planner.planning.empty() ? flow_of(dataset) : planner.planning,
           std::move(schema).error());
    }
  }
}

Status Update::reset(const Dataset& dataset) {
  RunContext context{session_, pipeline_, sink_};
  TargetKind kind = TargetKind::kAppend;
  for (const size_t index : dataset.flows) {
    const Flow& flow = pipeline_.flows[index];
    if (flow.feed()) kind = kind_of(flow.feed()->stored_as);
    if (flow.snapshot()) kind = kind_of(flow.snapshot()->stored_as);
  }
  LAKEBED_TRY(reset_table(context, dataset, schemas_[dataset.name.key()], kind));
  if (!session_.project().quarantine) return {};
  LAKEBED_ASSIGN(const auto table, Table::open(session_, dataset.name));
  return table->exists() ? settle_quarantine(context, dataset, *table) : Status{};
}

// Tells how the flow ended; the other flows of the table go on (rule F13).
void Update::went_well(const Dataset& dataset, const std::string& flow, Status done) {
  if (!done.ok()) {
    fail(dataset, flow, std::move(done).error());
    return;
  }
  sink_.emit(flow_event(flow, dataset.name.text(), "COMPLETED", flow + " is up to date"));
}

void Update::start(const Dataset& dataset, const std::string& flow) {
  Event event = flow_event(flow, dataset.name.text(), "STARTING", "flow " + flow + " starts");
  event.only_for_records = true;
  sink_.emit(event);
}

void Update::fill(const Dataset& dataset) {
  RunContext context{session_, pipeline_, sink_};
  const std::string& table = dataset.name.table;
  const plan::RelationPtr& query = dataset.declaration.query;
  if (dataset.declaration.kind == plan::DatasetKind::kMaterializedView ||
      dataset.declaration.kind == plan::DatasetKind::kManagedTable) {
    if (!query) return;
    start(dataset, table);
    went_well(dataset, table, refresh_materialized_view(context, dataset));
    return;
  }
  if (query) {
    start(dataset, table);
    went_well(dataset, table, run_append_flow(context, own_query(dataset), dataset));
  }
  for (const size_t index : run_order_of(pipeline_, dataset)) {
    const Flow& flow = pipeline_.flows[index];
    start(dataset, flow.name);
    Status done = run_flow(context, flow, dataset, schemas_[dataset.name.key()]);
    went_well(dataset, flow.name, std::move(done));
  }
}

Result<UpdateResult> Update::run() {
  tell_state("INITIALIZING", sink_);
  LAKEBED_ASSIGN(pipeline_, read_pipeline(session_.project()));
  if (request_.continuous) {
    LAKEBED_TRY(check_continuous(pipeline_));
    return not_built("CONTINUOUS", "run --continuous is", {});
  }
  LAKEBED_TRY(choose());
  graph_ = graph_of(pipeline_);
  LAKEBED_ASSIGN(const std::vector<size_t> order, plan::run_order(graph_));
  plan_all(order);
  if (project_problem_) return *project_problem_;
  tell_definitions(pipeline_, schemas_, sink_);
  if (!resets_.empty()) tell_state("RESETTING", sink_);
  tell_state("RUNNING", sink_);
  for (const size_t node : order) {
    const Dataset& dataset = pipeline_.datasets[node];
    if (dataset.is_view()) continue;
    tell_flows(pipeline_, dataset, is_chosen(dataset) ? "QUEUED" : "EXCLUDED", sink_);
  }
  for (const size_t node : order) {
    const Dataset& dataset = pipeline_.datasets[node];
    if (dataset.is_view() && reads_failed(node)) failed_.insert(dataset.name.text());
    if (dataset.is_view() || !is_chosen(dataset) || failed_.count(dataset.name.text())) continue;
    if (reads_failed(node)) {
      failed_.insert(dataset.name.text());
      for (const std::string& flow : flows_into(pipeline_, dataset)) {
        sink_.emit(flow_event(flow, dataset.name.text(), "SKIPPED",
                              flow + " is skipped: what it reads has failed"));
      }
      continue;
    }
    const bool resets = resets_.count(dataset.name.key()) > 0 &&
                        dataset.declaration.kind == plan::DatasetKind::kStreamingTable;
    Status ready = resets ? reset(dataset) : Status{};
    if (ready.ok()) {
      fill(dataset);
    } else {
      fail(dataset, flow_of(dataset), std::move(ready).error());
    }
  }
  return std::move(result_);
}

}  // namespace

Result<UpdatePlan> plan_update(Session& session, const Pipeline& pipeline,
                               const std::set<std::string>& resets) {
  const std::vector<plan::GraphNode> graph = graph_of(pipeline);
  LAKEBED_ASSIGN(const std::vector<size_t> order, plan::run_order(graph));
  Planner planner(session, pipeline, resets);
  UpdatePlan update;
  for (const size_t node : order) {
    const Dataset& dataset = pipeline.datasets[node];
    PlannedDataset planned;
    planned.dataset = node;
    auto schema = planner.plan(dataset);
    if (!schema.ok()) {
      Error error = std::move(schema).error();
      if (!planner.planning.empty()) {
        error.within("flow " + planner.planning);
      } else if (!dataset.flows.empty()) {
        error.within("flow " + pipeline.flows[dataset.flows[0]].name);
      }
      return error;
    }
    planned.schema = std::move(schema).value();
    planned.reads = graph[node].reads;
    update.order.push_back(std::move(planned));
  }
  update.warnings = planner.warnings;
  return update;
}

Result<UpdatePlan> dry_run(Session& session, EventSink& sink) {
  LAKEBED_ASSIGN(const Pipeline pipeline, read_pipeline(session.project()));
  LAKEBED_ASSIGN(UpdatePlan update, plan_update(session, pipeline, {}));
  for (const std::string& warning : update.warnings) {
    Event event = flow_event("", "", "RUNNING", warning);
    event.level = Level::kWarn;
    sink.emit(event);
  }
  for (const PlannedDataset& planned : update.order) {
    const Dataset& dataset = pipeline.datasets[planned.dataset];
    sink.emit(flow_event(
        dataset.flows.empty() ? "" : pipeline.flows[dataset.flows[0]].name, dataset.name.text(),
        "PLANNED",
        fmt::format("{} is sound: {} columns", dataset.name.text(), planned.schema.size())));
  }
  return update;
}

Result<UpdateResult> run_update(Session& session, const UpdateRequest& request, EventSink& sink) {
  session.begin_update();
  EventLog log(session, sink);
  tell_request(request, log);
  auto result = Update(session, request, log).run();
  session.end_update();
  if (!result.ok()) {
    tell_state("FAILED", log, &result.error());
  } else {
    tell_state(result->errors.empty() ? "COMPLETED" : "FAILED", log);
  }
  log.close();
  return result;
}

}  // namespace lakebed::run
