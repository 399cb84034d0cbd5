#include "delta/partition.h"

#include <fmt/format.h>

#include "delta/value_text.h"

namespace lakebed::delta {
namespace {

using value::Kind;

bool is_unreserved(char c) {
  const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  return letter || (c >= '0' && c <= '9') || std::string_view("-._~/!$&'()*+,;=:@").find(c) !=
                                                 std::string_view::npos;
}

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

Result<std::string> unescape(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out += text[i];
      continue;
    }
    const int high = i + 2 < text.size() ? hex_digit(text[i + 1]) : -1;
    const int low = high >= 0 ? hex_digit(text[i + 2]) : -1;
    if (low < 0) {
      return update_error("DELTA_LOG.DAMAGED",
                          fmt::format("The path '{}' has a broken escape.", text));
    }
    out += static_cast<char>(high * 16 + low);
    i += 2;
  }
  return out;
}

// The scheme before a colon, or "" for a relative path. One letter is none.
std::string_view scheme_of(std::string_view path) {
  const size_t colon = path.find(':');
  if (colon == std::string_view::npos || colon < 2) return {};
  for (const char c : path.substr(0, colon)) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    if (!letter && !(c >= '0' && c <= '9') && c != '+' && c != '-' && c != '.') return {};
  }
  return path.substr(0, colon);
}

}  // namespace

Result<std::string> decode_path(std::string_view log_path) {
  const std::string_view scheme = scheme_of(log_path);
  if (scheme.empty()) return unescape(log_path);
  if (scheme != "file") {
    return update_error("DELTA_UNSUPPORTED_PATH",
                        fmt::format("The file '{}' does not lie on this machine.", log_path));
  }
  std::string_view rest = log_path.substr(scheme.size() + 1);
  if (rest.starts_with("//")) {  // file://[host]/path
    const size_t slash = rest.find('/', 2);
    rest = slash == std::string_view::npos ? std::string_view() : rest.substr(slash);
  }
  return unescape(rest);
}

std::string encode_path(std::string_view path) {
  std::string out;
  for (const char c : path) {
    if (is_unreserved(c)) {
      out += c;
    } else {
      out += fmt::format("%{:02X}", static_cast<unsigned>(static_cast<unsigned char>(c)));
    }
  }
  return out;
}

std::optional<std::string> partition_text(const value::Column& column, size_t row) {
  if (column.is_null(row)) return {};
  std::string text = value_text(column, row);
  if (text.empty()) return {};
  return text;
}

Status append_partition_value(value::Column& column, const std::optional<std::string>& text) {
  if (!text || text->empty()) {
    column.append_null();
    return {};
  }
  if (append_value_text(column, *text)) return {};
  return update_error("DELTA_LOG.PARTITION_VALUE",
                      fmt::format("The partition value '{}' is no {}.", *text,
                                  column.type().text()));
}

}  // namespace lakebed::delta
