// merge_schemas: how a table's columns grow (rule F3).
#include <fmt/format.h>

#include "base/names.h"
#include "run/pipeline/flow_plan.h"

namespace lakebed::run {

namespace {

using value::Field;
using value::Schema;
using value::Type;

Result<Type> merge_types(const Type& existing, const Type& incoming, const std::string& path,
                         MergeRules rules);

Result<std::vector<Field>> merge_fields(const std::vector<Field>& existing,
                                        const std::vector<Field>& incoming, const std::string& path,
                                        MergeRules rules) {
  std::vector<Field> merged = existing;
  for (const Field& field : incoming) {
    const std::string inner = path.empty() ? field.name : path + "." + field.name;
    if (const auto at = value::find_field(merged, field.name)) {
      LAKEBED_ASSIGN(merged[*at].type, merge_types(merged[*at].type, field.type, inner, rules));
      continue;
    }
    Field added = field;
    added.nullable = true;  // rows that are there already have NULL
    merged.push_back(std::move(added));
  }
  return merged;
}

Result<Type> merge_types(const Type& existing, const Type& incoming, const std::string& path,
                         MergeRules rules) {
  if (existing == incoming || incoming.kind == value::Kind::kVoid) return existing;
  if (existing.kind == value::Kind::kVoid) return incoming;  // declared without a type
  if (existing.is_nested() && existing.kind == incoming.kind) {
    if (existing.kind == value::Kind::kStruct) {
      LAKEBED_ASSIGN(auto fields, merge_fields(existing.fields, incoming.fields, path, rules));
      return Type::structure(std::move(fields));
    }
    Type merged = existing;
    for (size_t i = 0; i < merged.fields.size(); ++i) {
      const std::string inner = path + "." + merged.fields[i].name;
      LAKEBED_ASSIGN(merged.fields[i].type,
                     merge_types(existing.fields[i].type, incoming.fields[i].type, inner, rules));
    }
    return merged;
  }
  if (rules.narrower == Narrower::kTaken && value::can_widen(incoming, existing)) return existing;
  if (rules.wider == Wider::kTaken && value::can_widen(existing, incoming)) return incoming;
  return update_error(
             "CANNOT_MERGE_INCOMPATIBLE_DATA_TYPE",
             fmt::format("column {} is {} in the {} and {} in the flow", path, existing.text(),
                         rules.wider == Wider::kTaken ? "table" : "declaration", incoming.text()))
      .with_hint("cast the column in the view that feeds the flow, or do a full refresh");
}

}  // namespace

Result<value::Schema> merge_schemas(const value::Schema& existing, const value::Schema& incoming,
                                    MergeRules rules) {
  return merge_fields(existing, incoming, "", rules);
}

Status check_not_narrowed(const std::vector<CdcPlan>& plans, const Dataset& target,
                          const Schema& table) {
  Schema delivered;
  for (const CdcPlan& plan : plans) {
    LAKEBED_ASSIGN(delivered, merge_schemas(delivered, plan.selected));
  }
  for (const Field& field : delivered) {
    const auto at = value::find_field(table, field.name);
    if (!at) continue;
    Schema wanted = {field};
    for (const auto& item : target.declaration.columns) {
      if (!same_name(item.field.name, field.name)) continue;
      LAKEBED_ASSIGN(wanted, merge_schemas({item.field}, wanted, kDeclared));
    }
    LAKEBED_TRY(merge_schemas({table[*at]}, wanted, {Narrower::kRefused, Wider::kTaken}));
  }
  return {};
}

}  // namespace lakebed::run
