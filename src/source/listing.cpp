#include "source/listing.h"

#include <dirent.h>
#include <fmt/core.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "source/glob.h"

namespace lakebed::source {

namespace {

constexpr int kMaxDepth = 100;  // of folders: more is a loop of links
constexpr std::string_view kNullFolder = "__HIVE_DEFAULT_PARTITION__";

bool is_hidden(std::string_view name) {
  if (name.empty() || name[0] == '.') return true;
  return name[0] == '_' && name.find('=') == std::string_view::npos;
}

std::string join(const std::string& folder, std::string_view name) {
  std::string out = folder;
  if (out.empty() || out.back() != '/') out += '/';
  return out += name;
}

Error listing_failed(const std::string& path, int reason) {
  return update_error("SOURCE_LISTING_FAILED",
                      fmt::format("listing {} failed: {}", path, std::strerror(reason)));
}

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// %41 becomes A, as in folder names of partitions.
std::string unescape(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool escaped = text[i] == '%' && i + 2 < text.size() && hex_digit(text[i + 1]) >= 0 &&
                         hex_digit(text[i + 2]) >= 0;
    if (escaped) {
      out.push_back(static_cast<char>(hex_digit(text[i + 1]) * 16 + hex_digit(text[i + 2])));
      i += 2;
    } else {
      out.push_back(text[i]);
    }
  }
  return out;
}

class Lister {
 public:
  explicit Lister(const ListRequest& request) : request_(request) {}

  // A path without a glob, or one that a glob matched.
  Status add(const std::string& path, bool recursive);
  // The rest of a glob, part by part, below `folder`.
  Status match(const std::string& folder, const std::vector<std::string>& parts, size_t part);
  Listing take();

 private:
  Status walk(const std::string& folder, bool recursive, int depth);
  void add_file(const std::string& path, const struct stat& facts);
  Result<std::vector<std::string>> names(const std::string& folder) const;

  const ListRequest& request_;
  Listing listing_;
  std::vector<std::pair<std::string, std::optional<std::string>>> partitions_;
};

Result<std::vector<std::string>> Lister::names(const std::string& folder) const {
  DIR* handle = ::opendir(folder.c_str());
  if (handle == nullptr) return listing_failed(folder, errno);
  std::vector<std::string> out;
  errno = 0;
  while (const dirent* entry = ::readdir(handle)) {
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") out.emplace_back(name);
  }
  const int reason = errno;
  ::closedir(handle);
  if (reason != 0) return listing_failed(folder, reason);
  return out;
}

void Lister::add_file(const std::string& path, const struct stat& facts) {
  const bool folder = S_ISDIR(facts.st_mode);
  if (!S_ISREG(facts.st_mode) && !folder) return;
  const size_t slash = path.rfind('/');
  if (!request_.file_glob.empty() && !glob_match(request_.file_glob, path.substr(slash + 1))) {
    return;
  }
  ListedFile file;
  file.path = path;
  file.is_folder = folder;
  file.size = folder ? 0 : static_cast<uint64_t>(facts.st_size);
  file.modified_us = int64_t{facts.st_mtim.tv_sec} * 1'000'000 + facts.st_mtim.tv_nsec / 1000;
  file.partitions = partitions_;
  if (request_.modified_after_us && file.modified_us <= *request_.modified_after_us) return;
  if (request_.modified_before_us && file.modified_us >= *request_.modified_before_us) return;
  listing_.files.push_back(std::move(file));
}

Status Lister::add(const std::string& path, bool recursive) {
  struct stat facts;
  if (::stat(path.c_str(), &facts) != 0) {
    if (errno == ENOENT || errno == ENOTDIR) return {};
    return listing_failed(path, errno);
  }
  listing_.exists = true;
  if (S_ISDIR(facts.st_mode)) return walk(path, recursive, 0);
  add_file(path, facts);
  return {};
}

Status Lister::walk(const std::string& folder, bool recursive, int depth) {
  if (depth > kMaxDepth) return listing_failed(folder, ELOOP);
  LAKEBED_ASSIGN(const std::vector<std::string> found, names(folder));
  for (const std::string& name : found) {
    if (is_hidden(name)) continue;
    const std::string path = join(folder, name);
    struct stat facts;
    if (::stat(path.c_str(), &facts) != 0) {
      if (errno == ENOENT) continue;  // gone since, or a link to nowhere
      return listing_failed(path, errno);
    }
    if (!S_ISDIR(facts.st_mode)) {
      add_file(path, facts);
      continue;
    }
    if (request_.folders && !recursive) {
      add_file(path, facts);
      continue;
    }
    const size_t equals = name.find('=');
    const bool is_partition = equals != std::string::npos && equals > 0;
    if (!recursive && !is_partition) continue;
    if (is_partition) {
      const std::string text = name.substr(equals + 1);
      partitions_.emplace_back(unescape(name.substr(0, equals)),
                               text == kNullFolder ? std::nullopt : std::optional(unescape(text)));
    }
    LAKEBED_TRY(walk(path, recursive, depth + 1));
    if (is_partition) partitions_.pop_back();
  }
  return {};
}

Status Lister::match(const std::string& folder, const std::vector<std::string>& parts,
                     size_t part) {
  if (part == parts.size()) return add(folder, request_.recursive.value_or(false));
  if (!is_glob(parts[part])) return match(join(folder, parts[part]), parts, part + 1);
  struct stat facts;
  if (::stat(folder.c_str(), &facts) != 0 || !S_ISDIR(facts.st_mode)) return {};
  LAKEBED_ASSIGN(const std::vector<std::string> found, names(folder));
  for (const std::string& name : found) {
    if (is_hidden(name) && !is_hidden(parts[part])) continue;
    if (!glob_match(parts[part], name)) continue;
    LAKEBED_TRY(match(join(folder, name), parts, part + 1));
  }
  return {};
}

Listing Lister::take() {
  const auto by_path = [](const ListedFile& a, const ListedFile& b) { return a.path < b.path; };
  const auto same_path = [](const ListedFile& a, const ListedFile& b) { return a.path == b.path; };
  std::vector<ListedFile>& files = listing_.files;
  std::sort(files.begin(), files.end(), by_path);
  files.erase(std::unique(files.begin(), files.end(), same_path), files.end());
  return std::move(listing_);
}

std::vector<std::string> split(std::string_view path) {
  std::vector<std::string> out;
  size_t from = 0;
  while (from <= path.size()) {
    const size_t to = std::min(path.find('/', from), path.size());
    if (to > from) out.emplace_back(path.substr(from, to - from));
    from = to + 1;
  }
  return out;
}

}  // namespace

Result<Listing> list_files(const ListRequest& request) {
  Lister lister(request);
  std::string path = request.path;
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  struct stat facts;
  if (!is_glob(path) || ::stat(path.c_str(), &facts) == 0) {
    LAKEBED_TRY(lister.add(path, request.recursive.value_or(true)));
    return lister.take();
  }
  for (const std::string& one : expand_braces(path)) {
    LAKEBED_TRY(lister.match("/", split(one), 0));
  }
  return lister.take();
}

Result<Listing> Listings::list(const ListRequest& request) {
  for (const auto& [known, listing] : known_) {
    if (known == request) return listing;
  }
  LAKEBED_ASSIGN(Listing listing, list_files(request));
  known_.emplace_back(request, listing);
  return listing;
}

Status check_unchanged(const ListedFile& file) {
  struct stat facts;
  if (::stat(file.path.c_str(), &facts) != 0) {
    if (errno != ENOENT && errno != ENOTDIR) return listing_failed(file.path, errno);
    return update_error("SOURCE_FILE_VANISHED",
                        fmt::format("the file {} was listed, but is gone", file.path))
        .with_hint("files must stay where they are until they were read");
  }
  if (static_cast<uint64_t>(facts.st_size) == file.size) return {};
  return update_error("SOURCE_FILE_CHANGED",
                      fmt::format("the file {} had {} bytes when it was listed and has {} now",
                                  file.path, file.size, facts.st_size))
      .with_hint("write a file elsewhere and move it into the folder when it is complete");
}

}  // namespace lakebed::source
