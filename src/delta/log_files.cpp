#include "delta/log_files.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <charconv>

#include "delta/snapshot.h"

namespace lakebed::delta {
namespace {

constexpr std::string_view kLogFolder = "_delta_log";
constexpr size_t kVersionDigits = 20;

// A number made of digits only.
std::optional<int64_t> digits(std::string_view text) {
  int64_t value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc() || end != text.data() + text.size() || text.empty()) return {};
  return value < 0 ? std::nullopt : std::optional<int64_t>(value);
}

std::vector<std::string_view> split(std::string_view text, char mark) {
  std::vector<std::string_view> parts;
  for (size_t at = 0;;) {
    const size_t end = text.find(mark, at);
    parts.push_back(text.substr(at, end - at));
    if (end == std::string_view::npos) return parts;
    at = end + 1;
  }
}

// Parts of multi-part checkpoints, until all have been seen: (version, parts) -> part -> path.
using Parts = std::map<std::pair<int64_t, int64_t>, std::map<int64_t, std::string>>;

void take_checkpoint(const std::vector<std::string_view>& name, int64_t version,
                     const std::string& path, LogListing& listing, Parts& parts) {
  const bool parquet = name.back() == "parquet";
  if (name.size() == 3 && parquet) {
    listing.checkpoints[version] = {{path}, false};
  } else if (name.size() == 5 && parquet) {
    const auto part = digits(name[2]);
    const auto count = digits(name[3]);
    if (part && count) parts[{version, *count}][*part] = path;
  } else if (name.size() == 4 && (parquet || name.back() == "json")) {
    listing.checkpoints.try_emplace(version, CheckpointFiles{{path}, true});
  }
}

void take_complete_parts(const Parts& parts, LogListing& listing) {
  for (const auto& [id, files] : parts) {
    const bool complete = static_cast<int64_t>(files.size()) == id.second &&
                          files.begin()->first == 1 && files.rbegin()->first == id.second;
    if (!complete) continue;
    CheckpointFiles checkpoint;
    for (const auto& [part, path] : files) checkpoint.files.push_back(path);
    auto [at, added] = listing.checkpoints.try_emplace(id.first, checkpoint);
    if (!added && at->second.v2) at->second = std::move(checkpoint);
  }
}

}  // namespace

std::string commit_file(int64_t version) {
  return fmt::format("{}/{:020}.json", kLogFolder, version);
}

std::optional<int64_t> LogListing::newest_commit() const {
  if (commits.empty()) return {};
  return commits.rbegin()->first;
}

Result<LogListing> list_log(store::Store& store, int64_t from) {
  LAKEBED_ASSIGN(const auto objects,
                 store.list_from(std::string(kLogFolder), fmt::format("{:020}", from)));
  LogListing listing;
  Parts parts;
  for (const store::ObjectInfo& object : objects) {
    const std::string_view name = std::string_view(object.path).substr(kLogFolder.size() + 1);
    const std::vector<std::string_view> pieces = split(name, '.');
    if (pieces[0].size() != kVersionDigits || pieces.size() < 2) continue;
    const auto version = digits(pieces[0]);
    if (!version) continue;
    if (pieces.size() == 2 && pieces[1] == "json") {
      listing.commits[*version] = object.path;
      listing.commit_times_ms[*version] = object.modified_us / 1000;
    } else if (pieces[1] == "checkpoint") {
      take_checkpoint(pieces, *version, object.path, listing, parts);
    }
  }
  take_complete_parts(parts, listing);
  return listing;
}

std::optional<int64_t> last_checkpoint_hint(store::Store& store) {
  const auto text = store.read("_delta_log/_last_checkpoint");
  if (!text.ok()) return {};
  simdjson::dom::parser parser;
  int64_t version = 0;
  if (parser.parse(*text)["version"].get(version) != simdjson::SUCCESS) return {};
  return version < 0 ? std::nullopt : std::optional<int64_t>(version);
}

}  // namespace lakebed::delta
