#include "delta/snapshot.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "delta/internal.h"
#include "delta/schema.h"

namespace lakebed::delta {
namespace {

void add_to(Hash128& sum, const Hash128& item) {
  sum.high += item.high;
  sum.low += item.low;
}

void take_from(Hash128& sum, const Hash128& item) {
  sum.high -= item.high;
  sum.low -= item.low;
}

}  // namespace

std::vector<AddFilePtr> Snapshot::files() const {
  std::vector<AddFilePtr> out;
  out.reserve(files_.size());
  for (const auto& [key, file] : files_) out.push_back(file);
  // Files whose version was lost come first, by their time, as Spark orders a first snapshot.
  const auto rank = [](const AddFilePtr& file) {
    const int64_t time = file->added_version < 0 ? file->modified_ms : 0;
    return std::make_tuple(file->added_version, time, std::string_view(file->path));
  };
  std::sort(out.begin(), out.end(),
            [&](const AddFilePtr& a, const AddFilePtr& b) { return rank(a) < rank(b); });
  return out;
}

AddFilePtr Snapshot::find_path(const std::string& path) const {
  const auto at = files_.lower_bound(file_key(path, {}));
  if (at == files_.end() || at->second->path != path) return nullptr;
  return at->second;
}

std::optional<int64_t> Snapshot::total_rows() const {
  int64_t sum = 0;
  for (const auto& [key, file] : files_) {
    const std::optional<int64_t> rows = file->live_rows();
    if (!rows) return {};
    sum += *rows;
  }
  return sum;
}

std::optional<std::string> Snapshot::domain(const std::string& name) const {
  const auto at = domains_.find(name);
  if (at == domains_.end()) return {};
  return at->second;
}

std::optional<int64_t> Snapshot::transaction(const std::string& app_id) const {
  const auto at = transactions_.find(app_id);
  if (at == transactions_.end()) return {};
  return at->second.version;
}

void Snapshot::insert(AddFile file) {
  std::string key = file.key();
  erase(key);
  tombstones_.erase(key);
  add_to(file_set_hash_, hash128(key));
  total_bytes_ += file.size;
  files_.emplace(std::move(key), std::make_shared<const AddFile>(std::move(file)));
}

void Snapshot::erase(const std::string& key) {
  const auto at = files_.find(key);
  if (at == files_.end()) return;
  take_from(file_set_hash_, hash128(key));
  total_bytes_ -= at->second->size;
  files_.erase(at);
}

Status Snapshot::set_metadata(const Metadata& metadata, const std::string& file) {
  auto schema = schema_from_json(metadata.schema_string);
  if (!schema.ok()) return std::move(schema).error().within("file " + file);
  schema_ = std::move(schema).value();
  metadata_ = metadata;
  return {};
}

void Snapshot::apply_small(const CommitActions& actions) {
  for (const DomainMetadata& domain : actions.domains) {
    if (domain.removed) {
      domains_.erase(domain.domain);
    } else {
      domains_[domain.domain] = domain.configuration;
    }
  }
  for (const SetTransaction& transaction : actions.transactions) {
    transactions_[transaction.app_id] = transaction;
  }
}

Status Snapshot::apply(const CommitActions& actions, int64_t version, const std::string& file) {
  LAKEBED_ASSERT(version == version_ + 1);
  if (version == 0 && (!actions.protocol || !actions.metadata)) {
    return log_damaged(file, "the first version has no protocol or no metadata");
  }
  if (actions.protocol) protocol_ = *actions.protocol;
  if (actions.metadata) LAKEBED_TRY(set_metadata(*actions.metadata, file));
  apply_small(actions);
  // The actions of a commit have no order: take all removes first, so that an add of the same
  // path inherits the version that first added it.
  std::map<std::string_view, int64_t> first_added;
  for (const RemoveFile& remove : actions.removes) {
    const std::string key = remove.key();
    if (const auto live = files_.find(key); live != files_.end()) {
      first_added[remove.path] = live->second->added_version;
      erase(key);
    }
    tombstones_[key] = remove;
  }
  for (const AddFile& add : actions.adds) {
    AddFile copy = add;
    const auto earlier = first_added.find(add.path);
    const AddFilePtr live = earlier == first_added.end() ? find_path(add.path) : nullptr;
    copy.added_version = earlier != first_added.end() ? earlier->second
                         : live                       ? live->added_version
                                                      : version;
    insert(std::move(copy));
  }
  version_ = version;
  timestamp_ms_ = commit_time_ms(actions, timestamp_ms_);
  return {};
}

Status Snapshot::restore(const CommitActions& actions, int64_t version, const std::string& file) {
  if (!actions.protocol || !actions.metadata) {
    return log_damaged(file, "the checkpoint has no protocol or no metadata");
  }
  *this = Snapshot();
  protocol_ = *actions.protocol;
  LAKEBED_TRY(set_metadata(*actions.metadata, file));
  apply_small(actions);
  for (const RemoveFile& remove : actions.removes) tombstones_[remove.key()] = remove;
  for (const AddFile& add : actions.adds) {
    AddFile copy = add;
    copy.added_version = added_version_tag(add);
    insert(std::move(copy));
  }
  version_ = version;
  checkpoint_version_ = version;
  return {};
}

}  // namespace lakebed::delta
