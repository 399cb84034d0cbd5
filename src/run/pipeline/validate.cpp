#include "run/pipeline/validate.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/names.h"
#include "run/pipeline/combined.h"
#include "run/quality/expectations.h"
#include "run/target/generated.h"

namespace lakebed::run {

namespace {

// Rule F11: a refusal points at the clause as it was written, else at the flow.
SourceSpan clause_span(const std::map<std::string, SourceSpan>& clauses, const std::string& clause,
                       const SourceSpan& otherwise) {
  const auto found = clauses.find(clause);
  return found == clauses.end() ? otherwise : found->second;
}

SourceSpan name_span(const plan::ColumnChoice& choice, size_t index) {
  return index < choice.spans.size() ? choice.spans[index] : choice.span;
}

// Lists take single names only; a dotted column name is written in backticks (rule E7).
Status check_single_names(const plan::ColumnChoice& choice, const std::string& clause) {
  for (size_t i = 0; i < choice.names.size(); ++i) {
    if (choice.names[i].size() == 1) continue;
    const std::string written = fmt::format("{}", fmt::join(choice.names[i], "."));
    return project_error("AUTOCDC_MULTIPART_COLUMN_IDENTIFIER",
                         fmt::format("{} takes names of columns, not {}", clause, written),
                         name_span(choice, i))
        .with_hint(fmt::format("a column whose name has a dot is written `{}`", written));
  }
  return {};
}

Status check_keys(const plan::ColumnChoice& keys) {
  if (keys.all_except || keys.names.empty()) {
    return project_error("AUTOCDC_EMPTY_KEYS", "KEYS names no column", keys.span);
  }
  LAKEBED_TRY(check_single_names(keys, "KEYS"));
  std::set<std::string> seen;
  for (size_t i = 0; i < keys.names.size(); ++i) {
    if (seen.insert(fold_case(keys.names[i][0])).second) continue;
    return project_error("AUTOCDC_DUPLICATE_KEY",
                         fmt::format("KEYS names {} twice", quote_name(keys.names[i][0])),
                         name_span(keys, i));
  }
  return {};
}

Status check_ignore_null(const plan::FeedSpec& feed) {
  const plan::ColumnChoice& choice = *feed.ignore_null_updates;
  LAKEBED_TRY(check_single_names(choice, "IGNORE NULL UPDATES"));
  if (!choice.all_except && choice.names.empty()) {
    return project_error("AUTOCDC_IGNORE_NULL_EMPTY_COLUMN_LIST",
                         "IGNORE NULL UPDATES ON names no column", choice.span);
  }
  for (size_t i = 0; i < choice.names.size(); ++i) {
    for (const auto& key : feed.keys.names) {
      if (!same_name(key[0], choice.names[i][0])) continue;
      return project_error("AUTOCDC_IGNORE_NULL_KEY_COLUMN",
                           fmt::format("IGNORE NULL UPDATES names the key {}", quote_name(key[0])),
                           name_span(choice, i))
          .with_hint("a key is never absent; take it out of the list");
    }
  }
  return {};
}

std::set<std::string> key_names(const plan::FeedSpec& feed) {
  std::set<std::string> names;
  for (const auto& name : feed.keys.names) names.insert(fold_case(name[0]));
  return names;
}

struct Clause {
  const char* name;
  bool written;
};

// Rule C4: what does not go with BITEMPORAL.
Status check_bitemporal(const plan::FeedSpec& feed, const SourceSpan& span) {
  const Clause clauses[] = {{"TRACK HISTORY ON", feed.track_history.has_value()},
                            {"IGNORE NULL UPDATES", feed.ignore_null_updates.has_value()},
                            {"COLUMNS TO UPDATE", feed.columns_to_update.has_value()},
                            {"APPLY AS TRUNCATE WHEN", feed.truncate_when != nullptr}};
  for (const Clause& clause : clauses) {
    if (!clause.written) continue;
    return project_error("AUTOCDC_BITEMPORAL_UNSUPPORTED_CLAUSE",
                         fmt::format("{} does not go with STORED AS BITEMPORAL", clause.name),
                         clause_span(feed.clauses, clause.name, span));
  }
  if (!feed.system_sequence_by) {
    return project_error("AUTOCDC_BITEMPORAL_WITHOUT_SYSTEM_SEQUENCE",
                         "STORED AS BITEMPORAL needs SYSTEM SEQUENCE BY",
                         clause_span(feed.clauses, "STORED AS", span));
  }
  return {};
}

Status check_stored_as(const plan::FeedSpec& feed, const SourceSpan& span) {
  if (feed.stored_as == plan::StoredAs::kBitemporal) return check_bitemporal(feed, span);
  if (feed.system_sequence_by) {
    return project_error("AUTOCDC_SYSTEM_SEQUENCE_REQUIRES_BITEMPORAL",
                         "SYSTEM SEQUENCE BY goes only with STORED AS BITEMPORAL",
                         clause_span(feed.clauses, "SYSTEM SEQUENCE BY", span));
  }
  if (feed.stored_as == plan::StoredAs::kScd1 && feed.track_history) {
    return project_error("AUTOCDC_TRACK_HISTORY_REQUIRES_SCD2",
                         "TRACK HISTORY ON goes only with STORED AS SCD TYPE 2",
                         clause_span(feed.clauses, "TRACK HISTORY ON", span));
  }
  if (feed.stored_as == plan::StoredAs::kScd2 && feed.truncate_when) {
    return project_error("AUTOCDC_TRUNCATE_REQUIRES_SCD1",
                         "APPLY AS TRUNCATE WHEN goes only with STORED AS SCD TYPE 1",
                         clause_span(feed.clauses, "APPLY AS TRUNCATE WHEN", span));
  }
  return {};
}

Status check_feed(const plan::FeedSpec& feed, const SourceSpan& span) {
  LAKEBED_TRY(check_keys(feed.keys));
  if (feed.columns) LAKEBED_TRY(check_single_names(*feed.columns, "COLUMNS"));
  if (feed.track_history) LAKEBED_TRY(check_single_names(*feed.track_history, "TRACK HISTORY ON"));
  if (feed.ignore_null_updates && feed.columns_to_update) {  // rule P4
    return project_error("AUTOCDC_CONFLICTING_PARTIAL_UPDATE_OPTIONS",
                         "IGNORE NULL UPDATES and COLUMNS TO UPDATE exclude each other",
                         clause_span(feed.clauses, "COLUMNS TO UPDATE", span));
  }
  LAKEBED_TRY(check_stored_as(feed, span));
  if (feed.ignore_null_updates) LAKEBED_TRY(check_ignore_null(feed));
  return {};
}

Status check_snapshot(const plan::SnapshotSpec& snapshot, const SourceSpan& span) {
  LAKEBED_TRY(check_keys(snapshot.keys));
  if (snapshot.track_history) {
    LAKEBED_TRY(check_single_names(*snapshot.track_history, "TRACK HISTORY ON"));
  }
  if (snapshot.stored_as == plan::StoredAs::kBitemporal) {
    return project_error("AUTOCDC_BITEMPORAL_UNSUPPORTED_CLAUSE",
                         "FROM SNAPSHOT does not go with STORED AS BITEMPORAL",
                         clause_span(snapshot.clauses, "STORED AS", span));
  }
  if (snapshot.stored_as == plan::StoredAs::kScd1 && snapshot.track_history) {
    return project_error("AUTOCDC_TRACK_HISTORY_REQUIRES_SCD2",
                         "TRACK HISTORY ON goes only with STORED AS SCD TYPE 2",
                         clause_span(snapshot.clauses, "TRACK HISTORY ON", span));
  }
  return {};
}

// What a later version brings, refused at its clause.
Status refuse_unbuilt(const Flow& flow) {
  if (flow.snapshot()) return {};
  if (const auto* insert = flow.insert()) {
    if (insert->replace_kind.empty()) return {};
    return not_built("REPLACE_" + insert->replace_kind,
                     "REPLACE " + insert->replace_kind + " flows are", flow.span);
  }
  return {};
}

// Rule F1: only a streaming table of the project can be filled by a CDC flow.
Status check_target_kind(const Dataset& target, const Flow& flow) {
  const bool cdc = flow.insert() == nullptr;
  switch (target.declaration.kind) {
    case plan::DatasetKind::kStreamingTable: return {};
    case plan::DatasetKind::kManagedTable:
      if (!cdc) return {};
      return project_error("MANAGED_TABLE_DOES_NOT_SUPPORT_CDC",
                           fmt::format("{} is declared by CREATE TABLE; flow {} needs a streaming "
                                       "table as its target",
                                       target.name.text(), quote_name(flow.name)),
                           flow.span)
          .with_hint("declare it with CREATE OR REFRESH STREAMING TABLE");
    default: break;
  }
  const bool view = target.is_view();
  return project_error("INVALID_FLOW_QUERY_TYPE",
                       fmt::format("{} is a {}; flow {} needs a streaming table as its target",
                                   target.name.text(), view ? "view" : "materialized view",
                                   quote_name(flow.name)),
                       flow.span)
      .with_hint("declare it with CREATE OR REFRESH STREAMING TABLE");
}

// The part of rule F1 that needs no types: feeds of one target have the same keys and SCD type.
Status check_feeds_agree(const Pipeline& pipeline, const Dataset& dataset) {
  const Flow* first = nullptr;
  for (const size_t index : dataset.flows) {
    const Flow& flow = pipeline.flows[index];
    if (!flow.feed()) continue;
    if (!first) {
      first = &flow;
      continue;
    }
    const plan::FeedSpec& one = *first->feed();
    const plan::FeedSpec& other = *flow.feed();
    const auto differ = [&](const char* what, const char* clause) {
      return project_error(
                 std::string("AUTOCDC_FLOWS_DIFFER.") + what,
                 fmt::format("flows {} and {} fill {}, but differ in {}", quote_name(first->name),
                             quote_name(flow.name), dataset.name.text(), clause),
                 clause_span(other.clauses, clause, flow.span))
          .with_hint("all flows into one target need the same keys, SCD type and type of sequence");
    };
    if (one.stored_as != other.stored_as) return differ("SCD_TYPE", "STORED AS");
    if (one.stored_as == plan::StoredAs::kBitemporal) {
      return project_error(
          "AUTOCDC_BITEMPORAL_SEVERAL_FLOWS",
          fmt::format("{} is bitemporal: flow {} can't fill it beside flow {}", dataset.name.text(),
                      quote_name(flow.name), quote_name(first->name)),
          flow.span);
    }
    if (key_names(one) != key_names(other)) return differ("KEYS", "KEYS");
  }
  return {};
}

Status check_fillers(const Pipeline& pipeline, const Dataset& dataset) {
  size_t cdc = 0;
  for (const size_t index : dataset.flows) cdc += pipeline.flows[index].insert() ? 0 : 1;
  if (cdc == 0) return {};
  if (cdc < dataset.flows.size() || dataset.declaration.query) {
    return project_error("AUTOCDC_TARGET_HAS_OTHER_FLOWS",
                         fmt::format("{} is filled by AUTO CDC; no other kind of flow or query may "
                                     "write to it",
                                     dataset.name.text()),
                         pipeline.flows[dataset.flows.back()].span);
  }
  return is_combined(pipeline, dataset) ? Status{} : check_feeds_agree(pipeline, dataset);
}

}  // namespace

Error not_built(const std::string& clause, const std::string& what, const SourceSpan& span) {
  return project_error("NOT_BUILT_YET." + clause, what + " not built yet", span);
}

Status check_flow(const Pipeline& pipeline, const Flow& flow) {
  LAKEBED_TRY(check_target_kind(pipeline.datasets[flow.target], flow));
  if (const plan::FeedSpec* feed = flow.feed()) LAKEBED_TRY(check_feed(*feed, flow.span));
  return flow.snapshot() ? check_snapshot(*flow.snapshot(), flow.span) : Status{};
}

Status check_dataset(const Pipeline& pipeline, const Dataset& dataset) {
  const plan::CreateDataset& declared = dataset.declaration;
  const bool has_query = declared.query != nullptr;
  const bool table = declared.kind == plan::DatasetKind::kStreamingTable;
  if (table && !has_query && dataset.flows.empty()) {
    return project_error("PIPELINE_DATASET_WITHOUT_FLOW",
                         fmt::format("no flow and no query fills {}", dataset.name.text()),
                         declared.span)
        .with_hint("add CREATE FLOW ... AS AUTO CDC INTO " + dataset.name.text());
  }
  LAKEBED_TRY(check_combined(pipeline, dataset));
  LAKEBED_TRY(check_fillers(pipeline, dataset));
  for (const size_t index : dataset.flows) LAKEBED_TRY(refuse_unbuilt(pipeline.flows[index]));
  LAKEBED_TRY(check_expectations(dataset));
  LAKEBED_TRY(check_columns(declared.columns));
  for (const char* clause : {"ROW FILTER", "MASK", "CHECK"}) {
    const auto found = declared.clauses.find(clause);
    if (found != declared.clauses.end()) return refused_clause(clause, found->second);
  }
  if (declared.location) return refused_clause("LOCATION", declared.span);
  return {};
}

Status check_columns(const std::vector<plan::ColumnDefinition>& columns) {
  for (const plan::ColumnDefinition& column : columns) {
    if (column.identity) return refused_clause("IDENTITY", column.span);
    if (column.default_value) return refused_clause("DEFAULT", column.span);
  }
  return check_generated_reads(columns);
}

Error refused_clause(const std::string& clause, const SourceSpan& span) {
  struct Reason {
    const char* why;
    const char* hint;
  };
  static const std::map<std::string, Reason> kReasons = {
      {"ROW FILTER", {"needs a catalog with users", "filter in the query"}},
      {"MASK", {"needs a catalog with users", "mask the column in the query"}},
      {"CHECK", {"is not checked on tables that flows fill", "write an expectation: EXPECT (...)"}},
      {"IDENTITY",
       {"numbers rows in the order of their arrival; a table here must be the same in any order",
        "take the key, or a hash of it: xxhash64(...)"}},
      {"DEFAULT",
       {"has no place here: a flow delivers each of its columns, and NULL is a value",
        "write coalesce(column, value) in the query"}},
      {"LOCATION",
       {"is not known here: each table has its folder in the warehouse",
        "leave it out, and set `storage` or `warehouse` of the project"}}};
  const auto& [why, hint] = kReasons.at(clause);
  std::string code = "CLAUSE_NOT_SUPPORTED." + clause;
  std::replace(code.begin(), code.end(), ' ', '_');
  return project_error(code, fmt::format("{} {}", clause, why), span).with_hint(hint);
}

}  // namespace lakebed::run
