#include "run/upkeep/expiry.h"

#include <fmt/format.h>

#include <charconv>
#include <limits>

#include "base/names.h"

namespace lakebed::run {

namespace {

constexpr const char* kTimedSince = "timed_since";

constexpr const char* kThresholds[] = {"pipelines.cdc.tombstoneGCThresholdInSeconds",
                                       "pipelines.applyChanges.tombstoneGCThresholdInSeconds"};
// How often others look for what is old; here it counts at once, so only its form is checked.
constexpr const char* kFrequencies[] = {"pipelines.cdc.tombstoneGCFrequencyInSeconds",
                                        "pipelines.applyChanges.tombstoneGCFrequencyInSeconds"};

// A setting as it was written, with its place where it has one.
struct Written {
  std::string value;
  SourceSpan span;
};

std::optional<Written> find_written(const Project& project, const Dataset& target,
                                    const char* key) {
  for (const plan::Property& property : target.declaration.properties) {
    if (same_name(property.key, key)) return Written{property.value, property.span};
  }
  for (const auto& [name, value] : project.configuration) {
    if (same_name(name, key)) return Written{value, {project.shown(project.spec_path), 0, 0, 0}};
  }
  return std::nullopt;
}

Result<uint64_t> parse_seconds(const char* key, const Written& written) {
  std::string_view text = written.value;
  if (!text.empty() && (text.back() == 's' || text.back() == 'S')) text.remove_suffix(1);
  uint64_t seconds = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  const bool whole = code == std::errc() && end == text.data() + text.size();
  if (whole && seconds <= std::numeric_limits<uint32_t>::max()) return seconds;
  return project_error(
             "INVALID_PROPERTY_VALUE",
             fmt::format("{} is '{}'; it must be a whole number of seconds", key, written.value),
             written.span)
      .with_hint("write '172800' or '172800s' for two days");
}

}  // namespace

// Rule F4: the property and its aliases.
Result<std::optional<uint64_t>> tombstone_threshold(const Project& project, const Dataset& target) {
  std::optional<uint64_t> threshold;
  for (const char* key : kThresholds) {
    const auto written = find_written(project, target, key);
    if (!written) continue;
    LAKEBED_ASSIGN(const uint64_t seconds, parse_seconds(key, *written));
    if (!threshold) threshold = seconds;
  }
  for (const char* key : kFrequencies) {
    const auto written = find_written(project, target, key);
    if (written) LAKEBED_TRY(parse_seconds(key, *written));
  }
  return threshold;
}

uint32_t now_seconds(Session& session) {
  return static_cast<uint32_t>(session.clock().now_us() / 1'000'000);
}

Result<state::Expiry> expiry_of(Session& session, const Dataset& target,
                                const state::TableState& memory) {
  LAKEBED_ASSIGN(const auto threshold, tombstone_threshold(session.project(), target));
  state::Expiry expiry;
  const uint32_t now = now_seconds(session);
  if (!threshold || *threshold >= now) return expiry;
  expiry.forget_before = now - static_cast<uint32_t>(*threshold);
  expiry.unknown_at = now;
  if (const auto since = memory.fact(state::FactSection::kTable, kTimedSince)) {
    expiry.unknown_at = static_cast<uint32_t>(std::strtoul(since->c_str(), nullptr, 10));
  }
  return expiry;
}

void note_timing(Session& session, bool expires, const state::TableState& before,
                 state::StateWriter& memory) {
  const bool timed = before.fact(state::FactSection::kTable, kTimedSince).has_value();
  if (timed == expires) return;
  memory.set_fact(state::FactSection::kTable, kTimedSince,
                  expires ? std::to_string(now_seconds(session)) : "");
}

}  // namespace lakebed::run
