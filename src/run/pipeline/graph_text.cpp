// Drawing the dataflow graph: text, Graphviz, Mermaid. Datasets are boxes, a flow is the arrow from
// each thing that it reads to what it fills; what comes from outside has a shape of its own.
#include <fmt/format.h>

#include <map>

#include "run/pipeline/flow_graph.h"

namespace lakebed::run {

namespace {

std::string flow_label(const GraphFlow& flow) {
  return fmt::format("{} ({}{})", flow.name, flow.type, flow.once ? ", once" : "");
}

// Text in double quotes, as both languages write it.
std::string quoted(const std::string& text, const char* quote_as) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"') {
      out += quote_as;
    } else {
      out += c;
    }
  }
  return out + "\"";
}

std::string as_text(const Pipeline& pipeline, const std::vector<GraphFlow>& flows) {
  std::string out;
  for (size_t i = 0; i < pipeline.datasets.size(); ++i) {
    const Dataset& dataset = pipeline.datasets[i];
    out += fmt::format("{} ({})\n", dataset.name.text(), kind_text(dataset));
    for (const GraphFlow& flow : flows) {
      if (flow.dataset != i) continue;
      out += fmt::format("  <- {}\n", flow_label(flow));
      for (const GraphInput& input : flow.reads) {
        out += fmt::format("       {}{}{}\n", input.streaming ? "STREAM " : "", input.name,
                           input.outside ? " (outside)" : "");
      }
    }
  }
  return out;
}

// Short ids for nodes, in the order in which they are met: d1, d2 ...
class Ids {
 public:
  // The id, and whether it is new.
  std::pair<std::string, bool> of(const std::string& name) {
    const auto [at, added] = ids_.emplace(name, "d" + std::to_string(ids_.size() + 1));
    return {at->second, added};
  }

 private:
  std::map<std::string, std::string> ids_;
};

struct Language {
  std::string begin;
  std::string end;
  std::string (*box)(const std::string& id, const std::string& name, const std::string& kind);
  std::string (*leaf)(const std::string& id, const std::string& name);
  std::string (*arrow)(const std::string& from, const std::string& to, const std::string& label);
};

const Language kDot = {
    "digraph pipeline {\n  rankdir=LR;\n  node [fontname=\"sans-serif\"];\n", "}\n",
    [](const std::string& id, const std::string& name, const std::string& kind) {
      return fmt::format("  {} [shape=box, label={}];\n", id, quoted(name + "\\n" + kind, "\\\""));
    },
    [](const std::string& id, const std::string& name) {
      return fmt::format("  {} [shape=cylinder, label={}];\n", id, quoted(name, "\\\""));
    },
    [](const std::string& from, const std::string& to, const std::string& label) {
      return fmt::format("  {} -> {} [label={}];\n", from, to, quoted(label, "\\\""));
    }};

const Language kMermaid = {
    "flowchart LR\n", "",
    [](const std::string& id, const std::string& name, const std::string& kind) {
      return fmt::format("  {}[{}]\n", id, quoted(name + "<br/>" + kind, "#quot;"));
    },
    [](const std::string& id, const std::string& name) {
      return fmt::format("  {}[({})]\n", id, quoted(name, "#quot;"));
    },
    [](const std::string& from, const std::string& to, const std::string& label) {
      return fmt::format("  {} -->|{}| {}\n", from, quoted(label, "#quot;"), to);
    }};

std::string as_drawing(const Pipeline& pipeline, const std::vector<GraphFlow>& flows,
                       const Language& language) {
  Ids ids;
  std::string boxes;
  std::string arrows;
  for (const Dataset& dataset : pipeline.datasets) {
    const std::string name = dataset.name.text();
    boxes += language.box(ids.of(name).first, name, kind_text(dataset));
  }
  for (const GraphFlow& flow : flows) {
    const std::string to = ids.of(pipeline.datasets[flow.dataset].name.text()).first;
    for (const GraphInput& input : flow.reads) {
      const auto [from, added] = ids.of(input.name);
      if (added) boxes += language.leaf(from, input.name);
      arrows += language.arrow(from, to, flow_label(flow));
    }
  }
  return language.begin + boxes + arrows + language.end;
}

}  // namespace

std::string draw_graph(const Pipeline& pipeline, GraphFormat format) {
  const std::vector<GraphFlow> flows = flow_graph(pipeline);
  if (format == GraphFormat::kText) return as_text(pipeline, flows);
  return as_drawing(pipeline, flows, format == GraphFormat::kDot ? kDot : kMermaid);
}

}  // namespace lakebed::run
