#include "delta/properties.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/names.h"

namespace lakebed::delta {
namespace {

// What happens with a property that a user writes.
enum class Treatment : uint8_t {
  kStored,            // means nothing for correctness, or others read it
  kBoolean,           // honoured; must be true or false
  kMustBeTrue,        // we always do it; false is refused as not built
  kMustBeFalse,       // not built: true is refused
  kNotBuilt,          // not built, whatever the value
  kInterval,          // honoured; must be a duration
  kCount,             // honoured; must be a whole number
  kMappingMode,       // none or name
  kCheckpointPolicy,  // classic
  kReaderVersion,     // ours is 3, writer 7: smaller or equal numbers are met
  kWriterVersion,
  kOurs,  // only we set it
};

struct Known {
  const char* name;
  Treatment treatment;
};

constexpr Known kKnown[] = {
    {"delta.appendOnly", Treatment::kMustBeFalse},
    {"delta.checkpointInterval", Treatment::kCount},
    {"delta.checkpointPolicy", Treatment::kCheckpointPolicy},
    {"delta.checkpoint.writeStatsAsJson", Treatment::kMustBeTrue},
    {"delta.checkpoint.writeStatsAsStruct", Treatment::kBoolean},
    {"delta.checkpointRetentionDuration", Treatment::kInterval},
    {"delta.columnMapping.maxColumnId", Treatment::kOurs},
    {"delta.columnMapping.mode", Treatment::kMappingMode},
    {"delta.compatibility.symlinkFormatManifest.enabled", Treatment::kMustBeFalse},
    {"delta.dataSkippingNumIndexedCols", Treatment::kCount},
    {"delta.dataSkippingStatsColumns", Treatment::kNotBuilt},
    {"delta.deletedFileRetentionDuration", Treatment::kInterval},
    {"delta.enableChangeDataFeed", Treatment::kMustBeFalse},
    {"delta.enableDeletionVectors", Treatment::kMustBeTrue},
    {"delta.enableExpiredLogCleanup", Treatment::kBoolean},
    {"delta.enableIcebergCompatV1", Treatment::kMustBeFalse},
    {"delta.enableIcebergCompatV2", Treatment::kMustBeFalse},
    {"delta.enableIcebergCompatV3", Treatment::kMustBeFalse},
    {"delta.enableIcebergWriterCompatV1", Treatment::kMustBeFalse},
    {"delta.enableInCommitTimestamps", Treatment::kMustBeTrue},
    {"delta.enableRowTracking", Treatment::kMustBeFalse},
    {"delta.enableTypeWidening", Treatment::kBoolean},
    {"delta.enableVariantShredding", Treatment::kMustBeFalse},
    {"delta.inCommitTimestampEnablementTimestamp", Treatment::kOurs},
    {"delta.inCommitTimestampEnablementVersion", Treatment::kOurs},
    {"delta.isolationLevel", Treatment::kStored},
    {"delta.logRetentionDuration", Treatment::kInterval},
    {"delta.minReaderVersion", Treatment::kReaderVersion},
    {"delta.minWriterVersion", Treatment::kWriterVersion},
    {"delta.parquet.compression.codec", Treatment::kStored},
    {"delta.parquet.format.version", Treatment::kNotBuilt},
    {"delta.randomizeFilePrefixes", Treatment::kMustBeFalse},
    {"delta.randomPrefixLength", Treatment::kStored},
    {"delta.rowTrackingSuspended", Treatment::kMustBeFalse},
    {"delta.sampleRetentionDuration", Treatment::kInterval},
    {"delta.setTransactionRetentionDuration", Treatment::kInterval},
    {"delta.targetFileSize", Treatment::kStored},
    {"delta.tuneFileSizesForRewrites", Treatment::kBoolean},
    {"delta.universalFormat.enabledFormats", Treatment::kNotBuilt},
};

// Features that may be asked for by `delta.feature.<name> = supported`, because we have them on
// every table or where they are needed.
constexpr const char* kOwnFeatures[] = {
    "appendOnly",     "invariants",        "columnMapping",       "deletionVectors", "timestampNtz",
    "domainMetadata", "inCommitTimestamp", "vacuumProtocolCheck", "typeWidening"};

constexpr const char* kReadable[] = {"columnMapping",       "deletionVectors",     "timestampNtz",
                                     "v2Checkpoint",        "vacuumProtocolCheck", "typeWidening",
                                     "typeWidening-preview"};
// Writer features that we keep, because we honour them or their property is off (checked below).
constexpr const char* kWritable[] = {
    "appendOnly",           "invariants",       "columnMapping",     "deletionVectors",
    "timestampNtz",         "domainMetadata",   "inCommitTimestamp", "vacuumProtocolCheck",
    "changeDataFeed",       "checkConstraints", "generatedColumns",  "identityColumns",
    "checkpointProtection", "typeWidening"};

template <size_t N>
bool contains(const char* const (&names)[N], std::string_view name) {
  return std::any_of(std::begin(names), std::end(names),
                     [&](const char* known) { return name == known; });
}

const Known* find_known(std::string_view name) {
  for (const Known& known : kKnown) {
    if (same_name(known.name, name)) return &known;
  }
  return nullptr;
}

bool starts_with_folded(std::string_view name, std::string_view prefix) {
  return fold_case(name).starts_with(fold_case(prefix));
}

Error invalid_value(const std::string& name, const std::string& value, std::string_view wanted) {
  return project_error(
      "DELTA_INVALID_PROPERTY_VALUE",
      fmt::format("The table property '{}' is '{}'; it must be {}.", name, value, wanted));
}

Error not_built(const std::string& name, const std::string& value) {
  return project_error("NOT_BUILT_YET." + name,
                       fmt::format("The table property '{}' = '{}' is not built yet.", name, value))
      .with_hint("Remove the property.");
}

std::optional<int64_t> whole_number(const std::string& text) {
  int64_t number = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (code != std::errc() || end != text.data() + text.size()) return {};
  return number;
}

Status check_version(const std::string& name, const std::string& value, int64_t ours) {
  const auto number = whole_number(value);
  if (!number || *number < 1 || *number > ours) {
    return invalid_value(name, value, fmt::format("a number from 1 to {}", ours));
  }
  return {};
}

Status check_mapping(const std::string& name, const std::string& value) {
  if (same_name(value, "none") || same_name(value, "name")) return {};
  if (same_name(value, "id")) return not_built(name, value);
  return invalid_value(name, value, "none or name");
}

Status check_flag(const Known& known, const std::string& value) {
  const bool on = same_name(value, "true");
  if (!on && !same_name(value, "false")) return invalid_value(known.name, value, "true or false");
  const bool refused = (known.treatment == Treatment::kMustBeTrue && !on) ||
                       (known.treatment == Treatment::kMustBeFalse && on);
  if (refused) return not_built(known.name, value);
  return {};
}

Status check_value(const Known& known, const std::string& value) {
  switch (known.treatment) {
    case Treatment::kStored: return {};
    case Treatment::kBoolean:
    case Treatment::kMustBeTrue:
    case Treatment::kMustBeFalse: return check_flag(known, value);
    case Treatment::kNotBuilt: return not_built(known.name, value);
    case Treatment::kInterval:
      if (!parse_interval_ms(value).ok()) {
        return invalid_value(known.name, value, "a duration such as 'interval 7 days'");
      }
      return {};
    case Treatment::kCount:
      if (!whole_number(value)) return invalid_value(known.name, value, "a whole number");
      return {};
    case Treatment::kMappingMode: return check_mapping(known.name, value);
    case Treatment::kCheckpointPolicy:
      if (same_name(value, "classic")) return {};
      return not_built(known.name, value);
    case Treatment::kReaderVersion: return check_version(known.name, value, 3);
    case Treatment::kWriterVersion: return check_version(known.name, value, 7);
    case Treatment::kOurs:
      return invalid_value(known.name, value, "left out: it is set by the table itself");
  }
  return {};
}

Status check_feature(const std::string& name, const std::string& value) {
  const std::string feature = name.substr(std::string_view("delta.feature.").size());
  if (!same_name(value, "supported") && !same_name(value, "enabled")) {
    return invalid_value(name, value, "supported");
  }
  if (contains(kOwnFeatures, feature)) return {};
  return not_built(name, value);
}

Error unknown_property(const std::string& name) {
  std::vector<std::string> names;
  for (const Known& known : kKnown) names.emplace_back(known.name);
  Error error = project_error("DELTA_UNKNOWN_PROPERTY",
                              fmt::format("The table property '{}' is not known.", name));
  const std::string near = nearest_name(name, names);
  if (!near.empty()) error.with_hint(fmt::format("Did you mean '{}'?", near));
  return error;
}

std::string join(const std::vector<std::string>& names) {
  std::string out;
  for (const std::string& name : names) out += (out.empty() ? "" : ", ") + name;
  return out;
}

// Features of the lists, or those that a legacy version number stands for.
std::vector<std::string> reader_features(const Protocol& protocol) {
  if (protocol.reader_version >= 3) return protocol.reader_features;
  if (protocol.reader_version == 2) return {"columnMapping"};
  return {};
}

bool has_column_metadata(const Metadata& metadata, std::string_view key) {
  return metadata.schema_string.find(fmt::format("\"{}\"", key)) != std::string::npos;
}

// What the table really uses and we cannot keep up while writing.
std::vector<std::string> unwritable_uses(const Metadata& metadata) {
  std::vector<std::string> uses;
  for (const auto& [name, value] : metadata.configuration) {
    if (name.starts_with("delta.constraints.")) uses.push_back("checkConstraints");
  }
  if (has_column_metadata(metadata, "delta.identity.start")) uses.push_back("identityColumns");
  if (has_column_metadata(metadata, "delta.invariants")) uses.push_back("invariants");
  if (flag(metadata, "delta.enableChangeDataFeed")) uses.push_back("changeDataFeed");
  if (flag(metadata, "delta.enableRowTracking")) uses.push_back("rowTracking");
  return uses;
}

}  // namespace

Result<TextMap> check_properties(const TextMap& properties) {
  TextMap stored;
  for (const auto& [name, value] : properties) {
    if (!starts_with_folded(name, "delta.") || starts_with_folded(name, "delta.autoOptimize.") ||
        same_name(name, "delta.autoOptimize")) {
      stored[name] = value;
      continue;
    }
    if (starts_with_folded(name, "delta.feature.")) {
      LAKEBED_TRY(check_feature(name, value));
      continue;  // the protocol's lists say it
    }
    if (starts_with_folded(name, "delta.constraints.")) return not_built(name, value);
    const Known* known = find_known(name);
    if (known == nullptr) return unknown_property(name);
    LAKEBED_TRY(check_value(*known, value));
    const bool version = known->treatment == Treatment::kReaderVersion ||
                         known->treatment == Treatment::kWriterVersion;
    if (!version) stored[known->name] = value;  // versions live in the protocol only
  }
  return stored;
}

Status check_readable(const Protocol& protocol, const Metadata&) {
  if (protocol.reader_version > 3 || protocol.reader_version < 1) {
    return update_error("DELTA_UNSUPPORTED_PROTOCOL",
                        fmt::format("The table asks for reader version {}; up to 3 is known.",
                                    protocol.reader_version));
  }
  std::vector<std::string> unknown;
  for (const std::string& feature : reader_features(protocol)) {
    if (!contains(kReadable, feature)) unknown.push_back(feature);
  }
  if (unknown.empty()) return {};
  return update_error(
      "DELTA_UNSUPPORTED_READER_FEATURE",
      fmt::format("The table uses reader features that are not known here: {}.", join(unknown)));
}

Status check_writable(const Protocol& protocol, const Metadata& metadata) {
  LAKEBED_TRY(check_readable(protocol, metadata));
  if (protocol.writer_version > 7 || protocol.writer_version < 1) {
    return update_error("DELTA_UNSUPPORTED_PROTOCOL",
                        fmt::format("The table asks for writer version {}; up to 7 is known.",
                                    protocol.writer_version));
  }
  std::vector<std::string> unknown;
  if (protocol.writer_version == 7) {
    for (const std::string& feature : protocol.writer_features) {
      if (!contains(kWritable, feature)) unknown.push_back(feature);
    }
  }
  for (std::string& feature : unwritable_uses(metadata)) unknown.push_back(std::move(feature));
  if (unknown.empty()) return {};
  return update_error(
      "DELTA_UNSUPPORTED_WRITER_FEATURE",
      fmt::format("The table uses features that cannot be written here: {}.", join(unknown)));
}

bool has_feature(const Protocol& protocol, const std::string& name) {
  const auto in = [&](const std::vector<std::string>& list) {
    return std::find(list.begin(), list.end(), name) != list.end();
  };
  return in(protocol.reader_features) || in(protocol.writer_features);
}

bool flag(const Metadata& metadata, const std::string& property, bool otherwise) {
  const auto at = metadata.configuration.find(property);
  return at == metadata.configuration.end() ? otherwise : same_name(at->second, "true");
}

bool has_column_mapping(const Metadata& metadata) {
  const auto at = metadata.configuration.find("delta.columnMapping.mode");
  return at != metadata.configuration.end() && !same_name(at->second, "none");
}

Result<int64_t> parse_interval_ms(const std::string& text) {
  struct Unit {
    const char* name;
    int64_t ms;
  };
  constexpr Unit kUnits[] = {{"week", 604'800'000}, {"day", 86'400'000}, {"hour", 3'600'000},
                             {"minute", 60'000},    {"second", 1000},    {"millisecond", 1}};
  std::vector<std::string> words;
  for (const char c : fold_case(text)) {
    const bool space = c == ' ' || c == '\t';
    if (words.empty() || (space && !words.back().empty())) words.emplace_back();
    if (!space) words.back() += c;
  }
  if (!words.empty() && words.back().empty()) words.pop_back();
  if (!words.empty() && words.front() == "interval") words.erase(words.begin());
  const Error error =
      update_error("DELTA_INVALID_INTERVAL", fmt::format("'{}' is no duration.", text));
  if (words.empty() || words.size() % 2 != 0) return error;
  int64_t total = 0;
  for (size_t i = 0; i < words.size(); i += 2) {
    const auto number = whole_number(words[i]);
    std::string unit = words[i + 1];
    if (unit.size() > 1 && unit.back() == 's') unit.pop_back();
    const auto* found = std::find_if(std::begin(kUnits), std::end(kUnits),
                                     [&](const Unit& known) { return unit == known.name; });
    if (!number || found == std::end(kUnits)) return error;
    total += *number * found->ms;
  }
  return total;
}

}  // namespace lakebed::delta
