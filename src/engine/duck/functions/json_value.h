// A small JSON reader for functions over JSON strings: numbers keep their text, members their
// order. As Spark's parser it takes strict JSON only.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lakebed::engine::duck {

struct JsonValue {
  enum class Kind : uint8_t { kNull, kFalse, kTrue, kNumber, kString, kArray, kObject };
  Kind kind = Kind::kNull;
  std::string text;                                        // kNumber: as written; kString: decoded
  std::vector<JsonValue> items;                            // kArray
  std::vector<std::pair<std::string, JsonValue>> members;  // kObject

  bool is_integer() const;  // kNumber without point or exponent
  // The last member of that name, or null.
  const JsonValue* member(std::string_view name) const;
  // Compact JSON text; numbers with a point or exponent as Java prints a double.
  std::string json() const;
};

// Nothing where the text is no JSON. `prefix`: what follows the first value is ignored.
std::optional<JsonValue> read_json(std::string_view text, bool prefix = false);

void append_json_string(std::string& out, std::string_view text);

}  // namespace lakebed::engine::duck
