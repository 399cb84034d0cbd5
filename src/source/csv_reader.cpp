#include "source/csv_reader.h"

#include <fmt/core.h>
#include <simdjson.h>

#include <algorithm>
#include <utility>

#include "base/names.h"
#include "source/file_columns.h"
#include "source/json_convert.h"
#include "source/plain_value.h"
#include "value/text.h"

namespace lakebed::source {

using value::Column;
using value::ColumnBatch;
using value::Kind;
using value::Schema;

namespace {

constexpr size_t kNowhere = static_cast<size_t>(-1);

enum class Role : uint8_t { kData, kCorrupt, kRescued, kMetadata, kPartition };

struct DataColumn {
  size_t column = 0;        // in the schema
  size_t field = kNowhere;  // in the file's records; kNowhere: the file lacks it
};

std::string_view trimmed(std::string_view text, bool left, bool right) {
  const auto blank = [](char c) { return static_cast<uint8_t>(c) <= ' '; };
  while (left && !text.empty() && blank(text.front())) text.remove_prefix(1);
  while (right && !text.empty() && blank(text.back())) text.remove_suffix(1);
  return text;
}

class CsvReader : public value::BatchReader {
 public:
  CsvReader(std::vector<ListedFile> files, Schema schema, CsvOptions options)
      : files_(std::move(files)), schema_(std::move(schema)), options_(std::move(options)) {}

  Status prepare();
  const Schema& schema() const override { return schema_; }
  Result<std::optional<ColumnBatch>> next() override;

 private:
  const ListedFile& file() const { return files_[file_]; }
  Role role_of(const std::string& name) const;
  Result<bool> open_next();
  Status read_header();
  void bind(const std::vector<std::string>& names);
  Result<bool> next_record();
  Status append_row(ColumnBatch& batch);
  bool append_value(const CsvField& field, Column& out) const;
  std::optional<std::string> wrong_shape() const;
  Status fill_special(ColumnBatch& batch, bool corrupt, const std::string& rescued);
  Error malformed(const std::string& reason) const;
  std::string mismatch(size_t column, std::string_view text) const;
  void rescue(const std::string& name, std::string_view text, std::string& out) const;

  std::vector<ListedFile> files_;
  Schema schema_;
  CsvOptions options_;
  Zone zone_ = *Zone::find("UTC");
  TimePatterns patterns_;
  std::vector<Role> roles_;
  std::vector<DataColumn> data_;
  Schema layout_;  // the columns of a record, by position

  size_t file_ = 0;
  size_t next_file_ = 0;
  std::unique_ptr<CsvRecords> records_;  // null: no file is open
  std::vector<std::string> header_;      // of the file at hand
  CsvRecord record_;
};

Role CsvReader::role_of(const std::string& name) const {
  const JsonOptions& common = options_.common;
  if (name == common.metadata_column) return Role::kMetadata;
  if (!common.corrupt_column.empty() && same_name(name, common.corrupt_column)) {
    return Role::kCorrupt;
  }
  if (!common.rescued_column.empty() && same_name(name, common.rescued_column)) {
    return Role::kRescued;
  }
  for (const ListedFile& one : files_) {
    for (const auto& [folder, text] : one.partitions) {
      if (same_name(folder, name)) return Role::kPartition;
    }
  }
  return Role::kData;
}

Status CsvReader::prepare() {
  const JsonOptions& common = options_.common;
  LAKEBED_ASSIGN(zone_, Zone::find(common.time_zone));
  LAKEBED_ASSIGN(patterns_, TimePatterns::compile_all(common.date_format, common.timestamp_format,
                                                      common.timestamp_ntz_format));
  for (const value::Field& field : options_.layout.empty() ? schema_ : options_.layout) {
    if (role_of(field.name) == Role::kData) layout_.push_back(field);
  }
  for (size_t i = 0; i < schema_.size(); ++i) {
    roles_.push_back(role_of(schema_[i].name));
    if (roles_.back() != Role::kData) continue;
    if (schema_[i].type.is_nested()) {
      return project_error("UNSUPPORTED_DATA_TYPE_FOR_DATASOURCE",
                           fmt::format("CSV cannot hold the column {} of the type {}",
                                       quote_name(schema_[i].name), schema_[i].type.text()));
    }
    data_.push_back({i, kNowhere});
  }
  return {};
}

Result<bool> CsvReader::open_next() {
  while (next_file_ < files_.size()) {
    file_ = next_file_++;
    auto stream = open_bytes(file());
    if (!stream.ok()) {
      const bool gone = stream.error().code == "SOURCE_FILE_VANISHED";
      if (gone && options_.common.ignore_missing_files) continue;
      return std::move(stream).error();
    }
    records_ = std::make_unique<CsvRecords>(std::move(*stream), options_.syntax);
    LAKEBED_TRY(read_header());
    return true;
  }
  return false;
}

Status CsvReader::read_header() {
  header_.clear();
  for (uint64_t i = 0; i < options_.skip_rows; ++i) {
    LAKEBED_ASSIGN(const bool more, records_->next(record_));
    if (!more) break;
  }
  if (options_.header) {
    LAKEBED_ASSIGN(const bool found, records_->next(record_));
    if (found) header_ = csv_header_names(record_);
  }
  bind(header_);
  return {};
}

// Finds out which field of a record is which column: by the header's names where any of them is
// a column, else by position.
void CsvReader::bind(const std::vector<std::string>& names) {
  bool by_name = false;
  for (DataColumn& column : data_) {
    column.field = kNowhere;
    const std::string& wanted = schema_[column.column].name;
    for (size_t i = 0; i < names.size() && options_.by_name; ++i) {
      if (!same_name(names[i], wanted)) continue;
      column.field = i;
      by_name = true;
      break;
    }
  }
  if (by_name) return;
  header_.clear();
  for (DataColumn& column : data_) {
    const auto at = value::find_field(layout_, schema_[column.column].name);
    column.field = at.value_or(kNowhere);
  }
}

Result<bool> CsvReader::next_record() {
  while (true) {
    if (records_ == nullptr) {
      LAKEBED_ASSIGN(const bool opened, open_next());
      if (!opened) return false;
    }
    LAKEBED_ASSIGN(const bool found, records_->next(record_));
    if (found) return true;
    records_ = nullptr;
  }
}

Result<std::optional<ColumnBatch>> CsvReader::next() {
  ColumnBatch batch = ColumnBatch::empty(schema_);
  size_t bytes = 0;
  while (batch.rows < options_.common.batch_rows && bytes < options_.common.batch_bytes) {
    LAKEBED_ASSIGN(const bool more, next_record());
    if (!more) break;
    bytes += record_.raw.size();
    LAKEBED_TRY(append_row(batch));
  }
  if (batch.rows == 0) return std::optional<ColumnBatch>();
  return std::optional<ColumnBatch>(std::move(batch));
}

// What is wrong with the record as a whole.
std::optional<std::string> CsvReader::wrong_shape() const {
  if (record_.problem != nullptr) return record_.problem;
  if (!simdjson::validate_utf8(record_.raw.data(), record_.raw.size())) return "it is not UTF-8";
  const size_t wanted = header_.empty() ? layout_.size() : header_.size();
  if (record_.fields.size() == wanted) return std::nullopt;
  return fmt::format("it has {} fields, {} were expected", record_.fields.size(), wanted);
}

Status CsvReader::append_row(ColumnBatch& batch) {
  const JsonOptions& common = options_.common;
  const bool rescues = common.rescues && !common.rescued_column.empty();
  std::string rescued;
  std::optional<std::string> problem = wrong_shape();
  const bool broken = problem.has_value();
  for (const DataColumn& data : data_) {
    Column& column = batch.columns[data.column];
    const bool there = data.field < record_.fields.size();
    if (!there || (broken && record_.problem != nullptr)) {
      column.append_null();
    } else if (!append_value(record_.fields[data.field], column)) {
      const std::string_view text = record_.fields[data.field].text;
      column.append_null();
      if (rescues)
        rescue(schema_[data.column].name, text, rescued);
      else if (!problem)
        problem = mismatch(data.column, text);
    }
  }
  for (size_t i = 0; rescues && i < header_.size() && i < record_.fields.size(); ++i) {
    const auto known = [i](const DataColumn& data) { return data.field == i; };
    if (std::none_of(data_.begin(), data_.end(), known)) {
      rescue(header_[i], record_.fields[i].text, rescued);
    }
  }
  if (!problem) return fill_special(batch, false, rescued);
  if (common.mode == ParseMode::kFailFast) return malformed(*problem);
  if (common.mode == ParseMode::kPermissive) return fill_special(batch, true, rescued);
  for (const DataColumn& data : data_) {
    Column& column = batch.columns[data.column];
    truncate(column, batch.rows);
  }
  return {};
}

bool CsvReader::append_value(const CsvField& field, Column& out) const {
  std::string_view text = field.text;
  if (!field.quoted) {
    text = trimmed(text, options_.trim_left, options_.trim_right);
    if (text.empty()) text = options_.null_value;
  } else if (text.empty()) {
    text = options_.empty_value;
  }
  if (text == options_.null_value) {
    out.append_null();
    return true;
  }
  const Kind kind = out.type().kind;
  if (kind == Kind::kDouble || kind == Kind::kFloat) {
    if (text == options_.nan_value)
      text = "NaN";
    else if (text == options_.positive_inf)
      text = "Infinity";
    else if (text == options_.negative_inf)
      text = "-Infinity";
    else
      text = trimmed(text, true, true);
  }
  return append_plain(text, zone_, patterns_, out);
}

Status CsvReader::fill_special(ColumnBatch& batch, bool corrupt, const std::string& rescued) {
  for (size_t i = 0; i < roles_.size(); ++i) {
    Column& column = batch.columns[i];
    switch (roles_[i]) {
      case Role::kData: break;
      case Role::kCorrupt:
        if (corrupt)
          column.append_bytes(record_.raw);
        else
          column.append_null();
        break;
      case Role::kRescued: {
        std::string path = "\"_file_path\":";
        value::append_json_string(file_uri(file().path), path);
        if (rescued.empty())
          column.append_null();
        else
          column.append_bytes("{" + rescued + path + "}");
        break;
      }
      case Role::kMetadata: append_metadata(file(), 1, column); break;
      case Role::kPartition:
        LAKEBED_TRY(append_partition(file(), schema_[i].name, zone_, 1, column));
        break;
    }
  }
  ++batch.rows;
  return {};
}

void CsvReader::rescue(const std::string& name, std::string_view text, std::string& out) const {
  value::append_json_string(name, out);
  out += ':';
  value::append_json_string(text, out);
  out += ',';
}

std::string CsvReader::mismatch(size_t column, std::string_view text) const {
  return fmt::format("\"{}\" cannot be read as {} in field {}", text.substr(0, 60),
                     schema_[column].type.text(), quote_name(schema_[column].name));
}

Error CsvReader::malformed(const std::string& reason) const {
  return update_error("MALFORMED_RECORD_IN_PARSING",
                      fmt::format("{}, line {}: {}", file().path, record_.line, reason))
      .with_hint(
          "correct the file, or read it with mode => 'PERMISSIVE' or 'DROPMALFORMED', or "
          "with a rescuedDataColumn");
}

}  // namespace

Result<std::unique_ptr<value::BatchReader>> read_csv(std::vector<ListedFile> files, Schema schema,
                                                     CsvOptions options) {
  auto reader =
      std::make_unique<CsvReader>(std::move(files), std::move(schema), std::move(options));
  LAKEBED_TRY(reader->prepare());
  return std::unique_ptr<value::BatchReader>(std::move(reader));
}

}  // namespace lakebed::source
