#include "run/quality/expectations.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/names.h"
#include "delta/schema.h"
#include "plan/tree_make.h"
#include "plan/tree_tools.h"
#include "run/pipeline/plan_reads.h"
#include "run/target/generated.h"
#include "run/update/flow_run.h"
#include "run/update/progress.h"
#include "sql/parse.h"
#include "value/text.h"

namespace lakebed::run {

namespace {

using plan::Expression;
using plan::ExpressionKind;
using plan::ExpressionPtr;
using plan::RelationKind;
using plan::RelationPtr;

// CASE WHEN `where` THEN `condition` END.
ExpressionPtr only_where(const ExpressionPtr& where, const ExpressionPtr& condition) {
  if (!where) return condition;
  auto node = std::make_shared<Expression>();
  node->kind = ExpressionKind::kCase;
  node->span = condition->span;
  node->children = {where, condition};
  return node;
}

// Binds the names of a condition to the row that it tests.
class ConditionNames {
 public:
  ConditionNames(const value::Schema& delivered, const value::Schema& others)
      : delivered_(delivered), others_(others) {}

  Result<ExpressionPtr> bind(const ExpressionPtr& node) {
    if (node->kind == ExpressionKind::kColumn) return bind_column(node);
    const size_t outer = lambda_.size();
    if (node->kind == ExpressionKind::kLambda) {
      for (const std::string& name : node->names) lambda_.push_back(fold_case(name));
    }
    auto bound = plan::map_parts(node, [this](const ExpressionPtr& part) { return bind(part); });
    lambda_.resize(outer);
    return bound;
  }

 private:
  Result<ExpressionPtr> bind_column(const ExpressionPtr& node) {
    const std::string& name = node->name_parts.front();
    if (std::find(lambda_.begin(), lambda_.end(), fold_case(name)) != lambda_.end()) return node;
    if (value::find_field(delivered_, name)) return node;
    if (const auto at = value::find_field(others_, name)) return bind_other(others_[*at], node);
    std::vector<std::string> known;
    for (const value::Field& field : delivered_) known.push_back(field.name);
    const std::string near = nearest_name(name, known);
    return project_error("UNRESOLVED_COLUMN.WITH_SUGGESTION",
                         fmt::format("an expectation tests {}, which is no column of the rows that "
                                     "it tests",
                                     quote_name(name)),
                         node->span)
        .with_hint(near.empty() ? fmt::format("their columns are {}", fmt::join(known, ", "))
                                : "did you mean " + quote_name(near) + "?");
  }

  // A generated column stands for its expression, any other for NULL.
  Result<ExpressionPtr> bind_other(const value::Field& field, const ExpressionPtr& node) {
    const std::string text = delta::generation_expression(field);
    if (text.empty()) return plan::make_null(field.type, node->span);
    LAKEBED_ASSIGN(const ExpressionPtr expression, sql::parse_expression(text));
    LAKEBED_ASSIGN(ExpressionPtr bound, bind(expression));
    return plan::make_cast(std::move(bound), field.type);
  }

  const value::Schema& delivered_;
  const value::Schema& others_;
  std::vector<std::string> lambda_;
};

RelationPtr renamed(const Dataset& view) {
  if (view.declaration.columns.empty()) return view.declaration.query;
  std::vector<std::string> names;
  for (const auto& item : view.declaration.columns) names.push_back(item.field.name);
  return plan::make_renamed(view.declaration.query, view.name.table, std::move(names),
                            view.declaration.span);
}

}  // namespace

void DataQuality::add(const DataQuality& other) {
  dropped += other.dropped;
  for (const ExpectationCount& count : other.expectations) {
    const auto same = std::find_if(expectations.begin(), expectations.end(), [&](const auto& one) {
      return one.name == count.name && one.dataset == count.dataset;
    });
    if (same == expectations.end()) {
      expectations.push_back(count);
      continue;
    }
    same->passed += count.passed;
    same->failed += count.failed;
  }
}

Json DataQuality::json() const {
  Json list = Json::array();
  for (const ExpectationCount& count : expectations) {
    list.push_back({{"name", count.name},
                    {"dataset", count.dataset},
                    {"passed_records", count.passed},
                    {"failed_records", count.failed}});
  }
  return {{"dropped_records", dropped}, {"expectations", std::move(list)}};
}

void add_quality(const DataQuality& quality, Event& event) {
  if (!quality.empty()) event.details["flow_progress"]["data_quality"] = quality.json();
}

void add_quality(const DataQuality& quality, delta::TransactionInfo& info) {
  if (quality.empty()) return;
  info.metrics["num_dropped_rows"] = std::to_string(quality.dropped);
  for (const ExpectationCount& count : quality.expectations) {
    info.metrics["expectation." + count.name + ".failed_records"] = std::to_string(count.failed);
    info.metrics["expectation." + count.name + ".passed_records"] = std::to_string(count.passed);
  }
}

Status check_expectations(const Dataset& dataset) {
  std::set<std::string> names;
  for (const plan::Expectation& one : dataset.declaration.expectations) {
    if (!names.insert(fold_case(one.name.name)).second) {
      return project_error("EXPECTATION_DUPLICATE_NAME",
                           fmt::format("{} has two expectations called {}", dataset.name.text(),
                                       quote_name(one.name.name)),
                           one.name.span);
    }
    const bool other_rows = plan::any_expression(one.condition, [](const Expression& node) {
      return node.kind == ExpressionKind::kSubquery || node.kind == ExpressionKind::kExists ||
             node.kind == ExpressionKind::kInSubquery || node.kind == ExpressionKind::kWindow;
    });
    if (!other_rows) continue;
    return project_error("EXPECTATION_NOT_A_ROW_CONDITION",
                         fmt::format("expectation {} looks at other rows than the one it tests",
                                     quote_name(one.name.name)),
                         one.condition->span)
        .with_hint("subqueries and window functions belong into the query that feeds the table");
  }
  return {};
}

Result<std::vector<ExpressionPtr>> expectation_columns(
    const std::vector<plan::Expectation>& expectations, const value::Schema& delivered,
    const value::Schema& others, const ExpressionPtr& where) {
  std::vector<ExpressionPtr> columns;
  for (const plan::Expectation& one : expectations) {
    LAKEBED_ASSIGN(const ExpressionPtr bound,
                   ConditionNames(delivered, others).bind(one.condition));
    const ExpressionPtr cast = plan::make_cast(only_where(where, bound), value::Kind::kBoolean);
    columns.push_back(
        plan::make_alias(cast, fmt::format("__lakebed_expectation_{}", columns.size())));
  }
  return columns;
}

RowTests::RowTests(const std::vector<plan::Expectation>& expectations, std::string dataset,
                   std::string flow)
    : expectations_(expectations), flow_(std::move(flow)) {
  for (const plan::Expectation& one : expectations) {
    quality_.expectations.push_back({one.name.name, dataset, 0, 0});
  }
}

// Rule F6: NULL fails the test.
void RowTests::judge(const value::ColumnBatch& batch, size_t first, std::vector<bool>& hidden,
                     const std::function<bool(size_t row)>& counts) {
  hidden.assign(batch.rows, false);
  for (size_t i = 0; i < expectations_.size(); ++i) {
    const value::Column& met = batch.columns[first + i];
    for (size_t row = 0; row < batch.rows; ++row) {
      if (counts && !counts(row)) continue;
      if (!met.is_null(row) && met.integer(row) != 0) {
        ++quality_.expectations[i].passed;
        continue;
      }
      ++quality_.expectations[i].failed;
      if (expectations_[i].action == plan::ViolationAction::kDropRow) hidden[row] = true;
      if (expectations_[i].action != plan::ViolationAction::kFailUpdate) continue;
      if (sample_.empty()) value::append_json_row(batch, row, "UTC", sample_);
    }
  }
  quality_.dropped += static_cast<uint64_t>(std::count(hidden.begin(), hidden.end(), true));
}

Status RowTests::verdict() const {
  for (size_t i = 0; i < expectations_.size(); ++i) {
    const ExpectationCount& count = quality_.expectations[i];
    if (expectations_[i].action != plan::ViolationAction::kFailUpdate || count.failed == 0) {
      continue;
    }
    return update_error("EXPECTATION_VIOLATION",
                        fmt::format("flow {}: {} of {} rows do not meet the expectation {} ({}) of "
                                    "{}; nothing was written, for example {}",
                                    quote_name(flow_), count.failed, count.failed + count.passed,
                                    quote_name(count.name), expectations_[i].condition_text,
                                    count.dataset, sample_))
        .with_span(expectations_[i].name.span);
  }
  return {};
}

Result<plan::ResolvedQuery> resolve_with_expectations(const RelationPtr& query,
                                                      const Dataset& dataset, QueryCatalog& catalog,
                                                      const plan::ResolveOptions& options) {
  LAKEBED_ASSIGN(plan::ResolvedQuery plain, plan::resolve_query(query, catalog, options));
  if (dataset.declaration.expectations.empty()) return plain;
  const value::Schema delivered = plain.schema();
  const value::Schema others = declared_schema(dataset.declaration.columns);
  LAKEBED_ASSIGN(const auto conditions,
                 expectation_columns(dataset.declaration.expectations, delivered, others, nullptr));
  std::vector<ExpressionPtr> outputs;
  for (const value::Field& field : delivered) {
    outputs.push_back(
        plan::make_alias(plan::make_column(field.name, dataset.declaration.span), field.name));
  }
  outputs.insert(outputs.end(), conditions.begin(), conditions.end());
  return plan::resolve_projection(query, outputs, nullptr, catalog, options);
}

value::ColumnBatch sift(value::ColumnBatch batch, const Dataset& dataset, RowTests& tests) {
  const size_t conditions = dataset.declaration.expectations.size();
  if (conditions == 0) return batch;
  const size_t columns = batch.columns.size() - conditions;
  std::vector<bool> hidden;
  tests.judge(batch, columns, hidden);
  std::vector<uint32_t> kept;
  for (size_t row = 0; row < batch.rows; ++row) {
    if (!hidden[row]) kept.push_back(static_cast<uint32_t>(row));
  }
  batch.schema.resize(columns);
  batch.columns.resize(columns, value::Column(value::Type(value::Kind::kInt)));
  if (kept.size() == batch.rows) return batch;
  for (value::Column& one : batch.columns) one = one.gather(kept);
  batch.rows = kept.size();
  return batch;
}

RelationPtr filtered_view(const Dataset& view) {
  RelationPtr relation = renamed(view);
  for (const plan::Expectation& one : view.declaration.expectations) {
    if (one.action != plan::ViolationAction::kDropRow) continue;
    auto filter = std::make_shared<plan::Relation>();
    filter->kind = RelationKind::kFilter;
    filter->span = one.condition->span;
    filter->condition = one.condition;
    filter->inputs = {relation};
    relation = filter;
  }
  return relation;
}

namespace {

// Views with expectations behind a query, each once.
void find_views(const Pipeline& pipeline, const RelationPtr& query, const NameScope& scope,
                std::vector<const Dataset*>& found) {
  for (const auto& name : names_read(query)) {
    const Dataset* dataset = pipeline.find(name, scope);
    if (!dataset || !dataset->is_view()) continue;
    if (std::find(found.begin(), found.end(), dataset) != found.end()) continue;
    found.push_back(dataset);
    find_views(pipeline, dataset->declaration.query, dataset->scope, found);
  }
}

Status count_view(Session& session, const Pipeline& pipeline, const Dataset& view,
                  FlowProgress* progress, const std::string& flow, DataQuality& quality) {
  QueryCatalog catalog(session, &pipeline, progress);
  catalog.set_scope(view.scope);
  const RelationPtr query = renamed(view);
  plan::ResolveOptions options = session.resolve_options();
  LAKEBED_ASSIGN(const plan::ResolvedQuery plain, plan::resolve_query(query, catalog, options));
  LAKEBED_ASSIGN(const auto conditions,
                 expectation_columns(view.declaration.expectations, plain.schema(), {}, nullptr));
  LAKEBED_ASSIGN(const plan::ResolvedQuery tests,
                 plan::resolve_projection(query, conditions, nullptr, catalog, options));
  BatchInput batch;
  if (tests.streaming && progress) {
    LAKEBED_ASSIGN(batch, next_batch(tests, catalog, *progress));
  } else {
    LAKEBED_ASSIGN(batch, whole_batch(tests, catalog));
  }
  if (!batch.pending) return {};
  RowTests counts(view.declaration.expectations, view.name.text(), flow);
  LAKEBED_ASSIGN(engine::Engine * engine, session.engine());
  LAKEBED_ASSIGN(const auto reader, engine->run(tests, batch.inputs));
  std::vector<bool> hidden;
  while (true) {
    LAKEBED_ASSIGN(const auto rows, reader->next());
    if (!rows) break;
    counts.judge(*rows, 0, hidden);
  }
  LAKEBED_TRY(counts.verdict());
  quality.add(counts.quality());
  return {};
}

}  // namespace

Status count_views(Session& session, const Pipeline& pipeline, const RelationPtr& query,
                   const NameScope& scope, FlowProgress* progress, const std::string& flow,
                   DataQuality& quality) {
  std::vector<const Dataset*> views;
  find_views(pipeline, query, scope, views);
  for (const Dataset* view : views) {
    if (view->declaration.expectations.empty()) continue;
    LAKEBED_TRY(count_view(session, pipeline, *view, progress, flow, quality));
  }
  return {};
}

}  // namespace lakebed::run
