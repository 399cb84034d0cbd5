#include "run/project/project.h"

#include <fmt/format.h>
#include <fnmatch.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <cctype>
#include <fstream>
#include <set>
#include <sstream>

#include "base/names.h"
#include "value/text.h"

namespace lakebed::run {

namespace fs = std::filesystem;

namespace {

const std::vector<std::string> kSpecKeys = {"name",   "storage",   "catalog",      "database",
                                            "schema", "libraries", "configuration"};
const std::vector<std::string> kSettings = {
    "lakebed.warehouse",          "lakebed.memoryLimit",
    "lakebed.batch.maxBytes",     "lakebed.cdc.onSequenceTie",
    "lakebed.cdc.onInvalidEvent", "lakebed.snapshot.maxDeleteFraction"};

SourceSpan span_of(const fs::path& file, const YAML::Node& node) {
  const YAML::Mark mark = node.Mark();
  SourceSpan span{file.filename().string(), 0, 0, 1};
  if (mark.line >= 0) {
    span.line = static_cast<uint32_t>(mark.line) + 1;
    span.column = static_cast<uint32_t>(mark.column) + 1;
  }
  return span;
}

std::vector<fs::path> specs_in(const fs::path& folder) {
  std::vector<fs::path> found;
  for (const char* name : {"spark-pipeline.yml", "spark-pipeline.yaml"}) {
    if (std::error_code ignored; fs::is_regular_file(folder / name, ignored)) {
      found.push_back(folder / name);
    }
  }
  return found;
}

Result<std::optional<fs::path>> spec_in(const fs::path& folder) {
  const std::vector<fs::path> found = specs_in(folder);
  if (found.size() > 1) {
    return project_error("MULTIPLE_PIPELINE_SPEC_FILES_FOUND",
                         fmt::format("both spark-pipeline.yml and spark-pipeline.yaml are in {}",
                                     folder.string()))
        .with_hint("keep one of them, or name one with --spec");
  }
  return found.empty() ? std::nullopt : std::optional(found[0]);
}

Result<fs::path> find_spec(const std::optional<std::string>& spec, const fs::path& start) {
  if (spec.has_value()) {
    fs::path path = fs::absolute(*spec);
    if (fs::is_directory(path)) {
      LAKEBED_ASSIGN(const auto inside, spec_in(path));
      if (inside.has_value()) return *inside;
    } else if (fs::is_regular_file(path)) {
      return path;
    }
    return project_error("PIPELINE_SPEC_FILE_DOES_NOT_EXIST",
                         fmt::format("there is no pipeline specification at {}", *spec));
  }
  for (fs::path folder = fs::absolute(start);; folder = folder.parent_path()) {
    LAKEBED_ASSIGN(const auto inside, spec_in(folder));
    if (inside.has_value()) return *inside;
    if (folder == folder.parent_path()) break;
  }
  return project_error(
             "PIPELINE_SPEC_FILE_NOT_FOUND",
             fmt::format("no spark-pipeline.yml in {} or the folders above it", start.string()))
      .with_hint("run inside a project, name one with --spec, or make one: lakebed init NAME");
}

Result<YAML::Node> read_yaml(const fs::path& path) {
  std::ifstream in(path);
  std::stringstream text;
  text << in.rdbuf();
  if (!in) {
    return project_error("PIPELINE_SPEC_DAMAGED", fmt::format("{} can't be read", path.string()));
  }
  try {
    YAML::Node node = YAML::Load(text.str());
    if (!node.IsMap()) {
      return project_error("PIPELINE_SPEC_DAMAGED", "the specification is no map of fields",
                           {path.filename().string(), 1, 1, 1});
    }
    return node;
  } catch (const YAML::Exception& problem) {
    SourceSpan span{path.filename().string(), static_cast<uint32_t>(problem.mark.line + 1),
                    static_cast<uint32_t>(problem.mark.column + 1), 1};
    return project_error("PIPELINE_SPEC_DAMAGED", problem.msg, span);
  }
}

Result<std::string> scalar(const fs::path& path, const YAML::Node& node, const std::string& key) {
  if (!node.IsScalar()) {
    return project_error("PIPELINE_SPEC_FIELD_NOT_STRING",
                         fmt::format("field {} must be one text", key), span_of(path, node));
  }
  return node.Scalar();
}

Status check_keys(const fs::path& path, const YAML::Node& spec) {
  for (const auto& item : spec) {
    const std::string key = item.first.Scalar();
    if (std::find(kSpecKeys.begin(), kSpecKeys.end(), key) != kSpecKeys.end()) continue;
    Error error = project_error("PIPELINE_SPEC_UNEXPECTED_FIELD",
                                fmt::format("field {} is unknown", key), span_of(path, item.first));
    error.span.length = static_cast<uint32_t>(key.size());
    const std::string near = nearest_name(key, kSpecKeys);
    return error.with_hint(near.empty()
                               ? "known are " + fmt::format("{}", fmt::join(kSpecKeys, ", "))
                               : fmt::format("did you mean {}?", near));
  }
  return {};
}

// Matches a path against a glob: `**` stands for any folders, `*` and `?` stay inside a name.
bool glob_matches(const std::string& pattern, const std::string& path) {
  const size_t stars = pattern.find("**");
  if (stars == std::string::npos) {
    return fnmatch(pattern.c_str(), path.c_str(), FNM_PATHNAME) == 0;
  }
  const std::string before = pattern.substr(0, stars);
  std::string after = pattern.substr(stars + 2);
  if (path.compare(0, before.size(), before) != 0) return false;
  if (after.empty()) return true;
  if (after[0] == '/') after.erase(0, 1);
  const std::string rest = path.substr(before.size());
  for (size_t at = 0; at != std::string::npos; at = rest.find('/', at)) {
    if (at > 0) ++at;
    if (glob_matches(after, rest.substr(at))) return true;
  }
  return false;
}

bool is_pipeline_file(const fs::path& path) {
  const std::string extension = path.extension().string();
  return extension == ".sql" || extension == ".py";
}

Result<std::vector<fs::path>> expand_glob(const fs::path& root, const std::string& include,
                                          const SourceSpan& span, Files files) {
  std::vector<fs::path> found;
  const fs::path base = root;
  std::error_code problem;
  for (auto it = fs::recursive_directory_iterator(base, problem);
       it != fs::recursive_directory_iterator(); it.increment(problem)) {
    if (problem) break;
    const std::string name = it->path().filename().string();
    if (it->is_directory() && (name[0] == '.' || name[0] == '_' || name == "warehouse")) {
      it.disable_recursion_pending();
    }
    const std::string relative = it->path().lexically_relative(base).generic_string();
    if (it->is_regular_file() && name[0] != '.' && glob_matches(include, relative)) {
      if (is_pipeline_file(it->path())) found.push_back(it->path());
    }
  }
  if (found.empty() && files == Files::kNeeded) {
    return project_error("PIPELINE_GLOB_NO_MATCH",
                         fmt::format("no .sql or .py file matches {}", include), span)
        .with_hint(
            "globs are relative to the folder of the specification; "
            "`transformations/**` takes every file below that folder");
  }
  return found;
}

Status read_libraries(const fs::path& path, const YAML::Node& libraries, Files needed,
                      Project& project) {
  std::set<fs::path> files;
  for (const YAML::Node& library : libraries) {
    std::string include;
    if (library.IsMap() && library["glob"] && library["glob"]["include"]) {
      include = library["glob"]["include"].as<std::string>();
    } else if (library.IsMap() && library["file"] && library["file"].IsScalar()) {
      include = library["file"].as<std::string>();
    } else {
      return project_error("PIPELINE_SPEC_UNEXPECTED_FIELD",
                           "a library must be written as  - glob: {include: PATTERN}",
                           span_of(path, library));
    }
    if (include.rfind("./", 0) == 0) include.erase(0, 2);
    LAKEBED_ASSIGN(const auto found,
                   expand_glob(project.root, include, span_of(path, library), needed));
    files.insert(found.begin(), found.end());
  }
  project.files.assign(files.begin(), files.end());
  return {};
}

fs::path local_path(const Project& project, std::string text) {
  if (text.rfind("file://", 0) == 0) {
    text.erase(0, 7);
  } else if (text.rfind("file:", 0) == 0) {
    text.erase(0, 5);
  }
  const fs::path path(text);
  return (path.is_absolute() ? path : project.root / path).lexically_normal();
}

Error bad_value(const std::string& key, const std::string& value, const std::string& wanted,
                SourceSpan span) {
  return project_error("INVALID_CONF_VALUE", fmt::format("{} = {}: must be {}", key, value, wanted),
                       std::move(span));
}

// A number from 0 to 1; nothing where the text is none.
std::optional<double> parse_fraction(const std::string& text) {
  char* end = nullptr;
  const double number = std::strtod(text.c_str(), &end);
  const bool whole = !text.empty() && end == text.c_str() + text.size();
  return whole && number >= 0 && number <= 1 ? std::optional(number) : std::nullopt;
}

// SET key = 'value' means what SET key = value does.
std::string unquoted(const std::string& text) {
  const bool quoted = text.size() >= 2 && text.front() == text.back() &&
                      (text.front() == '\'' || text.front() == '"');
  return quoted ? text.substr(1, text.size() - 2) : text;
}

// Settings of Spark that make another language of SQL.
const std::map<std::string, std::string> kDialect = {{"spark.sql.ansi.enabled", "true"},
                                                     {"spark.sql.caseSensitive", "false"}};

bool is_dialect(const std::string& key) { return kDialect.contains(key); }

Status check_dialect(const std::string& key, const std::string& value, const SourceSpan& span) {
  const std::string& only = kDialect.at(key);
  if (fold_case(value) == only) return {};
  return project_error("SETTING_NOT_SUPPORTED",
                       fmt::format("{} is {} here, always: {} would change what queries give", key,
                                   only, value),
                       span)
      .with_hint("leave it out");
}

Status read_configuration(const fs::path& path, const YAML::Node& node, Project& project) {
  if (!node || node.IsNull()) return {};
  if (!node.IsMap()) {
    return project_error("PIPELINE_SPEC_FIELD_NOT_DICT", "configuration must be a map",
                         span_of(path, node));
  }
  for (const auto& item : node) {
    const std::string key = item.first.Scalar();
    LAKEBED_ASSIGN(const std::string value, scalar(path, item.second, key));
    project.configuration[key] = value;
    LAKEBED_TRY(apply_setting(project, key, value, span_of(path, item.second)));
  }
  return {};
}

Status read_names(const fs::path& path, const YAML::Node& spec, Project& project) {
  if (!spec["name"]) {
    return project_error("PIPELINE_SPEC_MISSING_REQUIRED_FIELD", "field name is missing",
                         {path.filename().string(), 1, 1, 1});
  }
  LAKEBED_ASSIGN(project.name, scalar(path, spec["name"], "name"));
  if (spec["catalog"]) {
    LAKEBED_ASSIGN(project.catalog, scalar(path, spec["catalog"], "catalog"));
  }
  if (spec["schema"] && spec["database"]) {
    return project_error("PIPELINE_SPEC_UNEXPECTED_FIELD",
                         "schema and database mean the same: write one of them",
                         span_of(path, spec["schema"]));
  }
  for (const char* key : {"schema", "database"}) {
    if (!spec[key]) continue;
    LAKEBED_ASSIGN(project.schema, scalar(path, spec[key], key));
  }
  project.storage = project.root / "storage";
  if (spec["storage"]) {
    LAKEBED_ASSIGN(const std::string storage, scalar(path, spec["storage"], "storage"));
    project.storage = local_path(project, storage);
  }
  return {};
}

}  // namespace

std::optional<uint64_t> parse_byte_size(const std::string& text) {
  size_t used = 0;
  while (used < text.size() && std::isdigit(static_cast<unsigned char>(text[used]))) ++used;
  if (used == 0 || used > 15) return std::nullopt;
  uint64_t size = std::stoull(text.substr(0, used));
  std::string unit = fold_case(text.substr(used));
  unit.erase(std::remove(unit.begin(), unit.end(), ' '), unit.end());
  if (unit.size() > 1 && unit.back() == 'b') unit.pop_back();
  if (unit.size() > 1 && unit.back() == 'i') unit.pop_back();
  const size_t step = std::string("bkmgt").find(unit.empty() ? "b" : unit);
  if (unit.size() > 1 || step == std::string::npos) return std::nullopt;
  return size << (10 * step);
}

std::string Project::shown(const std::filesystem::path& path) const {
  const fs::path relative = path.lexically_relative(root);
  const bool inside = !relative.empty() && *relative.begin() != "..";
  return inside ? relative.string() : path.string();
}

bool is_setting(const std::string& key) {
  return key.starts_with("lakebed.") || key == "spark.sql.session.timeZone" || is_dialect(key);
}

Status apply_setting(Project& project, const std::string& key, const std::string& written,
                     const SourceSpan& span) {
  const std::string value = unquoted(written);
  if (key == "lakebed.warehouse") {
    project.warehouse = local_path(project, value);
  } else if (key == "lakebed.memoryLimit" || key == "lakebed.batch.maxBytes") {
    const auto size = parse_byte_size(value);
    if (!size) return bad_value(key, value, "a size such as 4g or 512m", span);
    (key == "lakebed.memoryLimit" ? project.memory_limit_bytes : project.batch_bytes_max) = *size;
  } else if (key == "lakebed.cdc.onSequenceTie") {
    if (value != "fail" && value != "latest") return bad_value(key, value, "latest or fail", span);
    project.fail_on_tie = value == "fail";
  } else if (key == "lakebed.cdc.onInvalidEvent") {
    if (value != "fail" && value != "quarantine") {
      return bad_value(key, value, "fail or quarantine", span);
    }
    project.quarantine = value == "quarantine";
  } else if (key == "lakebed.snapshot.maxDeleteFraction") {
    const auto part = parse_fraction(value);
    if (!part) return bad_value(key, value, "a number from 0 to 1", span);
    project.max_delete_fraction = *part;
  } else if (key == "spark.sql.session.timeZone") {
    if (!value::is_known_zone(value)) return bad_value(key, value, "a known time zone", span);
    project.time_zone = value;
  } else if (is_dialect(key)) {
    return check_dialect(key, value, span);
  } else if (key.rfind("lakebed.", 0) == 0) {
    const std::string near = nearest_name(key, kSettings);
    return project_error("UNKNOWN_LAKEBED_SETTING", fmt::format("{} is no setting", key), span)
        .with_hint(near.empty() ? "" : fmt::format("did you mean {}?", near));
  }
  return {};
}

Result<Project> load_project(const std::optional<std::string>& spec,
                             const std::filesystem::path& start, Files files) {
  LAKEBED_ASSIGN(const fs::path path, find_spec(spec, start));
  LAKEBED_ASSIGN(const YAML::Node yaml, read_yaml(path));
  Project project;
  project.spec_path = path;
  project.root = path.parent_path();
  project.warehouse = project.root / "warehouse";
  LAKEBED_TRY(check_keys(path, yaml));
  LAKEBED_TRY(read_names(path, yaml, project));
  LAKEBED_TRY(read_configuration(path, yaml["configuration"], project));
  const YAML::Node libraries = yaml["libraries"];
  if (!libraries || !libraries.IsSequence() || libraries.size() == 0) {
    return project_error("PIPELINE_SPEC_MISSING_REQUIRED_FIELD",
                         "field libraries is missing: it lists the project's files",
                         {path.filename().string(), 1, 1, 1})
        .with_hint("libraries:\n  - glob:\n      include: transformations/**");
  }
  LAKEBED_TRY(read_libraries(path, libraries, files, project));
  return project;
}

}  // namespace lakebed::run
