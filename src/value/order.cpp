#include "value/order.h"

#include <algorithm>
#include <bit>

namespace lakebed::value {

// The codes below are rule E3.
namespace {

template <typename Unsigned>
void append_big_endian(Unsigned bits, std::string& out) {
  for (int shift = static_cast<int>(sizeof(Unsigned)) * 8 - 8; shift >= 0; shift -= 8) {
    out += static_cast<char>(static_cast<uint8_t>(bits >> shift));
  }
}

template <typename Unsigned>
Unsigned read_big_endian(std::string_view bytes) {
  LAKEBED_ASSERT(bytes.size() >= sizeof(Unsigned));
  Unsigned bits = 0;
  for (size_t i = 0; i < sizeof(Unsigned); ++i) {
    bits = static_cast<Unsigned>(bits << 8) | static_cast<uint8_t>(bytes[i]);
  }
  return bits;
}

// Bits of a floating-point number in an order that integers share. One NaN, no negative zero.
uint64_t monotone_bits(double number) {
  if (number == 0) number = 0.0;
  uint64_t bits = std::bit_cast<uint64_t>(number);
  if (number != number) bits = 0x7FF8000000000000ULL;
  return (bits >> 63) ? ~bits : bits | (1ULL << 63);
}

uint32_t monotone_bits(float number) {
  if (number == 0) number = 0.0F;
  uint32_t bits = std::bit_cast<uint32_t>(number);
  if (number != number) bits = 0x7FC00000U;
  return (bits >> 31) ? ~bits : bits | (1U << 31);
}

double from_monotone(uint64_t bits) {
  return std::bit_cast<double>((bits >> 63) ? bits & ~(1ULL << 63) : ~bits);
}

float from_monotone(uint32_t bits) {
  return std::bit_cast<float>((bits >> 31) ? bits & ~(1U << 31) : ~bits);
}

void append_escaped(std::string_view bytes, std::string& out) {
  for (const char byte : bytes) {
    out += byte;
    if (byte == '\0') out += '\xFF';
  }
  out.append(2, '\0');
}

size_t read_escaped(std::string_view code, std::string& out) {
  size_t at = 0;
  while (true) {
    LAKEBED_ASSERT(at < code.size());
    if (code[at] != '\0') {
      out += code[at++];
    } else if (code[at + 1] == '\0') {
      return at + 2;
    } else {
      out += '\0';
      at += 2;
    }
  }
}

void append_body(const Column& column, size_t row, std::string& out) {
  const Type& type = column.type();
  switch (type.kind) {
    case Kind::kFloat: return append_big_endian(monotone_bits(column.fixed<float>(row)), out);
    case Kind::kDouble: return append_big_endian(monotone_bits(column.fixed<double>(row)), out);
    case Kind::kDecimal: {
      const auto bits = static_cast<UInt128>(column.decimal(row));
      if (type.precision <= 18) {
        append_big_endian(static_cast<uint64_t>(bits) ^ (1ULL << 63), out);
      } else {
        append_big_endian(bits ^ (UInt128{1} << 127), out);
      }
      return;
    }
    case Kind::kString:
    case Kind::kBinary: return append_escaped(column.bytes(row), out);
    case Kind::kArray:
      for (uint64_t i = column.begin(row); i < column.end(row); ++i) {
        out += '\x01';
        append_order_code(column.children()[0], i, out);
      }
      out += '\0';
      return;
    case Kind::kStruct:
      for (const Column& child : column.children()) append_order_code(child, row, out);
      return;
    default: break;
  }
  const int64_t item = column.integer(row);
  switch (fixed_width(type)) {
    case 1: return append_big_endian(static_cast<uint8_t>(static_cast<uint8_t>(item) ^ 0x80U), out);
    case 2:
      return append_big_endian(static_cast<uint16_t>(static_cast<uint16_t>(item) ^ 0x8000U), out);
    case 4: return append_big_endian(static_cast<uint32_t>(item) ^ (1U << 31), out);
    default: return append_big_endian(static_cast<uint64_t>(item) ^ (1ULL << 63), out);
  }
}

size_t decode_integer(std::string_view code, Column& out) {
  const size_t width = fixed_width(out.type());
  switch (width) {
    case 1: out.append_integer(static_cast<int8_t>(read_big_endian<uint8_t>(code) ^ 0x80U)); break;
    case 2:
      out.append_integer(static_cast<int16_t>(read_big_endian<uint16_t>(code) ^ 0x8000U));
      break;
    case 4:
      out.append_integer(static_cast<int32_t>(read_big_endian<uint32_t>(code) ^ (1U << 31)));
      break;
    default:
      out.append_integer(static_cast<int64_t>(read_big_endian<uint64_t>(code) ^ (1ULL << 63)));
  }
  return width;
}

size_t decode_decimal(std::string_view code, Column& out) {
  if (out.type().precision <= 18) {
    out.append_decimal(static_cast<int64_t>(read_big_endian<uint64_t>(code) ^ (1ULL << 63)));
    return 8;
  }
  out.append_decimal(static_cast<Int128>(read_big_endian<UInt128>(code) ^ (UInt128{1} << 127)));
  return 16;
}

size_t decode_body(std::string_view code, Column& out) {
  switch (out.type().kind) {
    case Kind::kFloat: out.append_fixed(from_monotone(read_big_endian<uint32_t>(code))); return 4;
    case Kind::kDouble: out.append_fixed(from_monotone(read_big_endian<uint64_t>(code))); return 8;
    case Kind::kDecimal: return decode_decimal(code, out);
    case Kind::kString:
    case Kind::kBinary: {
      std::string bytes;
      const size_t used = read_escaped(code, bytes);
      out.append_bytes(bytes);
      return used;
    }
    case Kind::kArray: {
      size_t at = 0;
      while (code[at] == '\x01')
        at += 1 + decode_order_code(code.substr(at + 1), out.raw_children()[0]);
      out.append_list();
      return at + 1;
    }
    case Kind::kStruct: {
      size_t at = 0;
      for (Column& child : out.raw_children()) at += decode_order_code(code.substr(at), child);
      out.append_struct();
      return at;
    }
    default: return decode_integer(code, out);
  }
}

bool same_list(const Column& left, size_t left_row, const Column& right, size_t right_row) {
  const uint64_t count = left.end(left_row) - left.begin(left_row);
  if (count != right.end(right_row) - right.begin(right_row)) return false;
  for (uint64_t i = 0; i < count; ++i) {
    if (!same_value(left.children()[0], left.begin(left_row) + i, right.children()[0],
                    right.begin(right_row) + i)) {
      return false;
    }
  }
  return true;
}

bool same_map(const Column& left, size_t left_row, const Column& right, size_t right_row) {
  const uint64_t count = left.end(left_row) - left.begin(left_row);
  if (count != right.end(right_row) - right.begin(right_row)) return false;
  for (uint64_t i = left.begin(left_row); i < left.end(left_row); ++i) {
    bool found = false;
    for (uint64_t j = right.begin(right_row); j < right.end(right_row) && !found; ++j) {
      found = same_value(left.children()[0], i, right.children()[0], j) &&
              same_value(left.children()[1], i, right.children()[1], j);
    }
    if (!found) return false;
  }
  return true;
}

}  // namespace

void append_order_code(const Column& column, size_t row, std::string& out) {
  if (column.is_null(row)) {
    out += '\0';
    return;
  }
  out += '\x01';
  append_body(column, row, out);
}

size_t decode_order_code(std::string_view code, Column& out) {
  LAKEBED_ASSERT(!code.empty());
  if (code[0] == '\0') {
    out.append_null();
    return 1;
  }
  return 1 + decode_body(code.substr(1), out);
}

bool has_short_code(const Type& type) {
  const size_t width = fixed_width(type);
  return width > 0 && width <= 8;
}

SequenceCode sequence_code(const Column& column, size_t row) {
  const Kind kind = column.type().kind;
  if (kind == Kind::kLong || kind == Kind::kTimestamp || kind == Kind::kTimestampNtz) {
    return {static_cast<uint64_t>(column.fixed<int64_t>(row)) ^ (1ULL << 63), {}};
  }
  std::string bytes;
  append_body(column, row, bytes);
  SequenceCode code;
  for (size_t i = 0; i < 8; ++i) {
    code.head = (code.head << 8) | (i < bytes.size() ? static_cast<uint8_t>(bytes[i]) : 0U);
  }
  if (bytes.size() > 8) code.tail = bytes.substr(8);
  return code;
}

void decode_sequence(const SequenceCode& code, Column& out) {
  std::string bytes;
  append_big_endian(code.head, bytes);
  bytes += code.tail;
  decode_body(bytes, out);
}

bool same_value(const Column& left, size_t left_row, const Column& right, size_t right_row) {
  if (left.is_null(left_row) || right.is_null(right_row)) {
    return left.is_null(left_row) == right.is_null(right_row);
  }
  switch (left.type().kind) {
    case Kind::kVoid: return true;
    case Kind::kFloat:
      return monotone_bits(left.fixed<float>(left_row)) ==
             monotone_bits(right.fixed<float>(right_row));
    case Kind::kDouble:
      return monotone_bits(left.fixed<double>(left_row)) ==
             monotone_bits(right.fixed<double>(right_row));
    case Kind::kDecimal: return left.decimal(left_row) == right.decimal(right_row);
    case Kind::kString:
    case Kind::kBinary: return left.bytes(left_row) == right.bytes(right_row);
    case Kind::kArray: return same_list(left, left_row, right, right_row);
    case Kind::kMap: return same_map(left, left_row, right, right_row);
    case Kind::kStruct:
      for (size_t i = 0; i < left.children().size(); ++i) {
        if (!same_value(left.children()[i], left_row, right.children()[i], right_row)) return false;
      }
      return true;
    default: return left.integer(left_row) == right.integer(right_row);
  }
}

}  // namespace lakebed::value
