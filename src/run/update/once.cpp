#include "run/update/once.h"

#include "base/names.h"

namespace lakebed::run {

namespace {

constexpr const char* kBegun = "\"begun\"";
constexpr const char* kDone = "\"done\"";

}  // namespace

bool is_complete(const std::string& flow, const state::TableState* memory) {
  return memory && memory->fact(state::FactSection::kOnce, fold_case(flow)) == kDone;
}

bool is_complete(const Flow& flow, const state::TableState* memory) {
  return flow.body.once && is_complete(flow.name, memory);
}

// Marks with the commit of the last batch that had rows before it or in it (rule F1).
void mark_once(const std::string& flow, bool last, bool has_rows, const state::TableState& before,
               state::StateWriter& memory) {
  const std::string key = fold_case(flow);
  const bool begun = before.fact(state::FactSection::kOnce, key).has_value();
  if (!has_rows && !begun) return;
  memory.set_fact(state::FactSection::kOnce, key, last ? kDone : kBegun);
}

void mark_complete(const std::string& flow, state::StateWriter& memory) {
  memory.set_fact(state::FactSection::kOnce, fold_case(flow), kDone);
}

}  // namespace lakebed::run
