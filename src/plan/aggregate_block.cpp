#include "plan/aggregate_block.h"

#include <fmt/core.h>

#include <algorithm>

#include "plan/expression_text.h"

namespace lakebed::plan {
namespace {

std::string name_of(const Expression& node) {
  return node.kind == ExpressionKind::kColumn ? node.name_parts.back() : expression_text(node);
}

bool is_grouping_call(const Expression& node) {
  return node.kind == ExpressionKind::kCall &&
         (node.name == "grouping" || node.name == "grouping_id");
}

}  // namespace

AggregateBuilder::AggregateBuilder(Session& session, RelationPtr input, Grouping grouping,
                                   SourceSpan span)
    : session_(session), grouping_(std::move(grouping)), span_(std::move(span)) {
  for (const Attribute& attribute : input->output) input_ids_.insert(attribute.id);
  bool computed = false;
  std::vector<ExpressionPtr> below = pass_all(*input);
  for (const ExpressionPtr& expression : grouping_.expressions) {
    const bool own = expression->kind == ExpressionKind::kColumn &&
                     input_ids_.contains(expression->attribute);
    if (own) {
      keys_.push_back(expression);
      continue;
    }
    ExpressionPtr alias = alias_of(expression, name_of(*expression), session_.next_id());
    keys_.push_back(column_of(attribute_of(*alias), expression->span));
    below.push_back(std::move(alias));
    computed = true;
  }
  input_ = computed ? project_of(std::move(input), std::move(below), span_) : std::move(input);
  for (const ExpressionPtr& key : keys_) add_output(key, name_of(*key));
}

size_t AggregateBuilder::add_output(ExpressionPtr expression, const std::string& name) {
  for (size_t i = 0; i < outputs_.size(); ++i) {
    if (same_expression(*outputs_[i]->children[0], *expression)) return i;
  }
  auto alias = edit(*alias_of(std::move(expression), name, session_.next_id()));
  if (grouping_.has_sets) alias->nullable = true;
  outputs_.push_back(alias);
  return outputs_.size() - 1;
}

ExpressionPtr AggregateBuilder::output_column(size_t index, const SourceSpan& span) const {
  return column_of(attribute_of(*outputs_[index]), span);
}

Error AggregateBuilder::not_grouped(const Expression& node) const {
  if (!grouping_.written) {
    return project_error("MISSING_GROUP_BY",
                         fmt::format("The query has aggregates and no GROUP BY, so {} has no "
                                     "single value.",
                                     expression_text(node)),
                         node.span)
        .with_hint("add GROUP BY, or turn the columns into window functions");
  }
  return project_error("MISSING_AGGREGATION",
                       fmt::format("The non-aggregating expression {} is based on columns which "
                                   "are not in GROUP BY.",
                                   expression_text(node)),
                       node.span)
      .with_hint(fmt::format("add it to GROUP BY, or use any_value({})", expression_text(node)));
}

Result<ExpressionPtr> AggregateBuilder::extract(const ExpressionPtr& node) {
  for (size_t i = 0; i < grouping_.expressions.size(); ++i) {
    if (same_expression(*grouping_.expressions[i], *node)) return output_column(i, node->span);
  }
  if (node->relation != nullptr) return extract_subquery(node);
  if (node->kind == ExpressionKind::kWindow) return extract_window(node);
  if (node->kind == ExpressionKind::kCall) return extract_call(node);
  if (node->kind == ExpressionKind::kColumn) {
    if (allowed_.contains(node->attribute)) return node;
    return not_grouped(*node);
  }
  return extract_parts(node);
}

Result<ExpressionPtr> AggregateBuilder::extract_parts(const ExpressionPtr& node) {
  return map_parts(node, [this](const ExpressionPtr& part) { return extract(part); });
}

Result<ExpressionPtr> AggregateBuilder::extract_call(const ExpressionPtr& node) {
  if (is_grouping_call(*node)) return extract_grouping(*node);
  if (!is_call_of(*node, FunctionKind::kAggregate)) return extract_parts(node);
  const bool nested = any_part(*node, [](const ExpressionPtr& part) {
    return has_aggregate(part);
  });
  if (nested) {
    return project_error("NESTED_AGGREGATE_FUNCTION",
                         "An aggregate function cannot stand in the argument of another one.",
                         node->span)
        .with_hint("compute the inner aggregate in a subquery");
  }
  if (any_part(*node, [](const ExpressionPtr& part) { return has_window(part); })) {
    return project_error("UNSUPPORTED_EXPR_FOR_OPERATOR",
                         "A window function cannot stand in the argument of an aggregate function.",
                         node->span);
  }
  return output_column(add_output(node, expression_text(*node)), node->span);
}

Result<ExpressionPtr> AggregateBuilder::extract_grouping(const Expression& node) {
  if (!grouping_.has_sets) {
    return project_error("UNSUPPORTED_GROUPING_EXPRESSION",
                         "grouping() and grouping_id() need GROUPING SETS, ROLLUP or CUBE.",
                         node.span);
  }
  auto call = edit(node);
  call->children.clear();
  for (const ExpressionPtr& child : node.children) {
    size_t at = 0;
    while (at < keys_.size() && !same_expression(*grouping_.expressions[at], *child)) ++at;
    if (at == keys_.size()) {
      return project_error("GROUPING_COLUMN_MISMATCH",
                           fmt::format("{} is not among the grouping columns.",
                                       expression_text(*child)),
                           child->span);
    }
    call->children.push_back(keys_[at]);
  }
  if (node.children.empty()) call->children = keys_;
  return output_column(add_output(call, expression_text(node)), node.span);
}

Result<ExpressionPtr> AggregateBuilder::extract_window(const ExpressionPtr& node) {
  auto copy = edit(*node);
  LAKEBED_ASSIGN(copy->children[0], extract_parts(node->children[0]));
  for (ExpressionPtr& part : copy->window->partition) {
    LAKEBED_ASSIGN(part, extract(part));
  }
  for (ExpressionPtr& part : copy->window->order) {
    LAKEBED_ASSIGN(part, extract(part));
  }
  return ExpressionPtr(copy);
}

// Correlated columns of a subquery must be grouping columns; they become the aggregate's outputs.
Result<ExpressionPtr> AggregateBuilder::extract_subquery(const ExpressionPtr& node) {
  LAKEBED_ASSIGN(ExpressionPtr outer, extract_parts(node));
  auto copy = edit(*outer);
  const std::function<Result<ExpressionPtr>(const ExpressionPtr&)> rewrite =
      [&](const ExpressionPtr& part) -> Result<ExpressionPtr> {
    if (part->kind != ExpressionKind::kOuterColumn) return map_parts(part, rewrite);
    if (!input_ids_.contains(part->attribute)) return part;
    for (size_t i = 0; i < keys_.size(); ++i) {
      if (grouping_.expressions[i]->kind != ExpressionKind::kColumn) continue;
      if (grouping_.expressions[i]->attribute != part->attribute) continue;
      auto column = edit(*part);
      column->attribute = outputs_[i]->attribute;
      return ExpressionPtr(column);
    }
    return not_grouped(*part);
  };
  LAKEBED_ASSIGN(copy->relation, map_expressions(copy->relation, rewrite));
  return ExpressionPtr(copy);
}

RelationPtr AggregateBuilder::build() {
  auto node = std::make_shared<Relation>();
  node->kind = RelationKind::kAggregate;
  node->span = span_;
  node->streaming = input_->streaming;
  node->inputs = {input_};
  node->grouping = keys_;
  node->expressions = outputs_;
  for (const ExpressionPtr& output : outputs_) node->output.push_back(attribute_of(*output));
  if (!grouping_.has_sets) return node;
  node->grouping_kind = GroupingKind::kSets;
  for (const auto& set : grouping_.sets) {
    std::vector<ExpressionPtr> columns;
    for (const size_t index : set) columns.push_back(keys_[index]);
    node->grouping_sets.push_back(std::move(columns));
  }
  return node;
}

}  // namespace lakebed::plan
