#include "engine/duck/functions/aggregate_kernels.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "value/order.h"

namespace lakebed::engine::duck {

using value::Column;
using value::Kind;

Status compact_row(const Row& row, Column& out, const KernelContext&) {
  for (uint64_t i = row.begin(0); i < row.end(0); ++i) {
    if (!row.elements(0).is_null(i)) out.raw_children()[0].append_from(row.elements(0), i);
  }
  out.append_list();
  return {};
}

Status last_present_row(const Row& row, Column& out, const KernelContext&) {
  for (uint64_t i = row.end(0); i-- > row.begin(0);) {
    if (row.elements(0).is_null(i)) continue;
    out.append_from(row.elements(0), i);
    return {};
  }
  out.append_null();
  return {};
}

namespace {

// A value and how often it counts.
struct Weighted {
  double item = 0;
  int64_t weight = 1;
};

Result<std::vector<Weighted>> sorted_values(const Row& row) {
  std::vector<Weighted> out;
  const bool weighted = row.count() > 2;
  for (uint64_t i = row.begin(0); i < row.end(0); ++i) {
    if (row.elements(0).is_null(i)) continue;
    Weighted one{row.elements(0).fixed<double>(i), 1};
    if (weighted) {
      const uint64_t at = row.begin(2) + (i - row.begin(0));
      if (row.elements(2).is_null(at)) continue;
      one.weight = row.elements(2).integer(at);
      if (one.weight < 0) {
        return update_error("INVALID_PARAMETER_VALUE", "Frequencies cannot be negative.");
      }
      if (one.weight == 0) continue;
    }
    out.push_back(one);
  }
  std::sort(out.begin(), out.end(), [](const Weighted& a, const Weighted& b) {
    if (std::isnan(b.item)) return !std::isnan(a.item);
    return a.item < b.item;
  });
  return out;
}

double value_at(const std::vector<Weighted>& values, int64_t index) {
  for (const Weighted& one : values) {
    if (index < one.weight) return one.item;
    index -= one.weight;
  }
  return values.back().item;
}

double percentile_of(const std::vector<Weighted>& values, double p) {
  int64_t count = 0;
  for (const Weighted& one : values) count += one.weight;
  const double position = static_cast<double>(count - 1) * p;
  const double lower = std::floor(position), higher = std::ceil(position);
  const double low = value_at(values, static_cast<int64_t>(lower));
  const double high = value_at(values, static_cast<int64_t>(higher));
  if (lower == higher || low == high) return low;
  return (higher - position) * low + (position - lower) * high;
}

Status check_percentage(double p) {
  if (p >= 0 && p <= 1) return {};
  return update_error("DATATYPE_MISMATCH.VALUE_OUT_OF_RANGE",
                      fmt::format("The percentage {} is not within 0 and 1.", p));
}

}  // namespace

Status percentile_row(const Row& row, Column& out, const KernelContext&) {
  LAKEBED_ASSIGN(auto values, sorted_values(row));
  const bool many = out.type().kind == Kind::kArray;
  if (!many) {
    LAKEBED_TRY(check_percentage(row.real(1)));
    if (values.empty())
      out.append_null();
    else
      append_real(out, percentile_of(values, row.real(1)));
    return {};
  }
  if (values.empty()) {
    out.append_null();
    return {};
  }
  for (uint64_t i = row.begin(1); i < row.end(1); ++i) {
    const double p = row.elements(1).fixed<double>(i);
    LAKEBED_TRY(check_percentage(p));
    append_real(out.raw_children()[0], percentile_of(values, p));
  }
  out.append_list();
  return {};
}

Status median_row(const Row& row, Column& out, const KernelContext&) {
  LAKEBED_ASSIGN(auto values, sorted_values(row));
  if (values.empty())
    out.append_null();
  else
    append_real(out, percentile_of(values, 0.5));
  return {};
}

namespace {

// Rows of the list that are not NULL, in the order of their values.
std::vector<uint64_t> sorted_rows(const Row& row) {
  std::vector<std::pair<std::string, uint64_t>> coded;
  for (uint64_t i = row.begin(0); i < row.end(0); ++i) {
    if (row.elements(0).is_null(i)) continue;
    std::string code;
    value::append_order_code(row.elements(0), i, code);
    coded.emplace_back(std::move(code), i);
  }
  std::sort(coded.begin(), coded.end());
  std::vector<uint64_t> out;
  for (const auto& [code, at] : coded) out.push_back(at);
  return out;
}

uint64_t ranked(const std::vector<uint64_t>& rows, double p) {
  const double rank = std::ceil(p * static_cast<double>(rows.size()));
  return rows[static_cast<size_t>(std::max(rank, 1.0)) - 1];
}

}  // namespace

Status percentile_approx_row(const Row& row, Column& out, const KernelContext& context) {
  const auto rows = sorted_rows(row);
  const bool many = context.types[1].kind == Kind::kArray;
  if (rows.empty()) {
    out.append_null();
    return {};
  }
  if (!many) {
    LAKEBED_TRY(check_percentage(row.real(1)));
    out.append_from(row.elements(0), ranked(rows, row.real(1)));
    return {};
  }
  for (uint64_t i = row.begin(1); i < row.end(1); ++i) {
    const double p = row.elements(1).fixed<double>(i);
    LAKEBED_TRY(check_percentage(p));
    out.raw_children()[0].append_from(row.elements(0), ranked(rows, p));
  }
  out.append_list();
  return {};
}

// The most frequent value; of several, the least.
Status mode_row(const Row& row, Column& out, const KernelContext&) {
  std::map<std::string, std::pair<int64_t, uint64_t>> counts;
  for (uint64_t i = row.begin(0); i < row.end(0); ++i) {
    if (row.elements(0).is_null(i)) continue;
    std::string code;
    value::append_order_code(row.elements(0), i, code);
    auto& [count, at] = counts.emplace(code, std::make_pair(0, i)).first->second;
    ++count;
  }
  int64_t best = 0;
  uint64_t best_at = 0;
  for (const auto& [code, item] : counts) {
    if (item.first <= best) continue;
    best = item.first;
    best_at = item.second;
  }
  if (best == 0)
    out.append_null();
  else
    out.append_from(row.elements(0), best_at);
  return {};
}

namespace {

// Central moments, updated value by value as Spark does, so that the last digit agrees.
struct Moments {
  double n = 0, average = 0, m2 = 0, m3 = 0, m4 = 0;

  void add(double item) {
    const double count = n + 1;
    const double delta = item - average;
    const double part = delta / count;
    const double next_m2 = m2 + delta * (delta - part);
    const double delta2 = delta * delta, part2 = part * part;
    const double next_m3 = m3 - 3 * part * next_m2 + delta * (delta2 - part2);
    m4 = m4 - 4 * part * next_m3 - 6 * part2 * next_m2 + delta * (delta * delta2 - part * part2);
    m3 = next_m3;
    m2 = next_m2;
    average += part;
    n = count;
  }
};

Moments moments_of(const Row& row) {
  Moments out;
  for (uint64_t i = row.begin(0); i < row.end(0); ++i) {
    if (!row.elements(0).is_null(i)) out.add(row.elements(0).fixed<double>(i));
  }
  return out;
}

}  // namespace

Status skewness_row(const Row& row, Column& out, const KernelContext&) {
  const Moments m = moments_of(row);
  if (m.n == 0 || m.m2 == 0)
    out.append_null();
  else
    append_real(out, std::sqrt(m.n) * m.m3 / std::sqrt(m.m2 * m.m2 * m.m2));
  return {};
}

Status kurtosis_row(const Row& row, Column& out, const KernelContext&) {
  const Moments m = moments_of(row);
  if (m.n == 0 || m.m2 == 0)
    out.append_null();
  else
    append_real(out, m.n * m.m4 / (m.m2 * m.m2) - 3.0);
  return {};
}

namespace {

// Second moments of the pairs in which no side is NULL.
struct Pearson {
  double n = 0, x_average = 0, y_average = 0, ck = 0, x_mk = 0, y_mk = 0;

  void add(double x, double y) {
    n += 1;
    const double dx = x - x_average, dy = y - y_average;
    x_average += dx / n;
    y_average += dy / n;
    ck += dx * (y - y_average);
    x_mk += dx * (x - x_average);
    y_mk += dy * (y - y_average);
  }
  double correlation() const { return ck / std::sqrt(x_mk * y_mk); }
};

Pearson pearson_of(const Row& row) {
  Pearson out;
  for (uint64_t i = 0; i < row.end(0) - row.begin(0); ++i) {
    const uint64_t x = row.begin(0) + i, y = row.begin(1) + i;
    if (row.elements(0).is_null(x) || row.elements(1).is_null(y)) continue;
    out.add(row.elements(0).fixed<double>(x), row.elements(1).fixed<double>(y));
  }
  return out;
}

}  // namespace

Status corr_row(const Row& row, Column& out, const KernelContext&) {
  const Pearson p = pearson_of(row);
  if (p.n == 0 || p.x_mk == 0 || p.y_mk == 0)
    out.append_null();
  else
    append_real(out, p.correlation());
  return {};
}

// The arguments are y and x: the dependent variable comes first.
Status regr_r2_row(const Row& row, Column& out, const KernelContext&) {
  const Pearson p = pearson_of(row);
  if (p.n == 0 || p.y_mk == 0)
    out.append_null();
  else if (p.x_mk == 0)
    append_real(out, 1.0);
  else
    append_real(out, p.correlation() * p.correlation());
  return {};
}

}  // namespace lakebed::engine::duck
