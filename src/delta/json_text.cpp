#include "delta/json_text.h"

#include <fmt/format.h>

namespace lakebed::delta {

void append_json_string(std::string& out, std::string_view text) {
  out += '"';
  size_t plain = 0;  // start of the stretch that needs no escape
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool control = static_cast<unsigned char>(c) < 0x20;
    if (!control && c != '"' && c != '\\') continue;
    out.append(text, plain, i - plain);
    plain = i + 1;
    if (control) {
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(static_cast<unsigned char>(c)));
    } else {
      out += '\\';
      out += c;
    }
  }
  out.append(text, plain, text.size() - plain);
  out += '"';
}

std::string& JsonObject::name(std::string_view member) {
  if (!first_) out_ += ',';
  first_ = false;
  append_json_string(out_, member);
  out_ += ':';
  return out_;
}

void JsonObject::text(std::string_view member, std::string_view value) {
  append_json_string(name(member), value);
}

void JsonObject::number(std::string_view member, int64_t value) {
  name(member) += fmt::format_int(value).c_str();
}

void JsonObject::flag(std::string_view member, bool value) {
  name(member) += value ? "true" : "false";
}

void JsonObject::texts(std::string_view member, const std::map<std::string, std::string>& values) {
  name(member);
  JsonObject object(out_);
  for (const auto& [key, value] : values) object.text(key, value);
  object.close();
}

void JsonObject::nullable_texts(
    std::string_view member, const std::map<std::string, std::optional<std::string>>& values) {
  name(member);
  JsonObject object(out_);
  for (const auto& [key, value] : values) {
    if (value) {
      object.text(key, *value);
    } else {
      object.raw(key, "null");
    }
  }
  object.close();
}

void JsonObject::raw(std::string_view member, std::string_view json) { name(member) += json; }

}  // namespace lakebed::delta
