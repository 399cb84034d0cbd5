// Resolved plans as short texts, for tests: columns as name#id, implicit casts visible.
#pragma once

#include <string>

#include "plan/resolve.h"

namespace lakebed::plan {

std::string plan_text(const Relation& relation, int indent = 0);
std::string plan_text(const Expression& expression);

}  // namespace lakebed::plan
