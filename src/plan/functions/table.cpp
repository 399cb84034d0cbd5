// The one table: all families, sorted by name.
#include <algorithm>
#include <unordered_map>

#include "base/names.h"
#include "plan/functions/typing.h"

namespace lakebed::plan {

namespace {

std::vector<Function> make_table() {
  std::vector<Function> out;
  functions::append_operators(out);
  functions::append_math(out);
  functions::append_strings(out);
  functions::append_dates(out);
  functions::append_collections(out);
  functions::append_lambdas(out);
  functions::append_json(out);
  functions::append_misc(out);
  functions::append_aggregates(out);
  functions::append_windows(out);
  functions::append_generators(out);
  functions::append_refused(out);
  std::sort(out.begin(), out.end(),
            [](const Function& a, const Function& b) { return a.name < b.name; });
  for (size_t i = 1; i < out.size(); ++i) LAKEBED_ASSERT(out[i - 1].name != out[i].name);
  return out;
}

}  // namespace

const std::vector<Function>& all_functions() {
  static const std::vector<Function> table = make_table();
  return table;
}

const Function* find_function(std::string_view name) {
  static const auto index = [] {
    std::unordered_map<std::string, const Function*> out;
    for (const Function& function : all_functions()) out.emplace(function.name, &function);
    return out;
  }();
  const auto found = index.find(fold_case(name));
  return found == index.end() ? nullptr : found->second;
}

}  // namespace lakebed::plan
