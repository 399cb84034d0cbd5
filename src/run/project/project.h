// A pipeline project: spark-pipeline.yml and the files that it names, read as Spark Declarative
// Pipelines reads them. Nothing of a file's content is looked at here.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"

namespace lakebed::run {

struct Project {
  std::filesystem::path root;  // the folder of the specification
  std::filesystem::path spec_path;
  std::string name;
  std::string catalog = "main";     // default catalog of names
  std::string schema = "default";   // default schema of names ("database" or "schema" in the file)
  std::filesystem::path storage;    // checkpoint-like data that is no table
  std::filesystem::path warehouse;  // tables: <warehouse>/<catalog>/<schema>/<table>
  std::map<std::string, std::string> configuration;  // as written
  std::vector<std::filesystem::path> files;          // pipeline files, by name order
  std::string time_zone = "UTC";                     // spark.sql.session.timeZone
  uint64_t memory_limit_bytes = 0;                   // lakebed.memoryLimit; 0: half of the machine
  uint64_t batch_bytes_max = uint64_t{1} << 30;      // lakebed.batch.maxBytes
  bool quarantine = false;         // lakebed.cdc.onInvalidEvent: quarantine (rule E6)
  bool fail_on_tie = false;        // lakebed.cdc.onSequenceTie: fail (rule E4)
  double max_delete_fraction = 1;  // lakebed.snapshot.maxDeleteFraction (rule S5)

  // A path as messages show it: relative to the project's folder where it lies inside.
  std::string shown(const std::filesystem::path& path) const;
};

// Whether a project without a pipeline file is an error: not for commands that only look at tables.
enum class Files : uint8_t { kNeeded, kMayLack };

// Finds the specification: `spec` if given (a file, or a folder that holds one), else in `start`
// or the nearest of its parents. Errors, blame kProject: PIPELINE_SPEC_FILE_NOT_FOUND,
// PIPELINE_SPEC_FILE_DOES_NOT_EXIST, MULTIPLE_PIPELINE_SPEC_FILES_FOUND,
// PIPELINE_SPEC_UNEXPECTED_FIELD, PIPELINE_SPEC_MISSING_REQUIRED_FIELD, PIPELINE_SPEC_DAMAGED,
// PIPELINE_GLOB_NO_MATCH, INVALID_CONF_VALUE, UNKNOWN_LAKEBED_SETTING.
Result<Project> load_project(const std::optional<std::string>& spec,
                             const std::filesystem::path& start, Files files = Files::kNeeded);

// Gives a setting to the project: ours (`lakebed.*`), and what of Spark's changes results. Any
// other key is the user's own and left alone. Errors, blame kProject: INVALID_CONF_VALUE,
// UNKNOWN_LAKEBED_SETTING, SETTING_NOT_SUPPORTED (another dialect than ours: no ANSI, names by
// case). The value may stand in quotes.
Status apply_setting(Project& project, const std::string& key, const std::string& written,
                     const SourceSpan& span);

// Whether apply_setting does something with the key.
bool is_setting(const std::string& key);

// Bytes from "512", "64k", "100MB", "1g", "1 GiB". Nothing where the text is no size.
std::optional<uint64_t> parse_byte_size(const std::string& text);

}  // namespace lakebed::run
