#include "state/manifest_json.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "state/bytes.h"

namespace lakebed::state {

namespace {

constexpr std::array<std::pair<FactSection, const char*>, 5> kSections{{
    {FactSection::kPosition, "positions"},
    {FactSection::kDefinition, "definitions"},
    {FactSection::kOnce, "once"},
    {FactSection::kSnapshot, "snapshots"},
    {FactSection::kTable, "table"},
}};

// Runs are told apart by where they lie and where their window begins.
std::string run_key(const RunRef& ref) {
  return fmt::format("{}@{}@{}", ref.file, ref.offset, ref.low);
}

Json run_json(const RunRef& ref) {
  return Json{{"file", ref.file},       {"offset", ref.offset}, {"length", ref.length},
              {"hash", ref.header_hash}, {"age", ref.age},       {"entries", ref.entries},
              {"low", ref.low},          {"high", ref.high},     {"base", ref.base},
              {"heaps", ref.heaps}};
}

RunRef run_from(const Json& json) {
  RunRef ref;
  ref.file = json.at("file").get<std::string>();
  ref.offset = json.at("offset").get<uint64_t>();
  ref.length = json.at("length").get<uint64_t>();
  ref.header_hash = json.at("hash").get<uint64_t>();
  ref.age = json.at("age").get<uint64_t>();
  ref.entries = json.at("entries").get<uint64_t>();
  ref.low = json.at("low").get<uint64_t>();
  ref.high = json.at("high").get<uint64_t>();
  ref.base = json.at("base").get<bool>();
  ref.heaps = json.at("heaps").get<std::vector<uint32_t>>();
  return ref;
}

Json heap_json(const HeapRef& ref) {
  return Json{
      {"file", ref.file}, {"offset", ref.offset}, {"length", ref.length}, {"hash", ref.hash}};
}

HeapRef heap_from(const Json& json) {
  return {json.at("file").get<std::string>(), json.at("offset").get<uint64_t>(),
          json.at("length").get<uint64_t>(), json.at("hash").get<uint64_t>()};
}

// Items of `now` that `before` lacks or has otherwise, and null for those that are gone.
template <typename Map, typename ToJson>
Json map_change(const Map& now, const Map& before, ToJson to_json) {
  Json out = Json::object();
  const auto text = [](const auto& key) {
    if constexpr (std::is_integral_v<std::decay_t<decltype(key)>>) {
      return std::to_string(key);
    } else {
      return key;
    }
  };
  for (const auto& [key, item] : now) {
    const auto old = before.find(key);
    if (old == before.end() || !(old->second == item)) out[text(key)] = to_json(item);
  }
  for (const auto& [key, item] : before) {
    if (!now.contains(key)) out[text(key)] = nullptr;
  }
  return out;
}

std::map<std::string, RunRef> by_key(const std::vector<RunRef>& runs) {
  std::map<std::string, RunRef> out;
  for (const RunRef& ref : runs) out.emplace(run_key(ref), ref);
  return out;
}

Json runs_change(const ManifestData& data, const ManifestData& before) {
  Json out = Json::object();
  const std::vector<RunRef> none;
  const auto add = [&](const std::string& name) {
    const auto now = data.runs.find(name);
    const auto old = before.runs.find(name);
    Json change = map_change(by_key(now == data.runs.end() ? none : now->second),
                             by_key(old == before.runs.end() ? none : old->second), run_json);
    if (!change.empty()) out[name] = std::move(change);
  };
  for (const auto& [name, runs] : data.runs) add(name);
  for (const auto& [name, runs] : before.runs) {
    if (!data.runs.contains(name)) add(name);
  }
  return out;
}

void add_facts(const ManifestData& data, const ManifestData& before, Json& out) {
  const std::map<std::string, std::string> none;
  for (const auto& [section, name] : kSections) {
    const auto now = data.facts.find(section);
    const auto old = before.facts.find(section);
    Json change = map_change(now == data.facts.end() ? none : now->second,
                             old == before.facts.end() ? none : old->second,
                             [](const std::string& text) { return Json(text); });
    if (!change.empty()) out[name] = std::move(change);
  }
}

void apply_runs(const Json& sets, ManifestData& data) {
  for (const auto& [name, changes] : sets.items()) {
    std::map<std::string, RunRef> runs = by_key(data.runs[name]);
    for (const auto& [key, value] : changes.items()) {
      runs.erase(key);
      if (!value.is_null()) runs.emplace(key, run_from(value));
    }
    std::vector<RunRef>& list = data.runs[name];
    list.clear();
    for (auto& [key, ref] : runs) list.push_back(std::move(ref));
    sort_runs(list);
    if (list.empty()) data.runs.erase(name);
  }
}

template <typename FromJson>
void apply_numbered(const Json& changes, auto& map, FromJson from_json) {
  for (const auto& [key, value] : changes.items()) {
    const auto number = static_cast<uint32_t>(std::stoul(key));
    map.erase(number);
    if (!value.is_null()) map.emplace(number, from_json(value));
  }
}

void apply_facts(const Json& json, ManifestData& data) {
  for (const auto& [section, name] : kSections) {
    if (!json.contains(name)) continue;
    auto& facts = data.facts[section];
    for (const auto& [key, value] : json.at(name).items()) {
      facts.erase(key);
      if (!value.is_null()) facts.emplace(key, value.get<std::string>());
    }
    if (facts.empty()) data.facts.erase(section);
  }
}

void apply_all(const Json& json, ManifestData& data) {
  data.table_version = json.at("version").get<int64_t>();
  data.file_set_hash = json.at("fileSet").get<std::string>();
  data.next_age = json.at("nextAge").get<uint64_t>();
  data.next_heap = json.at("nextHeap").get<uint32_t>();
  data.next_schema = json.at("nextSchema").get<uint32_t>();
  data.identity = json.at("identity").get<std::string>() == "key" ? Identity::kKey
                                                                  : Identity::kKeyKindSequence;
  if (json.contains("runs")) apply_runs(json.at("runs"), data);
  if (json.contains("heaps")) apply_numbered(json.at("heaps"), data.heaps, heap_from);
  if (json.contains("schemas")) {
    apply_numbered(json.at("schemas"), data.schemas,
                   [](const Json& text) { return text.get<std::string>(); });
  }
  apply_facts(json, data);
}

}  // namespace

void sort_runs(std::vector<RunRef>& runs) {
  std::sort(runs.begin(), runs.end(), [](const RunRef& a, const RunRef& b) {
    return a.age != b.age ? a.age > b.age : a.low < b.low;
  });
}

std::string manifest_json(const ManifestData& data, const ManifestData* before,
                          const ManifestRef* parent) {
  const ManifestData nothing;
  const ManifestData& old = before == nullptr ? nothing : *before;
  Json out;
  if (parent != nullptr) out["parent"] = Json{{"name", parent->name}, {"hash", parent->hash}};
  out["version"] = data.table_version;
  out["fileSet"] = data.file_set_hash;
  out["nextAge"] = data.next_age;
  out["nextHeap"] = data.next_heap;
  out["nextSchema"] = data.next_schema;
  out["identity"] = data.identity == Identity::kKey ? "key" : "keyKindSequence";
  if (Json runs = runs_change(data, old); !runs.empty()) out["runs"] = std::move(runs);
  if (Json heaps = map_change(data.heaps, old.heaps, heap_json); !heaps.empty()) {
    out["heaps"] = std::move(heaps);
  }
  Json schemas = map_change(data.schemas, old.schemas, [](const auto& text) { return Json(text); });
  if (!schemas.empty()) out["schemas"] = std::move(schemas);
  add_facts(data, old, out);
  return out.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Result<std::optional<ManifestRef>> manifest_parent(const Json& json, const std::string& file) {
  if (!json.is_object()) return damaged(file, "it is not an object");
  const auto parent = json.find("parent");
  if (parent == json.end()) return std::optional<ManifestRef>();
  if (!parent->is_object() || !parent->contains("name") || !parent->contains("hash") ||
      !parent->at("name").is_string() || !parent->at("hash").is_string()) {
    return damaged(file, "its parent is not readable");
  }
  return std::optional<ManifestRef>(ManifestRef{parent->at("name").get<std::string>(),
                                                parent->at("hash").get<std::string>()});
}

Status apply_manifest_json(const Json& json, const std::string& file, ManifestData& data) {
  try {
    apply_all(json, data);
  } catch (const std::exception& problem) {  // of the JSON library or std::stoul
    return damaged(file, problem.what());
  }
  return {};
}

}  // namespace lakebed::state
