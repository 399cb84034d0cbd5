// Options of CSV, and the inference of its columns.
#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "base/names.h"
#include "source/csv_reader.h"
#include "source/infer.h"
#include "source/plain_value.h"
#include "source/text_value.h"

namespace lakebed::source {

using value::Field;
using value::Kind;
using value::Schema;
using value::Type;

namespace {

Error invalid(const std::string& name, const std::string& text, const char* wanted) {
  return project_error("INVALID_READ_OPTION", fmt::format("the option {} has the value `{}`; it "
                                                          "takes {}",
                                                          name, text, wanted));
}

// "\t" written as two characters means the tabulator.
std::string unescaped(const std::string& text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    const char next = i + 1 < text.size() ? text[i + 1] : '\0';
    const bool known = next == 't' || next == 'n' || next == 'r' || next == '\\';
    if (text[i] != '\\' || !known) {
      out.push_back(text[i]);
      continue;
    }
    out.push_back(next == 't' ? '\t' : next == 'n' ? '\n' : next == 'r' ? '\r' : '\\');
    ++i;
  }
  return out;
}

class Reading {
 public:
  explicit Reading(const std::map<std::string, std::string>& written) : written_(written) {}

  void text(const char* name, std::string& out) const {
    const auto found = written_.find(name);
    if (found != written_.end()) out = found->second;
  }
  void flag(const char* name, bool& out) const {
    const auto found = written_.find(name);
    if (found != written_.end()) out = found->second == "true";
  }
  // One character; "" is none.
  Status character(const char* name, char& out) const {
    const auto found = written_.find(name);
    if (found == written_.end()) return {};
    const std::string plain = found->second == "\\" ? found->second : unescaped(found->second);
    if (plain.size() > 1) return invalid(name, found->second, "one character of ASCII");
    out = plain.empty() ? '\0' : plain[0];
    return {};
  }

 private:
  const std::map<std::string, std::string>& written_;
};

// The type that a field's text has on its own (Spark's order of trials).
Type field_type(std::string_view text, const CsvOptions& options, const Zone& zone,
                const TimePatterns& patterns) {
  int64_t integer;
  double floating;
  int precision;
  int scale;
  if (text == options.null_value || text.empty()) return Kind::kVoid;
  if (parse_integer(text, integer)) {
    return fits_integer(Kind::kInt, integer) ? Kind::kInt : Kind::kLong;
  }
  const bool digits = text.find_first_not_of("+-0123456789") == std::string_view::npos;
  if (digits && decimal_shape(text, precision, scale) && precision <= 38) {
    return Type::decimal(precision, scale);
  }
  if (parse_double(text, floating) || text == options.nan_value || text == options.positive_inf ||
      text == options.negative_inf) {
    return Kind::kDouble;
  }
  for (const Kind kind : {Kind::kDate, Kind::kTimestamp}) {
    // A year and a month alone are no date to guess.
    if (!patterns.date && !patterns.timestamp && text.size() < 8) break;
    value::Column attempt{Type(kind)};
    const bool whole_date = kind != Kind::kDate || patterns.date || text.size() <= 10;
    if (whole_date && append_plain(text, zone, patterns, attempt)) return kind;
  }
  if (same_name(text, "true") || same_name(text, "false")) return Kind::kBoolean;
  return Kind::kString;
}

// Columns as far as they are known, in the order in which files name them.
struct Inference {
  const ReadOptions& options;
  CsvOptions csv;
  Zone zone;
  TimePatterns patterns;
  Schema columns;

  Status file(CsvRecords records);
  size_t column(const std::string& name);
  std::vector<size_t> places(const CsvRecord& first);
};

size_t Inference::column(const std::string& name) {
  const auto found = value::find_field(columns, name);
  if (found) return *found;
  Field field;
  field.name = name;
  columns.push_back(std::move(field));
  return columns.size() - 1;
}

// Which column each field of a file's records is, by its first record.
std::vector<size_t> Inference::places(const CsvRecord& first) {
  std::vector<size_t> out;
  if (csv.header) {
    for (const std::string& name : csv_header_names(first)) out.push_back(column(name));
    return out;
  }
  for (size_t i = 0; i < first.fields.size(); ++i) out.push_back(column(fmt::format("_c{}", i)));
  return out;
}

Status Inference::file(CsvRecords records) {
  CsvRecord record;
  std::vector<size_t> columns_of;
  for (uint64_t row = 0;; ++row) {
    LAKEBED_ASSIGN(const bool more, records.next(record));
    if (!more) return {};
    if (row < csv.skip_rows) continue;
    const bool first = row == csv.skip_rows;
    if (first) columns_of = places(record);
    if (first && csv.header) continue;
    if (!options.infer_types) return {};
    for (size_t i = 0; i < record.fields.size() && i < columns_of.size(); ++i) {
      Type& type = columns[columns_of[i]].type;
      if (type.kind == Kind::kString) continue;
      type = merge_inferred(type, field_type(record.fields[i].text, csv, zone, patterns));
    }
  }
}

}  // namespace

std::vector<std::string> csv_header_names(const CsvRecord& record) {
  std::vector<std::string> out;
  const std::vector<CsvField>& fields = record.fields;
  for (size_t i = 0; i < fields.size(); ++i) {
    const auto equals = [&](const CsvField& other) {
      return same_name(other.text, fields[i].text);
    };
    std::string name(fields[i].text);
    if (name.empty())
      name = fmt::format("_c{}", i);
    else if (std::count_if(fields.begin(), fields.end(), equals) > 1)
      name += std::to_string(i);
    out.push_back(std::move(name));
  }
  return out;
}

Result<CsvOptions> csv_options(const ReadOptions& options, const Schema& schema,
                               const std::string& session_zone) {
  CsvOptions out;
  out.common = json_options(options, schema, session_zone);
  out.header = options.header;
  out.syntax.multi_line = options.multi_line;
  const Reading reading(options.csv);
  std::string separator = ",";
  reading.text("sep", separator);
  out.syntax.separator = separator == "\\" ? separator : unescaped(separator);
  if (out.syntax.separator.empty() || out.syntax.separator.find('\n') != std::string::npos) {
    return invalid("sep", separator, "one character or several");
  }
  LAKEBED_TRY(reading.character("quote", out.syntax.quote));
  LAKEBED_TRY(reading.character("escape", out.syntax.escape));
  LAKEBED_TRY(reading.character("comment", out.syntax.comment));
  reading.text("nullvalue", out.null_value);
  reading.text("emptyvalue", out.empty_value);
  reading.text("nanvalue", out.nan_value);
  reading.text("positiveinf", out.positive_inf);
  reading.text("negativeinf", out.negative_inf);
  reading.flag("ignoreleadingwhitespace", out.trim_left);
  reading.flag("ignoretrailingwhitespace", out.trim_right);
  bool enforced = false;
  reading.flag("enforceschema", enforced);
  out.by_name = !enforced;
  std::string skipped;
  reading.text("skiprows", skipped);
  int64_t rows = 0;
  if (!skipped.empty() && (!parse_integer(skipped, rows) || rows < 0)) {
    return invalid("skipRows", skipped, "a whole number");
  }
  out.skip_rows = static_cast<uint64_t>(rows);
  return out;
}

Result<Schema> infer_csv(const std::vector<ListedFile>& files, const ReadOptions& options,
                         const std::string& session_zone) {
  Inference inference{options, {}, *Zone::find("UTC"), {}, {}};
  LAKEBED_ASSIGN(inference.csv, csv_options(options, {}, session_zone));
  const JsonOptions& common = inference.csv.common;
  LAKEBED_ASSIGN(inference.zone, Zone::find(common.time_zone));
  LAKEBED_ASSIGN(inference.patterns,
                 TimePatterns::compile_all(common.date_format, common.timestamp_format,
                                           common.timestamp_ntz_format));
  for (const ListedFile& file : files) {
    auto stream = open_bytes(file);
    if (stream.ok()) {
      LAKEBED_TRY(inference.file(CsvRecords(std::move(*stream), inference.csv.syntax)));
    } else if (!options.ignore_missing_files || stream.error().code != "SOURCE_FILE_VANISHED") {
      return std::move(stream).error();
    }
  }
  for (Field& field : inference.columns) {
    if (!options.infer_types) field.type = Kind::kString;
  }
  return inference.columns;
}

}  // namespace lakebed::source
