// Casts spelled as functions, hashes, typeof and assertions.
#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <cstring>

#include "base/names.h"
#include "engine/duck/functions/decimal.h"
#include "engine/duck/functions/kernel.h"
#include "engine/duck/functions/utf8.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace lakebed::engine::duck {

using value::Column;
using value::Kind;
using value::Type;

namespace {

Result<std::string> render_cast_function(const RenderedCall& call, RenderContext& context) {
  return render_cast(call.arguments[0], call.node->children[0]->type, call.node->type, false,
                     context);
}

// --- Spark's hashes ------------------------------------------------------------------------------

// The bytes of a DECIMAL beyond 18 digits: the shortest big-endian two's complement.
std::string big_endian(Int128 item) {
  std::string bytes;
  for (int i = 15; i >= 0; --i) {
    bytes += static_cast<char>(static_cast<unsigned char>(static_cast<UInt128>(item) >> (8 * i)));
  }
  size_t start = 0;
  const auto sign_matches = [&](size_t i) {
    const auto lead = static_cast<unsigned char>(bytes[i]);
    const auto next = static_cast<unsigned char>(bytes[i + 1]);
    return (lead == 0 && next < 0x80) || (lead == 0xFF && next >= 0x80);
  };
  while (start + 1 < bytes.size() && sign_matches(start)) ++start;
  return bytes.substr(start);
}

struct Murmur3 {
  using State = int32_t;

  static uint32_t mix_k(uint32_t k) {
    k *= 0xCC9E2D51U;
    k = std::rotl(k, 15);
    return k * 0x1B873593U;
  }
  static uint32_t mix_h(uint32_t h, uint32_t k) {
    h ^= k;
    h = std::rotl(h, 13);
    return h * 5 + 0xE6546B64U;
  }
  static int32_t finish(uint32_t h, uint32_t length) {
    h ^= length;
    h ^= h >> 16;
    h *= 0x85EBCA6BU;
    h ^= h >> 13;
    h *= 0xC2B2AE35U;
    h ^= h >> 16;
    return static_cast<int32_t>(h);
  }
  static State of_int(int32_t item, State seed) {
    return finish(mix_h(static_cast<uint32_t>(seed), mix_k(static_cast<uint32_t>(item))), 4);
  }
  static State of_long(int64_t item, State seed) {
    const auto bits = static_cast<uint64_t>(item);
    uint32_t h = mix_h(static_cast<uint32_t>(seed), mix_k(static_cast<uint32_t>(bits)));
    h = mix_h(h, mix_k(static_cast<uint32_t>(bits >> 32)));
    return finish(h, 8);
  }
  // Spark mixes each byte of the tail as a word of its own.
  static State of_bytes(std::string_view bytes, State seed) {
    auto h = static_cast<uint32_t>(seed);
    size_t at = 0;
    for (; at + 4 <= bytes.size(); at += 4) {
      uint32_t word = 0;
      std::memcpy(&word, bytes.data() + at, 4);
      h = mix_h(h, mix_k(word));
    }
    for (; at < bytes.size(); ++at) {
      h = mix_h(
          h,
          mix_k(static_cast<uint32_t>(static_cast<int32_t>(static_cast<signed char>(bytes[at])))));
    }
    return finish(h, static_cast<uint32_t>(bytes.size()));
  }
};

struct Xxh64 {
  using State = int64_t;

  // One 4-byte word goes through the same steps as the tail of a longer text: plain XXH64.
  static State of_raw(const void* data, size_t size, State seed) {
    return static_cast<int64_t>(XXH64(data, size, static_cast<uint64_t>(seed)));
  }
  static State of_int(int32_t item, State seed) { return of_raw(&item, 4, seed); }
  static State of_long(int64_t item, State seed) { return of_raw(&item, 8, seed); }
  static State of_bytes(std::string_view bytes, State seed) {
    return of_raw(bytes.data(), bytes.size(), seed);
  }
};

template <typename Hash>
typename Hash::State hash_value(const Column& column, size_t row, typename Hash::State seed);

template <typename Hash>
typename Hash::State hash_nested(const Column& column, size_t row, typename Hash::State seed) {
  if (column.type().kind == Kind::kStruct) {
    for (const Column& child : column.children()) seed = hash_value<Hash>(child, row, seed);
    return seed;
  }
  for (uint64_t i = column.begin(row); i < column.end(row); ++i) {
    seed = hash_value<Hash>(column.children()[0], i, seed);
  }
  return seed;
}

template <typename Hash>
typename Hash::State hash_value(const Column& column, size_t row, typename Hash::State seed) {
  if (column.is_null(row)) return seed;
  switch (column.type().kind) {
    case Kind::kBoolean:
    case Kind::kByte:
    case Kind::kShort:
    case Kind::kInt:
    case Kind::kDate: return Hash::of_int(static_cast<int32_t>(column.integer(row)), seed);
    case Kind::kFloat: {
      float item = column.fixed<float>(row);
      if (item == 0) item = 0;
      if (std::isnan(item)) return Hash::of_int(0x7FC00000, seed);
      return Hash::of_int(std::bit_cast<int32_t>(item), seed);
    }
    case Kind::kDouble: {
      double item = column.fixed<double>(row);
      if (item == 0) item = 0;
      if (std::isnan(item)) return Hash::of_long(0x7FF8000000000000LL, seed);
      return Hash::of_long(std::bit_cast<int64_t>(item), seed);
    }
    case Kind::kDecimal: {
      const Int128 item = column.decimal(row);
      if (column.type().precision <= 18) return Hash::of_long(static_cast<int64_t>(item), seed);
      return Hash::of_bytes(big_endian(item), seed);
    }
    case Kind::kString:
    case Kind::kBinary: return Hash::of_bytes(column.bytes(row), seed);
    case Kind::kArray:
    case Kind::kStruct: return hash_nested<Hash>(column, row, seed);
    default: return Hash::of_long(column.integer(row), seed);
  }
}

template <typename Hash>
Status hash_row(const Row& row, Column& out, const KernelContext&) {
  typename Hash::State state = 42;
  for (size_t k = 0; k < row.count(); ++k) {
    state = hash_value<Hash>(row.column(k), row.row(), state);
  }
  out.append_integer(state);
  return {};
}

// --- the rest ------------------------------------------------------------------------------------

std::string simple_text(const Type& type) {
  switch (type.kind) {
    case Kind::kArray: return "array<" + simple_text(type.element()) + ">";
    case Kind::kMap:
      return "map<" + simple_text(type.map_key()) + "," + simple_text(type.map_value()) + ">";
    case Kind::kStruct: {
      std::string out = "struct<";
      for (size_t i = 0; i < type.fields.size(); ++i) {
        if (i > 0) out += ",";
        out += type.fields[i].name + ":" + simple_text(type.fields[i].type);
      }
      return out + ">";
    }
    default: break;
  }
  std::string out = type.text();
  for (char& c : out) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  return out;
}

Result<std::string> render_typeof(const RenderedCall& call, RenderContext&) {
  return quote_text(simple_text(call.node->children[0]->type));
}

Status assert_true_row(const Row& row, Column& out, const KernelContext&) {
  if (row.null(0) || !row.boolean(0)) {
    const bool own = row.count() > 1 && !row.null(1);
    return update_error("USER_RAISED_EXCEPTION",
                        own ? std::string(row.text(1)) : "The assertion is not true.");
  }
  out.append_null();
  return {};
}

Status raise_error_row(const Row& row, Column&, const KernelContext&) {
  return update_error("USER_RAISED_EXCEPTION", row.null(0) ? "" : std::string(row.text(0)));
}

Status decode_row(const Row& row, Column& out, const KernelContext&) {
  const std::string name = fold_case(row.text(1));
  if (name != "utf-8" && name != "us-ascii" && name != "iso-8859-1") {
    return update_error("INVALID_PARAMETER_VALUE.CHARSET",
                        fmt::format("'{}' is no character set that decode knows.", row.text(1)));
  }
  if (name != "iso-8859-1") {
    if (!utf8_valid(row.text(0))) {
      return update_error("MALFORMED_CHARACTER_CODING", "The bytes are no such text.");
    }
    out.append_bytes(row.text(0));
    return {};
  }
  std::string text;
  for (const char c : row.text(0)) utf8_append(text, static_cast<unsigned char>(c));
  out.append_bytes(text);
  return {};
}

Result<std::string> render_decode(const RenderedCall& call, RenderContext& context) {
  const size_t count = call.arguments.size();
  if (count == 2) return render_kernel(call, decode_row, kStrict, context);
  std::string out = "(CASE";
  size_t i = 1;
  for (; i + 1 < count; i += 2) {
    out += fmt::format(" WHEN {} IS NOT DISTINCT FROM {} THEN {}", call.arguments[0],
                       call.arguments[i], call.arguments[i + 1]);
  }
  if (i < count) out += " ELSE " + call.arguments[i];
  return out + " END)";
}

}  // namespace

std::vector<Rendering> misc_renderings() {
  return {
      {"boolean tinyint smallint int bigint float double decimal string binary date timestamp",
       render_cast_function},
      {"hash", hash_row<Murmur3>, kSeesNulls},
      {"xxhash64", hash_row<Xxh64>, kSeesNulls},
      {"decode", render_decode},
      {"typeof", render_typeof},
      {"assert_true", assert_true_row, kSeesNulls},
      {"raise_error", raise_error_row, kSeesNulls},
  };
}

}  // namespace lakebed::engine::duck
