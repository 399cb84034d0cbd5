// Column references: qualified names, struct fields behind dots, hidden columns, lateral aliases,
// lambda variables and columns of enclosing queries.
#include <algorithm>
#include <array>

#include <fmt/core.h>

#include "base/names.h"
#include "plan/coercion.h"
#include "plan/expression_text.h"
#include "plan/resolver.h"

namespace lakebed::plan {
namespace {

// What a name may stand for inside one scope: a column (or an item) and how many parts it took.
struct Match {
  ExpressionPtr base;
  size_t used = 0;
};

bool has_qualifier(const Attribute& attribute, const std::vector<std::string>& parts,
                   size_t count) {
  if (count > attribute.qualifier.size()) return false;
  const size_t skip = attribute.qualifier.size() - count;
  for (size_t i = 0; i < count; ++i) {
    if (!same_name(attribute.qualifier[skip + i], parts[i])) return false;
  }
  return true;
}

Error ambiguous(const Expression& node, const std::vector<const Attribute*>& found) {
  std::string list;
  for (const Attribute* attribute : found) {
    if (!list.empty()) list += ", ";
    for (const std::string& part : attribute->qualifier) list += quote_name(part) + ".";
    list += quote_name(attribute->name);
  }
  return project_error("AMBIGUOUS_REFERENCE",
                       fmt::format("Reference `{}` is ambiguous, could be: [{}].",
                                   expression_text(node), list),
                       node.span);
}

// Columns called parts[count], behind a qualifier of `count` parts. Visible ones hide hidden ones.
std::vector<const Attribute*> named(const std::vector<Attribute>& attributes,
                                    const std::vector<std::string>& parts, size_t count) {
  std::vector<const Attribute*> visible;
  std::vector<const Attribute*> hidden;
  for (const Attribute& attribute : attributes) {
    if (!same_name(attribute.name, parts[count])) continue;
    if (!has_qualifier(attribute, parts, count)) continue;
    auto& list = attribute.hidden ? hidden : visible;
    const bool known = std::any_of(list.begin(), list.end(), [&](const Attribute* other) {
      return other->id == attribute.id;
    });
    if (!known) list.push_back(&attribute);
  }
  return visible.empty() ? hidden : visible;
}

Result<std::optional<Match>> match_input(const Scope& scope, const Expression& node) {
  const std::vector<std::string>& parts = node.name_parts;
  for (size_t count = parts.size(); count-- > 0;) {
    const auto found = named(scope.attributes, parts, count);
    if (found.empty()) continue;
    if (found.size() > 1) return ambiguous(node, found);
    auto column = edit(*column_of(*found.front(), node.span));
    column->name_parts = {parts[count]};
    return std::optional<Match>(Match{ExpressionPtr(column), count + 1});
  }
  return std::optional<Match>();
}

// A reference to an item: kept where the block can place it, otherwise the item's expression.
ExpressionPtr item_reference(const Scope& scope, const Item& item, const SourceSpan& span) {
  const ExpressionKind kind = item.expression->kind;
  const bool trivial = kind == ExpressionKind::kColumn || kind == ExpressionKind::kLiteral;
  const bool keep = scope.keep_item_references && scope.inside_aggregate == 0;
  if (!keep) return inline_items(item.expression, *scope.items);
  if (trivial && scope.item_use == ItemUse::kAfterInput) return item.expression;
  Attribute attribute;
  attribute.id = item.id;
  attribute.name = item.name;
  attribute.type = item.expression->type;
  attribute.nullable = item.expression->nullable;
  return column_of(attribute, span);
}

Result<std::optional<Match>> match_items(const Scope& scope, const Expression& node) {
  if (scope.items == nullptr || scope.item_use == ItemUse::kNone) return std::optional<Match>();
  const Item* found = nullptr;
  for (const Item& item : *scope.items) {
    if (!item.visible || !same_name(item.name, node.name_parts.front())) continue;
    if (found != nullptr) {
      const bool same = same_expression(*found->expression, *item.expression);
      if (same && scope.item_use == ItemUse::kBeforeInput) continue;
      return project_error("AMBIGUOUS_LATERAL_COLUMN_ALIAS",
                           fmt::format("Two columns of the SELECT list are called {}.",
                                       quote_name(item.name)),
                           node.span);
    }
    found = &item;
  }
  if (found == nullptr) return std::optional<Match>();
  return std::optional<Match>(Match{item_reference(scope, *found, node.span), 1});
}

std::optional<Match> match_lambda(const Scope& scope, const Expression& node) {
  for (auto it = scope.lambdas.rbegin(); it != scope.lambdas.rend(); ++it) {
    if (!same_name(it->name, node.name_parts.front())) continue;
    auto variable = std::make_shared<Expression>();
    variable->kind = ExpressionKind::kLambdaVariable;
    variable->span = node.span;
    variable->name = it->unique_name;
    variable->attribute = it->id;
    variable->type = it->type;
    variable->resolved = true;
    return Match{variable, 1};
  }
  return std::nullopt;
}

Result<std::optional<Match>> match_here(const Scope& scope, const Expression& node) {
  if (auto lambda = match_lambda(scope, node)) return std::optional<Match>(*lambda);
  const bool items_first =
      scope.item_use == ItemUse::kBeforeInput && scope.inside_aggregate == 0;
  if (items_first) {
    LAKEBED_ASSIGN(std::optional<Match> item, match_items(scope, node));
    if (item) return item;
  }
  LAKEBED_ASSIGN(std::optional<Match> input, match_input(scope, node));
  if (input || items_first) return input;
  return match_items(scope, node);
}

// Functions that may be written without parentheses.
bool is_bare_function(const Expression& node) {
  constexpr std::array<std::string_view, 10> kBare = {
      "current_date", "current_timestamp", "current_time", "localtimestamp", "current_user", "user",
      "session_user", "current_catalog", "current_database", "current_schema"};
  if (node.name_parts.size() != 1) return false;
  const std::string name = fold_case(node.name_parts.front());
  return std::find(kBare.begin(), kBare.end(), name) != kBare.end();
}

ExpressionPtr as_outer(const ExpressionPtr& node) {
  if (node->kind != ExpressionKind::kColumn) return node;
  auto copy = edit(*node);
  copy->kind = ExpressionKind::kOuterColumn;
  return copy;
}

// A match in one of the enclosing queries.
Result<std::optional<Match>> match_outer(const Scope& scope, const Expression& node) {
  const Environment* environment = scope.environment;
  while (environment != nullptr && environment->outer != nullptr) {
    const Scope& outer = *environment->outer;
    LAKEBED_ASSIGN(std::optional<Match> found, match_input(outer, node));
    if (found) {
      found->base = as_outer(found->base);
      return found;
    }
    environment = outer.environment;
  }
  return std::optional<Match>();
}

std::string list_names(const Scope& scope, size_t limit) {
  std::string list;
  size_t count = 0;
  for (const Attribute& attribute : scope.attributes) {
    if (attribute.hidden || count++ >= limit) continue;
    if (!list.empty()) list += ", ";
    list += quote_name(attribute.name);
  }
  return list;
}

Error unresolved(const Scope& scope, const Expression& node) {
  std::vector<std::string> candidates;
  for (const Attribute& attribute : scope.attributes) candidates.push_back(attribute.name);
  if (scope.items != nullptr) {
    for (const Item& item : *scope.items) candidates.push_back(item.name);
  }
  std::string written;
  for (const std::string& part : node.name_parts) {
    if (!written.empty()) written += '.';
    written += "`" + part + "`";
  }
  const std::string list = list_names(scope, 5);
  const std::string code = list.empty() ? "UNRESOLVED_COLUMN.WITHOUT_SUGGESTION"
                                        : "UNRESOLVED_COLUMN.WITH_SUGGESTION";
  std::string message =
      fmt::format("A column, variable, or function parameter with name {} cannot be resolved.",
                  written);
  if (!list.empty()) message += fmt::format(" There are: [{}].", list);
  Error error = project_error(code, std::move(message), node.span);
  const std::string near = nearest_name(node.name_parts.back(), candidates);
  if (!near.empty()) error.with_hint("did you mean `" + near + "`?");
  return error;
}

Result<std::optional<Match>> find_match(const Scope& scope, const Expression& node) {
  LAKEBED_ASSIGN(std::optional<Match> found, match_here(scope, node));
  if (found || is_bare_function(node)) return found;
  return match_outer(scope, node);
}

}  // namespace

size_t qualifier_length(const Scope& scope, const Expression& column) {
  if (match_lambda(scope, column)) return 0;
  for (size_t count = column.name_parts.size(); count-- > 0;) {
    if (!named(scope.attributes, column.name_parts, count).empty()) return count;
  }
  return 0;
}

Result<ExpressionPtr> resolve_column(Session& session, Scope& scope, const Expression& node) {
  LAKEBED_ASSERT(!node.name_parts.empty());
  LAKEBED_ASSIGN(std::optional<Match> found, find_match(scope, node));
  if (!found && is_bare_function(node)) {
    return typed_call(session, fold_case(node.name_parts.front()), {}, node.span);
  }
  if (!found) return unresolved(scope, node);
  ExpressionPtr out = found->base;
  for (size_t i = found->used; i < node.name_parts.size(); ++i) {
    LAKEBED_ASSIGN(out, field_of(std::move(out), node.name_parts[i], node.span));
  }
  return out;
}

Result<ExpressionPtr> field_of(ExpressionPtr base, const std::string& name,
                               const SourceSpan& span) {
  const value::Type& type = base->type;
  const bool in_array = type.kind == value::Kind::kArray &&
                        type.element().kind == value::Kind::kStruct;
  if (type.kind != value::Kind::kStruct && !in_array) {
    if (type.kind == value::Kind::kMap) {  // m.k is m['k']
      auto index = std::make_shared<Expression>();
      index->kind = ExpressionKind::kIndex;
      index->span = span;
      index->type = type.map_value();
      index->resolved = true;
      index->children = {base, cast_to(string_literal(name, span), type.map_key())};
      return ExpressionPtr(index);
    }
    return project_error(type.kind == value::Kind::kArray
                             ? "DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE"
                             : "INVALID_EXTRACT_BASE_FIELD_TYPE",
                         fmt::format("Can't extract a value from `{}`: it has the type {}, not a "
                                     "complex type.",
                                     expression_text(*base), type.text()),
                         span);
  }
  const value::Schema& fields = in_array ? type.element().fields : type.fields;
  const auto found = find_field(fields, name);
  if (!found) {
    std::vector<std::string> names;
    for (const value::Field& field : fields) names.push_back(field.name);
    Error error = project_error(
        "FIELD_NOT_FOUND", fmt::format("No such struct field {} in {}.", quote_name(name),
                                       type.text()), span);
    const std::string near = nearest_name(name, names);
    if (!near.empty()) error.with_hint("did you mean `" + near + "`?");
    return error;
  }
  auto node = std::make_shared<Expression>();
  node->kind = ExpressionKind::kField;
  node->span = span;
  node->name = fields[*found].name;
  node->type = in_array ? value::Type::array(fields[*found].type) : fields[*found].type;
  node->nullable = base->nullable || fields[*found].nullable;
  node->resolved = true;
  node->children = {std::move(base)};
  return ExpressionPtr(node);
}

ExpressionPtr inline_items(const ExpressionPtr& node, const std::vector<Item>& items) {
  if (node->kind == ExpressionKind::kColumn) {
    for (const Item& item : items) {
      if (item.id == node->attribute) return inline_items(item.expression, items);
    }
    return node;
  }
  // Rewriting by plain substitution cannot fail.
  return *map_parts(node, [&](const ExpressionPtr& part) -> Result<ExpressionPtr> {
    return inline_items(part, items);
  });
}

}  // namespace lakebed::plan
