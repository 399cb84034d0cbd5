// Between time zones.
#include <fmt/format.h>

#include "engine/duck/functions/calendar.h"
#include "engine/duck/functions/kernel.h"

namespace lakebed::engine::duck {

using value::Column;

namespace {

Error bad_zone(std::string_view zone) {
  return update_error("INVALID_TIMEZONE", fmt::format("'{}' is no time zone.", zone));
}

Status from_utc_row(const Row& row, Column& out, const KernelContext&) {
  const auto moved = to_local(row.integer(0), std::string(row.text(1)));
  if (!moved) return bad_zone(row.text(1));
  out.append_integer(*moved);
  return {};
}

Status to_utc_row(const Row& row, Column& out, const KernelContext&) {
  const auto moved = to_instant(row.integer(0), std::string(row.text(1)));
  if (!moved) return bad_zone(row.text(1));
  out.append_integer(*moved);
  return {};
}

Status convert_timezone_row(const Row& row, Column& out, const KernelContext& context) {
  const size_t last = row.count() - 1;
  const std::string from = row.count() == 3 ? std::string(row.text(0)) : context.zone;
  const std::string to(row.text(last - 1));
  const auto instant = to_instant(row.integer(last), from);
  if (!instant) return bad_zone(from);
  const auto local = to_local(*instant, to);
  if (!local) return bad_zone(to);
  out.append_integer(*local);
  return {};
}

}  // namespace

std::vector<Rendering> zone_renderings() {
  return {
      {"from_utc_timestamp", from_utc_row},
      {"to_utc_timestamp", to_utc_row},
      {"convert_timezone", convert_timezone_row},
  };
}

}  // namespace lakebed::engine::duck
