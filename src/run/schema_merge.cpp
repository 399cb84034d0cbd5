// merge_schemas: how a table's columns grow (rule F3).
#include <fmt/format.h>

#include "base/names.h"
#include "run/flow_plan.h"

namespace lakebed::run {

namespace {

using value::Field;
using value::Schema;
using value::Type;

Result<Type> merge_types(const Type& existing, const Type& incoming, const std::string& path,
                         Narrower narrower);

Result<std::vector<Field>> merge_fields(const std::vector<Field>& existing,
                                        const std::vector<Field>& incoming,
                                        const std::string& path, Narrower narrower) {
  std::vector<Field> merged = existing;
  for (const Field& field : incoming) {
    const std::string inner = path.empty() ? field.name : path + "." + field.name;
    if (const auto at = value::find_field(merged, field.name)) {
      LAKEBED_ASSIGN(merged[*at].type, merge_types(merged[*at].type, field.type, inner, narrower));
      continue;
    }
    Field added = field;
    added.nullable = true;  // rows that are there already have NULL
    merged.push_back(std::move(added));
  }
  return merged;
}

Result<Type> merge_types(const Type& existing, const Type& incoming, const std::string& path,
                         Narrower narrower) {
  if (existing == incoming || incoming.kind == value::Kind::kVoid) return existing;
  if (existing.is_nested() && existing.kind == incoming.kind) {
    if (existing.kind == value::Kind::kStruct) {
      LAKEBED_ASSIGN(auto fields, merge_fields(existing.fields, incoming.fields, path, narrower));
      return Type::structure(std::move(fields));
    }
    Type merged = existing;
    for (size_t i = 0; i < merged.fields.size(); ++i) {
      const std::string inner = path + "." + merged.fields[i].name;
      LAKEBED_ASSIGN(merged.fields[i].type, merge_types(existing.fields[i].type,
                                                        incoming.fields[i].type, inner, narrower));
    }
    return merged;
  }
  if (narrower == Narrower::kTaken && value::can_widen(incoming, existing)) return existing;
  const std::string both = fmt::format("column {} is {} in the table and {} in the flow", path,
                                       existing.text(), incoming.text());
  if (value::can_widen(existing, incoming)) {
    return update_error("NOT_BUILT_YET.TYPE_WIDENING", both + "; widening is not built yet")
        .with_hint("cast the column in the view that feeds the flow, or do a full refresh");
  }
  return update_error("CANNOT_MERGE_INCOMPATIBLE_DATA_TYPE", both)
      .with_hint("cast the column in the view that feeds the flow, or do a full refresh");
}

}  // namespace

Result<value::Schema> merge_schemas(const value::Schema& existing, const value::Schema& incoming,
                                    Narrower narrower) {
  return merge_fields(existing, incoming, "", narrower);
}

}  // namespace lakebed::run
