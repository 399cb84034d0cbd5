// Quoting and literals: the only places where a user's text enters generated SQL.
#include <fmt/format.h>

#include "engine/duck/functions/render.h"

namespace lakebed::engine::duck {

namespace {

using value::Kind;

std::string doubled(std::string_view text, char quote) {
  std::string out(1, quote);
  for (const char c : text) {
    if (c == quote) out.push_back(quote);
    out.push_back(c);
  }
  out.push_back(quote);
  return out;
}

std::string blob_text(std::string_view bytes) {
  std::string out = "'";
  for (const char c : bytes) out += fmt::format("\\x{:02X}", static_cast<unsigned char>(c));
  return out + "'::BLOB";
}

// A zero byte cannot stand in a statement: such a text is put together from its parts.
std::string text_operand(std::string_view text) {
  if (text.find('\0') == std::string_view::npos) return quote_text(text);
  std::string out = "(";
  for (size_t at = 0; at <= text.size();) {
    const size_t zero = std::min(text.find('\0', at), text.size());
    out += (at == 0 ? "" : " || chr(0) || ") + quote_text(text.substr(at, zero - at));
    at = zero + 1;
  }
  return out + ")";
}

}  // namespace

std::string quote_text(std::string_view text) { return doubled(text, '\''); }
std::string quote_identifier(std::string_view name) { return doubled(name, '"'); }

Result<std::string> render_literal(const plan::Expression& literal) {
  const auto& type = literal.type;
  const bool interval = literal.kind == plan::ExpressionKind::kInterval;
  if ((literal.is_null && !interval) || type.kind == Kind::kVoid) {
    return "CAST(NULL AS " + duck_type(type) + ")";
  }
  switch (type.kind) {
    case Kind::kString: return text_operand(literal.text);
    case Kind::kBinary: return "(" + blob_text(literal.text) + ")";
    case Kind::kBoolean: return std::string(literal.text == "true" ? "true" : "false");
    case Kind::kTimestamp: return "('" + literal.text + "+00'::TIMESTAMPTZ)";
    case Kind::kArray:
    case Kind::kMap:
    case Kind::kStruct:
      return update_error("ENGINE_ERROR", "a literal of type " + type.text())
          .with_span(literal.span);
    default: return "CAST(" + quote_text(literal.text) + " AS " + duck_type(type) + ")";
  }
}

}  // namespace lakebed::engine::duck
