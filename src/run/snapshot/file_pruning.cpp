#include "run/snapshot/file_pruning.h"

#include <algorithm>
#include <limits>
#include <set>

#include "base/names.h"
#include "plan/functions.h"
#include "plan/tree_tools.h"
#include "source/rows.h"

namespace lakebed::run {

namespace {

using plan::AttributeId;
using plan::Expression;
using plan::ExpressionKind;
using plan::ExpressionPtr;
using plan::Relation;
using plan::RelationKind;
using plan::RelationPtr;

constexpr const char* kMetadata = "_metadata";

// Everything that a part of a plan refers to.
struct Uses {
  std::set<AttributeId> columns;  // of the relation itself, not of its subqueries
  std::set<uint32_t> leaves;      // of subqueries
  bool outer = false;             // a correlated subquery
  bool repeatable = true;         // no rand() and the like

  void visit(const ExpressionPtr& node, int depth) {
    if (!node) return;
    if (node->kind == ExpressionKind::kColumn && depth == 0) columns.insert(node->attribute);
    if (node->kind == ExpressionKind::kOuterColumn) outer = true;
    if (node->kind == ExpressionKind::kCall) {
      const plan::Function* function = plan::find_function(node->name);
      repeatable = repeatable && (!function || function->deterministic);
    }
    plan::any_part(*node, [&](const ExpressionPtr& part) {
      visit(part, depth);
      return false;
    });
    visit(node->relation, depth + 1);
  }
  void visit(const RelationPtr& node, int depth) {
    if (!node) return;
    if (node->kind == RelationKind::kLeaf) leaves.insert(node->leaf);
    for (const RelationPtr& input : node->inputs) visit(input, depth);
    for (const auto* list : {&node->expressions, &node->grouping, &node->order}) {
      for (const ExpressionPtr& part : *list) visit(part, depth);
    }
    for (const auto& row : node->rows) {
      for (const ExpressionPtr& part : row) visit(part, depth);
    }
    visit(node->condition, depth);
    visit(node->limit, depth);
    visit(node->offset, depth);
  }
};

void split(const ExpressionPtr& condition, std::vector<ExpressionPtr>& out) {
  if (condition->kind == ExpressionKind::kCall && condition->name == "and") {
    for (const ExpressionPtr& part : condition->children) split(part, out);
  } else {
    out.push_back(condition);
  }
}

// The leaf that filters alone stand on; null where something else does.
const Relation* filtered_leaf(const Relation& filter) {
  const Relation* at = &filter;
  while (at->kind == RelationKind::kFilter) at = at->inputs[0].get();
  return at->kind == RelationKind::kLeaf ? at : nullptr;
}

const plan::Attribute* metadata_of(const Relation& leaf) {
  for (const plan::Attribute& attribute : leaf.output) {
    if (attribute.hidden && same_name(attribute.name, kMetadata)) return &attribute;
  }
  return nullptr;
}

// Collects the conditions over one leaf, wherever in the plan it is read.
class Finder {
 public:
  explicit Finder(uint32_t leaf) : leaf_(leaf) {}

  void visit(const RelationPtr& node) {
    if (!node) return;
    if (node->kind == RelationKind::kFilter) add(*node);
    for (const RelationPtr& input : node->inputs) visit(input);
    for (const auto* list : {&node->expressions, &node->order}) {
      for (const ExpressionPtr& part : *list) visit(part);
    }
    visit(node->condition);
  }
  std::vector<ExpressionPtr> found;

 private:
  void visit(const ExpressionPtr& node) {
    if (!node) return;
    plan::any_part(*node, [this](const ExpressionPtr& part) {
      visit(part);
      return false;
    });
    visit(node->relation);
  }
  void add(const Relation& filter) {
    const Relation* leaf = filtered_leaf(filter);
    if (!leaf || leaf->leaf != leaf_) return;
    const plan::Attribute* metadata = metadata_of(*leaf);
    if (!metadata) return;
    std::vector<ExpressionPtr> parts;
    split(filter.condition, parts);
    for (const ExpressionPtr& part : parts) {
      Uses uses;
      uses.visit(part, 0);
      const bool only = uses.columns == std::set<AttributeId>{metadata->id};
      if (only && !uses.outer && uses.repeatable) found.push_back(part);
    }
  }

  uint32_t leaf_;
};

const Relation* find_leaf(const RelationPtr& node, uint32_t leaf) {
  if (!node) return nullptr;
  if (node->kind == RelationKind::kLeaf) return node->leaf == leaf ? node.get() : nullptr;
  for (const RelationPtr& input : node->inputs) {
    if (const Relation* found = find_leaf(input, leaf)) return found;
  }
  return nullptr;
}

// "Which of these files?": the condition over rows of `_metadata` and their number.
plan::ResolvedQuery question(const Relation& leaf, const plan::Scan& scan,
                             const ExpressionPtr& condition, const value::Schema& schema) {
  auto files = plan::edit(leaf);
  files->output = {*metadata_of(leaf)};
  files->output[0].hidden = false;
  plan::Attribute number;
  number.id = std::numeric_limits<AttributeId>::max();
  number.name = schema.back().name;
  number.type = schema.back().type;
  files->output.push_back(number);
  plan::ResolvedQuery out;
  out.root = plan::project_of(plan::filter_of(RelationPtr(files), condition, scan.span),
                              {plan::column_of(number, scan.span)}, scan.span);
  out.scans = {scan};
  out.scans[0].schema = schema;
  return out;
}

}  // namespace

ExpressionPtr file_condition(const plan::ResolvedQuery& query, const plan::Scan& scan) {
  if (!find_leaf(query.root, scan.leaf)) return nullptr;
  Finder finder(scan.leaf);
  finder.visit(query.root);
  ExpressionPtr all;
  for (const ExpressionPtr& part : finder.found) {
    all = all ? plan::boolean_call("and", {all, part}, part->span) : part;
  }
  return all;
}

Result<source::Slice> read_chosen(source::Source& source, const plan::ResolvedQuery& query,
                                  const plan::Scan& scan, const ExpressionPtr& condition,
                                  const std::map<uint32_t, engine::ScanInput>& inputs,
                                  engine::Engine& engine) {
  value::ColumnBatch facts = source.file_facts();
  if (facts.rows < 2) return source.read_all();
  facts.schema.push_back({"__lakebed_file", value::Kind::kLong, false, "", {}});
  value::Column numbers{value::Type(value::Kind::kLong)};
  for (size_t i = 0; i < facts.rows; ++i) numbers.append_fixed(static_cast<int64_t>(i));
  facts.columns.push_back(std::move(numbers));

  const Relation* leaf = find_leaf(query.root, scan.leaf);
  plan::ResolvedQuery asked = question(*leaf, scan, condition, facts.schema);
  std::map<uint32_t, engine::ScanInput> given;
  Uses uses;
  uses.visit(condition, 0);
  for (const uint32_t other : uses.leaves) {
    const auto known = inputs.find(other);
    if (known == inputs.end()) return source.read_all();
    given[other] = known->second;
    const auto found = std::find_if(query.scans.begin(), query.scans.end(),
                                    [&](const plan::Scan& one) { return one.leaf == other; });
    asked.scans.push_back(*found);
  }
  const auto rows = std::make_shared<const value::ColumnBatch>(std::move(facts));
  LAKEBED_ASSIGN(given[scan.leaf], source::rows_slice(rows).input(rows->schema));
  LAKEBED_ASSIGN(const auto reader, engine.run(asked, given));
  std::vector<uint32_t> chosen;
  while (true) {
    LAKEBED_ASSIGN(const auto batch, reader->next());
    if (!batch) break;
    for (size_t i = 0; i < batch->rows; ++i) {
      chosen.push_back(static_cast<uint32_t>(batch->columns[0].integer(i)));
    }
  }
  std::sort(chosen.begin(), chosen.end());
  return source.read_some(chosen);
}

}  // namespace lakebed::run
