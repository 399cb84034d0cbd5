// One expression: the switch over kinds, and the kinds that need little. Calls, columns, windows
// and subqueries have files of their own.
#include <fmt/core.h>

#include <algorithm>

#include "plan/coercion.h"
#include "plan/expression_text.h"
#include "plan/resolver.h"

namespace lakebed::plan {
namespace {

Result<ExpressionPtr> resolve_cast(Session& session, Scope& scope, const Expression& node) {
  LAKEBED_ASSIGN(ExpressionPtr child, resolve_expression(session, scope, node.children[0]));
  if (child->kind == ExpressionKind::kLiteral && child->is_null) {
    return cast_to(child, node.type);
  }
  if (!can_cast(child->type, node.type)) {
    return type_mismatch(cast_refusal(child->type, node.type),
                         fmt::format("Cannot cast {} from {} to {}.",
                                     expression_text(*node.children[0]), child->type.text(),
                                     node.type.text()),
                         node.span);
  }
  auto cast = edit(node);
  cast->resolved = true;
  cast->nullable = child->nullable || node.try_cast;
  cast->children = {std::move(child)};
  return ExpressionPtr(cast);
}

Result<ExpressionPtr> resolve_field(Session& session, Scope& scope, const Expression& node) {
  LAKEBED_ASSIGN(ExpressionPtr base, resolve_expression(session, scope, node.children[0]));
  return field_of(std::move(base), node.name, node.span);
}

// The path of get_json_object for what stands behind the colon: a.`b c`[0]["d"] becomes
// $.a['b c'][0]['d'].
std::string object_path(const std::string& written) {
  std::string out = "$";
  size_t at = 0;
  while (at < written.size()) {
    const char first = written[at];
    if (first == '.') {
      ++at;
    } else if (first == '`') {
      const size_t end = std::min(written.find('`', at + 1), written.size());
      out += "['" + written.substr(at + 1, end - at - 1) + "']";
      at = end + 1;
    } else if (first == '[') {
      const size_t end = std::min(written.find(']', at), written.size());
      std::string inside = written.substr(at + 1, end - at - 1);
      const bool quoted = inside.size() > 1 && (inside.front() == '\'' || inside.front() == '"');
      if (quoted) inside = "'" + inside.substr(1, inside.size() - 2) + "'";
      out += "[" + inside + "]";
      at = end + 1;
    } else {
      const size_t end = std::min(written.find_first_of(".[", at), written.size());
      out += "." + written.substr(at, end - at);
      at = end;
    }
  }
  return out;
}

Result<ExpressionPtr> resolve_json_path(Session& session, Scope& scope, const Expression& node) {
  LAKEBED_ASSIGN(ExpressionPtr base, resolve_expression(session, scope, node.children[0]));
  if (base->type.kind == value::Kind::kStruct) {  // more than the platform takes: as its JSON
    LAKEBED_ASSIGN(base, typed_call(session, "to_json", {std::move(base)}, node.span));
  }
  const value::Kind kind = base->type.kind;
  if (kind != value::Kind::kString && kind != value::Kind::kVoid) {
    return type_mismatch("UNEXPECTED_INPUT_TYPE",
                         fmt::format("The path `:{}` reads a JSON STRING, but {} has the type {}.",
                                     node.text, expression_text(*node.children[0]),
                                     base->type.text()),
                         node.span);
  }
  return typed_call(session, "get_json_object",
                    {std::move(base), string_literal(object_path(node.text), node.span)},
                    node.span);
}

Result<ExpressionPtr> resolve_sort(Session& session, Scope& scope, const Expression& node) {
  auto sort = edit(node);
  LAKEBED_ASSIGN(sort->children[0], resolve_expression(session, scope, node.children[0]));
  sort->type = sort->children[0]->type;
  sort->nullable = sort->children[0]->nullable;
  sort->resolved = true;
  if (!value::is_orderable(sort->type) && sort->type.kind != value::Kind::kVoid) {
    return type_mismatch("INVALID_ORDERING_TYPE",
                         fmt::format("{} cannot be ordered: its type is {}.",
                                     expression_text(*node.children[0]), sort->type.text()),
                         node.span);
  }
  return ExpressionPtr(sort);
}

// The conditions and results of a CASE; an operand has become an equality in each condition.
struct Branches {
  std::vector<ExpressionPtr> conditions;
  std::vector<ExpressionPtr> results;  // one more than conditions where ELSE is given
};

Result<Branches> resolve_branches(Session& session, Scope& scope, const Expression& node) {
  Branches out;
  size_t at = 0;
  ExpressionPtr operand;
  if (node.has_operand) {
    LAKEBED_ASSIGN(operand, resolve_expression(session, scope, node.children[at++]));
  }
  for (; at + 1 < node.children.size(); at += 2) {
    const ExpressionPtr& when = node.children[at];
    ExpressionPtr condition;
    if (operand != nullptr) {
      LAKEBED_ASSIGN(condition, resolve_expression(session, scope, when));
      LAKEBED_ASSIGN(condition, typed_call(session, "=", {operand, condition}, when->span));
    } else {
      if (when->kind == ExpressionKind::kLiteral && when->is_null) {
        return type_mismatch("UNEXPECTED_INPUT_TYPE", "CASE WHEN takes a BOOLEAN, not a bare NULL.",
                             when->span);
      }
      LAKEBED_ASSIGN(condition, resolve_condition(session, scope, when, "CASE WHEN"));
    }
    out.conditions.push_back(std::move(condition));
    LAKEBED_ASSIGN(ExpressionPtr result,
                   resolve_expression(session, scope, node.children[at + 1]));
    out.results.push_back(std::move(result));
  }
  if (at < node.children.size()) {
    LAKEBED_ASSIGN(ExpressionPtr last, resolve_expression(session, scope, node.children[at]));
    out.results.push_back(std::move(last));
  }
  return out;
}

Error bad_index(const Expression& node, const value::Type& base, const value::Type& index) {
  return type_mismatch("UNEXPECTED_INPUT_TYPE",
                       fmt::format("{} has the type {} and cannot be asked for [{}] of type {}.",
                                   expression_text(*node.children[0]), base.text(),
                                   expression_text(*node.children[1]), index.text()),
                       node.span);
}

}  // namespace

Result<ExpressionPtr> resolve_index(Session& session, Scope& scope, const Expression& node) {
  LAKEBED_ASSIGN(ExpressionPtr base, resolve_expression(session, scope, node.children[0]));
  LAKEBED_ASSIGN(ExpressionPtr index, resolve_expression(session, scope, node.children[1]));
  const bool name = index->kind == ExpressionKind::kLiteral && !index->is_null &&
                    index->type.kind == value::Kind::kString;
  const bool structs = base->type.kind == value::Kind::kStruct ||
                       (base->type.kind == value::Kind::kArray &&
                        base->type.element().kind == value::Kind::kStruct);
  if (structs && name) return field_of(std::move(base), index->text, node.span);
  auto out = edit(node);
  out->resolved = true;
  out->nullable = true;
  if (base->type.kind == value::Kind::kArray) {
    if (!index->type.is_integer() && index->type.kind != value::Kind::kVoid) {
      return bad_index(node, base->type, index->type);
    }
    out->type = base->type.element();
    out->children = {base, cast_to(index, value::Kind::kInt)};
    return ExpressionPtr(out);
  }
  if (base->type.kind != value::Kind::kMap) {
    return project_error("INVALID_EXTRACT_BASE_FIELD_TYPE",
                         fmt::format("Can't extract a value from {}: it has the type {}, not a "
                                     "complex type.",
                                     expression_text(*node.children[0]), base->type.text()),
                         node.span);
  }
  const value::Type& key = base->type.map_key();
  if (index->type != key && !can_cast_implicitly(index->type, key)) {
    return bad_index(node, base->type, index->type);
  }
  out->type = base->type.map_value();
  out->children = {base, cast_to(index, key)};
  return ExpressionPtr(out);
}

Result<ExpressionPtr> resolve_case(Session& session, Scope& scope, const Expression& node) {
  LAKEBED_ASSIGN(Branches branches, resolve_branches(session, scope, node));
  const auto type = common_type_of(branches.results);
  if (!type) {
    std::string types;
    for (const ExpressionPtr& result : branches.results) {
      types += (types.empty() ? "" : ", ") + result->type.text();
    }
    return type_mismatch("DATA_DIFF_TYPES",
                         fmt::format("The results of CASE have types that do not meet: {}.", types),
                         node.span);
  }
  auto out = edit(node);
  out->children.clear();
  out->has_operand = false;
  out->resolved = true;
  out->type = *type;
  const bool has_else = branches.results.size() > branches.conditions.size();
  out->nullable = !has_else;
  for (size_t i = 0; i < branches.results.size(); ++i) {
    if (i < branches.conditions.size()) out->children.push_back(branches.conditions[i]);
    out->nullable |= branches.results[i]->nullable;
    out->children.push_back(cast_to(branches.results[i], *type));
  }
  return ExpressionPtr(out);
}

Result<ExpressionPtr> resolve_condition(Session& session, Scope& scope, const ExpressionPtr& node,
                                        const std::string& clause) {
  LAKEBED_ASSIGN(ExpressionPtr condition, resolve_expression(session, scope, node));
  if (condition->type.kind == value::Kind::kBoolean) return condition;
  if (condition->type.kind == value::Kind::kVoid) {
    return cast_to(condition, value::Kind::kBoolean);
  }
  const std::string code = clause == "ON"          ? "JOIN_CONDITION_IS_NOT_BOOLEAN_TYPE"
                           : clause == "CASE WHEN" ? "DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE"
                                                   : "DATATYPE_MISMATCH.FILTER_NOT_BOOLEAN";
  return project_error(code,
                       fmt::format("{} takes a BOOLEAN, but {} has the type {}.", clause,
                                   expression_text(*node), condition->type.text()),
                       node->span);
}

Result<ExpressionPtr> resolve_expression(Session& session, Scope& scope,
                                         const ExpressionPtr& node) {
  switch (node->kind) {
    case ExpressionKind::kLiteral: return resolve_literal(session, node);
    case ExpressionKind::kInterval: {
      auto copy = edit(*node);
      copy->resolved = true;
      copy->nullable = false;
      return ExpressionPtr(copy);
    }
    case ExpressionKind::kColumn: return resolve_column(session, scope, *node);
    case ExpressionKind::kCall: return resolve_call(session, scope, *node);
    case ExpressionKind::kCast: return resolve_cast(session, scope, *node);
    case ExpressionKind::kAlias: return resolve_expression(session, scope, node->children[0]);
    case ExpressionKind::kCase: return resolve_case(session, scope, *node);
    case ExpressionKind::kWindow: return resolve_window(session, scope, *node);
    case ExpressionKind::kSort: return resolve_sort(session, scope, *node);
    case ExpressionKind::kSubquery:
    case ExpressionKind::kExists:
    case ExpressionKind::kInSubquery: return resolve_subquery(session, scope, *node);
    case ExpressionKind::kIndex: return resolve_index(session, scope, *node);
    case ExpressionKind::kField: return resolve_field(session, scope, *node);
    case ExpressionKind::kJsonPath: return resolve_json_path(session, scope, *node);
    case ExpressionKind::kStar:
      return project_error("INVALID_USAGE_OF_STAR_OR_REGEX",
                           "`*` stands for several columns, which cannot be here.", node->span);
    case ExpressionKind::kLambda:
      return project_error("INVALID_LAMBDA_FUNCTION_CALL.NON_HIGHER_ORDER_FUNCTION",
                           "A lambda function can only be an argument of a function that takes "
                           "one.",
                           node->span);
    case ExpressionKind::kLambdaVariable:
    case ExpressionKind::kOuterColumn: break;
  }
  return node;
}

}  // namespace lakebed::plan
