// Dates and timestamps out of text: the spellings that a Spark cast takes, and Java's patterns.
//
// Local times become instants in a time zone; a gap moves forward, an overlap takes the earlier
// offset, as Java does. Zones come from the system's time zone database. Not thread-safe: each
// reader has its own.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace lakebed::source {

// A time zone, with the offset of the last look-up at hand.
class Zone {
 public:
  // Region ids ("Europe/Paris"), "UTC", "GMT+8", "Z", "+02:00", "+2". Error: INVALID_TIMEZONE.
  static Result<Zone> find(std::string_view id);
  // Microseconds of a wall clock to microseconds of the instant.
  int64_t to_instant(int64_t local_us) const;

 private:
  const void* region_ = nullptr;  // date::time_zone; null: a fixed offset
  int64_t offset_us_ = 0;
  mutable int64_t valid_from_ = 1;  // local bounds between which offset_us_ of a region holds
  mutable int64_t valid_to_ = 0;
  mutable int64_t cached_offset_us_ = 0;
};

// Days since 1970-01-01; false where the date does not exist or lies outside Spark's years.
bool civil_days(int64_t year, int month, int day, int32_t& out);

// What CAST(text AS DATE) takes: yyyy, yyyy-M, yyyy-M-d, and anything after 'T' or a blank.
bool parse_date(std::string_view text, int32_t& out);
// What CAST(text AS TIMESTAMP) takes; text without a zone is in `zone`. A time without a date is
// no timestamp here: there is no clock.
bool parse_timestamp(std::string_view text, const Zone& zone, int64_t& out);
// Likewise for TIMESTAMP_NTZ: a zone in the text is not allowed.
bool parse_timestamp_ntz(std::string_view text, int64_t& out);

// A pattern of Java's DateTimeFormatter, compiled: y u M d D H h k K m s S a E z V X x Z, quoted
// text and [optional] parts.
class TimePattern {
 public:
  // Error: INVALID_DATETIME_PATTERN with the pattern and the letter.
  static Result<TimePattern> compile(std::string_view pattern);

  bool parse_date(std::string_view text, int32_t& out) const;
  bool parse_timestamp(std::string_view text, const Zone& zone, int64_t& out) const;
  bool parse_timestamp_ntz(std::string_view text, int64_t& out) const;

  struct Item {
    char letter = 0;  // 0: literal text; '[' and ']': optional part, `count` items long
    int count = 0;
    std::string literal;
    bool fixed = false;  // a number follows at once: exactly `count` digits
  };

 private:
  std::vector<Item> items_;
};

}  // namespace lakebed::source
