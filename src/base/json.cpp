#include "base/json.h"

#include <fmt/core.h>

namespace lakebed {

Result<Json> parse_json(std::string_view text, std::string_view code) {
  try {
    return Json::parse(text);
  } catch (const nlohmann::json::parse_error& problem) {
    return update_error(std::string(code),
                        fmt::format("not valid JSON at byte {}", problem.byte));
  }
}

}  // namespace lakebed
