// Base64, character sets, digests, URLs.
#include <fmt/format.h>

#include <algorithm>
#include <regex>

#include "base/hash.h"
#include "base/names.h"
#include "engine/duck/functions/encoding.h"
#include "engine/duck/functions/kernel.h"
#include "engine/duck/functions/utf8.h"

namespace lakebed::engine::duck {

using value::Column;
using value::Kind;

namespace {

constexpr std::string_view kAlphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

}  // namespace

std::string base64_text(std::string_view bytes, bool lines) {
  std::string out;
  size_t width = 0;
  for (size_t at = 0; at < bytes.size(); at += 3) {
    if (lines && width == 76) {
      out += "\r\n";
      width = 0;
    }
    uint32_t word = 0;
    const size_t count = std::min<size_t>(3, bytes.size() - at);
    for (size_t i = 0; i < 3; ++i) {
      word = (word << 8) | (i < count ? static_cast<unsigned char>(bytes[at + i]) : 0U);
    }
    for (size_t i = 0; i < 4; ++i) {
      out += i <= count ? kAlphabet[(word >> (18 - 6 * i)) & 63U] : '=';
    }
    width += 4;
  }
  return out;
}

std::optional<std::string> base64_bytes(std::string_view text) {
  std::string out;
  uint32_t word = 0;
  int bits = 0;
  for (const char c : text) {
    if (c == '=') break;
    const size_t digit = kAlphabet.find(c);
    if (digit == std::string_view::npos) continue;
    word = (word << 6) | static_cast<uint32_t>(digit);
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    out += static_cast<char>(static_cast<unsigned char>(word >> bits));
  }
  // One character alone is no byte.
  if (bits == 6) return std::nullopt;
  return out;
}

namespace {

Status base64_row(const Row& row, Column& out, const KernelContext&) {
  out.append_bytes(base64_text(row.text(0), true));
  return {};
}

Error conversion_error(std::string_view text, std::string_view format) {
  return update_error("CONVERSION_INVALID_INPUT", fmt::format("'{}' is no {} text.", text, format));
}

Status unbase64_row(const Row& row, Column& out, const KernelContext&) {
  auto bytes = base64_bytes(row.text(0));
  if (!bytes) return conversion_error(row.text(0), "base64");
  out.append_bytes(*bytes);
  return {};
}

// --- character sets ------------------------------------------------------------------------------

Error bad_charset(std::string_view name) {
  return update_error("INVALID_PARAMETER_VALUE.CHARSET",
                      fmt::format("'{}' is no known character set.", name));
}

void append_utf16(std::string& out, char32_t code, bool big) {
  const auto unit = [&](char32_t item) {
    const auto high = static_cast<char>(static_cast<unsigned char>(item >> 8));
    const auto low = static_cast<char>(static_cast<unsigned char>(item));
    out += big ? high : low;
    out += big ? low : high;
  };
  if (code < 0x10000) {
    unit(code);
  } else {
    unit(0xD7C0 + (code >> 10));
    unit(0xDC00 + (code & 0x3FF));
  }
}

Result<std::string> encoded(std::string_view text, std::string_view charset) {
  const std::string name = fold_case(charset);
  if (name == "utf-8") return std::string(text);
  std::string out;
  const char32_t limit = name == "us-ascii" ? 0x80 : name == "iso-8859-1" ? 0x100 : 0;
  const bool wide = name == "utf-16" || name == "utf-16be" || name == "utf-16le";
  if (limit == 0 && !wide) return bad_charset(charset);
  if (name == "utf-16") out += "\xFE\xFF";
  for (size_t at = 0; at < text.size();) {
    const char32_t code = utf8_next(text, at);
    if (wide) {
      append_utf16(out, code, name != "utf-16le");
    } else if (code < limit) {
      out += static_cast<char>(static_cast<unsigned char>(code));
    } else {
      return update_error("MALFORMED_CHARACTER_CODING",
                          fmt::format("A character has no place in {}.", charset));
    }
  }
  return out;
}

Status encode_row(const Row& row, Column& out, const KernelContext&) {
  LAKEBED_ASSIGN(std::string bytes, encoded(row.text(0), row.text(1)));
  out.append_bytes(bytes);
  return {};
}

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

std::optional<std::string> hex_bytes(std::string_view text) {
  std::string out;
  std::string even = text.size() % 2 == 1 ? "0" + std::string(text) : std::string(text);
  for (size_t i = 0; i < even.size(); i += 2) {
    const int high = hex_digit(even[i]), low = hex_digit(even[i + 1]);
    if (high < 0 || low < 0) return std::nullopt;
    out += static_cast<char>(high * 16 + low);
  }
  return out;
}

// base64 with whole groups and padding, blanks aside.
bool strict_base64(std::string_view text) {
  size_t count = 0, padding = 0;
  for (const char c : text) {
    if (std::string_view(" \t\r\n").find(c) != std::string_view::npos) continue;
    if (c == '=')
      ++padding;
    else if (padding > 0 || kAlphabet.find(c) == std::string_view::npos)
      return false;
    ++count;
  }
  return count % 4 == 0 ? padding <= 2 : padding == 0 && count % 4 != 1;
}

Status to_binary_row(const Row& row, Column& out, const KernelContext&) {
  const std::string format = row.count() > 1 ? fold_case(row.text(1)) : "hex";
  std::optional<std::string> bytes;
  if (format == "hex")
    bytes = hex_bytes(row.text(0));
  else if (format == "utf-8" || format == "utf8")
    bytes = std::string(row.text(0));
  else if (format == "base64" && strict_base64(row.text(0)))
    bytes = base64_bytes(row.text(0));
  else if (format != "base64") {
    return update_error("DATATYPE_MISMATCH.INVALID_ARG_VALUE",
                        "The format is none of to_binary's.");
  }
  if (!bytes) return conversion_error(row.text(0), format);
  out.append_bytes(*bytes);
  return {};
}

// --- digests -------------------------------------------------------------------------------------

Status md5_row(const Row& row, Column& out, const KernelContext&) {
  out.append_bytes(md5_hex(row.text(0)));
  return {};
}
Status sha1_row(const Row& row, Column& out, const KernelContext&) {
  out.append_bytes(sha1_hex(row.text(0)));
  return {};
}
Status sha2_row(const Row& row, Column& out, const KernelContext&) {
  const int64_t bits = row.integer(1);
  if (bits == 0)
    out.append_bytes(sha2_hex(row.text(0), 256));
  else if (bits == 224 || bits == 256 || bits == 384 || bits == 512)
    out.append_bytes(sha2_hex(row.text(0), static_cast<int>(bits)));
  else
    out.append_null();
  return {};
}
Status crc32_row(const Row& row, Column& out, const KernelContext&) {
  out.append_integer(static_cast<int64_t>(crc32(row.text(0))));
  return {};
}

// --- URLs ----------------------------------------------------------------------------------------

Status url_encode_row(const Row& row, Column& out, const KernelContext&) {
  std::string text;
  for (const char c : row.text(0)) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       std::string_view("-_.*").find(c) != std::string_view::npos;
    if (plain)
      text += c;
    else if (c == ' ')
      text += '+';
    else
      text += fmt::format("%{:02X}", static_cast<unsigned>(static_cast<unsigned char>(c)));
  }
  out.append_bytes(text);
  return {};
}

Status url_decode_row(const Row& row, Column& out, const KernelContext&) {
  const std::string_view from = row.text(0);
  std::string text;
  for (size_t at = 0; at < from.size(); ++at) {
    if (from[at] != '%') {
      text += from[at] == '+' ? ' ' : from[at];
      continue;
    }
    const int high = at + 2 < from.size() ? hex_digit(from[at + 1]) : -1;
    const int low = at + 2 < from.size() ? hex_digit(from[at + 2]) : -1;
    if (high < 0 || low < 0) {
      return update_error("CANNOT_DECODE_URL", fmt::format("'{}' is no encoded URL.", from));
    }
    text += static_cast<char>(high * 16 + low);
    at += 2;
  }
  out.append_bytes(text);
  return {};
}

struct Url {
  std::optional<std::string> scheme, authority, host, query, fragment, user;
  std::string path;
};

// As RFC 3986 parts a URL.
std::optional<Url> parse_url_text(const std::string& text) {
  static const std::regex parts(
      R"(^(([A-Za-z][A-Za-z0-9+.-]*):)?(//([^/?#]*))?([^?#]*)(\?([^#]*))?(#(.*))?$)");
  std::smatch match;
  if (text.find_first_of(" <>{}|\\^`\"") != std::string::npos) return std::nullopt;
  if (!std::regex_match(text, match, parts)) return std::nullopt;
  Url out;
  if (match[2].matched) out.scheme = match[2].str();
  if (match[3].matched) out.authority = match[4].str();
  out.path = match[5].str();
  if (match[6].matched) out.query = match[7].str();
  if (match[8].matched) out.fragment = match[9].str();
  if (!out.authority) return out;
  const size_t at = out.authority->rfind('@');
  std::string host = out.authority->substr(at == std::string::npos ? 0 : at + 1);
  if (at != std::string::npos) out.user = out.authority->substr(0, at);
  const size_t colon = host.rfind(':');
  if (colon != std::string::npos && host.find(']', colon) == std::string::npos) host.resize(colon);
  if (!host.empty()) out.host = host;
  return out;
}

std::optional<std::string> query_item(const std::string& query, std::string_view key) {
  size_t at = 0;
  while (at <= query.size()) {
    const size_t end = std::min(query.find('&', at), query.size());
    const std::string_view pair = std::string_view(query).substr(at, end - at);
    if (pair.size() > key.size() && pair.substr(0, key.size()) == key && pair[key.size()] == '=') {
      return std::string(pair.substr(key.size() + 1));
    }
    at = end + 1;
  }
  return std::nullopt;
}

std::optional<std::string> url_part(const Url& url, std::string_view part) {
  if (part == "PROTOCOL") return url.scheme;
  if (part == "HOST") return url.host;
  if (part == "PATH") return url.path;
  if (part == "QUERY") return url.query;
  if (part == "REF") return url.fragment;
  if (part == "AUTHORITY") return url.authority;
  if (part == "USERINFO") return url.user;
  if (part == "FILE") return url.query ? url.path + "?" + *url.query : url.path;
  return std::nullopt;
}

Status parse_url_row(const Row& row, Column& out, const KernelContext&) {
  const auto url = parse_url_text(std::string(row.text(0)));
  if (!url) return update_error("INVALID_URL", fmt::format("'{}' is no URL.", row.text(0)));
  std::optional<std::string> found = url_part(*url, row.text(1));
  if (row.count() > 2) {
    found =
        row.text(1) == "QUERY" && url->query ? query_item(*url->query, row.text(2)) : std::nullopt;
  }
  if (found)
    out.append_bytes(*found);
  else
    out.append_null();
  return {};
}

}  // namespace

std::vector<Rendering> encoding_renderings() {
  return {
      {"base64", base64_row},
      {"unbase64", unbase64_row},
      {"encode", encode_row},
      {"to_binary", to_binary_row},
      {"try_to_binary", to_binary_row, kTried},
      {"md5", md5_row},
      {"sha sha1", sha1_row},
      {"sha2", sha2_row},
      {"crc32", crc32_row},
      {"url_encode", url_encode_row},
      {"url_decode", url_decode_row},
      {"try_url_decode", url_decode_row, kTried},
      {"parse_url", parse_url_row},
      {"try_parse_url", parse_url_row, kTried},
  };
}

}  // namespace lakebed::engine::duck
