#include <fmt/core.h>

#include <filesystem>

#include "base/names.h"
#include "source/source.h"

namespace lakebed::source {

namespace {

// Takes a scheme such as "file:" off the front; "" where there is none.
std::string take_scheme(std::string& path) {
  const size_t colon = path.find(':');
  if (colon == std::string::npos || colon == 0) return "";
  for (size_t i = 0; i < colon; ++i) {
    const char c = path[i];
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    const bool other = (c >= '0' && c <= '9') || c == '+' || c == '-' || c == '.';
    if (!letter && (i == 0 || !other)) return "";
  }
  // "a:b.json" is a file's name; a scheme is followed by a slash.
  if (colon + 1 >= path.size() || path[colon + 1] != '/') return "";
  const std::string scheme = fold_case(path.substr(0, colon));
  path.erase(0, colon + 1);
  return scheme;
}

// "//host/x" without the host, "///x" and "//x" as "/x".
std::string without_authority(std::string path) {
  if (path.rfind("///", 0) == 0) return path.substr(2);
  if (path.rfind("//localhost/", 0) == 0) return path.substr(11);
  return path;
}

std::string below(const std::string& folder, std::string_view rest) {
  while (!rest.empty() && rest.front() == '/') rest.remove_prefix(1);
  return folder + "/" + std::string(rest);
}

// Without "." and "..", and without a slash at the end, so that a file has one name only.
std::string tidy(const std::string& path) {
  std::string out = std::filesystem::path(path).lexically_normal().string();
  while (out.size() > 1 && out.back() == '/') out.pop_back();
  return out;
}

}  // namespace

Result<std::string> local_path(const std::string& path, const Surroundings& surroundings) {
  std::string rest = path;
  const std::string scheme = take_scheme(rest);
  if (scheme == "file") rest = without_authority(std::move(rest));
  if (scheme == "dbfs") {
    rest = without_authority(std::move(rest));
    if (rest.rfind("//", 0) == 0) rest = rest.substr(1);
    if (rest.rfind("/Volumes/", 0) != 0)
      return tidy(below(surroundings.warehouse + "/_dbfs", rest));
  } else if (!scheme.empty() && scheme != "file") {
    return project_error("UNSUPPORTED_PATH_SCHEME",
                         fmt::format("the path {} has the scheme `{}`", path, scheme))
        .with_hint("local paths, file:, dbfs: and /Volumes/ can be read");
  }
  constexpr std::string_view kVolumes = "/Volumes/";
  constexpr std::string_view kDbfs = "/dbfs/";
  if (rest.rfind(kVolumes, 0) == 0) {
    return tidy(below(surroundings.warehouse + "/_volumes", rest.substr(kVolumes.size())));
  }
  if (rest.rfind(kDbfs, 0) == 0) {
    return tidy(below(surroundings.warehouse + "/_dbfs", rest.substr(kDbfs.size())));
  }
  if (rest.empty() || rest.front() != '/') rest = below(surroundings.folder, rest);
  return tidy(rest);
}

}  // namespace lakebed::source
