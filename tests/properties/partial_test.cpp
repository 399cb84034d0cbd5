// Partial updates over random feeds (rules P3, T2): after every batch both types show what the twin
// says; order, cuts and repeats do not matter where nothing ties. Environment as for other laws.
#include <gtest/gtest.h>

#include <algorithm>

#include "cdc/partial_scd1.h"
#include "cdc/partial_scd2.h"
#include "cdc/reference/memory_target.h"
#include "cdc/reference/partial_twin.h"
#include "feed.h"

namespace lakebed::properties {
namespace {

using namespace cdc;
using namespace cdc::reference;
using Rows = std::vector<TwinRow>;

struct Story {
  size_t leaves = 3;
  size_t tracked = 3;
  uint32_t bad = 0;  // rows with this value in the second leaf are hidden (rule F6); 0: none
  std::vector<std::vector<PartialDelivery>> batches;

  bool hides(const LeafRow& row) const { return bad != 0 && row[1] == bad; }
  std::vector<PartialDelivery> all() const {
    std::vector<PartialDelivery> out;
    for (const auto& batch : batches) out.insert(out.end(), batch.begin(), batch.end());
    return out;
  }
};

// Rows by number, as the kernels know them; row 0 is all NULL.
class Values : public LeafValues {
 public:
  explicit Values(size_t leaves) : rows_{LeafRow(leaves, 0)} {}
  Source add(LeafRow row) {
    rows_.push_back(std::move(row));
    return static_cast<Source>(rows_.size() - 1);
  }
  bool same(size_t leaf, Source left, Source right) override {
    return rows_[left][leaf] == rows_[right][leaf];
  }
  LeafRow build(std::span<const Source> sources) const {
    LeafRow row;
    for (size_t leaf = 0; leaf < sources.size(); ++leaf) row.push_back(rows_[sources[leaf]][leaf]);
    return row;
  }

 private:
  std::vector<LeafRow> rows_;
};

// A batch for the partial kernels, sorted.
struct Batch {
  std::vector<PartialEvent> events;
  std::vector<Hash128> keys;  // beside the events
  std::vector<Truncate> truncates;

  Batch(const std::vector<PartialDelivery>& items, Values& values) {
    std::vector<std::pair<Hash128, PartialEvent>> sorted;
    for (size_t at = 0; at < items.size(); ++at) {
      const PartialDelivery& item = items[at];
      const auto arrival = static_cast<uint32_t>(at);
      if (item.is_truncate) {
        truncates.push_back({item.sequence, arrival});
        continue;
      }
      sorted.emplace_back(item.key, PartialEvent{item.sequence, item.written, values.add(item.row),
                                                 0, arrival, item.operation});
    }
    std::stable_sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) {
      if (a.first != b.first) return a.first < b.first;
      return a.second.sequence < b.second.sequence;
    });
    for (auto& [key, event] : sorted) {
      keys.push_back(key);
      events.push_back(event);
    }
  }
  size_t end_of(size_t begin) const {
    size_t end = begin;
    while (end < keys.size() && keys[end] == keys[begin]) ++end;
    return end;
  }
};

Delivery whole_event(const Story& story, const ResolvedEvent& resolved, const Hash128& key,
                     const LeafRow& row) {
  Delivery out;
  out.event.key = key;
  out.event.sequence = resolved.sequence;
  out.event.operation = resolved.operation;
  out.event.rewrites = resolved.rewrites;
  out.event.value_hash = hash_of(row, story.leaves);
  out.event.tracked_hash = hash_of(row, story.tracked);
  if (resolved.operation == Operation::kDelete) {
    out.event.value_hash = 0;
  } else if (story.hides(row)) {
    out.event.operation = Operation::kDelete;
    out.event.value_hash = hidden_hash(out.event.value_hash);
    out.event.tracked_hash = 0;
  }
  return out;
}

class Target2 {
 public:
  explicit Target2(const Story& story)
      : story_(story), kernel_(story.leaves), target_(Payloads::kAll) {}

  void apply(const std::vector<PartialDelivery>& items) {
    Values values(story_.leaves);
    const Batch batch(items, values);
    Resolved resolved;
    std::vector<Hash128> keys;
    metrics = Metrics();
    rows_read = 0;
    for (size_t begin = 0; begin < batch.events.size();) {
      const size_t end = batch.end_of(begin);
      History history(*this, batch.keys[begin], values);
      kernel_.run(static_cast<uint32_t>(keys.size()),
                  std::span(batch.events).subspan(begin, end - begin), history, resolved, metrics);
      keys.push_back(batch.keys[begin]);
      begin = end;
    }
    std::vector<Delivery> whole;
    for (size_t i = 0; i < resolved.events.size(); ++i) {
      const LeafRow row = values.build(resolved.sources_of(i));
      whole.push_back(whole_event(story_, resolved.events[i], keys[resolved.events[i].key], row));
      const LeafBits written = resolved.written_of(i);
      whole.back().note = kept_.size();
      kept_.push_back({row, {written.begin(), written.end()}});
    }
    changed = !whole.empty();
    target_.apply(whole);
  }
  Rows rows() const { return target_.rows(); }
  std::string faults() { return target_.take_faults(); }

  Metrics metrics;
  bool changed = false;
  size_t rows_read = 0;

 private:
  struct Kept {
    LeafRow row;
    std::vector<uint64_t> written;
  };
  class History : public HistoryOfRows {
   public:
    History(Target2& owner, const Hash128& key, Values& values)
        : owner_(owner), cursor_(owner.target_.cursor(key)), values_(values) {}
    bool seek(EntrySet set, Seek how, const SequenceView& sequence, Entry& out) override {
      return cursor_->seek(set, how, sequence, out);
    }
    bool same(size_t leaf, Source left, Source right) override {
      return values_.same(leaf, left, right);
    }
    Row row_of(const Entry& entry) override {
      ++owner_.rows_read;
      const Kept& kept = owner_.kept_[owner_.target_.note_of(entry.payload)];
      return {values_.add(kept.row), kept.written, true};
    }

   private:
    Target2& owner_;
    std::unique_ptr<Cursor> cursor_;
    Values& values_;
  };

  const Story& story_;
  PartialScd2 kernel_;
  MemoryTargetScd2 target_;
  std::vector<Kept> kept_;
};

class Target1 {
 public:
  explicit Target1(const Story& story) : story_(story), kernel_(story.leaves) {}

  void apply(const std::vector<PartialDelivery>& items) {
    Values values(story_.leaves);
    const Batch batch(items, values);
    std::optional<SequenceView> before;
    if (floor_) before = *floor_;
    const TruncateFloor floor(before, batch.truncates);
    std::vector<Delivery> whole;  // what a truncate drops was dropped: truncates come first
    for (const Truncate& truncate : batch.truncates) {
      whole.emplace_back().event.sequence = truncate.sequence;
      whole.back().is_truncate = true;
    }
    metrics = Metrics();
    std::map<Hash128, std::pair<size_t, size_t>> spans;
    for (size_t begin = 0; begin < batch.events.size();) {
      const size_t end = batch.end_of(begin);
      spans[batch.keys[begin]] = {begin, end - begin};
      begin = end;
    }
    if (floor.arrived()) {
      for (const auto& [key, entry] : target_.memory()) spans.try_emplace(key, 0, 0);
    }
    size_t events = 0;
    for (const auto& [key, span] : spans) {
      const auto of_key = std::span(batch.events).subspan(span.first, span.second);
      events += resolve(key, of_key, floor, values, whole) ? 1 : 0;
    }
    changed = events > 0;
    target_.apply(whole);
    if (floor.floor()) floor_ = floor.floor()->own();
  }
  Rows rows() const { return target_.rows(); }
  std::string faults() { return target_.take_faults(); }

  Metrics metrics;
  bool changed = false;

 private:
  struct Kept {
    LeafRow row;
    std::vector<value::SequenceCode> sequences;
    std::vector<uint32_t> author;
    std::optional<value::SequenceCode> floor;
  };

  bool resolve(const Hash128& key, std::span<const PartialEvent> events, const TruncateFloor& floor,
               Values& values, std::vector<Delivery>& whole) {
    const auto entry = target_.memory().find(key);
    KnownRow known;
    if (entry != target_.memory().end()) {
      known.entry = entry->second.view();
      if (!known.entry.is_tombstone()) {
        const Kept& kept = kept_.at(key);
        known.source = values.add(kept.row);
        known.authors.sequences.assign(kept.sequences.begin(), kept.sequences.end());
        known.authors.author = kept.author;
        if (kept.floor) known.authors.floor = *kept.floor;
      }
    }
    Resolved resolved;
    if (!kernel_.run(0, events, entry == target_.memory().end() ? nullptr : &known, floor, values,
                     resolved, metrics)) {
      return false;
    }
    const LeafAuthors& authors = kernel_.authors();
    Kept kept;
    kept.row = values.build(resolved.sources_of(0));
    for (const SequenceView& sequence : authors.sequences) kept.sequences.push_back(sequence.own());
    kept.author = authors.author;
    if (authors.floor) kept.floor = authors.floor->own();
    whole.push_back(whole_event(story_, resolved.events[0], key, kept.row));
    kept_[key] = std::move(kept);
    return true;
  }

  const Story& story_;
  PartialScd1 kernel_;
  MemoryTargetScd1 target_;
  std::map<Hash128, Kept> kept_;
  std::optional<value::SequenceCode> floor_;
};

uint64_t below(Random& random, uint64_t bound) { return random.next() % bound; }

PartialDelivery random_item(const Story& story, const Domain& domain, uint64_t density,
                            Random& random) {
  PartialDelivery item;
  item.key = {1 + below(random, 2), 7};
  item.sequence = domain.codes[below(random, domain.codes.size())];
  item.row.assign(story.leaves, 0);
  item.written.assign(leaf_words(story.leaves), 0);
  add_leaf(item.written, 0);  // the key
  item.row[0] = static_cast<uint32_t>(item.key.high);
  const uint64_t what = below(random, 100);
  item.is_truncate = what < 5;
  if (what < 20) item.operation = Operation::kDelete;
  for (size_t leaf = 1; leaf < story.leaves; ++leaf) {
    if (below(random, 100) >= density) continue;
    add_leaf(item.written, leaf);
    item.row[leaf] = static_cast<uint32_t>(below(random, 3));
  }
  return item;
}

Story random_story(const Domain& domain, Random& random) {
  Story story;
  const size_t sizes[] = {2, 3, 4, 70};
  story.leaves = sizes[below(random, 4)];
  story.tracked = below(random, 3) == 0 ? 2 : story.leaves;
  story.bad = static_cast<uint32_t>(below(random, 3));
  const uint64_t density = 20 + below(random, 80);
  const uint64_t batches = 1 + below(random, 5);
  for (uint64_t at = 0; at < batches; ++at) {
    story.batches.emplace_back();
    const uint64_t items = 1 + below(random, 6);
    for (uint64_t i = 0; i < items; ++i) {
      story.batches.back().push_back(random_item(story, domain, density, random));
    }
  }
  return story;
}

Story without_truncates(Story story) {
  for (auto& batch : story.batches) {
    std::erase_if(batch, [](const PartialDelivery& item) { return item.is_truncate; });
  }
  return story;
}

// One item a key and sequence, and a truncate alone at its own.
Story without_ties(Story story) {
  std::map<std::pair<Hash128, SequenceView>, bool> seen;
  std::map<SequenceView, bool> marks;
  for (auto& batch : story.batches) {
    std::erase_if(batch, [&](const PartialDelivery& item) {
      const bool here = marks.try_emplace(item.sequence, item.is_truncate).first->second;
      if (here != item.is_truncate) return true;
      return !seen.try_emplace({item.key, item.sequence}, true).second;
    });
  }
  return story;
}

template <typename Target>
std::string equals_twin(const Story& story, Rows (*twin)(std::span<const Delivery>)) {
  Target target(story);
  std::vector<PartialDelivery> delivered;
  for (const auto& batch : story.batches) {
    target.apply(batch);
    delivered.insert(delivered.end(), batch.begin(), batch.end());
    const std::string faults = target.faults();
    if (!faults.empty()) return faults;
    const auto hides = [&story](const LeafRow& row) { return story.hides(row); };
    if (target.rows() != twin(whole_events(delivered, story.tracked, hides))) {
      return "differs from twin";
    }
  }
  return "";
}

template <typename Target>
Rows final_rows(const Story& story) {
  Target target(story);
  for (const auto& batch : story.batches) target.apply(batch);
  return target.rows();
}

// Laws 1 to 3 for a story without ties.
template <typename Target>
std::string laws(const Story& story, Random& random) {
  const Rows must = final_rows<Target>(story);
  Story other = story;
  std::vector<PartialDelivery> items = story.all();
  for (size_t at = items.size(); at > 1; --at) std::swap(items[at - 1], items[below(random, at)]);
  other.batches.assign(1, {});
  for (const PartialDelivery& item : items) {
    if (below(random, 3) == 0) other.batches.emplace_back();
    other.batches.back().push_back(item);
  }
  if (final_rows<Target>(other) != must) return "order or cuts matter";
  Target target(story);
  for (const auto& batch : story.batches) target.apply(batch);
  for (const auto& batch : story.batches) {
    target.apply(batch);
    if (target.changed && !std::any_of(batch.begin(), batch.end(),
                                       [](const auto& item) { return item.is_truncate; })) {
      return "a repeat changes something";
    }
    if (target.metrics.tied_events != 0) return "a repeat is tied";
  }
  return target.rows() == must ? "" : "repeats matter";
}

std::string check(const Story& story, Random& random) {
  std::string wrong = equals_twin<Target1>(story, scd1_rows);
  if (!wrong.empty()) return "SCD 1 " + wrong;
  const Story plain = without_truncates(story);
  wrong = equals_twin<Target2>(plain, scd2_rows);
  if (!wrong.empty()) return "SCD 2 " + wrong;
  wrong = laws<Target1>(without_ties(story), random);
  if (!wrong.empty()) return "SCD 1: " + wrong;
  wrong = laws<Target2>(without_ties(plain), random);
  return wrong.empty() ? "" : "SCD 2: " + wrong;
}

TEST(PartialProperties, P3_LawsHoldOverRandomFeeds) {
  const uint64_t seed = number_from_environment("LAKEBED_SEED", 20260202);
  const uint64_t histories = number_from_environment("LAKEBED_HISTORIES", 20000);
  for (uint64_t at = 0; at < histories; ++at) {
    const auto random = seeded_random(seed + at);
    const Domain domain = make_domain(below(*random, 4), 2 + below(*random, 12), *random);
    const Story story = random_story(domain, *random);
    const std::string wrong = check(story, *random);
    ASSERT_EQ(wrong, "") << "LAKEBED_SEED=" << seed + at << " LAKEBED_HISTORIES=1 repeats it";
  }
}

// What comes in order asks for one remembered row a key, however deep the history is.
TEST(PartialProperties, P3_InOrderReadsOneRowAKey) {
  Story story;
  Target2 target(story);
  for (uint64_t at = 1; at < 200; ++at) {
    PartialDelivery item;
    item.key = {1, 1};
    item.sequence = {at, {}};
    item.row = {1, static_cast<uint32_t>(at), 0};
    item.written = {3};
    target.apply({item});
    ASSERT_LE(target.rows_read, 1U);
  }
  // A late event is carried on until it is written over: by the next event here.
  PartialDelivery late;
  late.key = {1, 1};
  late.sequence = {0, {}};
  late.row = {1, 7, 0};
  late.written = {3};
  target.apply({late});
  EXPECT_LE(target.rows_read, 3U);
}

}  // namespace
}  // namespace lakebed::properties
