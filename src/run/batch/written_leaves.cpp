// WrittenLeaves: what the clauses of partial updates say of each event (rules P1, P2).
#include <fmt/format.h>

#include <algorithm>

#include "base/names.h"
#include "run/batch/leaves.h"
#include "value/text.h"

namespace lakebed::run {

using value::Column;
using value::ColumnBatch;

namespace {

constexpr int64_t kUpsert = 0;

}  // namespace

WrittenLeaves::WrittenLeaves(const CdcPlan& plan, const value::Schema& columns)
    : plan_(plan), columns_(columns), leaves_(columns) {
  const Leaves own(plan.selected);
  const PartialUpdates& partial = *plan.partial;
  delivered_.assign(leaves_.words(), 0);
  always_.assign(leaves_.words(), 0);
  const std::vector<size_t> to_own = leaves_.match(own);
  for (size_t leaf = 0; leaf < leaves_.count(); ++leaf) {
    if (to_own[leaf] == Leaves::kNone) continue;  // absent, as the flow does not deliver it
    const size_t selected = own[to_own[leaf]].column;
    cdc::add_leaf(delivered_, leaf);
    const bool key = std::find(plan.keys.begin(), plan.keys.end(), selected) != plan.keys.end();
    const bool by_choice =
        partial.by_names ? selected != partial.names_at : bool{partial.ignores_null[selected]};
    if (key || !by_choice) {
      cdc::add_leaf(always_, leaf);
    } else if (!partial.by_names) {
      covered_.push_back(leaf);
    }
  }
  if (!partial.by_names) return;
  for (const std::string& name : partial.known_names) {
    named_[fold_case(name)].assign(leaves_.words(), 0);
  }
  for (size_t column = 0; column < columns.size(); ++column) {
    std::vector<uint64_t>& set = named_[fold_case(columns[column].name)];
    set.assign(leaves_.words(), 0);
    leaves_.add_column(set, column);
    for (size_t i = 0; i < set.size(); ++i) set[i] &= delivered_[i];
  }
}

Status WrittenLeaves::append(const ColumnBatch& evaluated, const ColumnBatch& part,
                             std::vector<uint64_t>& out) const {
  if (plan_.partial->by_names) return take_from_names(evaluated, out);
  take_from_nulls(part, out);
  return {};
}

// Rule P1: a NULL in a covered column says nothing.
void WrittenLeaves::take_from_nulls(const ColumnBatch& part, std::vector<uint64_t>& out) const {
  const size_t begin = out.size();
  for (size_t row = 0; row < part.rows; ++row) {
    out.insert(out.end(), always_.begin(), always_.end());
  }
  for (const size_t leaf : covered_) {
    for (size_t row = 0; row < part.rows; ++row) {
      if (is_null_leaf(part.columns, leaves_[leaf], row)) continue;
      cdc::add_leaf(std::span(out).subspan(begin + row * leaves_.words()), leaf);
    }
  }
}

// Rule P2: a NULL array names all columns, an empty one none.
Status WrittenLeaves::take_from_names(const ColumnBatch& evaluated,
                                      std::vector<uint64_t>& out) const {
  const Column& names = evaluated.columns[*plan_.own.columns_to_update];
  const Column& operations = evaluated.columns[plan_.own.operation];
  for (size_t row = 0; row < evaluated.rows; ++row) {
    if (names.is_null(row) || operations.integer(row) != kUpsert) {
      out.insert(out.end(), delivered_.begin(), delivered_.end());
      continue;
    }
    const size_t begin = out.size();
    out.insert(out.end(), always_.begin(), always_.end());
    LAKEBED_TRY(add_named(evaluated, names, row, std::span(out).subspan(begin)));
  }
  return {};
}

Status WrittenLeaves::add_named(const ColumnBatch& evaluated, const Column& names, size_t row,
                                std::span<uint64_t> set) const {
  const Column& items = names.children()[0];
  for (uint64_t at = names.begin(row); at < names.end(row); ++at) {
    const std::string name = items.is_null(at) ? "NULL" : std::string(items.bytes(at));
    const auto found = items.is_null(at) ? named_.end() : named_.find(fold_case(name));
    if (found == named_.end()) return unknown_name(evaluated, row, name);
    for (size_t i = 0; i < set.size(); ++i) set[i] |= found->second[i];
  }
  return {};
}

Error WrittenLeaves::unknown_name(const ColumnBatch& evaluated, size_t row,
                                  const std::string& name) const {
  std::string sample;
  value::append_json_row(evaluated, row, "UTC", sample);
  const std::string near = nearest_name(name, plan_.partial->known_names);
  return update_error("AUTOCDC_COLUMNS_NOT_FOUND_IN_SCHEMA",
                      fmt::format("flow {}: COLUMNS TO UPDATE of an event names {}, which is no "
                                  "column of the source; the batch is refused: {}",
                                  quote_name(plan_.flow), quote_name(name), sample))
      .with_hint(near.empty() ? fmt::format("the columns of the source are {}",
                                            fmt::join(plan_.partial->known_names, ", "))
                              : "did you mean " + quote_name(near) + "?");
}

}  // namespace lakebed::run
