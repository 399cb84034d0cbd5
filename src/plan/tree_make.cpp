#include "plan/tree_make.h"

namespace lakebed::plan {

ExpressionPtr make_column(const std::string& name, const SourceSpan& span) {
  auto node = std::make_shared<Expression>();
  node->kind = ExpressionKind::kColumn;
  node->name_parts = {name};
  node->span = span;
  return node;
}

ExpressionPtr make_alias(ExpressionPtr child, const std::string& name) {
  auto node = std::make_shared<Expression>();
  node->kind = ExpressionKind::kAlias;
  node->span = child->span;
  node->names = {name};
  node->children = {std::move(child)};
  return node;
}

ExpressionPtr make_cast(ExpressionPtr child, const value::Type& type) {
  auto node = std::make_shared<Expression>();
  node->kind = ExpressionKind::kCast;
  node->type = type;
  node->span = child->span;
  node->children = {std::move(child)};
  return node;
}

ExpressionPtr make_null(const value::Type& type, const SourceSpan& span) {
  auto literal = std::make_shared<Expression>();
  literal->kind = ExpressionKind::kLiteral;
  literal->is_null = true;
  literal->type = value::Kind::kVoid;
  literal->span = span;
  return type.kind == value::Kind::kVoid ? ExpressionPtr(literal) : make_cast(literal, type);
}

RelationPtr make_renamed(RelationPtr query, const std::string& name,
                         std::vector<std::string> columns, const SourceSpan& span) {
  auto node = std::make_shared<Relation>();
  node->kind = RelationKind::kAlias;
  node->span = span;
  node->name = name;
  node->names = std::move(columns);
  node->inputs = {std::move(query)};
  return node;
}

}  // namespace lakebed::plan
