// Trees as short texts, for tests: (+ a 1), (cast a INT), {from t (where ...)}. Not a format.
#pragma once

#include <string>

#include "plan/statement.h"

namespace lakebed::sql::testing {

std::string show(const plan::ExpressionPtr& node);
std::string show(const plan::RelationPtr& node);

}  // namespace lakebed::sql::testing
