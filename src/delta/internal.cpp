#include "delta/internal.h"

#include <fmt/format.h>

#include <charconv>

namespace lakebed::delta {
namespace {

const std::string kAddedVersionTag = "lakebed.addedVersion";

}  // namespace

Error log_damaged(const std::string& file, std::string_view problem) {
  return update_error("DELTA_LOG.DAMAGED", fmt::format("'{}': {}.", file, problem))
      .with_hint("Restore the file from a copy; the table cannot be read without it.");
}

int64_t commit_time_ms(const CommitActions& actions, int64_t otherwise) {
  if (!actions.info) return otherwise;
  if (actions.info->in_commit_ms) return *actions.info->in_commit_ms;
  return actions.info->timestamp_ms.value_or(otherwise);
}

int64_t added_version_tag(const AddFile& file) {
  const auto at = file.tags.find(kAddedVersionTag);
  if (at == file.tags.end()) return -1;
  int64_t version = -1;
  const std::string& text = at->second;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), version);
  return code == std::errc() && end == text.data() + text.size() ? version : -1;
}

void set_added_version_tag(AddFile& file, int64_t version) {
  file.tags[kAddedVersionTag] = std::to_string(version);
}

}  // namespace lakebed::delta
