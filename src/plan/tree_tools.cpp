#include "plan/tree_tools.h"

#include <limits>

namespace lakebed::plan {
namespace {

// Rewrites the items of a list in place; sets `changed`.
Status rewrite_list(std::vector<ExpressionPtr>& list, const ExpressionRewrite& rewrite,
                    bool& changed) {
  for (ExpressionPtr& item : list) {
    if (item == nullptr) continue;
    LAKEBED_ASSIGN(ExpressionPtr next, rewrite(item));
    changed |= next != item;
    item = std::move(next);
  }
  return {};
}

Status rewrite_one(ExpressionPtr& item, const ExpressionRewrite& rewrite, bool& changed) {
  if (item == nullptr) return {};
  LAKEBED_ASSIGN(ExpressionPtr next, rewrite(item));
  changed |= next != item;
  item = std::move(next);
  return {};
}

Status rewrite_window(WindowSpec& window, const ExpressionRewrite& rewrite, bool& changed) {
  LAKEBED_TRY(rewrite_list(window.partition, rewrite, changed));
  LAKEBED_TRY(rewrite_list(window.order, rewrite, changed));
  if (!window.frame) return {};
  LAKEBED_TRY(rewrite_one(window.frame->start_offset, rewrite, changed));
  return rewrite_one(window.frame->end_offset, rewrite, changed);
}

// Applies `rewrite` to the subqueries inside an expression.
Result<ExpressionPtr> map_subqueries(const ExpressionPtr& node, const ExpressionRewrite& rewrite) {
  LAKEBED_ASSIGN(ExpressionPtr mapped,
                 map_parts(node, [&](const ExpressionPtr& part) -> Result<ExpressionPtr> {
                   return map_subqueries(part, rewrite);
                 }));
  if (mapped->relation == nullptr) return mapped;
  LAKEBED_ASSIGN(RelationPtr relation, map_expressions(mapped->relation, rewrite));
  if (relation == mapped->relation) return mapped;
  auto copy = edit(*mapped);
  copy->relation = std::move(relation);
  return ExpressionPtr(copy);
}

bool same_list(const std::vector<ExpressionPtr>& left, const std::vector<ExpressionPtr>& right) {
  if (left.size() != right.size()) return false;
  for (size_t i = 0; i < left.size(); ++i) {
    if (!same_expression(*left[i], *right[i])) return false;
  }
  return true;
}

bool same_optional(const ExpressionPtr& left, const ExpressionPtr& right) {
  if (left == nullptr || right == nullptr) return left == right;
  return same_expression(*left, *right);
}

bool same_window(const std::optional<WindowSpec>& left, const std::optional<WindowSpec>& right) {
  if (left.has_value() != right.has_value()) return false;
  if (!left) return true;
  if (!same_list(left->partition, right->partition)) return false;
  if (!same_list(left->order, right->order)) return false;
  if (left->frame.has_value() != right->frame.has_value()) return false;
  if (!left->frame) return true;
  const WindowFrame& a = *left->frame;
  const WindowFrame& b = *right->frame;
  return a.unit == b.unit && a.start == b.start && a.end == b.end &&
         same_optional(a.start_offset, b.start_offset) && same_optional(a.end_offset, b.end_offset);
}

bool same_head(const Expression& left, const Expression& right) {
  if (left.kind != right.kind || left.type != right.type) return false;
  if (left.kind == ExpressionKind::kAlias) return true;
  return left.name == right.name && left.text == right.text && left.is_null == right.is_null &&
         left.distinct == right.distinct && left.ignore_nulls == right.ignore_nulls &&
         left.try_cast == right.try_cast && left.ascending == right.ascending &&
         left.nulls_first == right.nulls_first && left.attribute == right.attribute &&
         left.relation == right.relation;
}

std::shared_ptr<Expression> resolved_node(ExpressionKind kind, value::Type type,
                                          const SourceSpan& span) {
  auto node = std::make_shared<Expression>();
  node->kind = kind;
  node->type = std::move(type);
  node->span = span;
  node->resolved = true;
  return node;
}

}  // namespace

Result<ExpressionPtr> map_parts(const ExpressionPtr& node, const ExpressionRewrite& rewrite) {
  bool changed = false;
  auto copy = edit(*node);
  LAKEBED_TRY(rewrite_list(copy->children, rewrite, changed));
  LAKEBED_TRY(rewrite_one(copy->filter, rewrite, changed));
  if (copy->window) LAKEBED_TRY(rewrite_window(*copy->window, rewrite, changed));
  return changed ? ExpressionPtr(copy) : node;
}

bool any_part(const Expression& node, const std::function<bool(const ExpressionPtr&)>& visit) {
  for (const ExpressionPtr& child : node.children) {
    if (child != nullptr && visit(child)) return true;
  }
  if (node.filter != nullptr && visit(node.filter)) return true;
  if (!node.window) return false;
  for (const ExpressionPtr& part : node.window->partition) {
    if (visit(part)) return true;
  }
  for (const ExpressionPtr& part : node.window->order) {
    if (visit(part)) return true;
  }
  if (!node.window->frame) return false;
  const WindowFrame& frame = *node.window->frame;
  return (frame.start_offset != nullptr && visit(frame.start_offset)) ||
         (frame.end_offset != nullptr && visit(frame.end_offset));
}

bool any_expression(const ExpressionPtr& node,
                    const std::function<bool(const Expression&)>& test) {
  if (test(*node)) return true;
  return any_part(*node, [&](const ExpressionPtr& part) { return any_expression(part, test); });
}

Result<RelationPtr> map_expressions(const RelationPtr& node, const ExpressionRewrite& rewrite) {
  bool changed = false;
  auto copy = edit(*node);
  const ExpressionRewrite deep = [&](const ExpressionPtr& part) -> Result<ExpressionPtr> {
    LAKEBED_ASSIGN(ExpressionPtr inner, map_subqueries(part, rewrite));
    return rewrite(inner);
  };
  for (RelationPtr& input : copy->inputs) {
    LAKEBED_ASSIGN(RelationPtr next, map_expressions(input, rewrite));
    changed |= next != input;
    input = std::move(next);
  }
  for (auto& row : copy->rows) LAKEBED_TRY(rewrite_list(row, deep, changed));
  LAKEBED_TRY(rewrite_list(copy->expressions, deep, changed));
  LAKEBED_TRY(rewrite_list(copy->order, deep, changed));
  LAKEBED_TRY(rewrite_one(copy->condition, deep, changed));
  return changed ? RelationPtr(copy) : node;
}

bool same_expression(const Expression& left, const Expression& right) {
  if (&left == &right) return true;
  return same_head(left, right) && same_list(left.children, right.children) &&
         same_optional(left.filter, right.filter) && same_window(left.window, right.window);
}

ExpressionPtr column_of(const Attribute& attribute, const SourceSpan& span) {
  auto node = resolved_node(ExpressionKind::kColumn, attribute.type, span);
  node->attribute = attribute.id;
  node->nullable = attribute.nullable;
  node->name_parts = {attribute.name};
  return node;
}

ExpressionPtr string_literal(std::string text, const SourceSpan& span) {
  auto node = resolved_node(ExpressionKind::kLiteral, value::Kind::kString, span);
  node->text = std::move(text);
  node->nullable = false;
  return node;
}

ExpressionPtr integer_literal(int64_t value, const SourceSpan& span) {
  const bool fits = value >= std::numeric_limits<int32_t>::min() &&
                    value <= std::numeric_limits<int32_t>::max();
  auto node = resolved_node(ExpressionKind::kLiteral,
                            fits ? value::Kind::kInt : value::Kind::kLong, span);
  node->text = std::to_string(value);
  node->nullable = false;
  return node;
}

ExpressionPtr null_literal(const value::Type& type, const SourceSpan& span) {
  auto node = resolved_node(ExpressionKind::kLiteral, type, span);
  node->is_null = true;
  return node;
}

ExpressionPtr boolean_call(std::string name, std::vector<ExpressionPtr> children,
                           const SourceSpan& span) {
  auto node = resolved_node(ExpressionKind::kCall, value::Kind::kBoolean, span);
  node->name = std::move(name);
  node->children = std::move(children);
  return node;
}

ExpressionPtr alias_of(ExpressionPtr child, std::string name, AttributeId id) {
  auto node = resolved_node(ExpressionKind::kAlias, child->type, child->span);
  node->nullable = child->nullable;
  node->names = {std::move(name)};
  node->attribute = id;
  node->children = {std::move(child)};
  return node;
}

Attribute attribute_of(const Expression& column_or_alias) {
  const bool alias = column_or_alias.kind == ExpressionKind::kAlias;
  Attribute out;
  out.id = column_or_alias.attribute;
  out.name = alias ? column_or_alias.names.front() : column_or_alias.name_parts.back();
  out.type = column_or_alias.type;
  out.nullable = column_or_alias.nullable;
  return out;
}

RelationPtr project_of(RelationPtr input, std::vector<ExpressionPtr> expressions,
                       const SourceSpan& span) {
  auto node = std::make_shared<Relation>();
  node->kind = RelationKind::kProject;
  node->span = span;
  node->streaming = input->streaming;
  for (const ExpressionPtr& item : expressions) node->output.push_back(attribute_of(*item));
  node->inputs = {std::move(input)};
  node->expressions = std::move(expressions);
  return node;
}

RelationPtr filter_of(RelationPtr input, ExpressionPtr condition, const SourceSpan& span) {
  auto node = std::make_shared<Relation>();
  node->kind = RelationKind::kFilter;
  node->span = span;
  node->streaming = input->streaming;
  node->output = input->output;
  node->inputs = {std::move(input)};
  node->condition = std::move(condition);
  return node;
}

std::vector<ExpressionPtr> pass_all(const Relation& input) {
  std::vector<ExpressionPtr> out;
  out.reserve(input.output.size());
  for (const Attribute& attribute : input.output) {
    out.push_back(column_of(attribute, input.span));
  }
  return out;
}

}  // namespace lakebed::plan
