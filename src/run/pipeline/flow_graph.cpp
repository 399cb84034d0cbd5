#include "run/pipeline/flow_graph.h"

#include <algorithm>

#include "run/pipeline/plan_reads.h"

namespace lakebed::run {

namespace {

const char* query_type(const Dataset& dataset) {
  if (dataset.is_view()) return "VIEW";
  return dataset.declaration.kind == plan::DatasetKind::kStreamingTable ? "APPEND"
                                                                        : "MATERIALIZED_VIEW";
}

void add_reads(const Pipeline& pipeline, const NameScope& scope, const plan::RelationPtr& query,
               GraphFlow& flow) {
  for (const ReadSource& source : sources_read(query)) {
    GraphInput input{source.function, true, source.streaming};
    if (!source.name.empty()) {
      const Dataset* dataset = pipeline.find(source.name, scope);
      const auto full = complete_name(source.name, scope, {});
      input.outside = dataset == nullptr;
      input.name = dataset ? dataset->name.text() : full.ok() ? full->text() : source.name.back();
    }
    const bool known = std::any_of(flow.reads.begin(), flow.reads.end(),
                                   [&](const GraphInput& one) { return one.name == input.name; });
    if (!known) flow.reads.push_back(std::move(input));
  }
}

GraphFlow graph_flow(const Pipeline& pipeline, const Flow& flow) {
  GraphFlow out;
  out.name = flow.name;
  out.dataset = flow.target;
  out.once = flow.body.once;
  if (const plan::FeedSpec* feed = flow.feed()) {
    out.type = "CHANGE";
    add_reads(pipeline, flow.scope, feed->source, out);
  } else if (const plan::SnapshotSpec* snapshot = flow.snapshot()) {
    out.type = "SNAPSHOT_CHANGE";
    add_reads(pipeline, flow.scope, snapshot->source, out);
    if (snapshot->version) add_reads(pipeline, flow.scope, snapshot->version, out);
  } else {
    out.type = "APPEND";
    add_reads(pipeline, flow.scope, flow.insert()->query, out);
  }
  return out;
}

}  // namespace

std::vector<GraphFlow> flow_graph(const Pipeline& pipeline) {
  std::vector<GraphFlow> flows;
  for (size_t i = 0; i < pipeline.datasets.size(); ++i) {
    const Dataset& dataset = pipeline.datasets[i];
    if (dataset.declaration.query) {
      GraphFlow own{dataset.name.table, i, query_type(dataset), false, {}};
      add_reads(pipeline, dataset.scope, dataset.declaration.query, own);
      flows.push_back(std::move(own));
    }
    for (const size_t index : dataset.flows) {
      flows.push_back(graph_flow(pipeline, pipeline.flows[index]));
    }
  }
  return flows;
}

const char* kind_text(const Dataset& dataset) {
  switch (dataset.declaration.kind) {
    case plan::DatasetKind::kStreamingTable: return "streaming table";
    case plan::DatasetKind::kMaterializedView: return "materialized view";
    case plan::DatasetKind::kManagedTable: return "table";
    case plan::DatasetKind::kTemporaryView: return "temporary view";
    case plan::DatasetKind::kPersistedView: return "view";
  }
  return "";
}

}  // namespace lakebed::run
