// Writing JSON text piece by piece, without building a tree: commits and statistics are written
// often, and their member order is fixed. Internal to this room.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace lakebed::delta {

// Appends `text` as a JSON string, quotes included. UTF-8 passes through as it is.
void append_json_string(std::string& out, std::string_view text);

// Members of one object, in the order of the calls:
//   JsonObject o(out); o.member("a", 1); ... ; o.close();
class JsonObject {
 public:
  explicit JsonObject(std::string& out) : out_(out) { out_ += '{'; }
  // Writes the name; the caller appends the value to the text.
  std::string& name(std::string_view member);
  void text(std::string_view member, std::string_view value);
  void number(std::string_view member, int64_t value);
  void flag(std::string_view member, bool value);
  void texts(std::string_view member, const std::map<std::string, std::string>& values);
  void nullable_texts(std::string_view member,
                      const std::map<std::string, std::optional<std::string>>& values);
  void raw(std::string_view member, std::string_view json);
  void close() { out_ += '}'; }

 private:
  std::string& out_;
  bool first_ = true;
};

}  // namespace lakebed::delta
