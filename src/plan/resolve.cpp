#include "plan/resolve.h"

#include <algorithm>

#include "base/names.h"
#include "plan/expression_text.h"
#include "plan/resolver.h"
#include "value/text.h"

namespace lakebed::plan {
namespace {

ResolvedQuery finish(Session& session, RelationPtr root) {
  ResolvedQuery out;
  out.root = visible_only(std::move(root));
  out.scans = std::move(session.scans);
  out.streaming = std::any_of(out.scans.begin(), out.scans.end(),
                              [](const Scan& scan) { return scan.streaming; });
  return out;
}

Status refuse_special(const ExpressionPtr& node) {
  if (has_aggregate(node) || has_window(node)) {
    return project_error("UNSUPPORTED_EXPR_FOR_OPERATOR",
                         "Aggregate and window functions cannot be used here.", node->span);
  }
  const bool generator = any_expression(node, [](const Expression& part) {
    return is_call_of(part, FunctionKind::kGenerator);
  });
  if (!generator) return {};
  return project_error("UNSUPPORTED_GENERATOR.OUTSIDE_SELECT",
                       "A generator cannot be used here.", node->span);
}

Result<ExpressionPtr> projected(Session& session, Scope& scope, const ExpressionPtr& node) {
  LAKEBED_ASSIGN(ExpressionPtr value, resolve_expression(session, scope, node));
  LAKEBED_TRY(refuse_special(value));
  return alias_of(std::move(value), output_name(*node), session.next_id());
}

Status check_options(const ResolveOptions& options) {
  if (value::is_known_zone(options.time_zone)) return {};
  return project_error("INVALID_CONF_VALUE.TIME_ZONE",
                       "The session time zone '" + options.time_zone + "' does not exist.")
      .with_hint("spark.sql.session.timeZone takes names such as Europe/Berlin or +02:00");
}

}  // namespace

Status check_unique_columns(const value::Schema& schema, const SourceSpan& span) {
  for (size_t i = 0; i < schema.size(); ++i) {
    for (size_t j = 0; j < i; ++j) {
      if (!same_name(schema[i].name, schema[j].name)) continue;
      return project_error("COLUMN_ALREADY_EXISTS",
                           "The column " + quote_name(schema[i].name) +
                               " stands twice in the output; names differ by more than case.",
                           span);
    }
  }
  return {};
}

value::Schema ResolvedQuery::schema() const {
  value::Schema out;
  for (const Attribute& attribute : root->output) {
    if (attribute.hidden) continue;
    value::Field field;
    field.name = attribute.name;
    field.type = attribute.type;
    out.push_back(std::move(field));
  }
  return out;
}

Result<ResolvedQuery> resolve_query(const RelationPtr& query, Catalog& catalog,
                                    const ResolveOptions& options) {
  LAKEBED_TRY(check_options(options));
  Session session{catalog, options, {}, 0, 0};
  const Environment environment;
  LAKEBED_ASSIGN(RelationPtr root, resolve_relation(session, environment, query));
  return finish(session, std::move(root));
}

Result<ResolvedQuery> resolve_projection(const RelationPtr& query,
                                         const std::vector<ExpressionPtr>& expressions,
                                         const ExpressionPtr& condition, Catalog& catalog,
                                         const ResolveOptions& options) {
  LAKEBED_TRY(check_options(options));
  Session session{catalog, options, {}, 0, 0};
  const Environment environment;
  LAKEBED_ASSIGN(RelationPtr root, resolve_relation(session, environment, query));
  Scope scope;
  scope.environment = &environment;
  scope.attributes = root->output;
  if (condition != nullptr) {
    LAKEBED_ASSIGN(ExpressionPtr test, resolve_condition(session, scope, condition, "WHERE"));
    LAKEBED_TRY(refuse_special(test));
    root = filter_of(std::move(root), std::move(test), condition->span);
  }
  std::vector<ExpressionPtr> columns;
  for (const ExpressionPtr& node : expressions) {
    if (node->kind == ExpressionKind::kStar) {
      LAKEBED_ASSIGN(std::vector<NamedExpression> all, expand_star(session, scope, *node));
      for (NamedExpression& column : all) {
        columns.push_back(alias_of(std::move(column.expression), column.name, session.next_id()));
      }
      continue;
    }
    LAKEBED_ASSIGN(ExpressionPtr column, projected(session, scope, node));
    columns.push_back(std::move(column));
  }
  const SourceSpan span = root->span;
  return finish(session, project_of(std::move(root), std::move(columns), span));
}

}  // namespace lakebed::plan
