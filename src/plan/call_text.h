// How Spark prints calls: operators between their operands, default arguments spelled out, some
// names in capitals. Internal to this room; see expression_text.h.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "plan/tree.h"

namespace lakebed::plan {

// The texts of the expressions with `between` between them.
std::string list_text(const std::vector<ExpressionPtr>& items, std::string_view between);
// Requires: kCall.
std::string call_text(const Expression& node);
// The frame that a ranking function has whatever is written, or "".
std::string fixed_frame_text(const std::string& function);

}  // namespace lakebed::plan
