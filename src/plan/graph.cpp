#include "plan/graph.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>

namespace lakebed::plan {
namespace {

using Edges = std::vector<std::vector<size_t>>;  // node -> nodes that it reads

Result<Edges> read_edges(const std::vector<GraphNode>& nodes) {
  std::map<std::string, size_t> index;
  for (size_t i = 0; i < nodes.size(); ++i) {
    if (index.emplace(nodes[i].name, i).second) continue;
    return project_error("PIPELINE_DUPLICATE_IDENTIFIERS.DATASET",
                         fmt::format("The dataset `{}` is defined twice, first at {}.",
                                     nodes[i].name, nodes[index[nodes[i].name]].span.text()),
                         nodes[i].span);
  }
  Edges edges(nodes.size());
  for (size_t i = 0; i < nodes.size(); ++i) {
    for (const std::string& name : nodes[i].reads) {
      const auto found = index.find(name);
      if (found != index.end()) edges[i].push_back(found->second);
    }
  }
  return edges;
}

// Follows reads from `start` among the nodes that are left, until a node comes again.
std::vector<size_t> find_cycle(const Edges& edges, const std::vector<bool>& done, size_t start) {
  std::vector<size_t> path;
  size_t at = start;
  while (true) {
    const auto seen = std::find(path.begin(), path.end(), at);
    if (seen != path.end()) return {seen, path.end()};
    path.push_back(at);
    // A node that is left reads at least one other that is left.
    at = *std::find_if(edges[at].begin(), edges[at].end(),
                       [&](size_t next) { return !done[next]; });
  }
}

Error cycle_error(const std::vector<GraphNode>& nodes, const std::vector<size_t>& cycle) {
  std::string path;
  for (const size_t index : cycle) path += nodes[index].name + " -> ";
  path += nodes[cycle.front()].name;
  return project_error("PIPELINE_DATASET_CYCLE",
                       fmt::format("Datasets read each other in a circle: {}.", path),
                       nodes[cycle.front()].span);
}

}  // namespace

Result<std::vector<size_t>> run_order(const std::vector<GraphNode>& nodes) {
  LAKEBED_ASSIGN(const Edges edges, read_edges(nodes));
  std::vector<bool> done(nodes.size(), false);
  std::vector<size_t> order;
  while (order.size() < nodes.size()) {
    size_t next = nodes.size();
    for (size_t i = 0; i < nodes.size() && next == nodes.size(); ++i) {
      const bool free = !done[i] && std::all_of(edges[i].begin(), edges[i].end(),
                                                [&](size_t read) { return done[read]; });
      if (free) next = i;
    }
    if (next == nodes.size()) {
      const auto left = std::find(done.begin(), done.end(), false);
      return cycle_error(nodes, find_cycle(edges, done, static_cast<size_t>(left - done.begin())));
    }
    done[next] = true;
    order.push_back(next);
  }
  return order;
}

std::vector<size_t> readers_of(const std::vector<GraphNode>& nodes, size_t start) {
  std::set<std::string> reached = {nodes[start].name};
  std::set<size_t> found;
  for (bool grown = true; grown;) {
    grown = false;
    for (size_t i = 0; i < nodes.size(); ++i) {
      if (i == start || found.contains(i)) continue;
      const auto is_reached = [&](const std::string& name) { return reached.contains(name); };
      const bool reads = std::any_of(nodes[i].reads.begin(), nodes[i].reads.end(), is_reached);
      if (!reads) continue;
      found.insert(i);
      reached.insert(nodes[i].name);
      grown = true;
    }
  }
  return {found.begin(), found.end()};
}

}  // namespace lakebed::plan
