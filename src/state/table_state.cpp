#include "state/table_state.h"

#include <algorithm>
#include <set>
#include <thread>

#include "state/heap.h"
#include "state/merge_scan.h"
#include "state/row_codec.h"
#include "state/run.h"
#include "state/state_writer.h"

namespace lakebed::state {

TableState::TableState(store::Store& store, std::shared_ptr<FileNames> files)
    : store_(&store), files_(std::move(files)), heap_(std::make_unique<Heap>(store)) {}

TableState::~TableState() = default;

Result<std::unique_ptr<TableState>> TableState::create(store::Store& store, Identity identity) {
  std::unique_ptr<TableState> state(new TableState(store, std::make_shared<FileNames>()));
  state->data_.identity = identity;
  return state;
}

Result<std::unique_ptr<TableState>> TableState::open(store::Store& store,
                                                     const ManifestRef& head) {
  LAKEBED_ASSIGN(LoadedManifest loaded, load_manifest(store, head));
  std::unique_ptr<TableState> state(new TableState(store, std::make_shared<FileNames>()));
  LAKEBED_TRY(state->take(std::move(loaded.data), std::move(loaded.chain)));
  return state;
}

Status TableState::take(ManifestData data, std::vector<ManifestRef> chain) {
  std::map<std::pair<std::string, uint64_t>, std::shared_ptr<const OpenRun>> open;
  for (const auto& [name, runs] : sets_) {
    for (const LiveRun& live : runs) open[{live.ref.file, live.ref.offset}] = live.run;
  }
  std::map<std::string, std::shared_ptr<store::Mapping>> mapped;
  std::map<std::string, LiveRuns> sets;
  for (const auto& [name, runs] : data.runs) {
    for (const RunRef& ref : runs) {
      std::shared_ptr<const OpenRun>& run = open[{ref.file, ref.offset}];
      if (run == nullptr) {
        std::shared_ptr<store::Mapping>& mapping = mapped[ref.file];
        if (mapping == nullptr) {
          auto made = store_->map(std::string(kStateFolder) + ref.file);
          if (!made.ok()) return damaged(ref.file, made.error().message);
          mapping = std::move(made).value();
        }
        LAKEBED_ASSIGN(run, OpenRun::open(mapping, ref, *files_));
      }
      sets[name].push_back({ref, run});
    }
  }
  for (const auto& [number, ref] : data.heaps) {
    const bool embedded = mapped.contains(ref.file);
    if (embedded || heap_->refs().contains(number)) continue;
    auto info = store_->stat(std::string(kStateFolder) + ref.file);
    if (!info.ok()) return damaged(ref.file, info.error().message);
    if (info->size < ref.offset + ref.length) return damaged(ref.file, "cut short");
  }
  heap_->set_refs(data.heaps);
  next_heap_ = std::max(next_heap_.load(), data.next_heap);
  sets_ = std::move(sets);
  data_ = std::move(data);
  chain_ = std::move(chain);
  return {};
}

const TableState::LiveRuns& TableState::set(const std::string& name) const {
  static const LiveRuns kNone;
  const auto found = sets_.find(name);
  return found == sets_.end() ? kNone : found->second;
}

Result<TableState::Payload> TableState::payload(PayloadRef ref) const { return heap_->read(ref); }

Result<value::Schema> TableState::schema(uint32_t schema_id) const {
  const auto text = data_.schemas.find(schema_id);
  if (text == data_.schemas.end()) {
    return update_error("STATE_DAMAGED",
                        "a payload names schema " + std::to_string(schema_id) +
                            ", which the manifest does not have");
  }
  return schema_from_json(text->second);
}

Status TableState::scan_all(const std::function<Status(const Entry&)>& visit) const {
  std::vector<RunSlice> slices;
  for (const LiveRun& live : set("")) {
    LAKEBED_ASSIGN(const RunSlice slice, slice_of(*live.run, live.ref.low, live.ref.high));
    LAKEBED_TRY(live.run->check_rows(slice.at, slice.end));
    slices.push_back(slice);
  }
  MergeScan scan(std::move(slices), data_.identity);
  while (scan.next()) {
    const Entry entry = scan.entry();
    if (!entry.is_gone()) LAKEBED_TRY(visit(entry));
  }
  return {};
}

std::optional<std::string> TableState::fact(FactSection section, const std::string& key) const {
  const auto& all = facts(section);
  const auto found = all.find(key);
  if (found == all.end()) return std::nullopt;
  return found->second;
}

const std::map<std::string, std::string>& TableState::facts(FactSection section) const {
  static const std::map<std::string, std::string> kNone;
  const auto found = data_.facts.find(section);
  return found == data_.facts.end() ? kNone : found->second;
}

int64_t TableState::table_version() const { return data_.table_version; }
const std::string& TableState::file_set_hash() const { return data_.file_set_hash; }
Identity TableState::identity() const { return data_.identity; }

std::optional<ManifestRef> TableState::manifest() const {
  if (chain_.empty()) return std::nullopt;
  return chain_.front();
}

std::vector<std::string> TableState::live_files() const {
  std::set<std::string> files;
  const auto add = [&](const std::string& name) {
    files.insert(std::string(kStateFolder) + name);
  };
  for (const ManifestRef& ref : chain_) add(ref.name);
  for (const auto& [name, runs] : data_.runs) {
    for (const RunRef& ref : runs) add(ref.file);
  }
  for (const auto& [number, ref] : data_.heaps) add(ref.file);
  return {files.begin(), files.end()};
}

// The greatest number of windows over one key: +1 where a window begins, -1 behind its end.
static uint64_t greatest_depth(const std::vector<RunRef>& runs) {
  std::vector<std::pair<uint64_t, int>> edges;  // ends sort before beginnings of the next value
  for (const RunRef& ref : runs) {
    edges.emplace_back(ref.low, 1);
    if (ref.high != UINT64_MAX) edges.emplace_back(ref.high + 1, -1);
  }
  std::sort(edges.begin(), edges.end());
  int64_t depth = 0;
  int64_t most = 0;
  for (const auto& [at, change] : edges) most = std::max(most, depth += change);
  return static_cast<uint64_t>(most);
}

StateStats TableState::stats() const {
  StateStats stats;
  std::set<std::pair<std::string, uint64_t>> counted;
  const auto entries = data_.runs.find("");
  if (entries == data_.runs.end()) return stats;
  for (const RunRef& ref : entries->second) {
    stats.entries += ref.entries;
    if (ref.base) stats.base_entries += ref.entries;
    if (counted.emplace(ref.file, ref.offset).second) stats.run_bytes += ref.length;
  }
  stats.runs = entries->second.size();
  stats.depth = greatest_depth(entries->second);
  for (const auto& [number, ref] : data_.heaps) stats.heap_bytes += ref.length;
  stats.heaps = data_.heaps.size();
  return stats;
}

Status TableState::verify_all() const {
  for (const auto& [name, runs] : sets_) {
    for (const LiveRun& live : runs) LAKEBED_TRY(live.run->check_rows(0, live.run->size()));
  }
  return heap_->check_all();
}

Status TableState::apply(Finished finished) {
  return take(std::move(finished.data), std::move(finished.chain));
}

}  // namespace lakebed::state
