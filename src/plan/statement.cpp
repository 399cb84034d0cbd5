#include "plan/statement.h"

#include "base/names.h"

namespace lakebed::plan {

std::string ObjectName::text() const {
  std::string out;
  for (const std::string& part : parts) {
    if (!out.empty()) out += '.';
    out += quote_name(part);
  }
  return out;
}

SourceSpan span_of(const Statement& statement) {
  return std::visit([](const auto& one) { return one.span; }, statement);
}

}  // namespace lakebed::plan
