// Whether flows are still, and among each other, what their target was filled by (rules F1, F3).
#include <fmt/format.h>

#include <set>

#include "base/json.h"
#include "base/names.h"
#include "run/pipeline/flow_plan.h"

namespace lakebed::run {

namespace {

std::set<std::string> set_of(const Json& names, const Json& keys) {
  std::set<std::string> set;
  for (const Json& name : names) set.insert(name.get<std::string>());
  for (const Json& key : keys) set.erase(key["name"].get<std::string>());
  return set;
}

// Rule F3: a list is compared with the resolved set of the last run; EXCEPT lists (the default is
// one without names) by their own names.
bool same_tracking(const Json& now, const Json& before) {
  const Json& a = now["track"];
  const Json& b = before["track"];
  if (a["list"] != true && b["list"] != true) {
    return set_of(a["names"], now["keys"]) == set_of(b["names"], before["keys"]);
  }
  return set_of(a["tracked"], now["keys"]) == set_of(b["tracked"], before["keys"]);
}

Error drift(const std::string& kind, const std::string& what, const Dataset& target) {
  return update_error("AUTOCDC_INVALID_STATE." + kind,
                      fmt::format("{} since {} was last updated; nothing was written", what,
                                  target.name.text()))
      .with_hint(fmt::format("undo the change, or run with --full-refresh {}",
                             quote_name(target.name.table)));
}

Status compare_definitions(const CdcPlan& plan, const std::string& remembered, bool own,
                           const Dataset& target) {
  LAKEBED_ASSIGN(const Json now, parse_json(plan.definition));
  LAKEBED_ASSIGN(const Json before, parse_json(remembered, "STATE_DAMAGED"));
  if (now["keys"] != before["keys"]) {
    return drift(
        "KEY_SCHEMA_DRIFT",
        fmt::format("the keys changed from {} to {}", before["keys"].dump(), now["keys"].dump()),
        target);
  }
  if (now["stored_as"] != before["stored_as"]) {
    return drift(
        "SCD_TYPE_DRIFT",
        fmt::format("STORED AS changed from {} to {}", before["stored_as"].get<std::string>(),
                    now["stored_as"].get<std::string>()),
        target);
  }
  if (now["system"] != before.value("system", "")) {
    return drift("SEQUENCING_TYPE_DRIFT",
                 fmt::format("the type of SYSTEM SEQUENCE BY changed from {} to {}",
                             before.value("system", ""), now["system"].get<std::string>()),
                 target);
  }
  if (now["sequence"] != before["sequence"]) {
    return drift(
        "SEQUENCING_TYPE_DRIFT",
        fmt::format("the type of SEQUENCE BY changed from {} to {}",
                    before["sequence"].get<std::string>(), now["sequence"].get<std::string>()),
        target);
  }
  if (own && plan.kind == TargetKind::kScd2 && !same_tracking(now, before)) {
    return drift("TRACK_HISTORY_DRIFT", "the columns of TRACK HISTORY ON changed", target);
  }
  return {};
}

}  // namespace

Status check_drift(const CdcPlan& plan, const state::TableState& memory, const Dataset& target) {
  const std::string own = fold_case(plan.flow);
  for (const auto& [flow, definition] : memory.facts(state::FactSection::kDefinition)) {
    LAKEBED_TRY(compare_definitions(plan, definition, flow == own, target));
  }
  return {};
}

Status check_flows_agree(const CdcPlan& first, const CdcPlan& plan, const Flow& flow,
                         const Dataset& target) {
  LAKEBED_ASSIGN(const Json one, parse_json(first.definition));
  LAKEBED_ASSIGN(const Json other, parse_json(plan.definition));
  const auto differ = [&](const char* what, const Json& left, const Json& right) {
    return project_error(std::string("AUTOCDC_FLOWS_DIFFER.") + what,
                         fmt::format("flows {} and {} fill {}, but one has {} and the other {}",
                                     quote_name(first.flow), quote_name(plan.flow),
                                     target.name.text(), left.dump(), right.dump()),
                         flow.span)
        .with_hint("all flows into one target need the same keys, SCD type and type of sequence");
  };
  if (one["keys"] != other["keys"]) return differ("KEYS", one["keys"], other["keys"]);
  if (one["stored_as"] != other["stored_as"]) {
    return differ("SCD_TYPE", one["stored_as"], other["stored_as"]);
  }
  if (one["sequence"] != other["sequence"]) {
    return differ("SEQUENCE_TYPE", one["sequence"], other["sequence"]);
  }
  return {};
}

}  // namespace lakebed::run
