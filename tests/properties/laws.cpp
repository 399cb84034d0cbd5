#include "laws.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "cdc/reference/memory_target.h"

namespace lakebed::properties {

using cdc::reference::Delivery;
using cdc::reference::MemoryTargetScd1;
using cdc::reference::MemoryTargetScd2;
using cdc::reference::TwinRow;
using Rows = std::vector<TwinRow>;
using What = Item::What;

namespace {

std::string rows_text(const Feed& feed, const Rows& rows) {
  const auto rank = [&](const value::SequenceCode& code) {
    const auto& codes = feed.domain->codes;
    return std::lower_bound(codes.begin(), codes.end(), code) - codes.begin();
  };
  std::string out;
  for (const TwinRow& row : rows) {
    out += fmt::format(" key {} [{}, {}) value {};", row.key.high, rank(row.start),
                       row.end ? std::to_string(rank(*row.end)) : "open", row.value_hash - 100);
  }
  return out.empty() ? " no rows" : out;
}

std::string difference(const Feed& feed, const std::string& what, const Rows& is,
                       const Rows& must) {
  if (is == must) return "";
  return fmt::format("{}\n  is:   {}\n  must: {}", what, rows_text(feed, is),
                     rows_text(feed, must));
}

Feed without_truncates(Feed feed) {
  Feed out = feed;
  out.items.clear();
  out.cuts.clear();
  size_t cut = 0;
  for (size_t at = 0; at < feed.items.size(); ++at) {
    if (cut < feed.cuts.size() && feed.cuts[cut] == at) {
      ++cut;
      if (!out.items.empty()) out.cuts.push_back(out.items.size());
    }
    if (feed.items[at].what != What::kTruncate) out.items.push_back(feed.items[at]);
  }
  if (!out.cuts.empty() && out.cuts.back() == out.items.size()) out.cuts.pop_back();
  return out;
}

// Keeps of the events at one (key, sequence) those equal to the first; of truncates and events at
// one sequence the kind that came first. What is left has repeats but no ties.
Feed without_ties(Feed feed) {
  std::map<std::pair<uint32_t, uint32_t>, Item> first;
  std::map<uint32_t, bool> truncated;
  for (Item& item : feed.items) {
    const bool is_truncate = item.what == What::kTruncate;
    const bool truncate_here = truncated.try_emplace(item.sequence, is_truncate).first->second;
    if (truncate_here) {
      item.what = What::kTruncate;
      continue;
    }
    if (is_truncate) item.what = What::kDelete;
    item = first.try_emplace({item.key, item.sequence}, item).first->second;
  }
  return feed;
}

template <typename Target>
Rows final_rows(const Feed& feed) {
  Target target;
  for (const auto& batch : batches_of(feed)) target.apply(deliveries_of(feed, batch));
  return target.rows();
}

// How many rows of `from` the other lacks, and of those how many have an identity (key, start)
// that the other has too.
struct Lacking {
  size_t all = 0;
  size_t same_identity = 0;
};

Lacking lacking(const Rows& from, const Rows& other) {
  std::set<std::pair<Hash128, value::SequenceCode>> identities;
  for (const TwinRow& row : other) identities.insert({row.key, row.start});
  Lacking out;
  for (const TwinRow& row : from) {
    if (std::binary_search(other.begin(), other.end(), row)) continue;
    ++out.all;
    if (identities.contains({row.key, row.start})) ++out.same_identity;
  }
  return out;
}

// Rule F7, from the tables before and after alone.
std::string check_metrics(const Rows& before, const Rows& after, const cdc::Metrics& metrics) {
  const Lacking gone = lacking(before, after);
  const Lacking come = lacking(after, before);
  if (metrics.upserted_rows != come.all) {
    return fmt::format("upserted_rows is {}, must be {}", metrics.upserted_rows, come.all);
  }
  const size_t deleted = gone.all - gone.same_identity;
  if (metrics.deleted_rows != deleted) {
    return fmt::format("deleted_rows is {}, must be {}", metrics.deleted_rows, deleted);
  }
  return "";
}

// Rule E4: events that meet a different one, counted by walking through the arrivals.
class TieCounter {
 public:
  uint64_t count(const std::vector<Item>& batch) {
    uint64_t ties = 0;
    for (const Item& item : batch) {
      const auto [at, fresh] = last_.try_emplace({item.key, item.sequence}, item);
      const bool both_delete = at->second.what == What::kDelete && item.what == What::kDelete;
      if (!fresh && !both_delete && at->second != item) ++ties;
      at->second = item;
    }
    return ties;
  }

 private:
  std::map<std::pair<uint32_t, uint32_t>, Item> last_;
};

uint64_t distinct_sequences(const std::vector<Item>& batch) {
  std::set<std::pair<uint32_t, uint32_t>> seen;
  for (const Item& item : batch) seen.insert({item.key, item.sequence});
  return seen.size();
}

// The constant of "entries read an event": see the head of scd2.cpp.
constexpr uint64_t kSeeksPerEvent = 9;

}  // namespace

std::string scd1_equals_twin(const Feed& feed) {
  MemoryTargetScd1 target;
  std::vector<Item> delivered;
  for (const auto& batch : batches_of(feed)) {
    const Rows before = target.rows();
    target.apply(deliveries_of(feed, batch));
    delivered.insert(delivered.end(), batch.begin(), batch.end());
    const Rows must = cdc::reference::scd1_rows(deliveries_of(feed, delivered));
    std::string wrong = difference(feed, "SCD 1 differs from its twin", target.rows(), must);
    if (wrong.empty()) wrong = target.take_faults();
    if (wrong.empty()) wrong = check_metrics(before, must, target.metrics());
    if (!wrong.empty()) return wrong;
  }
  return "";
}

std::string scd2_equals_twin(const Feed& whole) {
  const Feed feed = without_truncates(whole);
  MemoryTargetScd2 target;
  TieCounter ties;
  std::vector<Item> delivered;
  for (const auto& batch : batches_of(feed)) {
    const Rows before = target.rows();
    const uint64_t seeks = target.counters().seeks;
    target.apply(deliveries_of(feed, batch));
    delivered.insert(delivered.end(), batch.begin(), batch.end());
    const Rows must = cdc::reference::scd2_rows(deliveries_of(feed, delivered));
    std::string wrong = difference(feed, "SCD 2 differs from its twin", target.rows(), must);
    if (wrong.empty()) wrong = target.take_faults();
    if (wrong.empty()) wrong = check_metrics(before, must, target.metrics());
    const Lacking gone = lacking(before, must);
    const Lacking come = lacking(must, before);
    const bool minimal =
        target.changes().removed.size() == gone.all && target.changes().added.size() == come.all;
    if (wrong.empty() && !minimal) wrong = "more rows are touched than differ";
    if (wrong.empty() && target.metrics().tied_events != ties.count(batch)) {
      wrong = "tied_events is wrong";
    }
    const uint64_t most = kSeeksPerEvent * distinct_sequences(batch);
    if (wrong.empty() && target.counters().seeks - seeks > most) wrong = "too many seeks";
    if (!wrong.empty()) return wrong;
  }
  return "";
}

namespace {

// Shuffles by a generator that depends on the feed's length only, so shrinking is repeatable.
Feed shuffled(Feed feed, uint64_t seed) {
  const auto random = seeded_random(seed);
  for (size_t at = feed.items.size(); at > 1; --at) {
    std::swap(feed.items[at - 1], feed.items[random->next() % at]);
  }
  return feed;
}

std::string same_in_both(const Feed& is, const Feed& must, const std::string& law) {
  std::string wrong = difference(is, law + " (SCD 1)", final_rows<MemoryTargetScd1>(is),
                                 final_rows<MemoryTargetScd1>(must));
  if (!wrong.empty()) return wrong;
  return difference(is, law + " (SCD 2)", final_rows<MemoryTargetScd2>(without_truncates(is)),
                    final_rows<MemoryTargetScd2>(without_truncates(must)));
}

}  // namespace

std::string order_does_not_matter(const Feed& feed) {
  const Feed plain = without_ties(feed);
  for (uint64_t seed = 1; seed <= 2; ++seed) {
    std::string wrong = same_in_both(shuffled(plain, seed), plain, "law 1: order matters");
    if (!wrong.empty()) return wrong;
  }
  return "";
}

std::string cuts_do_not_matter(const Feed& feed) {
  Feed one = feed;
  one.cuts.clear();
  std::string wrong = same_in_both(one, feed, "law 2: cuts matter (one batch)");
  if (!wrong.empty()) return wrong;
  Feed each = one;
  for (size_t at = 1; at < feed.items.size(); ++at) each.cuts.push_back(at);
  return same_in_both(each, feed, "law 2: cuts matter (one event a batch)");
}

std::string repeats_do_not_matter(const Feed& feed) {
  const Feed plain = without_ties(feed);
  MemoryTargetScd1 scd1;
  MemoryTargetScd2 scd2;
  const Feed events = without_truncates(plain);
  for (const auto& batch : batches_of(plain)) scd1.apply(deliveries_of(plain, batch));
  for (const auto& batch : batches_of(events)) scd2.apply(deliveries_of(plain, batch));
  const Rows scd1_before = scd1.rows();
  const Feed again = shuffled(plain, 3);
  for (const auto& batch : batches_of(again)) {
    scd1.apply(deliveries_of(plain, batch));
    if (scd1.changed()) return "law 3: a repeat changes SCD 1";
  }
  for (const auto& batch : batches_of(without_truncates(again))) {
    scd2.apply(deliveries_of(plain, batch));
    if (!scd2.changes().empty()) return "law 3: a repeat changes SCD 2";
  }
  return difference(feed, "law 3", scd1.rows(), scd1_before);
}

std::string scd1_is_the_open_rows(const Feed& whole) {
  const Feed feed = without_truncates(whole);
  Rows open;
  for (TwinRow row : final_rows<MemoryTargetScd2>(feed)) {
    if (row.end) continue;
    row.start = {};
    open.push_back(row);
  }
  return difference(feed, "law 4", final_rows<MemoryTargetScd1>(feed), open);
}

std::string intervals_are_sound(const Feed& whole) {
  const Feed feed = without_truncates(whole);
  std::map<std::pair<uint64_t, value::SequenceCode>, Item> winners;
  for (const Item& item : feed.items) {
    winners[{item.key, feed.domain->codes[item.sequence]}] = item;
  }
  const Rows rows = final_rows<MemoryTargetScd2>(feed);
  for (size_t at = 0; at < rows.size(); ++at) {
    const TwinRow& row = rows[at];
    if (row.end && *row.end <= row.start) return "law 6: an empty interval";
    const TwinRow* next = at + 1 < rows.size() ? &rows[at + 1] : nullptr;
    if (next != nullptr && next->key != row.key) next = nullptr;
    if (next != nullptr && !row.end) return "law 6: an open row before another";
    if (next != nullptr && *row.end > next->start) return "law 6: intervals overlap";
    const bool adjoins = next != nullptr && *row.end == next->start;
    if (row.end && !adjoins && !winners.at({row.key.high, *row.end}).hides_row()) {
      return "law 6: a gap without a delete";
    }
  }
  return "";
}

std::string keys_do_not_meet(const Feed& whole) {
  const Feed feed = without_truncates(whole);
  const Rows all = final_rows<MemoryTargetScd2>(feed);
  std::set<uint32_t> keys;
  for (const Item& item : feed.items) keys.insert(item.key);
  Rows together;
  for (uint32_t key : keys) {
    Feed alone = feed;
    std::erase_if(alone.items, [&](const Item& item) { return item.key != key; });
    alone.cuts.clear();
    const Rows rows = final_rows<MemoryTargetScd2>(alone);
    together.insert(together.end(), rows.begin(), rows.end());
  }
  return difference(feed, "law 8: keys meet", all, together);
}

std::string in_order_reads_no_old_row(const Feed& whole) {
  Feed feed = without_ties(without_truncates(whole));
  std::stable_sort(feed.items.begin(), feed.items.end(),
                   [](const Item& a, const Item& b) { return a.sequence < b.sequence; });
  MemoryTargetScd2 target;
  for (const auto& batch : batches_of(feed)) target.apply(deliveries_of(feed, batch));
  if (target.old_rows_read() != 0) return "an old row is read for events in order";
  return target.take_faults();
}

}  // namespace lakebed::properties
