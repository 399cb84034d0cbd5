#include "source/json_reader.h"

#include <fmt/core.h>

#include <utility>

#include "base/names.h"
#include "source/file_columns.h"
#include "source/json_convert.h"
#include "source/json_malformed.h"
#include "source/record_source.h"

namespace lakebed::source {

using value::Column;
using value::ColumnBatch;
using value::Schema;

namespace {

// What fills a column of the reader's schema.
enum class Role : uint8_t { kData, kCorrupt, kRescued, kMetadata, kPartition };

void append_quoted(std::string_view text, std::string& out) {
  out += '"';
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (static_cast<uint8_t>(c) < 0x20) {
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    } else {
      out += c;
    }
  }
  out += '"';
}

class JsonReader : public value::BatchReader {
 public:
  JsonReader(std::vector<ListedFile> files, Schema schema, JsonOptions options)
      : records_(std::move(files), options.multi_line, options.ignore_missing_files),
        schema_(std::move(schema)),
        options_(std::move(options)),
        cursor_(JsonSyntax{options_.allow_single_quotes, options_.allow_comments,
                           options_.allow_unquoted_names, options_.allow_non_numeric}) {}

  Status prepare();
  const Schema& schema() const override { return schema_; }
  Result<std::optional<ColumnBatch>> next() override;

 private:
  Role role_of(const std::string& name) const;
  Result<bool> open_record();
  Result<bool> next_row(ColumnBatch& batch);
  Result<bool> append_row(ColumnBatch& batch);
  Status handle_damage(ColumnBatch& batch, size_t from, const Damage& damage);
  void finish_row(ColumnBatch& batch, size_t from, const Leftovers& left, bool corrupt);
  Status fill_file_columns(ColumnBatch& batch);
  Error malformed(const Damage& damage) const;
  std::string rescued_text(const Leftovers& left) const;
  bool permissive() const { return options_.mode == ParseMode::kPermissive; }

  RecordSource records_;
  Schema schema_;
  JsonOptions options_;
  JsonCursor cursor_;
  std::unique_ptr<JsonConverter> converter_;
  Zone zone_ = *Zone::find("UTC");
  std::vector<Role> roles_;

  Record record_;
  bool record_open_ = false;
  bool in_array_ = false;                        // multi_line: inside the array of rows at the top
  std::vector<Column*> data_;                    // of the batch that is being filled
  std::vector<std::pair<size_t, size_t>> runs_;  // file, rows of it in the batch
};

Role JsonReader::role_of(const std::string& name) const {
  if (name == options_.metadata_column) return Role::kMetadata;
  const auto is = [&name](const std::string& other) {
    return !other.empty() && same_name(name, other);
  };
  if (is(options_.corrupt_column)) return Role::kCorrupt;
  if (is(options_.rescued_column)) return Role::kRescued;
  for (const ListedFile& file : records_.files()) {
    for (const auto& [folder, text] : file.partitions) {
      if (same_name(folder, name)) return Role::kPartition;
    }
  }
  return Role::kData;
}

Status JsonReader::prepare() {
  Schema data;
  for (const value::Field& field : schema_) {
    roles_.push_back(role_of(field.name));
    if (roles_.back() == Role::kData) data.push_back(field);
  }
  LAKEBED_ASSIGN(converter_, JsonConverter::create(data, options_));
  LAKEBED_ASSIGN(zone_, Zone::find(options_.time_zone));
  return {};
}

Result<std::optional<ColumnBatch>> JsonReader::next() {
  ColumnBatch batch = ColumnBatch::empty(schema_);
  data_.clear();
  runs_.clear();
  for (size_t i = 0; i < roles_.size(); ++i) {
    if (roles_[i] == Role::kData) data_.push_back(&batch.columns[i]);
  }
  size_t bytes = 0;
  while (batch.rows < options_.batch_rows && bytes < options_.batch_bytes) {
    const size_t before = record_open_ ? cursor_.offset() : 0;
    LAKEBED_ASSIGN(const bool more, next_row(batch));
    if (!more) break;
    bytes += cursor_.offset() > before ? cursor_.offset() - before : 0;
  }
  if (batch.rows == 0) return std::optional<ColumnBatch>();
  LAKEBED_TRY(fill_file_columns(batch));
  return std::optional<ColumnBatch>(std::move(batch));
}

Result<bool> JsonReader::open_record() {
  LAKEBED_ASSIGN(const bool found, records_.next(record_));
  record_open_ = found;
  in_array_ = false;
  if (found) cursor_.reset(record_.text);
  return found;
}

// Appends the next row, or passes over one that is damaged. False at the end of all files.
Result<bool> JsonReader::next_row(ColumnBatch& batch) {
  if (!record_open_) {
    LAKEBED_ASSIGN(const bool opened, open_record());
    if (!opened) return false;
    if (!record_.is_utf8) {
      LAKEBED_TRY(handle_damage(batch, 0, {"it is not UTF-8", "", 0}));
      record_open_ = false;
      return true;
    }
    if (options_.multi_line && cursor_.peek() == JsonToken::kArray) in_array_ = cursor_.enter();
  }
  if (in_array_) {
    bool at_end;
    if (!cursor_.next_element(at_end)) {
      record_open_ = false;
      const JsonProblem& problem = cursor_.problem();
      LAKEBED_TRY(handle_damage(batch, 0, {problem.what, "", problem.offset}));
      return true;
    }
    if (!at_end) return append_row(batch);
    in_array_ = false;
  } else {
    LAKEBED_TRY(append_row(batch));
  }
  if (record_open_ && cursor_.at_end()) record_open_ = false;
  return true;
}

Result<bool> JsonReader::append_row(ColumnBatch& batch) {
  cursor_.peek();
  const size_t from = cursor_.offset();
  const bool rescue = options_.rescues && !options_.rescued_column.empty();
  Leftovers left;
  const bool ok = converter_->append_row(cursor_, data_, permissive() || rescue ? &left : nullptr);
  if (!ok) {
    record_open_ = false;
    LAKEBED_TRY(handle_damage(batch, from, converter_->damage()));
    return true;
  }
  if (!options_.multi_line && !cursor_.at_end()) {
    record_open_ = false;
    LAKEBED_TRY(handle_damage(batch, from,
                              {"something follows the object on its line", "", cursor_.offset()}));
    return true;
  }
  finish_row(batch, from, left, left.damage.has_value() && !rescue);
  return true;
}

// A record that cannot be a row: an error, a row of NULLs with the text beside, or nothing.
Status JsonReader::handle_damage(ColumnBatch& batch, size_t from, const Damage& damage) {
  if (options_.mode == ParseMode::kFailFast) return malformed(damage);
  for (Column* column : data_) truncate(*column, batch.rows);
  if (options_.mode == ParseMode::kDropMalformed) return {};
  for (Column* column : data_) column->append_null();
  finish_row(batch, options_.multi_line ? 0 : from, {}, true);
  return {};
}

void JsonReader::finish_row(ColumnBatch& batch, size_t from, const Leftovers& left, bool corrupt) {
  for (size_t i = 0; i < roles_.size(); ++i) {
    Column& column = batch.columns[i];
    if (roles_[i] == Role::kCorrupt) {
      const size_t to = record_open_ ? cursor_.offset() : record_.text.size();
      if (corrupt)
        column.append_bytes(record_.text.substr(from, to - from));
      else
        column.append_null();
    }
    if (roles_[i] == Role::kRescued) {
      if (left.rescued.empty())
        column.append_null();
      else
        column.append_bytes(rescued_text(left));
    }
  }
  ++batch.rows;
  if (runs_.empty() || runs_.back().first != record_.file) runs_.emplace_back(record_.file, 0);
  ++runs_.back().second;
}

std::string JsonReader::rescued_text(const Leftovers& left) const {
  std::string out = "{";
  for (const auto& [name, raw] : left.rescued) {
    append_quoted(name, out);
    out += ':' + raw + ',';
  }
  out += "\"_file_path\":";
  append_quoted(file_uri(records_.files()[record_.file].path), out);
  return out + '}';
}

Status JsonReader::fill_file_columns(ColumnBatch& batch) {
  for (size_t i = 0; i < roles_.size(); ++i) {
    Column& column = batch.columns[i];
    for (const auto& [index, rows] : runs_) {
      const ListedFile& file = records_.files()[index];
      if (roles_[i] == Role::kMetadata) append_metadata(file, rows, column);
      if (roles_[i] == Role::kPartition) {
        LAKEBED_TRY(append_partition(file, schema_[i].name, zone_, rows, column));
      }
    }
  }
  return {};
}

Error JsonReader::malformed(const Damage& damage) const {
  return malformed_json(record_, records_.files()[record_.file].path, damage.column, damage.reason,
                        damage.offset);
}

}  // namespace

Result<std::unique_ptr<value::BatchReader>> read_json(std::vector<ListedFile> files, Schema schema,
                                                      JsonOptions options) {
  auto reader =
      std::make_unique<JsonReader>(std::move(files), std::move(schema), std::move(options));
  LAKEBED_TRY(reader->prepare());
  return std::unique_ptr<value::BatchReader>(std::move(reader));
}

JsonOptions json_options(const ReadOptions& options, const Schema& schema,
                         const std::string& session_zone) {
  JsonOptions out;
  const bool has_corrupt = value::find_field(schema, options.corrupt_column).has_value();
  const bool keeps_damage = options.rescued_column.has_value() || has_corrupt;
  out.mode = options.mode.value_or(keeps_damage ? ParseMode::kPermissive : ParseMode::kFailFast);
  out.multi_line = options.multi_line;
  out.allow_single_quotes = options.allow_single_quotes;
  out.allow_comments = options.allow_comments;
  out.allow_unquoted_names = options.allow_unquoted_names;
  out.allow_non_numeric = options.allow_non_numeric;
  out.fold_names = !options.reader_case_sensitive;
  out.ignore_missing_files = options.ignore_missing_files;
  out.date_format = options.date_format;
  out.timestamp_format = options.timestamp_format;
  out.timestamp_ntz_format = options.timestamp_ntz_format;
  out.time_zone = options.time_zone.empty() ? session_zone : options.time_zone;
  if (has_corrupt) out.corrupt_column = options.corrupt_column;
  if (options.rescued_column.has_value()) out.rescued_column = *options.rescued_column;
  return out;
}

}  // namespace lakebed::source
