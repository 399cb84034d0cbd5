// Small tools over plan trees: walking, rewriting, comparing. All pure.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "plan/tree.h"

namespace lakebed::plan {

using ExpressionRewrite = std::function<Result<ExpressionPtr>(const ExpressionPtr&)>;

// A copy of `node` whose direct parts (children, filter, window parts; not subqueries) went
// through `rewrite`. The same pointer when nothing changed.
Result<ExpressionPtr> map_parts(const ExpressionPtr& node, const ExpressionRewrite& rewrite);

// Calls `visit` on each direct part; stops and returns true as soon as one returns true.
bool any_part(const Expression& node, const std::function<bool(const ExpressionPtr&)>& visit);

// True where `test` holds for the node or for anything below it (subqueries aside).
bool any_expression(const ExpressionPtr& node, const std::function<bool(const Expression&)>& test);

// A copy of the relation in which every expression, in it and in all relations below it, nested
// subqueries too, went through `rewrite` as a whole.
Result<RelationPtr> map_expressions(const RelationPtr& node, const ExpressionRewrite& rewrite);

// Structural equality of resolved expressions: the same computation (spans and names aside).
// Subqueries are equal only when they are the same node.
bool same_expression(const Expression& left, const Expression& right);

// Builders of resolved expressions.
ExpressionPtr column_of(const Attribute& attribute, const SourceSpan& span);
ExpressionPtr string_literal(std::string text, const SourceSpan& span);
ExpressionPtr integer_literal(int64_t value, const SourceSpan& span);  // INT where it fits
ExpressionPtr null_literal(const value::Type& type, const SourceSpan& span);
ExpressionPtr boolean_call(std::string name, std::vector<ExpressionPtr> children,
                           const SourceSpan& span);
ExpressionPtr alias_of(ExpressionPtr child, std::string name, AttributeId id);
Attribute attribute_of(const Expression& column_or_alias);

// A projection over `input`; output follows from the expressions (kColumn or kAlias each).
RelationPtr project_of(RelationPtr input, std::vector<ExpressionPtr> expressions,
                       const SourceSpan& span);
RelationPtr filter_of(RelationPtr input, ExpressionPtr condition, const SourceSpan& span);
// Every column of the relation, hidden ones too, as kColumns to pass on.
std::vector<ExpressionPtr> pass_all(const Relation& input);

}  // namespace lakebed::plan
