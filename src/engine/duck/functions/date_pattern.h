// Spark's datetime patterns ("yyyy-MM-dd HH:mm:ss"): formatting and parsing. English names only.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace lakebed::engine::duck {

struct PatternPart {
  char letter = 0;  // 0: literal text; '[' and ']': optional section
  int count = 0;
  std::string literal;
};

class DatePattern {
 public:
  // Errors: INVALID_DATETIME_PATTERN.*, INCONSISTENT_BEHAVIOR_CROSS_VERSION.*.
  static Result<DatePattern> compile(std::string_view pattern);

  // A wall clock, with the zone it is of and the instant it stands for.
  std::string format(int64_t local_us, int64_t instant_us, const std::string& zone) const;

  struct Parsed {
    int64_t local_us = 0;
    std::optional<std::string> zone;
  };
  // Nothing where the text does not fit or names no day or time.
  std::optional<Parsed> parse(std::string_view text) const;

 private:
  std::vector<PatternPart> parts_;
};

}  // namespace lakebed::engine::duck
