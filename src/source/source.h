// Sources: where rows come from, and how far a flow has read.
//
// A Source is opened from what the author wrote (a path and options, or a Delta table) and from
// the position that the flow committed last. It tells its schema for planning, and hands out
// slices. A slice says what it covers, gives the engine's input for it, and carries the position
// and the seen files that become true when the slice is committed. A source remembers nothing of
// the slices that it handed out: ask again with the committed position after a failure or a lost
// race. Kinds of sources: files (open_files) and Delta tables (delta_source.h).
// Not thread-safe; the readers that a slice makes may run in another thread.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/engine.h"
#include "value/column.h"

namespace lakebed::source {

// What a file looked like when it was listed. `path` is absolute, local, without scheme.
struct SeenFile {
  std::string path;
  uint64_t size = 0;
  int64_t modified_us = 0;
};

// The files that a flow has read: the memory lies with the caller (room state).
class SeenFiles {
 public:
  virtual ~SeenFiles() = default;
  virtual Result<std::optional<SeenFile>> lookup(const std::string& path) = 0;
};

class Listings;  // listing.h

// What a source needs of its surroundings. The functions may be empty where nothing needs them:
// the refusal then says what is missing.
struct Surroundings {
  // The engine, loaded on first use: schemas of Parquet, CSV.
  std::function<Result<engine::Engine*>()> engine;
  // Reads the text of a `schema` option: DDL ("id INT, name STRING") or STRUCT<...>.
  std::function<Result<value::Schema>(const std::string& text)> parse_schema;
  std::string time_zone = "UTC";             // spark.sql.session.timeZone
  std::string warehouse;                     // absolute; /Volumes/... and dbfs:/... lie below it
  std::string folder;                        // absolute; relative paths start here
  uint64_t batch_bytes = uint64_t{1} << 30;  // lakebed.batch.maxBytes, where no option says more
  Listings* listings = nullptr;              // of the update that runs; null: list each time
};

// A part of a source that one batch reads.
struct Slice {
  std::string covers;                // for logs: "3 files, a.json to c.json", "versions 4 to 6"
  std::string position;              // JSON; what the flow stores when the slice is committed
  std::vector<SeenFile> files;       // what joins the flow's seen set then
  std::vector<std::string> notices;  // for the log: files that were skipped, and why
  uint64_t file_count = 0;
  uint64_t bytes = 0;            // of the files, as stored
  std::optional<uint64_t> rows;  // where known without reading
  bool more = false;             // further slices are pending already
  // The columns that input() gives when asked for all.
  value::Schema schema;
  value::Schema hidden;
  // The engine's input for a scan of `wanted`: fields out of schema and hidden, in that order.
  // May be called several times. Errors: SOURCE_FILE_VANISHED, SOURCE_FILE_CHANGED.
  std::function<Result<engine::ScanInput>(const value::Schema& wanted)> input;
};

class Source {
 public:
  virtual ~Source() = default;
  // Columns of the rows, and those that are found by name only (_metadata).
  virtual const value::Schema& schema() const = 0;
  virtual const value::Schema& hidden() const = 0;
  // Everything that is there now, as one slice, for a read that is no stream.
  virtual Result<Slice> read_all() = 0;
  // The files that read_all() reads, one row a file with its `_metadata`; no columns where the
  // source is not made of files.
  virtual value::ColumnBatch file_facts() const { return {}; }
  // A part of read_all(): the files at these rows of file_facts(), ascending.
  virtual Result<Slice> read_some(const std::vector<uint32_t>& /*files*/) { return read_all(); }
  // The next slice after `position` ("" = from the start), nothing where nothing is pending.
  // Looks anew at what is there only when refresh() was called since.
  virtual Result<std::optional<Slice>> next_slice(const std::string& position, SeenFiles& seen) = 0;
  // Lists again / reads the newest table version. The schema stays; open anew to let it grow.
  virtual Status refresh() = 0;
};

struct Option {
  std::string name;  // in any spelling
  std::string value;
  SourceSpan span;  // may be unknown
};

// A read_files, cloud_files, spark.read(Stream).format(..).load: a path and options.
struct FilesRequest {
  std::string path;
  std::string format;  // "" = from the options, else from the files' names
  std::vector<Option> options;
  bool streaming = false;
  // read_files and cloud_files add `_rescued_data` under inference; json.`path` and the readers of
  // Spark do not.
  bool rescues = true;
  // Where the options do not say it: cloud_files does not infer types, all else does.
  bool infers_types = true;
  // Streams only: the position committed last, and its seen files (null: nothing seen). An
  // inferred schema is taken from the position and widened by what unseen files add.
  std::string position;
  SeenFiles* seen = nullptr;
  SourceSpan span;  // of the call, for errors
};

// Opens files. Errors blame the project: PATH_NOT_FOUND, UNKNOWN_READ_OPTION, INVALID_READ_OPTION,
// UNSUPPORTED_FILE_FORMAT, UNSUPPORTED_PATH_SCHEME, UNABLE_TO_INFER_SCHEMA; of the
// files' content the update: MALFORMED_RECORD_IN_PARSING.
Result<std::unique_ptr<Source>> open_files(const FilesRequest& request,
                                           const Surroundings& surroundings);

// The local path that a user's path means: schemes stripped, volumes mapped, relative ones put
// under the folder; globs stay as they are. Error: UNSUPPORTED_PATH_SCHEME.
Result<std::string> local_path(const std::string& path, const Surroundings& surroundings);

// STRUCT<file_path: STRING, file_name: STRING, file_size: BIGINT, file_block_start: BIGINT,
// file_block_length: BIGINT, file_modification_time: TIMESTAMP>, the hidden column of files.
value::Field metadata_field();

}  // namespace lakebed::source
