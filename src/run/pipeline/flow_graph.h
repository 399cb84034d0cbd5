// The dataflow graph of a project: datasets, the flows that fill them, and what flows read. For
// `lakebed graph` and for the event log's definitions.
#pragma once

#include <string>
#include <vector>

#include "run/pipeline/pipeline.h"

namespace lakebed::run {

// What a flow reads: a dataset of the project, or a leaf from outside (a table of the warehouse,
// files).
struct GraphInput {
  std::string name;  // catalog.schema.table, or a table function with its path
  bool outside = false;
  bool streaming = false;
};

// A flow as it stands in the graph; a query that a dataset has of its own is a flow, too.
struct GraphFlow {
  std::string name;
  size_t dataset = 0;     // what it fills: index into Pipeline::datasets
  const char* type = "";  // "CHANGE", "SNAPSHOT_CHANGE", "APPEND", "MATERIALIZED_VIEW", "VIEW"
  bool once = false;
  std::vector<GraphInput> reads;  // each name once, in the order in which the query reads them
};

// All flows of the project, by dataset as declared, then by name.
std::vector<GraphFlow> flow_graph(const Pipeline& pipeline);

// "streaming table", "materialized view", "table", "temporary view", "view".
const char* kind_text(const Dataset& dataset);

enum class GraphFormat : uint8_t { kText, kDot, kMermaid };

// The graph, drawn: lines for people, Graphviz's language, or Mermaid's.
std::string draw_graph(const Pipeline& pipeline, GraphFormat format);

}  // namespace lakebed::run
