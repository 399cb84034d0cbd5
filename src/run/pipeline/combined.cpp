#include "run/pipeline/combined.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/names.h"

namespace lakebed::run {

namespace {

Error refused(const std::string& rule, const std::string& message, const SourceSpan& span) {
  return project_error("APPLY_CHANGES_FROM_SNAPSHOT_ERROR." + rule, message, span);
}

std::vector<const Flow*> snapshot_flows(const Pipeline& pipeline, const Dataset& dataset) {
  std::vector<const Flow*> found;
  for (const size_t index : dataset.flows) {
    if (pipeline.flows[index].snapshot()) found.push_back(&pipeline.flows[index]);
  }
  return found;
}

std::vector<const Flow*> feed_flows(const Pipeline& pipeline, const Dataset& dataset) {
  std::vector<const Flow*> found;
  for (const size_t index : dataset.flows) {
    if (pipeline.flows[index].feed()) found.push_back(&pipeline.flows[index]);
  }
  return found;
}

SourceSpan clause_span(const std::map<std::string, SourceSpan>& clauses, const std::string& clause,
                       const Flow& flow) {
  const auto found = clauses.find(clause);
  return found == clauses.end() ? flow.span : found->second;
}

std::vector<std::string> key_names(const plan::ColumnChoice& keys) {
  std::vector<std::string> names;
  for (const auto& parts : keys.names) names.push_back(fmt::format("{}", fmt::join(parts, ".")));
  return names;
}

std::string list_text(const std::vector<std::string>& names) {
  return fmt::format("({})", fmt::join(names, ", "));
}

// The snapshot's keys count without case, those of feeds among each other as they are written.
Status check_keys(const Flow& snapshot, const std::vector<const Flow*>& feeds) {
  const auto own = key_names(snapshot.snapshot()->keys);
  const auto first = key_names(feeds[0]->feed()->keys);
  const auto differ = [](const Flow& a, const std::vector<std::string>& left, const Flow& b,
                         const std::vector<std::string>& right) {
    return refused(
        "INTEROP_KEYS_MISMATCH",
        fmt::format("flow {} has KEYS {}, flow {} has KEYS {}; flows into one target "
                    "have the same keys in the same order",
                    quote_name(a.name), list_text(left), quote_name(b.name), list_text(right)),
        b.feed()->keys.span);
  };
  for (const Flow* feed : feeds) {
    const auto keys = key_names(feed->feed()->keys);
    if (!std::equal(own.begin(), own.end(), keys.begin(), keys.end(), same_name)) {
      return differ(snapshot, own, *feed, keys);
    }
    if (keys != first) return differ(*feeds[0], first, *feed, keys);
  }
  return {};
}

Status check_scd1(const Dataset& dataset, const Flow& flow, plan::StoredAs stored_as,
                  const std::map<std::string, SourceSpan>& clauses) {
  if (stored_as == plan::StoredAs::kScd1) return {};
  return refused("INTEROP_SCD_TYPE_NOT_SUPPORTED",
                 fmt::format("{} is filled by a snapshot flow and a feed flow, which needs STORED "
                             "AS SCD TYPE 1 in both; flow {} says otherwise",
                             dataset.name.text(), quote_name(flow.name)),
                 clause_span(clauses, "STORED AS", flow));
}

Status check_feed(const Dataset& dataset, const Flow& flow) {
  const plan::FeedSpec& feed = *flow.feed();
  LAKEBED_TRY(check_scd1(dataset, flow, feed.stored_as, feed.clauses));
  if (!feed.ignore_null_updates) return {};
  return refused("INTEROP_IGNORE_NULL_UNSUPPORTED",
                 fmt::format("flow {} shares {} with a snapshot flow; IGNORE NULL UPDATES does not "
                             "go with that",
                             quote_name(flow.name), dataset.name.text()),
                 clause_span(feed.clauses, "IGNORE NULL UPDATES", flow));
}

}  // namespace

bool is_combined(const Pipeline& pipeline, const Dataset& dataset) {
  return !snapshot_flows(pipeline, dataset).empty() && !feed_flows(pipeline, dataset).empty();
}

Status check_combined(const Pipeline& pipeline, const Dataset& dataset) {
  const auto snapshots = snapshot_flows(pipeline, dataset);
  if (snapshots.size() > 1) {
    return refused(
        "MULTIPLE_QUERIES_FOR_TABLE",
        fmt::format("{} has the snapshot flows {} and {}; a target has one", dataset.name.text(),
                    quote_name(snapshots[0]->name), quote_name(snapshots[1]->name)),
        snapshots[1]->span);
  }
  if (!is_combined(pipeline, dataset)) return {};
  const Flow& snapshot = *snapshots[0];
  const auto feeds = feed_flows(pipeline, dataset);
  LAKEBED_TRY(
      check_scd1(dataset, snapshot, snapshot.snapshot()->stored_as, snapshot.snapshot()->clauses));
  for (const Flow* feed : feeds) LAKEBED_TRY(check_feed(dataset, *feed));
  LAKEBED_TRY(check_keys(snapshot, feeds));
  if (dataset.declaration.expectations.empty()) return {};
  const plan::Expectation& expectation = dataset.declaration.expectations[0];
  return refused("INTEROP_EXPECTATIONS_NOT_SUPPORTED",
                 fmt::format("{} has the expectation {}, which snapshot flow {} would have to "
                             "meet; a target that shares a snapshot flow with feeds has none",
                             dataset.name.text(), quote_name(expectation.name.name),
                             quote_name(snapshot.name)),
                 expectation.name.span);
}

Status check_combined_plans(const Pipeline& pipeline, const Dataset& dataset,
                            const std::vector<CdcPlan>& plans, const value::Schema& schema) {
  if (!is_combined(pipeline, dataset)) return {};
  const CdcPlan* snapshot = nullptr;
  for (const CdcPlan& plan : plans) snapshot = plan.from_snapshots ? &plan : snapshot;
  for (const size_t index : dataset.flows) {
    const Flow& flow = pipeline.flows[index];
    for (const CdcPlan& plan : plans) {
      // A ONCE snapshot flow that is complete is not planned: what the target remembers of it is
      // compared with each feed's definition (rule F3).
      if (!snapshot || plan.flow != flow.name) continue;
      if (plan.sequence_type == snapshot->sequence_type) continue;
      return refused("INTEROP_SEQUENCE_TYPE_MISMATCH",
                     fmt::format("versions of flow {} are {}, SEQUENCE BY of flow {} is {}; they "
                                 "are one order and have one type",
                                 quote_name(snapshot->flow), snapshot->sequence_type.text(),
                                 quote_name(plan.flow), plan.sequence_type.text()),
                     flow.feed()->sequence_by->span);
    }
  }
  for (const value::Field& field : schema) {
    for (const char* reserved : {"__Timestamp", "__UpsertVersion", "__DeleteVersion"}) {
      if (!same_name(field.name, reserved)) continue;
      return refused("INTEROP_RESERVED_COLUMN_NAME",
                     fmt::format("{} has a column {}, a name that is reserved where feed flows "
                                 "share a target with a snapshot flow",
                                 dataset.name.text(), quote_name(field.name)),
                     feed_flows(pipeline, dataset)[0]->span)
          .with_hint("give the column another name, and run with --full-refresh");
    }
  }
  return {};
}

Status check_continuous(const Pipeline& pipeline) {
  for (const Dataset& dataset : pipeline.datasets) {
    if (!is_combined(pipeline, dataset)) continue;
    return refused("INTEROP_CONTINUOUS_NOT_SUPPORTED",
                   fmt::format("{} is filled by a snapshot flow and feed flows; such a project "
                               "runs in triggered mode only",
                               dataset.name.text()),
                   snapshot_flows(pipeline, dataset)[0]->span)
        .with_hint("run it without --continuous");
  }
  return {};
}

}  // namespace lakebed::run
