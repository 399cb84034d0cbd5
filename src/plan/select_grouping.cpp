// GROUP BY: expressions, positions, aliases, ALL, GROUPING SETS, ROLLUP and CUBE.
#include <fmt/core.h>

#include <algorithm>

#include "plan/expression_text.h"
#include "plan/select_block.h"

namespace lakebed::plan {
namespace {

// The index of `expression` in the grouping, added when it is new.
size_t add_expression(Grouping& grouping, const ExpressionPtr& expression) {
  for (size_t i = 0; i < grouping.expressions.size(); ++i) {
    if (same_expression(*grouping.expressions[i], *expression)) return i;
  }
  grouping.expressions.push_back(expression);
  return grouping.expressions.size() - 1;
}

// GROUP BY ALL: an item without aggregates, or the columns beside the aggregates of one with.
void add_all(Grouping& grouping, const ExpressionPtr& node) {
  const bool literal = node->kind == ExpressionKind::kLiteral;
  if (!has_aggregate(node) && !has_window(node)) {
    if (!literal) add_expression(grouping, node);
    return;
  }
  if (is_call_of(*node, FunctionKind::kAggregate) || node->kind == ExpressionKind::kWindow) return;
  any_part(*node, [&](const ExpressionPtr& part) {
    add_all(grouping, part);
    return false;
  });
}

// (a, b) inside ROLLUP or CUBE is one step of both columns.
std::vector<ExpressionPtr> step_parts(const ExpressionPtr& node) {
  const bool tuple = node->kind == ExpressionKind::kCall &&
                     (node->name == "struct" || node->name == "row");
  return tuple ? node->children : std::vector<ExpressionPtr>{node};
}

void append_unique(std::vector<size_t>& set, const std::vector<size_t>& more) {
  for (const size_t index : more) {
    if (std::find(set.begin(), set.end(), index) == set.end()) set.push_back(index);
  }
}

std::vector<std::vector<size_t>> rollup_sets(const std::vector<std::vector<size_t>>& steps) {
  std::vector<std::vector<size_t>> sets;
  for (size_t count = steps.size() + 1; count-- > 0;) {
    std::vector<size_t> set;
    for (size_t i = 0; i < count; ++i) append_unique(set, steps[i]);
    sets.push_back(std::move(set));
  }
  return sets;
}

std::vector<std::vector<size_t>> cube_sets(const std::vector<std::vector<size_t>>& steps) {
  std::vector<std::vector<size_t>> sets;
  const size_t all = (size_t{1} << steps.size()) - 1;
  for (size_t mask = all + 1; mask-- > 0;) {
    std::vector<size_t> set;
    for (size_t i = 0; i < steps.size(); ++i) {
      const bool chosen = ((mask >> (steps.size() - 1 - i)) & 1) != 0;
      if (chosen) append_unique(set, steps[i]);
    }
    sets.push_back(std::move(set));
  }
  return sets;
}

}  // namespace

Result<ExpressionPtr> SelectBlock::grouping_expression(const ExpressionPtr& node) {
  ExpressionPtr expression;
  const bool ordinal = node->kind == ExpressionKind::kLiteral && !node->is_null &&
                       node->type.is_integer();
  if (ordinal) {
    LAKEBED_ASSIGN(expression, item_at(*node, "GROUP_BY"));
  } else {
    LAKEBED_ASSIGN(expression, resolve_expression(session_, scope_, node));
  }
  expression = inline_items(expression, items_);
  if (has_aggregate(expression) || has_window(expression)) {
    return project_error(ordinal ? "GROUP_BY_POS_AGGREGATE" : "GROUP_BY_AGGREGATE",
                         fmt::format("GROUP BY {} refers to an aggregate or window function.",
                                     expression_text(*node)),
                         node->span);
  }
  const bool generated = any_expression(expression, [this](const Expression& part) {
    if (part.kind != ExpressionKind::kColumn) return false;
    return std::any_of(generators_.begin(), generators_.end(), [&](const Generator& generator) {
      return std::any_of(generator.columns.begin(), generator.columns.end(),
                         [&](const Attribute& column) { return column.id == part.attribute; });
    });
  });
  if (generated) {
    return project_error("UNSUPPORTED_GENERATOR.OUTSIDE_SELECT",
                         "GROUP BY cannot use what a generator of the same SELECT makes.",
                         node->span)
        .with_hint("use LATERAL VIEW, or a subquery");
  }
  if (expression->type.kind == value::Kind::kMap) {
    return project_error("GROUP_EXPRESSION_TYPE_IS_NOT_ORDERABLE",
                         fmt::format("{} has the type {}, by which nothing can be grouped.",
                                     expression_text(*node), expression->type.text()),
                         node->span);
  }
  return expression;
}

Result<std::vector<size_t>> SelectBlock::grouping_set(const std::vector<ExpressionPtr>& nodes,
                                                      Grouping& grouping) {
  std::vector<size_t> set;
  for (const ExpressionPtr& node : nodes) {
    LAKEBED_ASSIGN(ExpressionPtr expression, grouping_expression(node));
    append_unique(set, {add_expression(grouping, expression)});
  }
  return set;
}

Status SelectBlock::add_rollup(Grouping& grouping) {
  std::vector<std::vector<size_t>> steps;
  for (const ExpressionPtr& node : core_->grouping) {
    LAKEBED_ASSIGN(std::vector<size_t> step, grouping_set(step_parts(node), grouping));
    steps.push_back(std::move(step));
  }
  const bool cube = core_->grouping_kind == GroupingKind::kCube;
  if (cube && steps.size() > 12) {
    return project_error("GROUPING_SIZE_LIMIT_EXCEEDED", "CUBE takes up to 12 expressions.",
                         core_->span);
  }
  grouping.has_sets = true;
  grouping.sets = cube ? cube_sets(steps) : rollup_sets(steps);
  return {};
}

Result<Grouping> SelectBlock::resolve_grouping() {
  Grouping grouping;
  if (core_->kind != RelationKind::kAggregate) return grouping;
  scope_.item_use = ItemUse::kAfterInput;
  scope_.keep_item_references = false;
  grouping.written = core_->grouping_kind != GroupingKind::kPlain || !core_->grouping.empty();
  switch (core_->grouping_kind) {
    case GroupingKind::kPlain:
      for (const ExpressionPtr& node : core_->grouping) {
        LAKEBED_ASSIGN(ExpressionPtr expression, grouping_expression(node));
        add_expression(grouping, expression);
      }
      break;
    case GroupingKind::kAll:
      for (const Item& item : items_) {
        if (item.visible) add_all(grouping, inline_items(item.expression, items_));
      }
      break;
    case GroupingKind::kRollup:
    case GroupingKind::kCube: LAKEBED_TRY(add_rollup(grouping)); break;
    case GroupingKind::kSets:
      // The plain list first, so that the columns come in the order that was written.
      for (const ExpressionPtr& node : core_->grouping) {
        LAKEBED_ASSIGN(ExpressionPtr expression, grouping_expression(node));
        add_expression(grouping, expression);
      }
      grouping.has_sets = true;
      for (const auto& nodes : core_->grouping_sets) {
        LAKEBED_ASSIGN(std::vector<size_t> set, grouping_set(nodes, grouping));
        grouping.sets.push_back(std::move(set));
      }
      break;
  }
  return grouping;
}

}  // namespace lakebed::plan
