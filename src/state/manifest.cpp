#include "state/manifest.h"

#include <fmt/core.h>

#include <set>

#include "base/json.h"
#include "state/bytes.h"
#include "state/manifest_json.h"

namespace lakebed::state {

namespace {

constexpr std::string_view kMagic = "LBMAN001";
constexpr uint32_t kVersion = 1;
constexpr size_t kHeader = 64;
constexpr size_t kAlignment = 64;

size_t aligned(size_t bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; }

struct ReadManifest {
  Json json;
  std::optional<ManifestRef> parent;
};

Result<ReadManifest> read_one(store::Store& store, const ManifestRef& ref) {
  auto mapping = store.map(std::string(kStateFolder) + ref.name);
  if (!mapping.ok()) return damaged(ref.name, mapping.error().message);
  const std::string_view bytes = (*mapping)->bytes();
  if (manifest_hash(bytes) != ref.hash) {
    return damaged(ref.name, "its bytes are not those that the table's log means");
  }
  if (bytes.size() < kHeader || bytes.substr(0, 8) != kMagic) {
    return damaged(ref.name, "not a manifest");
  }
  if (load_number<uint32_t>(bytes.data() + 8) != kVersion) {
    return update_error("STATE_FORMAT_UNKNOWN",
                        fmt::format("state file {} was written by a newer program", ref.name));
  }
  const auto at = load_number<uint64_t>(bytes.data() + 16);
  const auto length = load_number<uint64_t>(bytes.data() + 24);
  if (at > bytes.size() || length != bytes.size() - at) return damaged(ref.name, "cut short");
  LAKEBED_ASSIGN(Json json, parse_json(bytes.substr(at), "STATE_DAMAGED"));
  LAKEBED_ASSIGN(auto parent, manifest_parent(json, ref.name));
  return ReadManifest{std::move(json), std::move(parent)};
}

}  // namespace

std::string manifest_hash(std::string_view bytes) {
  const Hash128 hash = hash128(bytes);
  return hex64(hash.high) + hex64(hash.low);
}

Result<LoadedManifest> load_manifest(store::Store& store, const ManifestRef& head) {
  LoadedManifest loaded;
  std::vector<Json> parts;
  std::optional<ManifestRef> next = head;
  while (next.has_value()) {
    if (loaded.chain.size() > kChainLimit) return damaged(head.name, "its chain does not end");
    LAKEBED_ASSIGN(ReadManifest one, read_one(store, *next));
    parts.push_back(std::move(one.json));
    loaded.chain.push_back(*next);
    next = std::move(one.parent);
  }
  for (size_t i = parts.size(); i-- > 0;) {
    LAKEBED_TRY(apply_manifest_json(parts[i], loaded.chain[i].name, loaded.data));
  }
  return loaded;
}

std::vector<uint64_t> section_offsets(const std::vector<std::string>& sections) {
  std::vector<uint64_t> offsets;
  uint64_t at = kHeader;
  for (const std::string& section : sections) {
    offsets.push_back(at);
    at = aligned(at + section.size());
  }
  return offsets;
}

std::string encode_manifest(const ManifestData& data, const std::vector<std::string>& sections,
                            const ManifestData* before, const ManifestRef* parent) {
  const std::string json = manifest_json(data, before, parent);
  size_t total = kHeader + json.size();
  for (const std::string& section : sections) total += aligned(section.size());
  std::string bytes;
  bytes.reserve(total);
  bytes.append(kMagic);
  append_number(bytes, kVersion);
  append_number<uint32_t>(bytes, 0);
  append_number<uint64_t>(bytes, 0);  // place of the JSON part, below
  append_number<uint64_t>(bytes, json.size());
  bytes.resize(kHeader);
  for (const std::string& section : sections) {
    bytes.append(section);
    pad_to(bytes, kAlignment);
  }
  store_number<uint64_t>(bytes.data() + 16, bytes.size());
  bytes.append(json);
  return bytes;
}

}  // namespace lakebed::state
