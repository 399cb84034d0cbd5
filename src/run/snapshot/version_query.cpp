#include "run/snapshot/version_query.h"

#include <fmt/format.h>

#include "base/names.h"
#include "plan/expression_text.h"
#include "plan/tree_tools.h"
#include "run/pipeline/plan_reads.h"
#include "run/update/flow_run.h"

namespace lakebed::run {

namespace {

using plan::Expression;
using plan::ExpressionKind;
using plan::ExpressionPtr;
using plan::Relation;
using plan::RelationKind;
using plan::RelationPtr;

constexpr int kRounds = 4;  // until the type of a version that is computed from itself settles

Error invalid(Blame blame, const Flow& flow, const std::string& what, const SourceSpan& span) {
  const std::string message =
      fmt::format("WITH VERSION of flow {} {}", quote_name(flow.name), what);
  const char* code = "INVALID_AUTO_CDC_FROM_SNAPSHOT_VERSION_QUERY";
  Error error = update_error(code, message);
  error.blame = blame;
  return error.with_span(span);
}

// The query of a CTE that encloses `at`, innermost first.
RelationPtr cte_of(const std::vector<RelationPtr>& withs, const std::string& name) {
  for (auto with = withs.rbegin(); with != withs.rend(); ++with) {
    for (size_t i = 0; i < (*with)->names.size(); ++i) {
      if (same_name((*with)->names[i], name)) return (*with)->inputs[i + 1];
    }
  }
  return nullptr;
}

// What the one column is called, as far as the text alone says it; "" where it does not.
std::string written_name(const RelationPtr& query) {
  std::vector<RelationPtr> withs;
  RelationPtr at = query;
  for (int depth = 0; at && depth < 100; ++depth) {
    if (at->kind == RelationKind::kWith) withs.push_back(at);
    if (at->kind == RelationKind::kAlias && !at->names.empty()) return at->names[0];
    const bool selects = at->kind == RelationKind::kProject || at->kind == RelationKind::kAggregate;
    if (selects && !at->expressions.empty()) {
      const Expression& item = *at->expressions[0];
      if (item.kind == ExpressionKind::kAlias) return item.names.empty() ? "" : item.names[0];
      if (item.kind != ExpressionKind::kStar) return plan::output_name(item);
    }
    if (at->kind == RelationKind::kRead) {
      at = at->name_parts.size() == 1 ? cte_of(withs, at->name_parts[0]) : nullptr;
    } else {
      at = at->inputs.empty() ? nullptr : at->inputs[0];
    }
  }
  return "";
}

// The query with every subquery that reads last_snapshot_version() as before the first version:
// no value, no row. What the version's column is called and holds does not depend on it.
Result<RelationPtr> without_last(const RelationPtr& query) {
  return plan::map_expressions(query, [](const ExpressionPtr& node) -> Result<ExpressionPtr> {
    const plan::ExpressionRewrite cut = [&cut](const ExpressionPtr& part) -> Result<ExpressionPtr> {
      if (!part->relation || !calls_table_function(part->relation, kLastVersion)) {
        return plan::map_parts(part, cut);
      }
      auto literal = std::make_shared<Expression>();
      literal->span = part->span;
      literal->is_null = part->kind == ExpressionKind::kSubquery;
      if (!literal->is_null) {
        literal->type = value::Kind::kBoolean;
        literal->text = "false";
      }
      return ExpressionPtr(literal);
    };
    return cut(node);
  });
}

Result<plan::ResolvedQuery> resolve_version(const Flow& flow, const RelationPtr& query,
                                            value::ColumnBatch last, QueryCatalog& catalog,
                                            const plan::ResolveOptions& options) {
  catalog.offer_version(kLastVersion, std::move(last));
  LAKEBED_ASSIGN(plan::ResolvedQuery resolved, plan::resolve_query(query, catalog, options));
  const value::Schema schema = resolved.schema();
  if (schema.size() != 1) {
    return invalid(Blame::kProject, flow, fmt::format("yields {} columns, not one", schema.size()),
                   query->span);
  }
  if (resolved.streaming) {
    return invalid(Blame::kProject, flow, "reads a stream", query->span)
        .with_hint("leave out STREAM: the query looks at what is there");
  }
  return resolved;
}

value::ColumnBatch nothing(const value::Field& column) {
  return value::ColumnBatch::empty({column});
}

value::Field plain(value::Field field) {
  field.nullable = true;
  field.comment.clear();
  field.metadata.clear();
  return field;
}

}  // namespace

Result<value::Field> plan_version(const Flow& flow, QueryCatalog& catalog,
                                  const plan::ResolveOptions& options) {
  const RelationPtr& query = flow.snapshot()->version;
  LAKEBED_ASSIGN(const RelationPtr first, without_last(query));
  value::Field column{written_name(query), value::Kind::kVoid, true, "", {}};
  LAKEBED_ASSIGN(plan::ResolvedQuery resolved,
                 resolve_version(flow, first, nothing(column), catalog, options));
  for (int round = 0; round < kRounds; ++round) {
    column = plain(resolved.schema()[0]);
    LAKEBED_ASSIGN(resolved, resolve_version(flow, query, nothing(column), catalog, options));
    if (!(plain(resolved.schema()[0]) == column)) continue;
    if (value::is_orderable(column.type)) return column;
    return project_error("APPLY_CHANGES_FROM_SNAPSHOT_ERROR.SNAPSHOT_VERSION_NOT_SORTABLE",
                         fmt::format("WITH VERSION of flow {} yields a {}, which has no order",
                                     quote_name(flow.name), column.type.text()),
                         query->span);
  }
  return invalid(
             Blame::kProject, flow,
             fmt::format("yields a column whose name or type depends on itself: first {} {}, "
                         "then {} {}",
                         quote_name(column.name), column.type.text(),
                         quote_name(resolved.schema()[0].name), resolved.schema()[0].type.text()),
             query->span)
      .with_hint("name the column with AS, and cast it to the type that versions have");
}

Result<std::optional<SnapshotVersion>> next_version(Session& session, const Flow& flow,
                                                    const value::Field& column,
                                                    const SnapshotVersion* last,
                                                    QueryCatalog& catalog,
                                                    const plan::ResolveOptions& options) {
  const RelationPtr& query = flow.snapshot()->version;
  LAKEBED_ASSIGN(
      const plan::ResolvedQuery resolved,
      resolve_version(flow, query, last ? last->row : nothing(column), catalog, options));
  LAKEBED_ASSIGN(const auto inputs, whole_inputs(resolved, catalog));
  LAKEBED_ASSIGN(engine::Engine * engine, session.engine());
  LAKEBED_ASSIGN(const auto reader, engine->run(resolved, inputs));
  SnapshotVersion version;
  version.row = nothing(column);
  uint64_t rows = 0;
  while (true) {
    LAKEBED_ASSIGN(const auto batch, reader->next());
    if (!batch) break;
    if (rows == 0 && batch->rows > 0) version.row.columns[0].append_from(batch->columns[0], 0);
    rows += batch->rows;
  }
  if (rows == 0) return std::optional<SnapshotVersion>{};
  version.row.rows = 1;
  if (rows > 1) {
    return invalid(
               Blame::kUpdate, flow,
               fmt::format("yields {} rows; it may yield one row, the next version, or none", rows),
               query->span)
        .with_hint("ORDER BY the version and LIMIT 1");
  }
  if (version.column().is_null(0)) {
    return invalid(Blame::kUpdate, flow, "yields NULL", query->span)
        .with_hint("no row means that nothing is to be done: HAVING, or WHERE ... IS NOT NULL");
  }
  return std::optional(std::move(version));
}

Status check_version_column(const Flow& flow, const Dataset& target, const value::Field& column,
                            const SnapshotVersion& last) {
  const value::Field& before = last.field();
  if (same_name(before.name, column.name) && before.type == column.type) return {};
  return update_error(
             "AUTO_CDC_FROM_SNAPSHOT_VERSION_SCHEMA_CHANGED",
             fmt::format("the versions of flow {} were {} {} and are {} {} now; nothing was "
                         "written",
                         quote_name(flow.name), quote_name(before.name), before.type.text(),
                         quote_name(column.name), column.type.text()))
      .with_hint(fmt::format("undo the change, or run with --full-refresh {}",
                             quote_name(target.name.table)));
}

}  // namespace lakebed::run
