#include "source/plain_value.h"

#include "base/names.h"
#include "source/text_value.h"

namespace lakebed::source {

using value::Column;
using value::Kind;
using value::Type;

namespace {

bool append_integer_text(std::string_view text, Column& out) {
  int64_t number;
  if (!parse_integer(text, number) || !fits_integer(out.type().kind, number)) return false;
  out.append_integer(number);
  return true;
}

bool append_floating_text(std::string_view text, Column& out) {
  double number;
  if (!parse_non_numeric(text, number) && !parse_double(text, number)) return false;
  if (out.type().kind == Kind::kFloat)
    out.append_fixed(static_cast<float>(number));
  else
    out.append_fixed(number);
  return true;
}

bool append_time_text(std::string_view text, const Zone& zone, const TimePatterns& patterns,
                      Column& out) {
  int32_t days;
  int64_t micros;
  switch (out.type().kind) {
    case Kind::kDate:
      if (!(patterns.date ? patterns.date->parse_date(text, days) : parse_date(text, days))) {
        return false;
      }
      out.append_fixed(days);
      return true;
    case Kind::kTimestamp:
      if (!(patterns.timestamp ? patterns.timestamp->parse_timestamp(text, zone, micros)
                               : parse_timestamp(text, zone, micros))) {
        return false;
      }
      break;
    default:
      if (!(patterns.ntz ? patterns.ntz->parse_timestamp_ntz(text, micros)
                         : parse_timestamp_ntz(text, micros))) {
        return false;
      }
      break;
  }
  out.append_fixed(micros);
  return true;
}

Status compile(const std::string& pattern, std::optional<TimePattern>& out) {
  if (pattern.empty()) return {};
  LAKEBED_ASSIGN(out, TimePattern::compile(pattern));
  return {};
}

}  // namespace

bool append_plain(std::string_view text, const Zone& zone, const TimePatterns& patterns,
                  Column& out) {
  const Type& type = out.type();
  switch (type.kind) {
    case Kind::kString:
    case Kind::kBinary: out.append_bytes(text); return true;
    case Kind::kByte:
    case Kind::kShort:
    case Kind::kInt:
    case Kind::kLong: return append_integer_text(text, out);
    case Kind::kFloat:
    case Kind::kDouble: return append_floating_text(text, out);
    case Kind::kDate:
    case Kind::kTimestamp:
    case Kind::kTimestampNtz: return append_time_text(text, zone, patterns, out);
    case Kind::kBoolean:
      if (!same_name(text, "true") && !same_name(text, "false")) return false;
      out.append_fixed<uint8_t>(same_name(text, "true") ? 1 : 0);
      return true;
    case Kind::kDecimal: {
      value::Int128 unscaled;
      std::string plain;  // Java's decimal format of the US: commas group digits
      for (const char c : text) {
        if (c != ',') plain.push_back(c);
      }
      if (!parse_decimal(plain, type.precision, type.scale, unscaled)) return false;
      out.append_decimal(unscaled);
      return true;
    }
    default: return false;
  }
}

Result<TimePatterns> TimePatterns::compile_all(const std::string& date,
                                               const std::string& timestamp,
                                               const std::string& ntz) {
  TimePatterns out;
  LAKEBED_TRY(compile(date, out.date));
  LAKEBED_TRY(compile(timestamp, out.timestamp));
  LAKEBED_TRY(compile(ntz, out.ntz));
  return out;
}

}  // namespace lakebed::source
