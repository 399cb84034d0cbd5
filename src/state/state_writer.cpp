#include "state/state_writer.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "state/merge_scan.h"
#include "state/output.h"
#include "state/row_codec.h"

namespace lakebed::state {

struct StateWriter::Parts {
  Parts(TableState& s, std::string txn)
      : state(&s),
        data(s.data_),
        output(s.store(), std::move(txn), s.tuning_),
        heap(output, s.next_heap_) {}

  using LiveRuns = TableState::LiveRuns;
  bool fits(const Merged::Step& step) const;
  Status take_step(const Merged::Step& step);
  RunSink& entries_sink();
  Status close_entries();
  Status close_seen();
  Status add_runs(const std::string& set, RunSink& sink);
  void drop_unused_heaps();
  void resolve(const std::string& manifest);
  const OpenRun* open_run(const RunRef& ref) const;

  TableState* state;
  ManifestData data;
  Output output;
  HeapSink heap;
  std::optional<RunSink> sink;
  std::optional<Entry> last;
  std::string last_tail;
  std::optional<std::pair<value::Schema, uint32_t>> last_schema;  // and its id
  std::map<std::string, std::map<Hash128, SeenFile>> seen;
  bool forgotten = false;
};

StateWriter::StateWriter(TableState& state, std::string txn)
    : parts_(std::make_unique<Parts>(state, std::move(txn))) {}
StateWriter::~StateWriter() = default;
StateWriter::StateWriter(StateWriter&&) noexcept = default;

RunSink& StateWriter::Parts::entries_sink() {
  if (!sink.has_value()) sink.emplace(output, state->files(), data.next_age++, true);
  return *sink;
}

Status StateWriter::add_entry(const Entry& entry) {
  Parts& parts = *parts_;
  if (parts.last.has_value()) {
    const bool ascends = parts.data.identity == Identity::kKey
                             ? parts.last->key < entry.key
                             : compare_entries(*parts.last, entry) < 0;
    LAKEBED_ASSERT(ascends);
  }
  parts.last = entry;
  if (!entry.sequence.tail.empty()) {
    parts.last_tail.assign(entry.sequence.tail);  // the caller's bytes may not live on
    parts.last->sequence.tail = parts.last_tail;
  }
  return parts.entries_sink().add(entry);
}

Status StateWriter::add_entries(std::span<const Entry> entries) {
  for (const Entry& entry : entries) LAKEBED_TRY(add_entry(entry));
  return {};
}

Result<PayloadRef> StateWriter::append_payload(uint32_t schema_id, std::string_view row) {
  return parts_->heap.append(schema_id, row);
}

uint32_t StateWriter::schema_id(const value::Schema& schema) {
  // Payload after payload comes under the same schema: its text is made once.
  auto& last = parts_->last_schema;
  if (last && last->first == schema) return last->second;
  last.emplace(schema, known_schema(schema_to_json(schema)));
  return last->second;
}

uint32_t StateWriter::known_schema(const std::string& text) {
  ManifestData& data = parts_->data;
  for (const auto& [id, known] : data.schemas) {
    if (known == text) return id;
  }
  data.schemas.emplace(data.next_schema, text);
  return data.next_schema++;
}

void StateWriter::forget_everything(Identity identity) {
  ManifestData& data = parts_->data;
  parts_->last_schema.reset();
  data.runs.clear();
  data.heaps.clear();
  data.schemas.clear();
  data.facts.clear();
  data.identity = identity;
  parts_->forgotten = true;
}

void StateWriter::add_seen(const std::string& source, std::string_view name, SeenFile file) {
  parts_->seen[source][hash128(name)] = file;
}

void StateWriter::set_fact(FactSection section, const std::string& key, std::string json) {
  auto& facts = parts_->data.facts[section];
  if (json.empty()) {
    facts.erase(key);
  } else {
    facts[key] = std::move(json);
  }
  if (facts.empty()) parts_->data.facts.erase(section);
}

// The open run of a reference of the state that this writer began with.
const OpenRun* StateWriter::Parts::open_run(const RunRef& ref) const {
  for (const auto& [name, runs] : state->sets_) {
    for (const auto& live : runs) {
      if (live.ref.file == ref.file && live.ref.offset == ref.offset) return live.run.get();
    }
  }
  return nullptr;
}

namespace {

bool same_run(const RunRef& a, const RunRef& b) {
  return a.file == b.file && a.offset == b.offset && a.age == b.age;
}

bool overlaps(const RunRef& ref, uint64_t low, uint64_t high) {
  return ref.low <= high && ref.high >= low;
}

// The input of a step that stands for the live run `ref`: it covers no more than it did.
const RunRef* input_for(const Merged::Step& step, const RunRef& ref) {
  const uint64_t low = std::max(step.low, ref.low);
  const uint64_t high = std::min(step.high, ref.high);
  for (const RunRef& input : step.inputs) {
    if (!same_run(input, ref)) continue;
    const bool whole =
        std::max(step.low, input.low) == low && std::min(step.high, input.high) == high;
    if (whole) return &input;
  }
  return nullptr;
}

}  // namespace

// A step fits while its inputs are live and nothing else lies between them in its window.
bool StateWriter::Parts::fits(const Merged::Step& step) const {
  const auto live = data.runs.find(step.set);
  if (live == data.runs.end() || step.inputs.empty()) return false;
  const uint64_t newest = step.inputs.front().age;
  const uint64_t oldest = step.base ? 0 : step.inputs.back().age;
  size_t matched = 0;
  for (const RunRef& ref : live->second) {
    if (!overlaps(ref, step.low, step.high) || ref.age > newest || ref.age < oldest) continue;
    if (input_for(step, ref) == nullptr) return false;
    ++matched;
  }
  for (const auto& [number, ref] : step.heaps) {
    if (data.heaps.contains(number)) return false;
  }
  return matched == step.inputs.size();
}

// Cuts the step's window out of its inputs and puts the outputs in.
Status StateWriter::Parts::take_step(const Merged::Step& step) {
  std::vector<RunRef> kept;
  const auto keep = [&](RunRef ref, uint64_t low, uint64_t high, const OpenRun& run) -> Status {
    LAKEBED_ASSIGN(const RunSlice slice, slice_of(run, low, high));
    if (slice.at == slice.end) return {};
    ref.low = low;
    ref.high = high;
    ref.entries = slice.end - slice.at;
    kept.push_back(std::move(ref));
    return {};
  };
  for (const RunRef& ref : data.runs[step.set]) {
    const bool is_input = overlaps(ref, step.low, step.high) && input_for(step, ref) != nullptr;
    if (!is_input) {
      kept.push_back(ref);
      continue;
    }
    const OpenRun* run = open_run(ref);
    LAKEBED_ASSERT(run != nullptr);
    if (ref.low < step.low) LAKEBED_TRY(keep(ref, ref.low, step.low - 1, *run));
    if (ref.high > step.high) LAKEBED_TRY(keep(ref, step.high + 1, ref.high, *run));
  }
  kept.insert(kept.end(), step.outputs.begin(), step.outputs.end());
  sort_runs(kept);
  data.runs[step.set] = std::move(kept);
  if (data.runs[step.set].empty()) data.runs.erase(step.set);
  data.heaps.insert(step.heaps.begin(), step.heaps.end());
  return {};
}

Result<size_t> StateWriter::adopt(Merged merged) {
  Parts& parts = *parts_;
  LAKEBED_ASSERT(!parts.forgotten);
  auto& sections = parts.output.sections();
  const size_t shift = sections.size();
  size_t taken = 0;
  for (Merged::Step& step : merged.steps) {
    if (!parts.fits(step)) continue;
    for (RunRef& ref : step.outputs) {
      if (ref.file.empty()) ref.offset += shift;
    }
    for (auto& [number, ref] : step.heaps) {
      if (ref.file.empty()) ref.offset += shift;
    }
    LAKEBED_TRY(parts.take_step(step));
    ++taken;
  }
  if (taken == 0) return taken;
  for (std::string& section : merged.sections) sections.push_back(std::move(section));
  for (std::string& file : merged.files) parts.output.files().push_back(std::move(file));
  return taken;
}

Status StateWriter::Parts::add_runs(const std::string& set, RunSink& runs) {
  LAKEBED_TRY(runs.close());
  if (runs.runs().empty()) return {};
  std::vector<RunRef>& live = data.runs[set];
  const bool base = live.empty();
  for (RunRef& ref : runs.runs()) {
    ref.base = base;
    live.push_back(std::move(ref));
  }
  sort_runs(live);
  return {};
}

Status StateWriter::Parts::close_entries() {
  LAKEBED_TRY(heap.close());
  data.heaps.insert(heap.heaps().begin(), heap.heaps().end());
  if (!sink.has_value()) return {};
  return add_runs("", *sink);
}

Status StateWriter::Parts::close_seen() {
  for (const auto& [source, files] : seen) {
    RunSink runs(output, state->files(), data.next_age++, false);
    for (const auto& [key, file] : files) {
      Entry entry;
      entry.key = key;
      entry.sequence.head = static_cast<uint64_t>(file.modified_us);
      entry.payload = file.size;
      LAKEBED_TRY(runs.add(entry));
    }
    LAKEBED_TRY(add_runs(kSeenPrefix + source, runs));
  }
  return {};
}

void StateWriter::Parts::drop_unused_heaps() {
  std::set<uint32_t> used;
  const auto entries = data.runs.find("");
  if (entries != data.runs.end()) {
    for (const RunRef& ref : entries->second) used.insert(ref.heaps.begin(), ref.heaps.end());
  }
  std::erase_if(data.heaps, [&](const auto& item) { return !used.contains(item.first); });
}

void StateWriter::Parts::resolve(const std::string& manifest) {
  const std::vector<uint64_t> offsets = section_offsets(output.sections());
  for (auto& [name, runs] : data.runs) {
    for (RunRef& ref : runs) resolve_section(ref, manifest, offsets);
    sort_runs(runs);
  }
  for (auto& [number, ref] : data.heaps) resolve_section(ref, manifest, offsets);
}

const std::vector<std::string>& StateWriter::written() const { return parts_->output.files(); }

Result<Finished> StateWriter::finish(int64_t table_version, const std::string& file_set_hash) {
  Parts& parts = *parts_;
  LAKEBED_TRY(parts.close_entries());
  LAKEBED_TRY(parts.close_seen());
  parts.drop_unused_heaps();
  Finished done;
  done.manifest.name = fmt::format("{:020}-{}.manifest", table_version, parts.output.txn());
  parts.resolve(done.manifest.name);
  parts.data.table_version = table_version;
  parts.data.file_set_hash = file_set_hash;
  parts.data.next_heap = std::max(parts.data.next_heap, parts.state->next_heap_.load());
  const std::vector<ManifestRef>& chain = parts.state->chain_;
  const bool is_base = chain.empty() || chain.size() >= kChainLimit || parts.forgotten;
  const std::string bytes =
      encode_manifest(parts.data, parts.output.sections(), is_base ? nullptr : &parts.state->data_,
                      is_base ? nullptr : &chain.front());
  done.manifest.hash = manifest_hash(bytes);
  done.written = parts.output.files();
  done.written.push_back(std::string(kStateFolder) + done.manifest.name);
  LAKEBED_TRY(parts.state->store().put(done.written.back(), bytes));
  done.to_sync = done.written;
  done.chain = {done.manifest};
  if (!is_base) done.chain.insert(done.chain.end(), chain.begin(), chain.end());
  done.data = std::move(parts.data);
  return done;
}

}  // namespace lakebed::state
