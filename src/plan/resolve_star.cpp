// `*`, `t.*`, `s.*` (a struct), EXCEPT and REPLACE.
#include <fmt/core.h>

#include <algorithm>

#include "base/names.h"
#include "plan/expression_text.h"
#include "plan/resolver.h"

namespace lakebed::plan {
namespace {

Result<std::vector<NamedExpression>> all_columns(const Scope& scope, const Expression& star) {
  std::vector<NamedExpression> out;
  for (const Attribute& attribute : scope.attributes) {
    if (!attribute.hidden) out.push_back({attribute.name, column_of(attribute, star.span)});
  }
  return out;
}

bool is_qualified_by(const Attribute& attribute, const std::vector<std::string>& parts) {
  if (parts.size() > attribute.qualifier.size()) return false;
  return std::equal(parts.begin(), parts.end(),
                    attribute.qualifier.end() - static_cast<std::ptrdiff_t>(parts.size()),
                    [](const std::string& a, const std::string& b) { return same_name(a, b); });
}

// t.*: of a table; columns that USING hid count, as they do in Spark.
std::vector<NamedExpression> table_columns(const Scope& scope, const Expression& star) {
  std::vector<NamedExpression> out;
  for (const Attribute& attribute : scope.attributes) {
    if (!is_qualified_by(attribute, star.name_parts)) continue;
    if (attribute.hidden && attribute.name.starts_with("_metadata")) continue;
    out.push_back({attribute.name, column_of(attribute, star.span)});
  }
  return out;
}

// s.*: the fields of a struct column.
Result<std::vector<NamedExpression>> struct_columns(Session& session, Scope& scope,
                                                    const Expression& star) {
  Expression column;
  column.kind = ExpressionKind::kColumn;
  column.name_parts = star.name_parts;
  column.span = star.span;
  auto base = resolve_column(session, scope, column);
  if (!base.ok() || base.value()->type.kind != value::Kind::kStruct) {
    return project_error("CANNOT_RESOLVE_STAR_EXPAND",
                         fmt::format("Cannot resolve {}: there is no table and no STRUCT column of "
                                     "that name.",
                                     expression_text(star)),
                         star.span);
  }
  std::vector<NamedExpression> out;
  for (const value::Field& field : base.value()->type.fields) {
    LAKEBED_ASSIGN(ExpressionPtr item, field_of(base.value(), field.name, star.span));
    out.push_back({field.name, std::move(item)});
  }
  return out;
}

std::vector<std::string> split_dots(const std::string& dotted) {
  std::vector<std::string> parts(1);
  bool quoted = false;
  for (const char letter : dotted) {
    if (letter == '`') {
      quoted = !quoted;
    } else if (letter == '.' && !quoted) {
      parts.emplace_back();
    } else {
      parts.back() += letter;
    }
  }
  return parts;
}

// Struct `base` without the field at parts[at...].
Result<ExpressionPtr> without_field(const ExpressionPtr& base,
                                    const std::vector<std::string>& parts, size_t at,
                                    const SourceSpan& span) {
  LAKEBED_ASSIGN(ExpressionPtr removed, field_of(base, parts[at], span));
  std::vector<NamedExpression> fields;
  for (const value::Field& field : base->type.fields) {
    const bool hit = same_name(field.name, parts[at]);
    if (hit && at + 1 == parts.size()) continue;
    LAKEBED_ASSIGN(ExpressionPtr item, field_of(base, field.name, span));
    if (hit) {
      LAKEBED_ASSIGN(item, without_field(removed, parts, at + 1, span));
    }
    fields.push_back({field.name, std::move(item)});
  }
  ExpressionPtr rebuilt = struct_of(fields, span);
  auto choice = std::make_shared<Expression>();  // a NULL struct stays NULL
  choice->kind = ExpressionKind::kCase;
  choice->span = span;
  choice->type = rebuilt->type;
  choice->resolved = true;
  choice->children = {boolean_call("isnotnull", {base}, span), std::move(rebuilt)};
  return ExpressionPtr(choice);
}

Status remove_one(std::vector<NamedExpression>& columns, const std::string& dotted,
                  const Expression& star) {
  std::vector<std::string> parts = split_dots(dotted);
  const auto find = [&](const std::string& name) {
    return std::find_if(columns.begin(), columns.end(), [&](const NamedExpression& column) {
      return same_name(column.name, name);
    });
  };
  auto found = find(dotted);  // a plain name that happens to hold dots
  if (found != columns.end()) parts = {dotted};
  if (found == columns.end()) found = find(parts.front());
  if (found == columns.end() && parts.size() > 1) {  // t.a: qualified by the table
    parts.erase(parts.begin());
    found = find(parts.front());
  }
  if (found == columns.end()) {
    std::vector<std::string> names;
    for (const NamedExpression& column : columns) names.push_back(column.name);
    Error error = project_error("UNRESOLVED_COLUMN.WITH_SUGGESTION",
                                fmt::format("EXCEPT names `{}`, which is not among the columns "
                                            "of the star.",
                                            dotted),
                                star.span);
    const std::string near = nearest_name(parts.back(), names);
    if (!near.empty()) error.with_hint("did you mean `" + near + "`?");
    return error;
  }
  if (parts.size() > 1 && found->expression->type.kind == value::Kind::kStruct) {
    LAKEBED_ASSIGN(found->expression, without_field(found->expression, parts, 1, star.span));
    return {};
  }
  const std::string name = parts.back();
  std::erase_if(columns, [&](const NamedExpression& column) {
    return same_name(column.name, name);
  });
  return {};
}

Status replace_one(Session& session, Scope& scope, std::vector<NamedExpression>& columns,
                   const Expression& alias, const Expression& star) {
  if (alias.kind != ExpressionKind::kAlias || alias.names.size() != 1) {
    return project_error("INVALID_STAR_REPLACE", "REPLACE takes expressions with an alias each.",
                         star.span);
  }
  LAKEBED_ASSIGN(ExpressionPtr value, resolve_expression(session, scope, alias.children[0]));
  for (NamedExpression& column : columns) {
    if (!same_name(column.name, alias.names.front())) continue;
    column.expression = std::move(value);
    return {};
  }
  return project_error("UNRESOLVED_COLUMN.WITH_SUGGESTION",
                       fmt::format("REPLACE names `{}`, which is not among the columns of the "
                                   "star.",
                                   alias.names.front()),
                       alias.span);
}

}  // namespace

Result<std::vector<NamedExpression>> expand_star(Session& session, Scope& scope,
                                                 const Expression& star) {
  std::vector<NamedExpression> columns;
  if (star.name_parts.empty()) {
    LAKEBED_ASSIGN(columns, all_columns(scope, star));
  } else {
    columns = table_columns(scope, star);
    if (columns.empty()) {
      LAKEBED_ASSIGN(columns, struct_columns(session, scope, star));
    }
  }
  for (const std::string& name : star.names) LAKEBED_TRY(remove_one(columns, name, star));
  for (const ExpressionPtr& child : star.children) {
    LAKEBED_TRY(replace_one(session, scope, columns, *child, star));
  }
  return columns;
}

ExpressionPtr struct_of(const std::vector<NamedExpression>& fields, const SourceSpan& span) {
  auto call = std::make_shared<Expression>();
  call->kind = ExpressionKind::kCall;
  call->name = "named_struct";
  call->span = span;
  call->resolved = true;
  call->nullable = false;
  std::vector<value::Field> types;
  for (const NamedExpression& field : fields) {
    call->children.push_back(string_literal(field.name, span));
    call->children.push_back(field.expression);
    value::Field type;
    type.name = field.name;
    type.type = field.expression->type;
    types.push_back(std::move(type));
  }
  call->type = value::Type::structure(std::move(types));
  return call;
}

}  // namespace lakebed::plan
