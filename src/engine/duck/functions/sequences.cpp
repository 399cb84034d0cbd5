// sequence(): numbers, dates and timestamps in steps.
#include "engine/duck/functions/calendar.h"
#include "engine/duck/functions/kernel.h"

namespace lakebed::engine::duck {

using value::Column;
using value::Kind;

namespace {

constexpr int64_t kLongest = 2'147'483'632;

Error bad_boundaries() {
  return update_error("ILLEGAL_SEQUENCE_BOUNDARIES",
                      "The step of sequence does not lead from its start to its end.");
}

struct Steps {
  int64_t months = 0;
  int64_t micros = 0;
};

Status sequence_integers(const Row& row, Column& out) {
  const int64_t start = row.integer(0), stop = row.integer(1);
  const int64_t step = row.count() > 2 ? row.integer(2) : (start <= stop ? 1 : -1);
  const bool good =
      (step > 0 && start <= stop) || (step < 0 && start >= stop) || (step == 0 && start == stop);
  if (!good) return bad_boundaries();
  const value::Int128 count = step == 0 ? 1 : (value::Int128{stop} - start) / step + 1;
  if (count > kLongest) {
    return update_error("COLLECTION_SIZE_LIMIT_EXCEEDED.PARAMETER", "sequence would be too long.");
  }
  value::Int128 item = start;
  for (value::Int128 i = 0; i < count; ++i, item += step) {
    out.raw_children()[0].append_integer(static_cast<int64_t>(item));
  }
  out.append_list();
  return {};
}

// Wall clocks; `put` stores one.
template <typename Put>
Status sequence_moments(int64_t start, int64_t stop, const Steps& step, Put put) {
  const bool forward = step.months > 0 || step.micros > 0;
  const bool still = step.months == 0 && step.micros == 0;
  if (still ? start != stop : forward ? start > stop : start < stop) return bad_boundaries();
  int64_t item = start;
  for (int64_t i = 0; forward || still ? item <= stop : item >= stop;) {
    put(item);
    if (still) break;
    ++i;
    const int64_t days = add_months(floor_div(start, kMicrosPerDay), step.months * i);
    item = days * kMicrosPerDay + floor_mod(start, kMicrosPerDay) + step.micros * i;
  }
  return {};
}

Status sequence_row(const Row& row, Column& out, const KernelContext& context) {
  const Kind kind = context.types[0].kind;
  if (context.types[0].is_integer()) return sequence_integers(row, out);
  const bool date = kind == Kind::kDate, instant = kind == Kind::kTimestamp;
  const auto local = [&](size_t k) {
    if (date) return row.integer(k) * kMicrosPerDay;
    return instant ? to_local(row.integer(k), context.zone).value_or(row.integer(k))
                   : row.integer(k);
  };
  const int64_t start = local(0), stop = local(1);
  Steps step{0, start <= stop ? kMicrosPerDay : -kMicrosPerDay};
  if (row.count() > 2) {
    step = {};
    (context.types[2].kind == Kind::kIntervalYearMonth ? step.months : step.micros) =
        row.integer(2);
  }
  if (date && step.micros % kMicrosPerDay != 0) {
    return update_error("DATATYPE_MISMATCH.SEQUENCE_WRONG_INPUT_TYPES",
                        "A sequence of dates goes by days, months or years.");
  }
  LAKEBED_TRY(sequence_moments(start, stop, step, [&](int64_t item) {
    if (date) item = floor_div(item, kMicrosPerDay);
    if (instant) item = to_instant(item, context.zone).value_or(item);
    out.raw_children()[0].append_integer(item);
  }));
  out.append_list();
  return {};
}

}  // namespace

std::vector<Rendering> sequence_renderings() { return {{"sequence", sequence_row}}; }

}  // namespace lakebed::engine::duck
