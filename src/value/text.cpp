#include "value/text.h"

#include <date/tz.h>
#include <fmt/format.h>

#include <cmath>
#include <cstdlib>

namespace lakebed::value {

namespace {

constexpr int64_t kMicrosPerSecond = 1'000'000;
constexpr int64_t kMicrosPerDay = 86'400 * kMicrosPerSecond;

int64_t floor_div(int64_t left, int64_t right) {
  return left / right - ((left % right != 0 && (left < 0) != (right < 0)) ? 1 : 0);
}

// Lays out shortest digits (from "d.ddde±xx") as Java does.
std::string java_layout(std::string scientific) {
  std::string sign;
  if (scientific[0] == '-') {
    sign = "-";
    scientific.erase(0, 1);
  }
  const size_t mark = scientific.find('e');
  const int exponent = std::atoi(scientific.c_str() + mark + 1);
  std::string digits = scientific.substr(0, mark);
  if (digits.size() > 1) digits.erase(1, 1);  // the point
  if (exponent >= -3 && exponent < 7) {
    if (exponent < 0) {
      return sign + "0." + std::string(static_cast<size_t>(-exponent - 1), '0') + digits;
    }
    const auto whole = static_cast<size_t>(exponent) + 1;
    if (digits.size() <= whole) digits.append(whole + 1 - digits.size(), '0');
    return sign + digits.substr(0, whole) + "." + digits.substr(whole);
  }
  std::string fraction = digits.substr(1);
  if (fraction.empty()) fraction = "0";
  return fmt::format("{}{}.{}E{}", sign, digits[0], fraction, exponent);
}

// Shortest digits that read back, as "d.ddde±xx".
template <typename Real>
std::string shortest_scientific(Real number) {
  for (int precision = 0; precision < 18; ++precision) {
    std::string text = fmt::format("{:.{}e}", number, precision);
    const bool same = sizeof(Real) == sizeof(float)
                          ? std::strtof(text.c_str(), nullptr) == static_cast<float>(number)
                          : std::strtod(text.c_str(), nullptr) == static_cast<double>(number);
    if (same) return text;
  }
  return fmt::format("{:.17e}", number);
}

template <typename Real>
std::string real_text(Real number) {
  if (number != number) return "NaN";
  if (std::isinf(number)) return number > 0 ? "Infinity" : "-Infinity";
  if (number == 0) return std::signbit(number) ? "-0.0" : "0.0";
  return java_layout(shortest_scientific(number));
}

// "+HH:mm" or "Z" for an offset.
std::string offset_text(int64_t seconds) {
  if (seconds == 0) return "Z";
  const int64_t size = std::abs(seconds);
  return fmt::format("{}{:02}:{:02}", seconds < 0 ? '-' : '+', size / 3600, size / 60 % 60);
}

// Seconds of a fixed offset like "+02:00", "UTC", "Z"; nothing for other names.
std::optional<int64_t> fixed_offset(const std::string& zone) {
  if (zone == "UTC" || zone == "GMT" || zone == "Z" || zone == "Etc/UTC") return 0;
  std::string text = zone;
  if (text.rfind("UTC", 0) == 0 || text.rfind("GMT", 0) == 0) text = text.substr(3);
  if (text.size() < 2 || (text[0] != '+' && text[0] != '-')) return std::nullopt;
  int hours = 0;
  int minutes = 0;
  if (std::sscanf(text.c_str() + 1, "%d:%d", &hours, &minutes) < 1) return std::nullopt;
  const int64_t seconds = hours * 3600 + minutes * 60;
  return text[0] == '-' ? -seconds : seconds;
}

const date::time_zone* find_zone(const std::string& zone) {
  try {
    return date::locate_zone(zone);
  } catch (const std::exception&) {
    return nullptr;
  }
}

std::string iso_timestamp(int64_t utc_micros, const std::string& zone) {
  const int64_t offset = zone_offset_seconds(utc_micros, zone);
  const int64_t local = utc_micros + offset * kMicrosPerSecond;
  std::string text = timestamp_text(local, 'T');
  const int64_t fraction = local - floor_div(local, kMicrosPerSecond) * kMicrosPerSecond;
  // to_json always prints at least milliseconds.
  const size_t point = text.find('.');
  if (fraction == 0) {
    text += ".000";
  } else if (text.size() - point < 4) {
    text.append(4 - (text.size() - point), '0');
  }
  return text + offset_text(offset);
}

void append_json_list(const Column& column, size_t row, const std::string& zone, std::string& out) {
  out += '[';
  for (uint64_t i = column.begin(row); i < column.end(row); ++i) {
    if (i > column.begin(row)) out += ',';
    append_json(column.children()[0], i, zone, out);
  }
  out += ']';
}

void append_json_map(const Column& column, size_t row, const std::string& zone, std::string& out) {
  out += '{';
  for (uint64_t i = column.begin(row); i < column.end(row); ++i) {
    if (i > column.begin(row)) out += ',';
    append_json_string(display_text(column.children()[0], i, zone), out);
    out += ':';
    append_json(column.children()[1], i, zone, out);
  }
  out += '}';
}

void append_json_struct(const Column& column, size_t row, const std::string& zone,
                        std::string& out) {
  out += '{';
  for (size_t i = 0; i < column.children().size(); ++i) {
    if (i > 0) out += ',';
    append_json_string(column.type().fields[i].name, out);
    out += ':';
    append_json(column.children()[i], row, zone, out);
  }
  out += '}';
}

std::string list_display(const Column& column, size_t row, const std::string& zone) {
  const bool map = column.type().kind == Kind::kMap;
  std::string out = map ? "{" : "[";
  for (uint64_t i = column.begin(row); i < column.end(row); ++i) {
    if (i > column.begin(row)) out += ", ";
    out += column.children()[0].is_null(i) ? "null" : display_text(column.children()[0], i, zone);
    if (map) {
      const Column& values = column.children()[1];
      out += " -> " + (values.is_null(i) ? "null" : display_text(values, i, zone));
    }
  }
  return out + (map ? "}" : "]");
}

std::string struct_display(const Column& column, size_t row, const std::string& zone) {
  std::string out = "{";
  for (size_t i = 0; i < column.children().size(); ++i) {
    const Column& child = column.children()[i];
    if (i > 0) out += ", ";
    out += child.is_null(row) ? "null" : display_text(child, row, zone);
  }
  return out + "}";
}

}  // namespace

std::string double_text(double number) { return real_text(number); }
std::string float_text(float number) { return real_text(number); }

std::string decimal_text(Int128 unscaled, int scale) {
  const bool negative = unscaled < 0;
  auto rest = negative ? -static_cast<UInt128>(unscaled) : static_cast<UInt128>(unscaled);
  std::string digits;
  while (rest > 0 || digits.size() <= static_cast<size_t>(scale)) {
    digits.insert(digits.begin(), static_cast<char>('0' + static_cast<int>(rest % 10)));
    rest /= 10;
  }
  if (scale > 0) digits.insert(digits.size() - static_cast<size_t>(scale), ".");
  return negative ? "-" + digits : digits;
}

std::string date_text(int64_t days) {
  // Civil calendar from days; the proleptic Gregorian one, as Spark has it.
  const int64_t shifted = days + 719'468;
  const int64_t era = floor_div(shifted, 146'097);
  const int64_t day_of_era = shifted - era * 146'097;
  const int64_t year_of_era =
      (day_of_era - day_of_era / 1460 + day_of_era / 36'524 - day_of_era / 146'096) / 365;
  const int64_t day_of_year =
      day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const int64_t month_index = (5 * day_of_year + 2) / 153;
  const int64_t day = day_of_year - (153 * month_index + 2) / 5 + 1;
  const int64_t month = month_index < 10 ? month_index + 3 : month_index - 9;
  const int64_t year = year_of_era + era * 400 + (month <= 2 ? 1 : 0);
  if (year > 9999) return fmt::format("+{}-{:02}-{:02}", year, month, day);
  if (year < 0) return fmt::format("-{:04}-{:02}-{:02}", -year, month, day);
  return fmt::format("{:04}-{:02}-{:02}", year, month, day);
}

std::string timestamp_text(int64_t micros, char separator) {
  const int64_t days = floor_div(micros, kMicrosPerDay);
  const int64_t of_day = micros - days * kMicrosPerDay;
  const int64_t seconds = of_day / kMicrosPerSecond;
  std::string text = fmt::format("{}{}{:02}:{:02}:{:02}", date_text(days), separator,
                                 seconds / 3600, seconds / 60 % 60, seconds % 60);
  if (const int64_t fraction = of_day % kMicrosPerSecond; fraction != 0) {
    std::string digits = fmt::format("{:06}", fraction);
    digits.erase(digits.find_last_not_of('0') + 1);
    text += "." + digits;
  }
  return text;
}

bool is_known_zone(const std::string& zone) {
  return fixed_offset(zone).has_value() || find_zone(zone) != nullptr;
}

int64_t zone_offset_seconds(int64_t utc_micros, const std::string& zone) {
  if (const auto fixed = fixed_offset(zone)) return *fixed;
  const date::time_zone* found = find_zone(zone);
  LAKEBED_ASSERT(found != nullptr);
  const date::sys_seconds instant{std::chrono::seconds(floor_div(utc_micros, kMicrosPerSecond))};
  return found->get_info(instant).offset.count();
}

int64_t local_to_utc_micros(int64_t local_micros, const std::string& zone) {
  if (const auto fixed = fixed_offset(zone)) return local_micros - *fixed * kMicrosPerSecond;
  const date::time_zone* found = find_zone(zone);
  LAKEBED_ASSERT(found != nullptr);
  const date::local_seconds local{std::chrono::seconds(floor_div(local_micros, kMicrosPerSecond))};
  const date::local_info info = found->get_info(local);
  // In a gap Java moves forward by its length, which is what the offset before the gap gives; in
  // an overlap the earlier instant, which is the first offset, too.
  return local_micros - info.first.offset.count() * kMicrosPerSecond;
}

std::string base64_text(std::string_view bytes) {
  static const char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  for (size_t i = 0; i < bytes.size(); i += 3) {
    uint32_t group = 0;
    for (size_t j = 0; j < 3; ++j) {
      group = (group << 8) | (i + j < bytes.size() ? static_cast<uint8_t>(bytes[i + j]) : 0U);
    }
    for (size_t j = 0; j < 4; ++j) {
      out += i + j <= bytes.size() ? kDigits[(group >> (18 - 6 * j)) & 63] : '=';
    }
  }
  return out;
}

void append_json_string(std::string_view bytes, std::string& out) {
  out += '"';
  for (const char c : bytes) {
    switch (c) {
      case '"': out += "\\\""; break;
      case '\\': out += "\\\\"; break;
      case '\n': out += "\\n"; break;
      case '\r': out += "\\r"; break;
      case '\t': out += "\\t"; break;
      default:
        if (static_cast<uint8_t>(c) < 0x20) {
          out += fmt::format("\\u{:04x}", static_cast<int>(c));
        } else {
          out += c;
        }
    }
  }
  out += '"';
}

void append_json(const Column& column, size_t row, const std::string& zone, std::string& out) {
  if (column.is_null(row)) {
    out += "null";
    return;
  }
  switch (column.type().kind) {
    case Kind::kVoid: out += "null"; return;
    case Kind::kBoolean: out += column.fixed<uint8_t>(row) ? "true" : "false"; return;
    case Kind::kFloat:
    case Kind::kDouble: {
      const std::string text = display_text(column, row, zone);
      const bool number = text.find_first_of("NI") == std::string::npos;
      out += number ? text : '"' + text + '"';
      return;
    }
    case Kind::kDecimal: out += decimal_text(column.decimal(row), column.type().scale); return;
    case Kind::kString: append_json_string(column.bytes(row), out); return;
    case Kind::kBinary: out += '"' + base64_text(column.bytes(row)) + '"'; return;
    case Kind::kTimestamp: out += '"' + iso_timestamp(column.integer(row), zone) + '"'; return;
    case Kind::kTimestampNtz: {
      std::string text = iso_timestamp(column.integer(row), "UTC");
      text.pop_back();  // the Z: no zone belongs to it
      out += '"' + text + '"';
      return;
    }
    case Kind::kDate:
    case Kind::kIntervalYearMonth:
    case Kind::kIntervalDayTime: out += '"' + display_text(column, row, zone) + '"'; return;
    case Kind::kArray: return append_json_list(column, row, zone, out);
    case Kind::kMap: return append_json_map(column, row, zone, out);
    case Kind::kStruct: return append_json_struct(column, row, zone, out);
    default: out += fmt::format("{}", column.integer(row));
  }
}

void append_json_row(const ColumnBatch& batch, size_t row, const std::string& zone,
                     std::string& out) {
  out += '{';
  for (size_t i = 0; i < batch.columns.size(); ++i) {
    if (i > 0) out += ',';
    append_json_string(batch.schema[i].name, out);
    out += ':';
    append_json(batch.columns[i], row, zone, out);
  }
  out += '}';
}

static std::string interval_day_text(int64_t micros) {
  const bool negative = micros < 0;
  const int64_t size = std::abs(micros);
  const int64_t seconds = size / kMicrosPerSecond;
  std::string text =
      fmt::format("INTERVAL '{}{} {:02}:{:02}:{:02}", negative ? "-" : "", seconds / 86'400,
                  seconds / 3600 % 24, seconds / 60 % 60, seconds % 60);
  if (const int64_t fraction = size % kMicrosPerSecond; fraction != 0) {
    std::string digits = fmt::format("{:06}", fraction);
    digits.erase(digits.find_last_not_of('0') + 1);
    text += "." + digits;
  }
  return text + "' DAY TO SECOND";
}

std::string display_text(const Column& column, size_t row, const std::string& zone) {
  if (column.is_null(row)) return "NULL";
  switch (column.type().kind) {
    case Kind::kVoid: return "NULL";
    case Kind::kBoolean: return column.fixed<uint8_t>(row) ? "true" : "false";
    case Kind::kFloat: return float_text(column.fixed<float>(row));
    case Kind::kDouble: return double_text(column.fixed<double>(row));
    case Kind::kDecimal: return decimal_text(column.decimal(row), column.type().scale);
    case Kind::kString:
    case Kind::kBinary: return std::string(column.bytes(row));
    case Kind::kDate: return date_text(column.integer(row));
    case Kind::kTimestampNtz: return timestamp_text(column.integer(row));
    case Kind::kTimestamp: {
      const int64_t instant = column.integer(row);
      return timestamp_text(instant + zone_offset_seconds(instant, zone) * kMicrosPerSecond);
    }
    case Kind::kIntervalYearMonth: {
      const int64_t months = column.integer(row);
      return fmt::format("INTERVAL '{}{}-{}' YEAR TO MONTH", months < 0 ? "-" : "",
                         std::abs(months) / 12, std::abs(months) % 12);
    }
    case Kind::kIntervalDayTime: return interval_day_text(column.integer(row));
    case Kind::kArray:
    case Kind::kMap: return list_display(column, row, zone);
    case Kind::kStruct: return struct_display(column, row, zone);
    default: return fmt::format("{}", column.integer(row));
  }
}

}  // namespace lakebed::value
