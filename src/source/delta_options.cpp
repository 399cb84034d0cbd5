#include "source/delta_options.h"

#include <fmt/core.h>

#include "base/names.h"
#include "source/options.h"
#include "source/text_time.h"
#include "source/text_value.h"

namespace lakebed::source {

namespace {

const std::vector<std::string>& known_names() {
  static const std::vector<std::string> names = {
      "skipChangeCommits", "ignoreChanges",          "ignoreDeletes",
      "startingVersion",   "startingTimestamp",      "versionAsOf",
      "timestampAsOf",     "maxFilesPerTrigger",     "maxBytesPerTrigger",
      "readChangeFeed",    "readChangeData",         "endingVersion",
      "endingTimestamp",   "schemaTrackingLocation", "schemaLocation",
      "failOnDataLoss",    "withEventTimeOrder",     "excludeRegex",
      "mergeSchema"};
  return names;
}

Error invalid(const Option& option, const char* wanted) {
  return project_error("INVALID_READ_OPTION",
                       fmt::format("the option {} has the value `{}`; it takes {}", option.name,
                                   option.value, wanted));
}

// An option that is named without a value is on: WITH (SKIPCHANGECOMMITS).
Result<bool> flag(const Option& option) {
  const std::string text = fold_case(option.value);
  if (text.empty() || text == "true") return true;
  if (text == "false") return false;
  return invalid(option, "true or false");
}

Result<int64_t> version(const Option& option) {
  int64_t number;
  if (parse_integer(option.value, number) && number >= 0) return number;
  return invalid(option, "a table version");
}

Result<int64_t> time_ms(const Option& option, const std::string& time_zone) {
  LAKEBED_ASSIGN(const Zone zone, Zone::find(time_zone));
  int64_t micros;
  if (parse_timestamp(option.value, zone, micros)) return micros / 1000;
  return invalid(option, "a timestamp");
}

Status set_feed(const Option& option) {
  LAKEBED_ASSIGN(const bool on, flag(option));
  if (!on) return {};
  return project_error("NOT_BUILT_YET.CHANGE_DATA_FEED",
                       "reading the change data feed of a table is not built yet");
}

Status set_limit(const Option& option, DeltaOptions& out) {
  auto parsed = parse_options({option}, "", "UTC");
  if (!parsed.ok()) return std::move(parsed).error();
  if (same_name(option.name, "maxFilesPerTrigger"))
    out.max_files = parsed->max_files;
  else
    out.max_bytes = parsed->max_bytes;
  return {};
}

Status set_start(const Option& option, const std::string& name, const std::string& zone,
                 DeltaOptions& out) {
  if (name == "startingversion" && same_name(option.value, "latest")) {
    out.from_latest = true;
    return {};
  }
  if (name == "startingversion") {
    LAKEBED_ASSIGN(out.starting_version, version(option));
  } else if (name == "startingtimestamp") {
    LAKEBED_ASSIGN(out.starting_ms, time_ms(option, zone));
  } else if (name == "versionasof") {
    LAKEBED_ASSIGN(out.version_as_of, version(option));
  } else {
    LAKEBED_ASSIGN(out.as_of_ms, time_ms(option, zone));
  }
  return {};
}

Status set(const Option& option, const std::string& zone, DeltaOptions& out) {
  const std::string name = fold_case(option.name);
  if (name == "skipchangecommits") {
    LAKEBED_ASSIGN(out.skip_changes, flag(option));
  } else if (name == "ignorechanges") {
    LAKEBED_ASSIGN(out.ignore_changes, flag(option));
  } else if (name == "ignoredeletes") {
    LAKEBED_ASSIGN(out.ignore_deletes, flag(option));
  } else if (name == "readchangefeed" || name == "readchangedata") {
    return set_feed(option);
  } else if (name == "maxfilespertrigger" || name == "maxbytespertrigger") {
    return set_limit(option, out);
  } else if (name == "startingversion" || name == "startingtimestamp" || name == "versionasof" ||
             name == "timestampasof") {
    return set_start(option, name, zone, out);
  } else if (name == "schematrackinglocation" || name == "schemalocation" ||
             name == "mergeschema") {
    return {};
  } else if (name == "failondataloss" || name == "witheventtimeorder") {
    LAKEBED_ASSIGN(const bool on, flag(option));
    if (on == (name == "failondataloss")) return {};
    return project_error("UNSUPPORTED_READ_OPTION",
                         fmt::format("the option {} with the value `{}` is not supported",
                                     option.name, option.value));
  } else if (name == "excluderegex" || name == "endingversion" || name == "endingtimestamp") {
    return project_error("UNSUPPORTED_READ_OPTION",
                         fmt::format("the option {} is not supported", option.name));
  } else {
    const std::string near = nearest_name(option.name, known_names());
    Error out_error = project_error("UNKNOWN_READ_OPTION",
                                    fmt::format("`{}` is no option of a Delta table", option.name));
    if (!near.empty()) out_error.with_hint("did you mean " + near + "?");
    return out_error;
  }
  return {};
}

}  // namespace

Result<DeltaOptions> parse_delta_options(const std::vector<Option>& options,
                                         const std::string& time_zone) {
  DeltaOptions out;
  for (const Option& option : options) {
    auto status = set(option, time_zone, out);
    if (status.ok()) continue;
    status.error().with_span(option.span);
    return std::move(status).error();
  }
  return out;
}

}  // namespace lakebed::source
