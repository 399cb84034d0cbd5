// The dataflow graph of a project: who reads whom, in which order to run, and cycles. Pure.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace lakebed::plan {

// A dataset or flow target. Names are compared as they stand: callers bring them to one form.
struct GraphNode {
  std::string name;
  std::vector<std::string> reads;  // names that are no node are ignored: tables from outside
  SourceSpan span;
};

// Indices of the nodes such that each comes after all that it reads; among those that are free
// the one that was given first comes first. Errors: PIPELINE_DATASET_CYCLE, which names the cycle
// as a -> b -> a; PIPELINE_DUPLICATE_IDENTIFIERS.DATASET for two nodes of one name.
Result<std::vector<size_t>> run_order(const std::vector<GraphNode>& nodes);

// Indices of all nodes that read `start`, directly or through others, ascending; not `start`.
std::vector<size_t> readers_of(const std::vector<GraphNode>& nodes, size_t start);

}  // namespace lakebed::plan
