// JSON as the rooms exchange it: plan trees, log actions, manifests, events.
// Object members keep their order. For feed rows there is a reader of its own (room source).
#pragma once

#include <nlohmann/json.hpp>
#include <string_view>

#include "base/result.h"

namespace lakebed {

using Json = nlohmann::ordered_json;

// Parses one JSON text. The error's code is `code`; its message names the byte position.
Result<Json> parse_json(std::string_view text, std::string_view code = "JSON.DAMAGED");

}  // namespace lakebed
