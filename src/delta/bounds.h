// Least and greatest value of one leaf column over several batches, and its number of nulls.
// Internal to this room; statistics.h says what the texts mean.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "value/column.h"

namespace lakebed::delta {

class Bounds {
 public:
  explicit Bounds(value::Type type) : type_(std::move(type)) {}

  // `visible`: 0 for rows that count as NULL whatever the column says; empty: none.
  void take(const value::Column& column, const std::vector<uint8_t>& visible);

  uint64_t nulls() const { return nulls_; }
  // JSON text of a true bound, or nothing where there is none.
  std::optional<std::string> minimum() const;
  std::optional<std::string> maximum() const;

 private:
  std::optional<std::string> text_of(bool least) const;

  value::Type type_;
  uint64_t nulls_ = 0;
  bool any_ = false;
  bool has_nan_ = false;
  value::Int128 least_ = 0;  // integers, dates, timestamps, decimals
  value::Int128 greatest_ = 0;
  double least_number_ = 0;  // FLOAT and DOUBLE
  double greatest_number_ = 0;
  std::string least_text_;  // STRING
  std::string greatest_text_;
};

}  // namespace lakebed::delta
