// Which runs to merge, and merging them.
//
// Uppers: the runs that batches wrote since the last full merge. More than `depth` of them over
// one another: the newest ones become one run, as many as keep sizes growing by a factor towards
// the old (so that an entry is rewritten about log(n) times). Ranges of keys in which uppers hold
// more than `upper_share` of what the base holds are merged into the base, the most loaded first:
// there superseded and gone entries end and payloads that nobody refers to are left behind.
#include <algorithm>
#include <bit>

#include "state/merge_scan.h"
#include "state/output.h"
#include "state/state_writer.h"

namespace lakebed::state {

namespace {

// States below these entries (some hundred KiB) may wait for the next batch.
constexpr uint64_t kTooSmallToHurry = 10000;

struct Window {
  uint64_t low = 0;
  uint64_t high = UINT64_MAX;
};

// Cuts the space of hashes into 2^bits equal ranges.
std::vector<Window> ranges_for(uint64_t entries, uint64_t a_range) {
  const uint64_t wanted = (entries + a_range - 1) / std::max<uint64_t>(a_range, 1);
  const int bits = wanted <= 1 ? 0 : std::bit_width(wanted - 1);
  if (bits == 0) return {Window{}};
  std::vector<Window> ranges;
  const uint64_t width = uint64_t{1} << (64 - bits);
  for (uint64_t i = 0; i < (uint64_t{1} << bits); ++i) {
    ranges.push_back({i * width, i * width + (width - 1)});
  }
  return ranges;
}

struct Plan {
  std::string set;
  Window window;
  bool base = false;
  std::vector<size_t> inputs;  // indexes into the set's runs, newest first
  double load = 0;             // the greater, the sooner
};

}  // namespace

// Plans and does merges over one version of a state.
class Merger {
 public:
  explicit Merger(const TableState& state) : state_(&state), tuning_(state.tuning()) {}

  Result<std::vector<Plan>> plan(bool full) const;
  Status run(const Plan& plan, const MergeBudget& budget, Output& output, Merged& merged) const;

 private:
  using LiveRuns = TableState::LiveRuns;

  Status plan_set(const std::string& name, bool full, std::vector<Plan>& plans) const;
  Status plan_base(const std::string& name, bool full, std::vector<Plan>& plans) const;
  void plan_uppers(const std::string& name, std::vector<Plan>& plans) const;
  std::vector<size_t> overlapping(const LiveRuns& runs, Window window) const;
  Result<std::vector<RunSlice>> slices(const Plan& plan) const;
  Status copy_payload(Entry& entry, bool base, HeapSink& heap) const;

  const TableState* state_;
  const Tuning& tuning_;
};

std::vector<size_t> Merger::overlapping(const LiveRuns& runs, Window window) const {
  std::vector<size_t> found;
  for (size_t i = 0; i < runs.size(); ++i) {
    if (runs[i].ref.low <= window.high && runs[i].ref.high >= window.low) found.push_back(i);
  }
  return found;
}

Status Merger::plan_base(const std::string& name, bool full, std::vector<Plan>& plans) const {
  const LiveRuns& runs = state_->set(name);
  uint64_t total = 0;
  for (const auto& live : runs) total += live.ref.entries;
  for (const Window window : ranges_for(total, tuning_.range_entries)) {
    Plan plan{name, window, true, overlapping(runs, window), 0};
    uint64_t uppers = 0;
    uint64_t base = 0;
    for (const size_t i : plan.inputs) {
      const auto& live = runs[i];
      LAKEBED_ASSIGN(const RunSlice slice,
                     slice_of(*live.run, std::max(window.low, live.ref.low),
                              std::min(window.high, live.ref.high)));
      (live.ref.base ? base : uppers) += slice.end - slice.at;
    }
    plan.load = static_cast<double>(uppers) / static_cast<double>(std::max<uint64_t>(base, 1));
    const bool due = full ? uppers > 0 : plan.load > tuning_.upper_share;
    if (due) plans.push_back(std::move(plan));
  }
  return {};
}

// The newest uppers, as many as keep the sizes of what is left growing.
void Merger::plan_uppers(const std::string& name, std::vector<Plan>& plans) const {
  const LiveRuns& runs = state_->set(name);
  std::vector<std::pair<uint64_t, uint64_t>> ages;  // age and entries, newest first
  for (const auto& live : runs) {
    if (live.ref.base) continue;
    if (ages.empty() || ages.back().first != live.ref.age) ages.emplace_back(live.ref.age, 0);
    ages.back().second += live.ref.entries;
  }
  if (ages.size() < tuning_.depth) return;
  constexpr uint64_t kGrowth = 2;
  size_t count = std::min<size_t>(ages.size(), 4);
  uint64_t sum = 0;
  for (size_t i = 0; i < ages.size(); ++i) {
    if (i >= count && ages[i].second <= kGrowth * sum) count = i + 1;
    sum += ages[i].second;
  }
  uint64_t entries = 0;
  for (size_t i = 0; i < count; ++i) entries += ages[i].second;
  const uint64_t oldest = ages[count - 1].first;
  for (const Window window : ranges_for(entries, 2 * tuning_.range_entries)) {
    Plan plan{name, window, false, {}, 0};
    for (const size_t i : overlapping(runs, window)) {
      if (!runs[i].ref.base && runs[i].ref.age >= oldest) plan.inputs.push_back(i);
    }
    if (plan.inputs.size() > 1) plans.push_back(std::move(plan));
  }
}

Status Merger::plan_set(const std::string& name, bool full, std::vector<Plan>& plans) const {
  uint64_t uppers = 0;
  uint64_t base = 0;
  for (const auto& live : state_->set(name)) (live.ref.base ? base : uppers) += live.ref.entries;
  const size_t before = plans.size();
  // A pass that was stopped leaves few ranges that are due: look long before the whole is due.
  const double share =
      static_cast<double>(uppers) / static_cast<double>(std::max<uint64_t>(base, 1));
  if (full || share > tuning_.upper_share * 0.1) LAKEBED_TRY(plan_base(name, full, plans));
  if (plans.size() == before && !full) plan_uppers(name, plans);
  return {};
}

Result<std::vector<Plan>> Merger::plan(bool full) const {
  std::vector<Plan> plans;
  for (const auto& [name, runs] : state_->sets_) LAKEBED_TRY(plan_set(name, full, plans));
  std::stable_sort(plans.begin(), plans.end(),
                   [](const Plan& a, const Plan& b) { return a.load > b.load; });
  return plans;
}

Result<std::vector<RunSlice>> Merger::slices(const Plan& plan) const {
  std::vector<RunSlice> out;
  const LiveRuns& runs = state_->set(plan.set);
  for (const size_t i : plan.inputs) {
    const auto& live = runs[i];
    LAKEBED_ASSIGN(const RunSlice slice,
                   slice_of(*live.run, std::max(plan.window.low, live.ref.low),
                            std::min(plan.window.high, live.ref.high)));
    LAKEBED_TRY(live.run->check_rows(slice.at, slice.end));
    out.push_back(slice);
  }
  return out;
}

// Payloads move to a heap of the new run: always into the base, else out of small heaps, so that
// heaps do not become many while large ones are not copied again and again.
Status Merger::copy_payload(Entry& entry, bool base, HeapSink& heap) const {
  if (entry.payload == 0) return {};
  const auto ref = state_->data_.heaps.find(static_cast<uint32_t>(entry.payload >> 32));
  const bool small =
      ref != state_->data_.heaps.end() && ref->second.length < tuning_.copy_heap_below;
  if (!base && !small) return {};
  LAKEBED_ASSIGN(const TableState::Payload payload, state_->payload(entry.payload));
  LAKEBED_ASSIGN(entry.payload, heap.append(payload.schema_id, payload.row));
  return {};
}

Status Merger::run(const Plan& plan, const MergeBudget& budget, Output& output,
                   Merged& merged) const {
  const bool is_entries = plan.set.empty();
  const Identity identity = is_entries ? state_->identity() : Identity::kKey;
  const LiveRuns& runs = state_->set(plan.set);
  LAKEBED_ASSIGN(std::vector<RunSlice> inputs, slices(plan));
  for (const RunSlice& slice : inputs) merged.entries_read += slice.end - slice.at;
  RunSink sink(output, state_->files(), runs[plan.inputs.front()].ref.age, is_entries);
  HeapSink heap(output, state_->next_heap_);
  MergeScan scan(std::move(inputs), identity);
  const auto keep = [&](Entry entry) -> Status {
    if (is_entries) LAKEBED_TRY(copy_payload(entry, plan.base, heap));
    return sink.add(entry);
  };
  const bool forgets = plan.base && is_entries && budget.expiry.on();
  ForgettingPass pass(budget.expiry, identity);
  std::vector<Entry> ready;
  while (scan.next()) {
    const Entry entry = scan.entry();
    if (plan.base && entry.is_gone()) continue;
    if (!forgets) {
      LAKEBED_TRY(keep(entry));
      continue;
    }
    ready.clear();
    pass.take(entry, ready);
    for (const Entry& kept : ready) LAKEBED_TRY(keep(kept));
  }
  ready.clear();
  pass.finish(ready);
  for (const Entry& kept : ready) LAKEBED_TRY(keep(kept));
  LAKEBED_TRY(sink.close());
  LAKEBED_TRY(heap.close());
  Merged::Step step{plan.set, plan.window.low, plan.window.high, plan.base, {},
                    std::move(sink.runs()), std::move(heap.heaps())};
  for (const size_t i : plan.inputs) step.inputs.push_back(runs[i].ref);
  for (RunRef& ref : step.outputs) ref.base = plan.base;
  merged.steps.push_back(std::move(step));
  return {};
}

bool merge_due(const TableState& state) {
  const auto plans = Merger(state).plan(false);
  return !plans.ok() || !plans->empty();  // damage is for merge() to report
}

bool merge_urgent(const TableState& state) {
  const StateStats stats = state.stats();
  const auto uppers = static_cast<double>(stats.entries - stats.base_entries);
  const double share = state.tuning().upper_share;
  return uppers > (share + 0.05) * static_cast<double>(stats.base_entries) &&
         stats.entries > kTooSmallToHurry && merge_due(state);
}

Result<Merged> merge(const TableState& state, const std::string& txn, const MergeBudget& budget) {
  const Merger merger(state);
  LAKEBED_ASSIGN(const std::vector<Plan> plans, merger.plan(budget.full));
  Merged merged;
  Output output(state.store(), txn + "-m", state.tuning());
  for (const Plan& plan : plans) {
    const bool enough = merged.entries_read >= budget.max_entries ||
                        (budget.may_go_on && !budget.may_go_on());
    if (enough) {
      merged.more = true;
      break;
    }
    LAKEBED_TRY(merger.run(plan, budget, output, merged));
  }
  merged.sections = std::move(output.sections());
  merged.files = std::move(output.files());
  return merged;
}

}  // namespace lakebed::state
