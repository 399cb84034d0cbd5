#include "run/pipeline/flow_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/json.h"
#include "base/names.h"
#include "plan/tree_make.h"
#include "run/batch/leaves.h"
#include "run/quality/expectations.h"
#include "run/quality/whole_rows.h"
#include "run/target/generated.h"

namespace lakebed::run {

namespace {

using plan::Expression;
using plan::ExpressionKind;
using plan::ExpressionPtr;
using value::Schema;
using value::Type;

bool is_system_column(const std::string& name) {
  return same_name(name, "__SYSTEM_START_AT") || same_name(name, "__SYSTEM_END_AT");
}

// Rule B7: names match without case.
bool is_time_column(TargetKind kind, const std::string& name) {
  const auto& added = time_columns(kind);
  return std::any_of(added.begin(), added.end(),
                     [&](const std::string& one) { return same_name(one, name); });
}

ExpressionPtr integer(int number) {
  auto node = std::make_shared<Expression>();
  node->kind = ExpressionKind::kLiteral;
  node->type = value::Kind::kInt;
  node->text = std::to_string(number);
  return node;
}

// 2 for a truncate, 1 for a delete, 0 for an upsert, tested in that order; what is not TRUE does
// not match (rule E1).
ExpressionPtr operation(const plan::FeedSpec& feed) {
  if (!feed.truncate_when && !feed.delete_when) return integer(0);
  auto node = std::make_shared<Expression>();
  node->kind = ExpressionKind::kCase;
  if (feed.truncate_when)
    node->children.insert(node->children.end(), {feed.truncate_when, integer(2)});
  if (feed.delete_when) node->children.insert(node->children.end(), {feed.delete_when, integer(1)});
  node->children.push_back(integer(0));
  return node;
}

std::vector<std::string> names_of(const Schema& schema) {
  std::vector<std::string> names;
  for (const value::Field& field : schema) names.push_back(field.name);
  return names;
}

// Index of each name of a list; unknown names are errors (rule E7).
Result<std::vector<size_t>> find_all(const plan::ColumnChoice& choice, const Schema& schema,
                                     const std::string& clause, const std::string& where) {
  std::vector<size_t> found;
  for (size_t i = 0; i < choice.names.size(); ++i) {
    const std::string& name = choice.names[i][0];
    if (const auto at = value::find_field(schema, name)) {
      found.push_back(*at);
      continue;
    }
    const std::string near = nearest_name(name, names_of(schema));
    return project_error("AUTOCDC_COLUMNS_NOT_FOUND_IN_SCHEMA",
                         fmt::format("{} names {}, which is no column of {}", clause,
                                     quote_name(name), where),
                         i < choice.spans.size() ? choice.spans[i] : choice.span)
        .with_hint(near.empty()
                       ? fmt::format("its columns are {}", fmt::join(names_of(schema), ", "))
                       : "did you mean " + quote_name(near) + "?");
  }
  return found;
}

Status check_source_columns(const Schema& source, const Flow& flow) {
  for (size_t i = 0; i < source.size(); ++i) {
    for (size_t j = 0; j < i; ++j) {
      if (!same_name(source[i].name, source[j].name)) continue;
      return project_error("COLUMN_ALREADY_EXISTS",
                           fmt::format("the source of flow {} has the column {} twice",
                                       quote_name(flow.name), quote_name(source[i].name)),
                           flow.span);
    }
  }
  return {};
}

// The columns that COLUMNS selects, in the source's order (rule E7).
Result<Schema> select_columns(const plan::FeedSpec& feed, const Schema& source) {
  if (!feed.columns) return source;
  LAKEBED_ASSIGN(const auto named, find_all(*feed.columns, source, "COLUMNS", "the source"));
  const std::set<size_t> set(named.begin(), named.end());
  Schema selected;
  for (size_t i = 0; i < source.size(); ++i) {
    if (set.count(i) != feed.columns->all_except) selected.push_back(source[i]);
  }
  return selected;
}

Status check_keys(const plan::FeedSpec& feed, const Schema& source, CdcPlan& plan) {
  LAKEBED_ASSIGN(const auto in_source, find_all(feed.keys, source, "KEYS", "the source"));
  std::vector<std::pair<std::string, size_t>> keys;
  for (size_t i = 0; i < in_source.size(); ++i) {
    const value::Field& field = source[in_source[i]];
    const auto at = value::find_field(plan.selected, field.name);
    const SourceSpan span = i < feed.keys.spans.size() ? feed.keys.spans[i] : feed.keys.span;
    if (!at) {
      return project_error("AUTOCDC_KEY_NOT_IN_SELECTED_SCHEMA",
                           fmt::format("COLUMNS leaves out the key {}", quote_name(field.name)),
                           span);
    }
    if (!value::is_orderable(field.type)) {
      return project_error("AUTOCDC_KEY_WITHOUT_EQUALITY",
                           fmt::format("key {} is {}, whose values can't be compared",
                                       quote_name(field.name), field.type.text()),
                           span);
    }
    keys.emplace_back(fold_case(field.name), *at);
  }
  std::sort(keys.begin(), keys.end());
  for (const auto& key : keys) plan.keys.push_back(key.second);
  return {};
}

// Rule B7: a selected column may not have the name of a column that we add.
Status check_reserved(const CdcPlan& plan, const Flow& flow) {
  for (const value::Field& field : plan.selected) {
    if (!is_time_column(plan.kind, field.name)) continue;
    return project_error(
               "AUTOCDC_RESERVED_COLUMN_NAME_CONFLICT",
               fmt::format("flow {} selects a column {}, a name that {} adds",
                           quote_name(flow.name), field.name, target_kind_text(plan.kind)),
               flow.span)
        .with_hint(plan.from_snapshots
                       ? "give it another name in the snapshot's query"
                       : fmt::format("leave it out: COLUMNS * EXCEPT ({})", field.name));
  }
  return {};
}

// Rule B5: which columns open versions.
Status find_tracked(const plan::FeedSpec& feed, CdcPlan& plan) {
  plan.tracked.assign(plan.selected.size(), true);
  if (feed.track_history) {
    LAKEBED_ASSIGN(const auto named,
                   find_all(*feed.track_history, plan.selected, "TRACK HISTORY ON", "the target"));
    plan.tracked.assign(plan.selected.size(), feed.track_history->all_except);
    for (const size_t at : named) plan.tracked[at] = !feed.track_history->all_except;
  }
  for (const size_t key : plan.keys) plan.tracked[key] = false;
  const auto tracked = std::count(plan.tracked.begin(), plan.tracked.end(), true);
  plan.tracks_others = !feed.track_history || feed.track_history->all_except;
  plan.tracks_all = static_cast<size_t>(tracked) + plan.keys.size() == plan.selected.size();
  return {};
}

// Rules P1, P2: columns that COLUMNS leaves out may be named and count for nothing.
Status find_partial(const plan::FeedSpec& feed, const Schema& source, CdcPlan& plan) {
  if (!feed.ignore_null_updates && !feed.columns_to_update) return {};
  if (value::find_field(plan.selected, kAuthorsColumn)) {
    return project_error("AUTOCDC_RESERVED_COLUMN_NAME_CONFLICT",
                         fmt::format("flow {} selects a column {}, a name that partial updates use",
                                     quote_name(plan.flow), kAuthorsColumn),
                         feed.keys.span);
  }
  PartialUpdates partial;
  partial.known_names = names_of(source);
  if (const auto& choice = feed.ignore_null_updates) {
    LAKEBED_ASSIGN(const auto named,
                   find_all(*choice, source, "IGNORE NULL UPDATES", "the source"));
    partial.ignores_null.assign(plan.selected.size(), choice->all_except);
    for (const size_t column : named) {
      const auto at = value::find_field(plan.selected, source[column].name);
      if (at) partial.ignores_null[*at] = !choice->all_except;
    }
    plan.partial = std::move(partial);
    return {};
  }
  partial.by_names = true;
  plan::ColumnChoice names;
  names.names = {{feed.columns_to_update->name}};
  names.spans = {feed.columns_to_update->span};
  LAKEBED_ASSIGN(const auto at, find_all(names, source, "COLUMNS TO UPDATE", "the source"));
  const value::Field& field = source[at[0]];
  if (field.type.kind != value::Kind::kArray || field.type.element().kind != value::Kind::kString) {
    return project_error(
        "AUTOCDC_COLUMNS_TO_UPDATE_TYPE",
        fmt::format("COLUMNS TO UPDATE of flow {} needs ARRAY<STRING>; {} is {}",
                    quote_name(plan.flow), quote_name(field.name), field.type.text()),
        feed.columns_to_update->span);
  }
  partial.names_at = value::find_field(plan.selected, field.name).value_or(SIZE_MAX);
  plan.partial = std::move(partial);
  return {};
}

// A sequence or operation column that stays in the output opens a version with every event.
void warn_about_tracked(const plan::FeedSpec& feed, CdcPlan& plan) {
  if (plan.kind != TargetKind::kScd2) return;
  const auto warn = [&](const ExpressionPtr& used, const char* clause) {
    if (!used || used->kind != ExpressionKind::kColumn || used->name_parts.size() != 1) return;
    const auto at = value::find_field(plan.selected, used->name_parts[0]);
    if (!at || !plan.tracked[*at]) return;
    plan.warnings.push_back(fmt::format(
        "flow {}: the column {} of {} stays in the target and is tracked, so every event opens a "
        "version; leave it out with COLUMNS * EXCEPT ({})",
        quote_name(plan.flow), quote_name(plan.selected[*at].name), clause,
        quote_name(plan.selected[*at].name)));
  };
  warn(feed.sequence_by, "SEQUENCE BY");
  if (feed.delete_when) {
    for (const ExpressionPtr& child : feed.delete_when->children)
      warn(child, "APPLY AS DELETE WHEN");
  }
}

Json definition_of(const plan::FeedSpec& feed, const CdcPlan& plan) {
  Json keys = Json::array();
  for (const size_t key : plan.keys) {
    const value::Field& field = plan.selected[key];
    keys.push_back({{"name", fold_case(field.name)}, {"type", field.type.text()}});
  }
  Json own = Json::array();
  const bool list = feed.track_history && !feed.track_history->all_except;
  if (feed.track_history) {
    for (const auto& name : feed.track_history->names) own.push_back(fold_case(name[0]));
  }
  Json tracked = Json::array();
  for (size_t i = 0; i < plan.selected.size(); ++i) {
    if (plan.tracked[i]) tracked.push_back(fold_case(plan.selected[i].name));
  }
  return {{"keys", keys},
          {"sequence", plan.sequence_type.text()},
          {"system", plan.kind == TargetKind::kBitemporal ? plan.system_type.text() : ""},
          {"stored_as", target_kind_text(plan.kind)},
          {"track", {{"list", list}, {"names", own}, {"tracked", tracked}}}};
}

// Null where every row is an upsert.
ExpressionPtr is_upsert(const plan::FeedSpec& feed) {
  if (!feed.truncate_when && !feed.delete_when) return nullptr;
  auto node = std::make_shared<Expression>();
  node->kind = ExpressionKind::kCall;
  node->name = "=";
  node->children = {operation(feed), integer(0)};
  return node;
}

// Rule F6: the target's expectations test the output row of each upsert. A column that only other
// flows of the target deliver is NULL in the rows of this one. Rows of partial events are tested
// when they are whole (run/quality/whole_rows.h); here their conditions are only checked.
Status add_expectations(const Flow& flow, const ExpressionPtr& where, QueryCatalog& catalog,
                        CdcPlan& plan, std::vector<ExpressionPtr>& outputs) {
  const Dataset& target = catalog.pipeline()->datasets[flow.target];
  plan.target = target.name.text();
  plan.expectations = target.declaration.expectations;
  plan.own.first_expectation = outputs.size();
  const Schema others = declared_schema(target.declaration.columns);
  if (plan.partial) {
    LAKEBED_TRY(WholeRowTests::make(catalog.session(), plan, plan.selected, others));
    return {};
  }
  plan.own.expectations = plan.expectations.size();
  LAKEBED_ASSIGN(const auto conditions,
                 expectation_columns(plan.expectations, plan.selected, others, where));
  outputs.insert(outputs.end(), conditions.begin(), conditions.end());
  return {};
}

// struct(a, b, ...) of all columns of the source.
ExpressionPtr whole_row(const Schema& source) {
  auto node = std::make_shared<Expression>();
  node->kind = ExpressionKind::kCall;
  node->name = "struct";
  for (const value::Field& field : source)
    node->children.push_back(plan::make_column(field.name, {}));
  return node;
}

std::vector<ExpressionPtr> selected_columns(const plan::FeedSpec& feed, const CdcPlan& plan) {
  std::vector<ExpressionPtr> outputs;
  for (const value::Field& field : plan.selected) {
    outputs.push_back(plan::make_alias(plan::make_column(field.name, feed.keys.span), field.name));
  }
  return outputs;
}

// Rule E2: everything is evaluated on the whole source row.
Status resolve_events(const Flow& flow, const plan::FeedSpec& feed, const Schema& source,
                      CdcPlan& plan, QueryCatalog& catalog, const plan::ResolveOptions& options) {
  std::vector<ExpressionPtr> outputs = selected_columns(feed, plan);
  plan.own.sequence = outputs.size();
  outputs.push_back(plan::make_alias(feed.sequence_by, "__lakebed_sequence"));
  plan.own.operation = outputs.size();
  outputs.push_back(plan::make_alias(operation(feed), "__lakebed_operation"));
  if (plan.kind == TargetKind::kBitemporal) {
    plan.own.system_sequence = outputs.size();
    outputs.push_back(plan::make_alias(feed.system_sequence_by, "__lakebed_system_sequence"));
  }
  if (feed.columns_to_update) {
    plan.own.columns_to_update = outputs.size();
    const plan::NameAt& names = *feed.columns_to_update;
    outputs.push_back(
        plan::make_alias(plan::make_column(names.name, names.span), "__lakebed_columns_to_update"));
  }
  if (catalog.session().project().quarantine) {
    plan.own.source_row = outputs.size();
    outputs.push_back(plan::make_alias(whole_row(source), "__lakebed_source"));
  }
  LAKEBED_TRY(add_expectations(flow, is_upsert(feed), catalog, plan, outputs));
  LAKEBED_ASSIGN(plan.query,
                 plan::resolve_projection(feed.source, outputs, nullptr, catalog, options));
  return {};
}

// Declared columns say what the target has; time columns may be among them (rules A3, B7).
Status check_declared(const CdcPlan& plan, const Dataset& target, const Schema& declared) {
  for (const value::Field& field : plan.selected) {
    if (value::find_field(declared, field.name)) continue;
    return project_error(
               "AUTOCDC_COLUMN_NOT_DECLARED",
               fmt::format("flow {} delivers {}, which the column list of {} leaves out",
                           quote_name(plan.flow), quote_name(field.name), target.name.text()),
               target.declaration.span)
        .with_hint(plan.from_snapshots
                       ? "declare the column, or leave it out of the snapshot's query"
                       : "declare the column, or leave it out with COLUMNS * EXCEPT");
  }
  for (const value::Field& field : declared) {
    if (!is_time_column(plan.kind, field.name)) continue;
    const bool system = is_system_column(field.name);
    const value::Type& type = system ? plan.system_type : plan.sequence_type;
    if (field.type == type) continue;
    return project_error("AUTOCDC_TIME_COLUMN_TYPE_MISMATCH",
                         fmt::format("{} is declared {}, but {}SEQUENCE BY is {}", field.name,
                                     field.type.text(), system ? "SYSTEM " : "", type.text()),
                         target.declaration.span);
  }
  return {};
}

// The output columns, the keys among them, the tracked ones.
Status plan_columns(const Flow& flow, const plan::FeedSpec& feed, const Schema& source,
                    CdcPlan& plan) {
  LAKEBED_TRY(check_source_columns(source, flow));
  LAKEBED_ASSIGN(plan.selected, select_columns(feed, source));
  LAKEBED_TRY(check_keys(feed, source, plan));
  LAKEBED_TRY(check_reserved(plan, flow));
  return find_tracked(feed, plan);
}

Status check_orderable(const Type& type, const std::string& clause, const SourceSpan& span,
                       const CdcPlan& plan) {
  if (value::is_orderable(type)) return {};
  return project_error("AUTOCDC_MICROBATCH_VALIDATION.NON_ORDERABLE_SEQUENCE",
                       fmt::format("{} of flow {} is {}, which has no order", clause,
                                   quote_name(plan.flow), type.text()),
                       span);
}

// Rule E6: a type that can't be ordered is known before any data is read.
Status type_sequences(const plan::FeedSpec& feed, CdcPlan& plan) {
  const Schema outputs = plan.query.schema();
  plan.sequence_type = outputs[plan.own.sequence].type;
  LAKEBED_TRY(check_orderable(plan.sequence_type, "SEQUENCE BY", feed.sequence_by->span, plan));
  if (!plan.own.system_sequence) return {};
  plan.system_type = outputs[*plan.own.system_sequence].type;
  return check_orderable(plan.system_type, "SYSTEM SEQUENCE BY", feed.system_sequence_by->span,
                         plan);
}

}  // namespace

TargetKind kind_of(plan::StoredAs stored_as) {
  switch (stored_as) {
    case plan::StoredAs::kScd1: return TargetKind::kScd1;
    case plan::StoredAs::kScd2: return TargetKind::kScd2;
    case plan::StoredAs::kBitemporal: return TargetKind::kBitemporal;
  }
  return TargetKind::kScd1;
}

// After the selected columns: of a history (rule B4), of a bitemporal target (rule C1).
const std::vector<std::string>& time_columns(TargetKind kind) {
  static const std::vector<std::string> kNone;
  static const std::vector<std::string> kHistory = {"__START_AT", "__END_AT"};
  static const std::vector<std::string> kBitemporal = {"__START_AT", "__END_AT",
                                                       "__SYSTEM_START_AT", "__SYSTEM_END_AT"};
  if (kind == TargetKind::kScd2) return kHistory;
  return kind == TargetKind::kBitemporal ? kBitemporal : kNone;
}

Schema without_time_columns(Schema schema, TargetKind kind) {
  std::erase_if(schema,
                [&](const value::Field& field) { return is_time_column(kind, field.name); });
  return schema;
}

Result<CdcPlan> plan_cdc_flow(Session& session, const Flow& flow, QueryCatalog& catalog) {
  const plan::FeedSpec& feed = *flow.feed();
  plan::ResolveOptions options = session.resolve_options();
  CdcPlan plan;
  plan.flow = flow.name;
  plan.kind = kind_of(feed.stored_as);
  LAKEBED_ASSIGN(const plan::ResolvedQuery source,
                 plan::resolve_query(feed.source, catalog, options));
  plan.streaming = source.streaming;
  if (!source.streaming && !flow.body.once) {
    return project_error(
               "INVALID_FLOW_QUERY_TYPE",
               fmt::format("the source of flow {} does not stream", quote_name(flow.name)),
               flow.span)
        .with_hint(
            "AUTO CDC reads a stream: FROM STREAM(table), or STREAM read_files(...) in the "
            "view that it names");
  }
  LAKEBED_TRY(plan_columns(flow, feed, source.schema(), plan));
  LAKEBED_TRY(find_partial(feed, source.schema(), plan));
  LAKEBED_TRY(resolve_events(flow, feed, source.schema(), plan, catalog, options));
  LAKEBED_TRY(type_sequences(feed, plan));
  plan.has_truncate = feed.truncate_when != nullptr;
  warn_about_tracked(feed, plan);
  plan.definition = definition_of(feed, plan).dump();
  return plan;
}

Result<CdcPlan> plan_snapshot_query(const Flow& flow, const Type& version, QueryCatalog& catalog,
                                    const plan::ResolveOptions& options) {
  const plan::SnapshotSpec& snapshot = *flow.snapshot();
  plan::FeedSpec feed;  // what a snapshot flow shares with a feed: no columns of our own
  feed.source = snapshot.source;
  feed.keys = snapshot.keys;
  feed.stored_as = snapshot.stored_as;
  feed.track_history = snapshot.track_history;
  feed.clauses = snapshot.clauses;
  CdcPlan plan;
  plan.flow = flow.name;
  plan.kind = kind_of(feed.stored_as);
  plan.from_snapshots = true;
  plan.sequence_type = version;
  LAKEBED_ASSIGN(plan.query, plan::resolve_query(feed.source, catalog, options));
  if (plan.query.streaming) {
    return project_error(
               "INVALID_FLOW_QUERY_TYPE",
               fmt::format("the snapshot of flow {} is read as a stream", quote_name(flow.name)),
               flow.span)
        .with_hint("a snapshot is read whole: leave out STREAM");
  }
  LAKEBED_TRY(plan_columns(flow, feed, plan.query.schema(), plan));
  std::vector<ExpressionPtr> outputs = selected_columns(feed, plan);
  LAKEBED_TRY(add_expectations(flow, nullptr, catalog, plan, outputs));
  if (plan.own.expectations > 0) {
    LAKEBED_ASSIGN(plan.query,
                   plan::resolve_projection(feed.source, outputs, nullptr, catalog, options));
  }
  plan.own.sequence = plan.own.operation = plan.query.schema().size();  // see read_snapshot
  plan.definition = definition_of(feed, plan).dump();
  return plan;
}

Result<Schema> target_schema(const CdcPlan& plan, const Dataset& target, const Schema* existing) {
  const Schema declared = declared_schema(target.declaration.columns);
  if (!declared.empty()) LAKEBED_TRY(check_declared(plan, target, declared));
  if (existing) LAKEBED_TRY(check_generated_unchanged(target.declaration.columns, *existing));
  const Schema& known = existing ? *existing : declared;
  LAKEBED_TRY(check_not_delivered(known, plan.selected, "flow " + quote_name(plan.flow),
                                  target.declaration.span));
  const auto without_time = [&](Schema schema) {
    return without_time_columns(std::move(schema), plan.kind);
  };
  Schema base = without_time(existing ? *existing : declared);
  if (existing) {
    LAKEBED_ASSIGN(base, merge_schemas(base, without_time(declared)));
  }
  Schema selected = plan.selected;
  for (value::Field& field : selected) {
    field.nullable = true;
    field.metadata.clear();
    // A declared type is what the column has, also where the flow delivers a narrower one.
    if (const auto at = value::find_field(declared, field.name)) {
      LAKEBED_ASSIGN(const Schema kept, merge_schemas({declared[*at]}, {field}, kDeclared));
      field.type = kept.front().type;
    }
  }
  LAKEBED_ASSIGN(Schema merged, merge_schemas(base, selected));
  for (const std::string& name : time_columns(plan.kind)) {
    const bool system = is_system_column(name);
    value::Field field{name, system ? plan.system_type : plan.sequence_type, true, "", {}};
    if (const auto at = value::find_field(known, name)) field = known[*at];
    if (name.ends_with("END_AT")) field.nullable = true;
    merged.push_back(std::move(field));
  }
  return merged;
}

}  // namespace lakebed::run
