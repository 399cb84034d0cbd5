#include "delta/bounds.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "delta/json_text.h"
#include "delta/value_text.h"

namespace lakebed::delta {
namespace {

using value::Column;
using value::Int128;
using value::Kind;

constexpr size_t kCharacters = 32;

// Which rows of a column hold a value.
class Rows {
 public:
  Rows(const Column& column, const std::vector<uint8_t>& visible)
      : size_(column.size()),
        own_(column.raw_validity().empty() ? nullptr : column.raw_validity().data()),
        outer_(visible.empty() ? nullptr : visible.data()) {}

  bool all() const { return own_ == nullptr && outer_ == nullptr; }
  bool holds(size_t row) const {
    return (own_ == nullptr || own_[row] != 0) && (outer_ == nullptr || outer_[row] != 0);
  }
  uint64_t nulls() const {
    if (all()) return 0;
    uint64_t count = 0;
    for (size_t row = 0; row < size_; ++row) count += holds(row) ? 0 : 1;
    return count;
  }

 private:
  size_t size_;
  const uint8_t* own_;
  const uint8_t* outer_;
};

template <typename T>
struct Range {
  bool any = false;
  T least{};
  T greatest{};
};

template <typename T>
Range<T> range_of(const Column& column, const Rows& rows) {
  const size_t size = column.size();
  size_t row = 0;
  while (row < size && !rows.holds(row)) ++row;
  if (row == size) return {};
  T least = column.fixed<T>(row);
  T greatest = least;
  if (rows.all()) {  // no branch in the loop: the compiler takes many rows at once
    for (; row < size; ++row) {
      const T item = column.fixed<T>(row);
      least = item < least ? item : least;
      greatest = item > greatest ? item : greatest;
    }
    return {true, least, greatest};
  }
  for (; row < size; ++row) {
    if (!rows.holds(row)) continue;
    const T item = column.fixed<T>(row);
    least = std::min(least, item);
    greatest = std::max(greatest, item);
  }
  return {true, least, greatest};
}

Range<Int128> integer_range(const Column& column, const Rows& rows) {
  const auto widen = [](const auto& range) {
    return Range<Int128>{range.any, range.least, range.greatest};
  };
  switch (value::fixed_width(column.type())) {
    case 1:
      return widen(range_of<int8_t>(column, rows));
    case 2:
      return widen(range_of<int16_t>(column, rows));
    case 4:
      return widen(range_of<int32_t>(column, rows));
    case 8:
      return widen(range_of<int64_t>(column, rows));
    default:
      return range_of<Int128>(column, rows);
  }
}

template <typename T>
bool any_nan(const Column& column, const Rows& rows) {
  for (size_t row = 0; row < column.size(); ++row) {
    if (rows.holds(row) && std::isnan(column.fixed<T>(row))) return true;
  }
  return false;
}

// The first eight bytes as a number that orders as the texts do; equal numbers decide nothing.
uint64_t order_key(std::string_view text) {
  uint64_t key = 0;
  if (text.size() >= sizeof(key)) {  // a length known to the compiler is one load
    std::memcpy(&key, text.data(), sizeof(key));
  } else {
    std::memcpy(&key, text.data(), text.size());
  }
  return __builtin_bswap64(key);
}

Range<std::string_view> text_range(const Column& column, const Rows& rows) {
  Range<std::string_view> out;
  uint64_t least_key = 0;
  uint64_t greatest_key = 0;
  for (size_t row = 0; row < column.size(); ++row) {
    if (!rows.holds(row)) continue;
    const std::string_view item = column.bytes(row);
    const uint64_t key = order_key(item);
    if (!out.any) {
      out = {true, item, item};
      least_key = greatest_key = key;
    } else if (key <= least_key && item < out.least) {
      out.least = item;
      least_key = key;
    } else if (key >= greatest_key && item > out.greatest) {
      out.greatest = item;
      greatest_key = key;
    }
  }
  return out;
}

// Length in bytes of the UTF-8 character at `at`; 0 where there is none.
size_t character_length(std::string_view text, size_t at) {
  const auto lead = static_cast<uint8_t>(text[at]);
  const size_t length = lead < 0x80 ? 1 : lead < 0xC2 ? 0 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3
                        : lead < 0xF5 ? 4 : 0;
  if (length == 0 || at + length > text.size()) return 0;
  for (size_t i = 1; i < length; ++i) {
    if ((static_cast<uint8_t>(text[at + i]) & 0xC0) != 0x80) return 0;
  }
  return length;
}

// The first 32 characters; nothing where the text is no UTF-8 (JSON cannot hold it).
std::optional<std::string_view> cut(std::string_view text) {
  size_t at = 0;
  for (size_t count = 0; count < kCharacters && at < text.size(); ++count) {
    const size_t length = character_length(text, at);
    if (length == 0) return {};
    at += length;
  }
  return text.substr(0, at);
}

// A text of at most 33 characters that is not below `text`: the cut and a character above the next.
std::optional<std::string> cut_above(std::string_view text) {
  const auto prefix = cut(text);
  if (!prefix) return {};
  if (prefix->size() == text.size()) return std::string(text);
  const std::string_view rest = text.substr(prefix->size());
  const std::string greatest_character = "\xF4\x8F\xBF\xBF";  // U+10FFFF
  if (character_length(rest, 0) == 0 || rest.starts_with(greatest_character)) return {};
  const bool ascii = static_cast<uint8_t>(rest[0]) < 0x7F;
  return std::string(*prefix) + (ascii ? std::string("\x7F") : greatest_character);
}

std::string quoted(std::string_view text) {
  std::string out;
  append_json_string(out, text);
  return out;
}

bool is_floating(const value::Type& type) {
  return type.kind == Kind::kFloat || type.kind == Kind::kDouble;
}

// Whether the kind has bounds at all.
bool has_bounds(const value::Type& type) {
  switch (type.kind) {
    case Kind::kBoolean:
    case Kind::kBinary:
    case Kind::kArray:
    case Kind::kMap:
    case Kind::kVoid:
      return false;
    default:
      return true;
  }
}

// Readers agree on the spelling of the years 1 to 9999 only.
constexpr int64_t kFirstDay = -719'162;
constexpr int64_t kLastDay = 2'932'896;
constexpr int64_t kDayUs = 86'400'000'000;

bool has_plain_year(Int128 number, Kind kind) {
  if (kind == Kind::kDate) return number >= kFirstDay && number <= kLastDay;
  return number >= Int128{kFirstDay} * kDayUs && number < (Int128{kLastDay} + 1) * kDayUs;
}

std::optional<std::string> number_text(double number, bool least, Kind kind) {
  if (std::isinf(number)) return {};  // no JSON number
  std::string out;
  if (number == 0) return least ? "-0.0" : "0.0";
  if (kind == Kind::kFloat) {
    append_number(out, static_cast<float>(number));
  } else {
    append_number(out, number);
  }
  return out;
}

}  // namespace

void Bounds::take(const Column& column, const std::vector<uint8_t>& visible) {
  const Rows rows(column, visible);
  nulls_ += rows.nulls();
  if (!has_bounds(type_)) return;
  const auto widen = [this](const auto& range, auto& least, auto& greatest) {
    if (!range.any) return;
    if (!any_ || range.least < least) least = range.least;
    if (!any_ || range.greatest > greatest) greatest = range.greatest;
    any_ = true;
  };
  if (type_.kind == Kind::kString) {
    widen(text_range(column, rows), least_text_, greatest_text_);
  } else if (type_.kind == Kind::kFloat) {
    has_nan_ = has_nan_ || any_nan<float>(column, rows);
    widen(range_of<float>(column, rows), least_number_, greatest_number_);
  } else if (type_.kind == Kind::kDouble) {
    has_nan_ = has_nan_ || any_nan<double>(column, rows);
    widen(range_of<double>(column, rows), least_number_, greatest_number_);
  } else {
    widen(integer_range(column, rows), least_, greatest_);
  }
}

std::optional<std::string> Bounds::text_of(bool least) const {
  if (!any_ || has_nan_) return {};
  const Int128 number = least ? least_ : greatest_;
  std::string out;
  if (is_floating(type_)) {
    return number_text(least ? least_number_ : greatest_number_, least, type_.kind);
  }
  switch (type_.kind) {
    case Kind::kString: {
      if (!least) {
        const auto above = cut_above(greatest_text_);
        return above ? std::optional<std::string>(quoted(*above)) : std::nullopt;
      }
      const auto prefix = cut(least_text_);
      return prefix ? std::optional<std::string>(quoted(*prefix)) : std::nullopt;
    }
    case Kind::kDecimal:
      append_decimal(out, number, type_.scale);
      return out;
    case Kind::kDate:
      if (!has_plain_year(number, type_.kind)) return {};
      append_date(out, static_cast<int64_t>(number));
      return quoted(out);
    case Kind::kTimestamp:
    case Kind::kTimestampNtz:
      if (!has_plain_year(number, type_.kind)) return {};
      append_timestamp(out, static_cast<int64_t>(number), 3);  // cuts: a floor, before 1970 too
      return quoted(out + (type_.kind == Kind::kTimestamp ? "Z" : ""));
    default:
      return std::to_string(static_cast<int64_t>(number));
  }
}

std::optional<std::string> Bounds::minimum() const { return text_of(true); }
std::optional<std::string> Bounds::maximum() const { return text_of(false); }

}  // namespace lakebed::delta
