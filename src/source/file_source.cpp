#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "base/json.h"
#include "base/names.h"
#include "source/csv_reader.h"
#include "source/empty_reader.h"
#include "source/file_columns.h"
#include "source/infer.h"
#include "source/json_reader.h"
#include "source/listing.h"
#include "source/options.h"
#include "source/source.h"

namespace lakebed::source {

using value::Field;
using value::Schema;

namespace {

constexpr const char* kRescued = "_rescued_data";

Error fill_span(Error problem, const SourceSpan& span) {
  problem.with_span(span);
  return problem;
}

// The format that a file's name tells, or "".
std::string format_of(std::string path) {
  path = fold_case(path);
  if (path.size() > 3 && path.substr(path.size() - 3) == ".gz") path.resize(path.size() - 3);
  const size_t dot = path.rfind('.');
  if (dot == std::string::npos || path.find('/', dot) != std::string::npos) return "";
  const std::string end = path.substr(dot + 1);
  if (end == "json" || end == "jsonl" || end == "ndjson") return "json";
  if (end == "csv" || end == "tsv") return "csv";
  return end == "parquet" ? end : "";
}

class FileSource : public Source {
 public:
  FileSource(FilesRequest request, Surroundings surroundings)
      : request_(std::move(request)), surroundings_(std::move(surroundings)) {}

  Status open();
  const Schema& schema() const override { return schema_; }
  const Schema& hidden() const override { return hidden_; }
  Result<Slice> read_all() override;
  value::ColumnBatch file_facts() const override;
  Result<Slice> read_some(const std::vector<uint32_t>& files) override;
  Result<std::optional<Slice>> next_slice(const std::string& position, SeenFiles& seen) override;
  Status refresh() override;

 private:
  bool may_appear() const;
  Status find_format();
  Status fix_schema();
  Status declared_schema();
  Status inferred_schema();
  Status apply_hints();
  Status add_partitions(const std::vector<ListedFile>& files);
  Status check_names() const;
  void add_rescued();
  Result<Schema> kept_schema() const;
  Result<Schema> infer(const std::vector<ListedFile>& files, const Schema& kept);
  Result<Schema> infer_parquet(const std::vector<ListedFile>& files, const Schema& kept);
  Status evolve(const Schema& kept);
  Result<std::vector<ListedFile>> unseen(SeenFiles* seen, std::vector<std::string>& notices);
  std::string position() const;
  Slice make_slice(std::vector<ListedFile> files) const;
  Error no_files() const;
  std::string zone() const {
    return options_.time_zone.empty() ? surroundings_.time_zone : options_.time_zone;
  }

  FilesRequest request_;
  Surroundings surroundings_;
  ReadOptions options_;
  ListRequest list_;
  Listing listing_;
  Schema schema_;
  Schema hidden_ = {metadata_field()};
  bool inferred_ = false;
};

Status FileSource::open() {
  LAKEBED_ASSIGN(options_,
                 parse_options(request_.options, request_.format, surroundings_.time_zone));
  const auto written = [this](const Option& option) {
    const std::string name = fold_case(option.name);
    return name.find("infercolumntypes") != std::string::npos ||
           name.find("inferschema") != std::string::npos;
  };
  if (std::none_of(request_.options.begin(), request_.options.end(), written)) {
    options_.infer_types = request_.infers_types;
  }
  LAKEBED_ASSIGN(list_.path, local_path(request_.path, surroundings_));
  list_.file_glob = options_.file_glob;
  list_.recursive = options_.recursive;
  list_.modified_after_us = options_.modified_after_us;
  list_.modified_before_us = options_.modified_before_us;
  LAKEBED_TRY(refresh());
  LAKEBED_TRY(find_format());
  return fix_schema();
}

Status FileSource::refresh() {
  LAKEBED_ASSIGN(listing_, surroundings_.listings ? surroundings_.listings->list(list_)
                                                  : list_files(list_));
  if (listing_.exists || (request_.streaming && may_appear())) return {};
  return project_error("PATH_NOT_FOUND",
                       fmt::format("nothing is at the path {}", request_.path) +
                           (request_.path == list_.path ? "" : " (" + list_.path + ")"))
      .with_hint("paths without a scheme are local; relative ones start at the project's folder");
}

// A stream's glob may match nothing yet, where the folder before the glob is there.
bool FileSource::may_appear() const {
  const size_t magic = list_.path.find_first_of("*?[{\\");
  if (magic == std::string::npos) return false;
  std::error_code ignored;
  return std::filesystem::is_directory(list_.path.substr(0, list_.path.rfind('/', magic) + 1),
                                       ignored);
}

Status FileSource::find_format() {
  std::string& format = options_.format;
  if (!format.empty()) return {};
  for (const ListedFile& file : listing_.files) {
    const std::string found = format_of(file.path);
    if (found.empty() || (!format.empty() && found != format)) {
      return project_error(
                 "UNSUPPORTED_FILE_FORMAT",
                 fmt::format("the name of {} does not tell one format for all files of {}",
                             file.path, request_.path))
          .with_hint("add format => 'json', 'csv' or 'parquet'");
    }
    format = found;
  }
  if (format.empty() && !request_.position.empty()) {
    LAKEBED_ASSIGN(const Json kept, parse_json(request_.position, "SOURCE_POSITION.DAMAGED"));
    format = kept.value("format", "");
  }
  if (format.empty() && options_.schema_text) {
    format = "json";  // nothing to read yet; the next update looks again
  }
  return {};
}

Status FileSource::fix_schema() {
  inferred_ = !options_.schema_text.has_value();
  if (!inferred_) return declared_schema();
  return inferred_schema();
}

Status FileSource::declared_schema() {
  if (!surroundings_.parse_schema) {
    return project_error("INVALID_READ_OPTION", "a schema as text cannot be read here");
  }
  auto parsed = surroundings_.parse_schema(*options_.schema_text);
  if (!parsed.ok()) {
    parsed.error().within("option schema");
    return std::move(parsed).error();
  }
  schema_ = std::move(*parsed);
  // Data cannot be trusted to hold to NOT NULL; Spark reads every column as nullable.
  for (Field& field : schema_) field.nullable = true;
  if (options_.partition_columns) LAKEBED_TRY(add_partitions(listing_.files));
  if (options_.rescued_column && !value::find_field(schema_, *options_.rescued_column)) {
    add_rescued();
  }
  return {};
}

Result<Schema> FileSource::kept_schema() const {
  if (request_.position.empty()) return Schema{};
  LAKEBED_ASSIGN(const Json json, parse_json(request_.position, "SOURCE_POSITION.DAMAGED"));
  if (!json.contains("schema")) return Schema{};
  return parse_schema_json(json["schema"].dump());
}

Status FileSource::inferred_schema() {
  LAKEBED_ASSIGN(const Schema kept, kept_schema());
  std::vector<std::string> ignored;
  LAKEBED_ASSIGN(const std::vector<ListedFile> files,
                 unseen(request_.streaming ? request_.seen : nullptr, ignored));
  if (files.empty() && kept.empty()) return no_files();
  LAKEBED_ASSIGN(schema_, infer(files, kept));
  if (!kept.empty()) LAKEBED_TRY(evolve(kept));
  LAKEBED_TRY(apply_hints());
  LAKEBED_TRY(add_partitions(files));
  LAKEBED_TRY(check_names());
  add_rescued();
  if (schema_.empty() || (schema_.size() == 1 && request_.rescues)) return no_files();
  return {};
}

// Names that differ only in case cannot stand side by side (rule F12).
Status FileSource::check_names() const {
  for (size_t i = 0; i < schema_.size(); ++i) {
    const auto first = value::find_field(schema_, schema_[i].name);
    if (!first || *first == i) continue;
    return update_error("COLUMN_ALREADY_EXISTS",
                        fmt::format("the files of {} have the columns {} and {}, which differ only "
                                    "in case",
                                    request_.path, quote_name(schema_[*first].name),
                                    quote_name(schema_[i].name)))
        .with_hint("give the columns: schema => '...', or readerCaseSensitive => false");
  }
  return {};
}

Error FileSource::no_files() const {
  return project_error(
             request_.streaming ? "CF_EMPTY_DIR_FOR_SCHEMA_INFERENCE" : "UNABLE_TO_INFER_SCHEMA",
             fmt::format("no file at {} tells a schema", request_.path))
      .with_hint("put a file there, or give the columns: schema => 'id INT, name STRING'");
}

Result<Schema> FileSource::infer(const std::vector<ListedFile>& files, const Schema& kept) {
  if (files.empty()) return kept;
  if (options_.format == "parquet") return infer_parquet(files, kept);
  if (options_.format == "json") {
    LAKEBED_ASSIGN(const value::Type type, infer_json(files, options_));
    return finish_inferred(merge_inferred(value::Type::structure(kept), type));
  }
  LAKEBED_ASSIGN(Schema fresh, infer_csv(files, options_, zone()));
  return finish_inferred(
      merge_inferred(value::Type::structure(kept), value::Type::structure(std::move(fresh))));
}

Result<Schema> FileSource::infer_parquet(const std::vector<ListedFile>& files, const Schema& kept) {
  if (!surroundings_.engine) {
    return project_error("UNABLE_TO_INFER_SCHEMA",
                         "Parquet files need the engine for their schema");
  }
  LAKEBED_ASSIGN(engine::Engine * engine, surroundings_.engine());
  Schema out = kept;
  for (const ListedFile& file : files) {
    LAKEBED_ASSIGN(const Schema one, engine->parquet_schema(file.path));
    LAKEBED_ASSIGN(out, merge_parquet(out, one, file.path));
    if (!options_.merge_schema) break;
  }
  for (Field& field : out) field.nullable = true;
  return out;
}

// What new files add to a schema that was kept, by schemaEvolutionMode.
Status FileSource::evolve(const Schema& kept) {
  if (options_.evolution == Evolution::kAddNewColumns) return {};
  std::string added;
  for (const Field& field : schema_) {
    if (!value::find_field(kept, field.name)) added += (added.empty() ? "" : ", ") + field.name;
  }
  if (options_.evolution == Evolution::kFail && !added.empty()) {
    return update_error(
               "UNKNOWN_FIELD_EXCEPTION.NEW_FIELDS_IN_FILE",
               fmt::format("new files of {} have the new columns {}", request_.path, added))
        .with_hint("schemaEvolutionMode => 'addNewColumns' takes them up");
  }
  schema_ = kept;
  return {};
}

Status FileSource::apply_hints() {
  if (!options_.schema_hints) return {};
  if (!surroundings_.parse_schema) {
    return project_error("INVALID_READ_OPTION", "schemaHints cannot be read here");
  }
  auto hints = surroundings_.parse_schema(*options_.schema_hints);
  if (!hints.ok()) {
    hints.error().within("option schemaHints");
    return std::move(hints).error();
  }
  for (Field& hint : *hints) {
    hint.nullable = true;
    const auto found = value::find_field(schema_, hint.name);
    if (found)
      schema_[*found].type = hint.type;
    else
      schema_.push_back(hint);
  }
  return {};
}

Status FileSource::add_partitions(const std::vector<ListedFile>& files) {
  LAKEBED_ASSIGN(Schema found, infer_partitions(files, options_.infer_types));
  for (Field& field : found) {
    const auto wanted = [&field](const std::string& name) { return same_name(name, field.name); };
    const auto& list = options_.partition_columns;
    if (list && std::none_of(list->begin(), list->end(), wanted)) continue;
    const auto at = value::find_field(schema_, field.name);
    if (!at) schema_.push_back(std::move(field));
  }
  return {};
}

// Under inference the column stands last; it is filled only where the author asked for it.
void FileSource::add_rescued() {
  const bool by_mode = options_.evolution == Evolution::kRescue && inferred_;
  if (by_mode && !options_.rescued_column) options_.rescued_column = kRescued;
  if (!options_.rescued_column && !(inferred_ && request_.rescues)) return;
  Field field;
  field.name = options_.rescued_column.value_or(kRescued);
  field.type = value::Kind::kString;
  if (!value::find_field(schema_, field.name)) schema_.push_back(std::move(field));
}

Result<std::vector<ListedFile>> FileSource::unseen(SeenFiles* seen,
                                                   std::vector<std::string>& notices) {
  if (seen == nullptr) return listing_.files;
  std::vector<ListedFile> out;
  for (const ListedFile& file : listing_.files) {
    LAKEBED_ASSIGN(const auto before, seen->lookup(file.path));
    if (!before) {
      out.push_back(file);
      continue;
    }
    if (before->size == file.size && before->modified_us == file.modified_us) continue;
    if (options_.allow_overwrites) {
      out.push_back(file);
    } else {
      notices.push_back(
          fmt::format("{} has changed since it was read; it is not read again "
                      "(allowOverwrites is off)",
                      file.path));
    }
  }
  return out;
}

std::string FileSource::position() const {
  Json out = {{"kind", "files"}, {"format", options_.format}};
  if (inferred_) {
    Schema kept = schema_;
    if (!kept.empty() && (kept.back().name == kRescued ||
                          kept.back().name == options_.rescued_column.value_or(kRescued))) {
      kept.pop_back();
    }
    out["schema"] = Json::parse(schema_json(kept));
  }
  return out.dump();
}

std::string covers(const std::vector<ListedFile>& files) {
  const auto name = [](const ListedFile& file) {
    return file.path.substr(file.path.rfind('/') + 1);
  };
  if (files.empty()) return "no files";
  if (files.size() == 1) return "1 file, " + name(files[0]);
  return fmt::format("{} files, {} to {}", files.size(), name(files.front()), name(files.back()));
}

// What a text reader is made of; shared by the readers of a slice.
struct TextInput {
  std::vector<ListedFile> files;
  ReadOptions options;
  std::string zone;
  Schema schema;              // all columns of the source
  bool null_rescued = false;  // `_rescued_data` is there, and NULL

  Result<std::unique_ptr<value::BatchReader>> reader(const Schema& wanted) const {
    if (options.format == "csv") {
      LAKEBED_ASSIGN(CsvOptions csv, csv_options(options, schema, zone));
      csv.layout = schema;
      set_rescued(csv.common);
      return read_csv(files, wanted, std::move(csv));
    }
    JsonOptions json = json_options(options, schema, zone);
    set_rescued(json);
    return read_json(files, wanted, std::move(json));
  }
  void set_rescued(JsonOptions& out) const {
    if (!null_rescued) return;
    out.rescued_column = kRescued;
    out.rescues = false;
  }
};

Result<engine::ScanInput> parquet_input(const std::vector<ListedFile>& files, bool ignore_missing) {
  engine::ScanInput out;
  out.is_parquet = true;
  // A folder's value that only some files have is NULL in the others.
  std::map<std::string, std::optional<std::string>> absent;
  for (const ListedFile& file : files) {
    for (const auto& [name, text] : file.partitions) absent[name] = std::nullopt;
  }
  for (const ListedFile& file : files) {
    auto unchanged = check_unchanged(file);
    if (!unchanged.ok()) {
      if (ignore_missing && unchanged.error().code == "SOURCE_FILE_VANISHED") continue;
      return std::move(unchanged).error();
    }
    engine::ParquetFile one;
    one.path = file.path;
    one.constants = absent;
    for (const auto& [name, text] : file.partitions) one.constants[name] = text;
    out.files.push_back(std::move(one));
  }
  return out;
}

Slice FileSource::make_slice(std::vector<ListedFile> files) const {
  Slice out;
  out.covers = covers(files);
  out.position = position();
  out.schema = schema_;
  out.hidden = hidden_;
  out.file_count = files.size();
  for (const ListedFile& file : files) {
    out.bytes += file.size;
    out.files.push_back({file.path, file.size, file.modified_us});
  }
  if (options_.format == "parquet") {
    out.input = [files = std::move(files), ignore = options_.ignore_missing_files](const Schema&) {
      return parquet_input(files, ignore);
    };
    return out;
  }
  auto text = std::make_shared<const TextInput>(TextInput{
      std::move(files), options_, zone(), schema_, inferred_ && !options_.rescued_column});
  out.input = [text](const Schema& wanted) -> Result<engine::ScanInput> {
    engine::ScanInput input;
    input.reader = [text, wanted] { return text->reader(wanted); };
    return input;
  };
  return out;
}

Result<Slice> FileSource::read_all() {
  Slice out = make_slice(listing_.files);
  out.files.clear();
  out.position.clear();
  return out;
}

value::ColumnBatch FileSource::file_facts() const {
  value::ColumnBatch facts = value::ColumnBatch::empty(hidden_);
  for (const ListedFile& file : listing_.files) append_metadata(file, 1, facts.columns[0]);
  facts.rows = listing_.files.size();
  return facts;
}

Result<Slice> FileSource::read_some(const std::vector<uint32_t>& files) {
  std::vector<ListedFile> chosen;
  for (const uint32_t at : files) chosen.push_back(listing_.files[at]);
  const bool none = chosen.empty();
  Slice out = make_slice(std::move(chosen));
  out.files.clear();
  out.position.clear();
  if (none) {
    out.input = [](const Schema& wanted) -> Result<engine::ScanInput> {
      return empty_input(wanted);
    };
  }
  return out;
}

Result<std::optional<Slice>> FileSource::next_slice(const std::string& position, SeenFiles& seen) {
  std::vector<std::string> notices;
  LAKEBED_ASSIGN(std::vector<ListedFile> pending, unseen(&seen, notices));
  if (pending.empty()) return std::optional<Slice>();
  if (position.empty() && !options_.include_existing) {
    // The files of the beginning count as seen, unread.
    Slice out = make_slice({});
    for (const ListedFile& file : pending) {
      out.files.push_back({file.path, file.size, file.modified_us});
    }
    out.notices = {
        fmt::format("{} files that were there before are passed over "
                    "(includeExistingFiles is off)",
                    pending.size())};
    return std::optional(std::move(out));
  }
  const uint64_t most = options_.max_bytes.value_or(surroundings_.batch_bytes);
  uint64_t bytes = 0;
  size_t count = 0;
  while (count < pending.size() && count < options_.max_files) {
    bytes += pending[count].size;
    if (count > 0 && bytes > most) break;
    ++count;
  }
  const bool more = count < pending.size();
  pending.resize(count);
  Slice out = make_slice(std::move(pending));
  out.notices = std::move(notices);
  out.more = more;
  return std::optional(std::move(out));
}

}  // namespace

Result<std::unique_ptr<Source>> open_files(const FilesRequest& request,
                                           const Surroundings& surroundings) {
  auto source = std::make_unique<FileSource>(request, surroundings);
  auto opened = source->open();
  if (!opened.ok()) return fill_span(std::move(opened).error(), request.span);
  return std::unique_ptr<Source>(std::move(source));
}

}  // namespace lakebed::source
