#include "engine/duck/functions/json_value.h"

#include <fmt/format.h>

#include "engine/duck/functions/number_text.h"
#include "engine/duck/functions/utf8.h"

namespace lakebed::engine::duck {

namespace {

using Kind = JsonValue::Kind;

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  bool value(JsonValue& out, int depth) {
    skip();
    if (at_ >= text_.size() || depth > 1000) return false;
    switch (text_[at_]) {
      case '{': return object(out, depth);
      case '[': return array(out, depth);
      case '"': out.kind = Kind::kString; return string(out.text);
      case 't': out.kind = Kind::kTrue; return word("true");
      case 'f': out.kind = Kind::kFalse; return word("false");
      case 'n': out.kind = Kind::kNull; return word("null");
      default: out.kind = Kind::kNumber; return number(out.text);
    }
  }
  bool at_end() {
    skip();
    return at_ == text_.size();
  }

 private:
  void skip() {
    while (at_ < text_.size() &&
           std::string_view(" \t\r\n").find(text_[at_]) != std::string_view::npos) {
      ++at_;
    }
  }
  bool eat(char c) {
    skip();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  bool word(std::string_view wanted) {
    if (text_.substr(at_, wanted.size()) != wanted) return false;
    at_ += wanted.size();
    return true;
  }
  bool digits() {
    const size_t start = at_;
    while (at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9') ++at_;
    return at_ > start;
  }
  bool number(std::string& out) {
    const size_t start = at_;
    if (at_ < text_.size() && text_[at_] == '-') ++at_;
    const size_t first = at_;
    if (!digits()) return false;
    if (text_[first] == '0' && at_ > first + 1) return false;
    if (at_ < text_.size() && text_[at_] == '.') {
      ++at_;
      if (!digits()) return false;
    }
    if (at_ < text_.size() && (text_[at_] == 'e' || text_[at_] == 'E')) {
      ++at_;
      if (at_ < text_.size() && (text_[at_] == '+' || text_[at_] == '-')) ++at_;
      if (!digits()) return false;
    }
    out = std::string(text_.substr(start, at_ - start));
    return true;
  }
  bool code_unit(char32_t& out) {
    if (at_ + 4 > text_.size()) return false;
    out = 0;
    for (int i = 0; i < 4; ++i) {
      const char c = text_[at_++];
      out *= 16;
      if (c >= '0' && c <= '9')
        out += static_cast<char32_t>(c - '0');
      else if (c >= 'a' && c <= 'f')
        out += static_cast<char32_t>(c - 'a' + 10);
      else if (c >= 'A' && c <= 'F')
        out += static_cast<char32_t>(c - 'A' + 10);
      else
        return false;
    }
    return true;
  }
  bool escape(std::string& out) {
    static constexpr std::string_view kFrom = "\"\\/bfnrt";
    static constexpr std::string_view kTo = "\"\\/\b\f\n\r\t";
    if (at_ >= text_.size()) return false;
    const char c = text_[at_++];
    const size_t found = kFrom.find(c);
    if (found != std::string_view::npos) {
      out += kTo[found];
      return true;
    }
    char32_t code = 0;
    if (c != 'u' || !code_unit(code)) return false;
    if (code >= 0xD800 && code < 0xDC00 && text_.substr(at_, 2) == "\\u") {
      at_ += 2;
      char32_t low = 0;
      if (!code_unit(low)) return false;
      code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
    }
    utf8_append(out, code);
    return true;
  }
  bool string(std::string& out) {
    ++at_;
    out.clear();
    while (at_ < text_.size()) {
      const char c = text_[at_++];
      if (c == '"') return true;
      if (static_cast<unsigned char>(c) < 0x20) return false;
      if (c != '\\')
        out += c;
      else if (!escape(out))
        return false;
    }
    return false;
  }
  bool array(JsonValue& out, int depth) {
    out.kind = Kind::kArray;
    ++at_;
    if (eat(']')) return true;
    do {
      out.items.emplace_back();
      if (!value(out.items.back(), depth + 1)) return false;
    } while (eat(','));
    return eat(']');
  }
  bool object(JsonValue& out, int depth) {
    out.kind = Kind::kObject;
    ++at_;
    if (eat('}')) return true;
    do {
      skip();
      if (at_ >= text_.size() || text_[at_] != '"') return false;
      out.members.emplace_back();
      if (!string(out.members.back().first) || !eat(':')) return false;
      if (!value(out.members.back().second, depth + 1)) return false;
    } while (eat(','));
    return eat('}');
  }

  std::string_view text_;
  size_t at_ = 0;
};

}  // namespace

std::optional<JsonValue> read_json(std::string_view text, bool prefix) {
  JsonValue out;
  Reader reader(text);
  if (!reader.value(out, 0) || (!prefix && !reader.at_end())) return std::nullopt;
  return out;
}

bool JsonValue::is_integer() const {
  return kind == Kind::kNumber && text.find_first_of(".eE") == std::string::npos;
}

const JsonValue* JsonValue::member(std::string_view name) const {
  const JsonValue* out = nullptr;
  for (const auto& [key, item] : members) {
    if (key == name) out = &item;
  }
  return out;
}

void append_json_string(std::string& out, std::string_view text) {
  out += '"';
  for (const char c : text) {
    switch (c) {
      case '"': out += "\\\""; break;
      case '\\': out += "\\\\"; break;
      case '\b': out += "\\b"; break;
      case '\f': out += "\\f"; break;
      case '\n': out += "\\n"; break;
      case '\r': out += "\\r"; break;
      case '\t': out += "\\t"; break;
      default:
        if (static_cast<unsigned char>(c) >= 0x20)
          out += c;
        else
          out += fmt::format("\\u{:04X}", static_cast<unsigned>(static_cast<unsigned char>(c)));
    }
  }
  out += '"';
}

std::string JsonValue::json() const {
  switch (kind) {
    case Kind::kNull: return "null";
    case Kind::kFalse: return "false";
    case Kind::kTrue: return "true";
    case Kind::kNumber: return is_integer() ? text : java_double(parse_double(text).value_or(0));
    case Kind::kString: {
      std::string out;
      append_json_string(out, text);
      return out;
    }
    case Kind::kArray: {
      std::string out = "[";
      for (const JsonValue& item : items) out += (out.size() > 1 ? "," : "") + item.json();
      return out + "]";
    }
    default: break;
  }
  std::string out = "{";
  for (const auto& [name, item] : members) {
    if (out.size() > 1) out += ",";
    append_json_string(out, name);
    out += ":" + item.json();
  }
  return out + "}";
}

}  // namespace lakebed::engine::duck
