#include "source/options.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "base/names.h"
#include "source/text_time.h"
#include "source/text_value.h"

namespace lakebed::source {

namespace {

// One option while it is being read.
struct Setting {
  std::string shown;  // the name as the author wrote it
  std::string value;
  const std::string& session_zone;
  ReadOptions& out;
};

using Handler = Status (*)(const Setting& setting);

Error invalid(const Setting& setting, const std::string& wanted) {
  return project_error("INVALID_READ_OPTION",
                       fmt::format("the option {} has the value `{}`; it takes {}", setting.shown,
                                   setting.value, wanted));
}

Error unsupported(const Setting& setting, const std::string& why) {
  return project_error("UNSUPPORTED_READ_OPTION",
                       fmt::format("the option {} with the value `{}` is not supported: {}",
                                   setting.shown, setting.value, why));
}

// Without blanks and one pair of quotes around.
std::string bare(const std::string& text) {
  const size_t from = text.find_first_not_of(" \t");
  if (from == std::string::npos) return "";
  std::string out = text.substr(from, text.find_last_not_of(" \t") - from + 1);
  const bool quoted = out.size() > 1 && out.front() == out.back() &&
                      (out.front() == '\'' || out.front() == '"' || out.front() == '`');
  return quoted ? out.substr(1, out.size() - 2) : out;
}

Result<bool> boolean(const Setting& setting) {
  const std::string text = fold_case(bare(setting.value));
  if (text == "true" || text == "1") return true;
  if (text == "false" || text == "0") return false;
  return invalid(setting, "true or false");
}

Result<uint64_t> count(const Setting& setting) {
  int64_t number;
  if (parse_integer(bare(setting.value), number) && number > 0) {
    return static_cast<uint64_t>(number);
  }
  return invalid(setting, "a whole number above zero");
}

// A number of bytes, with a unit or without: 10485760, 10m, 1g, "10 MB".
Result<uint64_t> byte_count(const Setting& setting) {
  std::string text = fold_case(bare(setting.value));
  text.erase(std::remove(text.begin(), text.end(), ' '), text.end());
  if (!text.empty() && text.back() == 'b') text.pop_back();
  uint64_t unit = 1;
  const size_t at = text.empty() ? std::string::npos : std::string("kmgt").find(text.back());
  if (at != std::string::npos) {
    unit = uint64_t{1} << (10 * (at + 1));
    text.pop_back();
  }
  int64_t number;
  if (!parse_integer(text, number) || number <= 0 || number > (int64_t{1} << 40)) {
    return invalid(setting, "a number of bytes, such as 1073741824 or 1g");
  }
  return static_cast<uint64_t>(number) * unit;
}

template <bool ReadOptions::* kMember>
Status set_flag(const Setting& setting) {
  LAKEBED_ASSIGN(setting.out.*kMember, boolean(setting));
  return {};
}

template <std::string ReadOptions::* kMember>
Status set_text(const Setting& setting) {
  setting.out.*kMember = setting.value;
  return {};
}

template <std::optional<std::string> ReadOptions::* kMember>
Status set_optional(const Setting& setting) {
  if (!setting.value.empty()) setting.out.*kMember = setting.value;
  return {};
}

// Options that need nothing here: other ways of finding files, hints, limits of other readers.
Status accept(const Setting&) { return {}; }

Status only_false(const Setting& setting) {
  LAKEBED_ASSIGN(const bool on, boolean(setting));
  if (on) return unsupported(setting, "only false is");
  return {};
}

// One of the values after the option's name is fine, all others are not.
Status one_of(const Setting& setting, const std::vector<std::string>& allowed) {
  const std::string text = fold_case(bare(setting.value));
  if (std::find(allowed.begin(), allowed.end(), text) != allowed.end()) return {};
  std::string list;
  for (const std::string& name : allowed) list += (list.empty() ? "" : ", ") + name;
  return unsupported(setting, "only " + list + " are");
}

Status set_format(const Setting& setting) {
  setting.out.format = fold_case(bare(setting.value));
  return {};
}

Status set_mode(const Setting& setting) {
  const std::string text = fold_case(bare(setting.value));
  if (text == "failfast")
    setting.out.mode = ParseMode::kFailFast;
  else if (text == "permissive")
    setting.out.mode = ParseMode::kPermissive;
  else if (text == "dropmalformed")
    setting.out.mode = ParseMode::kDropMalformed;
  else
    return invalid(setting, "FAILFAST, PERMISSIVE or DROPMALFORMED");
  return {};
}

Status set_evolution(const Setting& setting) {
  const std::string text = fold_case(bare(setting.value));
  if (text == "addnewcolumns" || text == "addnewcolumnswithtypewidening") {
    setting.out.evolution = Evolution::kAddNewColumns;
  } else if (text == "failonnewcolumns") {
    setting.out.evolution = Evolution::kFail;
  } else if (text == "rescue") {
    setting.out.evolution = Evolution::kRescue;
  } else if (text == "none") {
    setting.out.evolution = Evolution::kNone;
  } else {
    return invalid(setting, "addNewColumns, rescue, failOnNewColumns or none");
  }
  return {};
}

Status set_max_files(const Setting& setting) {
  LAKEBED_ASSIGN(setting.out.max_files, count(setting));
  return {};
}

Status set_max_bytes(const Setting& setting) {
  LAKEBED_ASSIGN(setting.out.max_bytes, byte_count(setting));
  return {};
}

Status set_recursive(const Setting& setting) {
  LAKEBED_ASSIGN(setting.out.recursive, boolean(setting));
  return {};
}

template <std::optional<int64_t> ReadOptions::* kMember>
Status set_time(const Setting& setting) {
  LAKEBED_ASSIGN(const Zone zone, Zone::find(setting.session_zone));
  int64_t micros;
  if (!parse_timestamp(bare(setting.value), zone, micros)) {
    return invalid(setting, "a timestamp, such as 2024-12-31T00:00:00");
  }
  setting.out.*kMember = micros;
  return {};
}

Status set_corrupt_column(const Setting& setting) {
  setting.out.corrupt_column = setting.value;
  setting.out.corrupt_column_written = true;
  return {};
}

Status set_partition_columns(const Setting& setting) {
  std::vector<std::string> names;
  std::string name;
  for (const char c : setting.value + ",") {
    if (c != ',') {
      name += c;
      continue;
    }
    name = bare(name);
    if (!name.empty()) names.push_back(name);
    name.clear();
  }
  setting.out.partition_columns = std::move(names);
  return {};
}

Status check_encoding(const Setting& setting) {
  return one_of(setting, {"utf-8", "utf8", "us-ascii", "ascii"});
}
Status check_compression(const Setting& setting) {
  return one_of(setting, {"none", "uncompressed", "gzip", "gz", "snappy", "zstd", "auto"});
}
Status check_off(const Setting& setting) { return one_of(setting, {"off", "false"}); }
Status check_rebase(const Setting& setting) { return one_of(setting, {"exception", "corrected"}); }
Status check_locale(const Setting& setting) { return one_of(setting, {"en-us", "en_us", "en"}); }

Status check_line_end(const Setting& setting) {
  const std::string& text = setting.value;
  if (text == "\n" || text == "\r\n" || text == "\r" || text == "\\n" || text == "\\r\\n")
    return {};
  return unsupported(setting, "lines end with LF, CR LF or CR");
}

Status set_zone(const Setting& setting) {
  const auto zone = Zone::find(bare(setting.value));
  if (!zone.ok()) return invalid(setting, "a time zone, such as Europe/Paris or +02:00");
  setting.out.time_zone = bare(setting.value);
  return {};
}

Status set_csv(const Setting& setting) {
  std::string name = fold_case(setting.shown);
  if (name.rfind("cloudfiles.", 0) == 0) name = name.substr(11);
  if (name == "delimiter") name = "sep";
  setting.out.csv[name] = setting.value;
  return {};
}

Status set_header(const Setting& setting) {
  LAKEBED_TRY(set_flag<&ReadOptions::header>(setting));
  setting.out.csv["header"] = setting.out.header ? "true" : "false";
  return {};
}

Status set_csv_flag(const Setting& setting) {
  LAKEBED_ASSIGN(const bool on, boolean(setting));
  return set_csv({setting.shown, on ? "true" : "false", setting.session_zone, setting.out});
}

struct Entry {
  const char* name;  // as documentation spells it
  Handler handler;
};

constexpr Entry kEntries[] = {
    {"format", set_format},
    {"schema", set_optional<&ReadOptions::schema_text>},
    {"mode", set_mode},
    {"fileNamePattern", set_text<&ReadOptions::file_glob>},
    {"pathGlobFilter", set_text<&ReadOptions::file_glob>},
    {"recursiveFileLookup", set_recursive},
    {"modifiedAfter", set_time<&ReadOptions::modified_after_us>},
    {"modifiedBefore", set_time<&ReadOptions::modified_before_us>},
    {"ignoreMissingFiles", set_flag<&ReadOptions::ignore_missing_files>},
    {"ignoreCorruptFiles", only_false},
    {"partitionColumns", set_partition_columns},
    {"maxFilesPerTrigger", set_max_files},
    {"maxBytesPerTrigger", set_max_bytes},
    {"includeExistingFiles", set_flag<&ReadOptions::include_existing>},
    {"allowOverwrites", set_flag<&ReadOptions::allow_overwrites>},
    {"schemaEvolutionMode", set_evolution},
    {"columnNameOfCorruptRecord", set_corrupt_column},
    {"rescuedDataColumn", set_optional<&ReadOptions::rescued_column>},
    {"inferColumnTypes", set_flag<&ReadOptions::infer_types>},
    {"inferSchema", set_flag<&ReadOptions::infer_types>},
    {"schemaHints", set_optional<&ReadOptions::schema_hints>},
    {"primitivesAsString", set_flag<&ReadOptions::primitives_as_string>},
    {"prefersDecimal", set_flag<&ReadOptions::prefers_decimal>},
    {"mergeSchema", set_flag<&ReadOptions::merge_schema>},
    {"samplingRatio", accept},
    {"multiLine", set_flag<&ReadOptions::multi_line>},
    {"dateFormat", set_text<&ReadOptions::date_format>},
    {"timestampFormat", set_text<&ReadOptions::timestamp_format>},
    {"timestampNTZFormat", set_text<&ReadOptions::timestamp_ntz_format>},
    {"timeZone", set_zone},
    {"locale", check_locale},
    {"encoding", check_encoding},
    {"charset", check_encoding},
    {"lineSep", check_line_end},
    {"compression", check_compression},
    {"allowSingleQuotes", set_flag<&ReadOptions::allow_single_quotes>},
    {"allowComments", set_flag<&ReadOptions::allow_comments>},
    {"allowUnquotedFieldNames", set_flag<&ReadOptions::allow_unquoted_names>},
    {"allowNonNumericNumbers", set_flag<&ReadOptions::allow_non_numeric>},
    {"allowNumericLeadingZeros", only_false},
    {"allowBackslashEscapingAnyCharacter", only_false},
    {"allowUnquotedControlChars", only_false},
    {"dropFieldIfAllNull", set_flag<&ReadOptions::drop_field_if_all_null>},
    {"readerCaseSensitive", set_flag<&ReadOptions::reader_case_sensitive>},
    {"singleVariantColumn", only_false},
    {"enableDateTimeParsingFallback", only_false},
    {"header", set_header},
    {"sep", set_csv},
    {"delimiter", set_csv},
    {"quote", set_csv},
    {"escape", set_csv},
    {"charToEscapeQuoteEscaping", set_csv},
    {"comment", set_csv},
    {"nullValue", set_csv},
    {"emptyValue", set_csv},
    {"nanValue", set_csv},
    {"positiveInf", set_csv},
    {"negativeInf", set_csv},
    {"ignoreLeadingWhiteSpace", set_csv_flag},
    {"ignoreTrailingWhiteSpace", set_csv_flag},
    {"enforceSchema", set_csv_flag},
    {"unescapedQuoteHandling", set_csv},
    {"skipRows", set_csv},
    {"preferDate", set_csv_flag},
    {"maxColumns", accept},
    {"maxCharsPerColumn", accept},
    {"datetimeRebaseMode", check_rebase},
    {"int96RebaseMode", check_rebase},
    {"schemaLocation", accept},
    {"checkpointLocation", accept},
    {"validateOptions", accept},
    {"useNotifications", accept},
    {"useIncrementalListing", accept},
    {"useManagedFileEvents", accept},
    {"useStrictGlobber", accept},
    {"backfillInterval", accept},
    {"maxFileAge", accept},
    {"maxCachedFiles", accept},
    {"resourceTags", accept},
    {"region", accept},
    {"queueUrl", accept},
    {"cleanSource", check_off},
    {"latestFirst", only_false},
    {"fileNameOnly", only_false},
    {"failOnDataLoss", accept},
};

const Entry* find_entry(std::string_view name) {
  for (const Entry& entry : kEntries) {
    if (same_name(entry.name, name)) return &entry;
  }
  return nullptr;
}

Error unknown(const std::string& name) {
  const std::string near = nearest_name(name, known_options());
  const auto canonical = fold_case(near);
  std::string spelled = near;
  for (const Entry& entry : kEntries) {
    if (fold_case(entry.name) == canonical) spelled = entry.name;
  }
  Error out =
      project_error("UNKNOWN_READ_OPTION", fmt::format("`{}` is no option of read_files", name));
  if (!near.empty()) out.with_hint(fmt::format("did you mean {}?", spelled));
  return out;
}

Status check_format(const ReadOptions& options) {
  const std::string& format = options.format;
  if (format.empty() || format == "json" || format == "csv" || format == "parquet") return {};
  return project_error("UNSUPPORTED_FILE_FORMAT",
                       fmt::format("files of the format `{}` cannot be read", format))
      .with_hint("json, csv and parquet can");
}

}  // namespace

Result<ReadOptions> parse_options(const std::vector<Option>& options, const std::string& format,
                                  const std::string& session_zone) {
  ReadOptions out;
  out.format = fold_case(format);
  if (out.format == "cloudfiles") out.format.clear();
  for (const Option& option : options) {
    std::string name = bare(option.name);
    if (fold_case(name).rfind("cloudfiles.", 0) == 0) name = name.substr(11);
    const Entry* entry = find_entry(name);
    if (entry == nullptr) {
      Error problem = unknown(name);
      problem.with_span(option.span);
      return problem;
    }
    auto status = entry->handler({name, option.value, session_zone, out});
    if (!status.ok()) {
      status.error().with_span(option.span);
      status.error().blame = Blame::kProject;
      return std::move(status).error();
    }
  }
  LAKEBED_TRY(check_format(out));
  return out;
}

std::vector<std::string> known_options() {
  std::vector<std::string> out;
  for (const Entry& entry : kEntries) out.emplace_back(entry.name);
  return out;
}

}  // namespace lakebed::source
