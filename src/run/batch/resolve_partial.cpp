// resolve_partial: from partial events to whole ones, chunk by chunk of keys. What to decide is
// cdc/partial_scd1 and cdc/partial_scd2; here rows get numbers, and numbers become rows again.
#include <algorithm>
#include <memory>

#include "cdc/partial_scd2.h"
#include "run/apply/floor.h"
#include "run/apply/memory_cursor.h"
#include "run/batch/not_null.h"
#include "run/batch/row_pool.h"
#include "run/quality/whole_rows.h"
#include "run/target/generated.h"
#include "state/bytes.h"

namespace lakebed::run {

namespace {

using cdc::PartialEvent;
using value::Column;
using value::ColumnBatch;

// Rows that are put together at once; bounds memory beside the batch.
constexpr size_t kChunkEvents = 16384;

// The events of one key; none where only a truncate reaches it.
struct KeyEvents {
  Hash128 key;
  size_t begin = 0;
  size_t count = 0;
};

class Resolver {
 public:
  Resolver(ApplyContext& context, const EventBatch& batch, cdc::Metrics& metrics)
      : context_(context),
        batch_(batch),
        metrics_(metrics),
        leaves_(context.columns),
        pool_(context, leaves_),
        all_(cdc::all_leaves(leaves_.count())) {}
  virtual ~Resolver() = default;

  Result<EventBatch> run();

 protected:
  // Keys that the batch reaches without an event.
  virtual Result<std::vector<Hash128>> further_keys() { return std::vector<Hash128>{}; }
  // Resolves the keys of one chunk into resolved_ and appends to authors_ an item an event.
  virtual Status resolve(std::span<const KeyEvents> keys) = 0;
  std::span<const PartialEvent> events_of(const KeyEvents& key) const {
    return std::span<const PartialEvent>(events_).subspan(key.begin - first_event_, key.count);
  }

  ApplyContext& context_;
  const EventBatch& batch_;
  cdc::Metrics& metrics_;
  Leaves leaves_;
  RowPool pool_;
  std::vector<uint64_t> all_;
  cdc::Resolved resolved_;
  std::vector<std::string> authors_;

 private:
  Result<std::vector<KeyEvents>> all_keys();
  void load(std::span<const KeyEvents> keys);
  Status finish(std::span<const KeyEvents> keys, EventBatch& out);

  std::optional<WholeRowTests> tests_;  // where the target has expectations
  std::vector<PartialEvent> events_;    // of the chunk
  size_t first_event_ = 0;
};

Result<std::vector<KeyEvents>> Resolver::all_keys() {
  std::vector<KeyEvents> keys;
  for (size_t at = 0; at < batch_.events.size(); ++at) {
    const Hash128& key = batch_.events[at].key;
    if (keys.empty() || keys.back().key != key) keys.push_back({key, at, 0});
    ++keys.back().count;
  }
  LAKEBED_ASSIGN(const auto further, further_keys());
  const size_t with_events = keys.size();
  for (const Hash128& key : further) keys.push_back({key, 0, 0});
  const auto by_key = [](const KeyEvents& a, const KeyEvents& b) { return a.key < b.key; };
  std::inplace_merge(keys.begin(), keys.begin() + static_cast<std::ptrdiff_t>(with_events),
                     keys.end(), by_key);
  size_t begin = 0;  // so that the keys of a chunk lie together
  for (KeyEvents& key : keys) {
    key.begin = begin;
    begin += key.count;
  }
  return keys;
}

// Makes the chunk's rows known to the pool and its events to the kernel.
void Resolver::load(std::span<const KeyEvents> keys) {
  first_event_ = keys.front().begin;
  const size_t end = keys.back().begin + keys.back().count;
  std::vector<std::pair<uint32_t, size_t>> by_arrival;
  for (size_t at = first_event_; at < end; ++at) {
    by_arrival.emplace_back(batch_.events[at].arrival, at - first_event_);
  }
  std::sort(by_arrival.begin(), by_arrival.end());
  std::vector<uint32_t> arrivals;
  events_.assign(by_arrival.size(), {});
  for (size_t rank = 0; rank < by_arrival.size(); ++rank) {
    const auto [arrival, at] = by_arrival[rank];
    arrivals.push_back(arrival);
    const cdc::Event& event = batch_.events[first_event_ + at];
    cdc::LeafBits written = all_;
    if (!batch_.written.empty()) {
      written = cdc::LeafBits(batch_.written).subspan(arrival * leaves_.words(), leaves_.words());
    }
    // What says something is an upsert here, hidden or not (rule F6).
    const auto operation = event.is_tombstone() ? cdc::Operation::kDelete : cdc::Operation::kUpsert;
    events_[at] = {event.sequence,   written, pool_.of_event(rank),
                   event.value_hash, arrival, operation};
  }
  pool_.begin(batch_, arrivals);
}

// The resolved events of the chunk as a part of a batch.
Status Resolver::finish(std::span<const KeyEvents> keys, EventBatch& out) {
  if (resolved_.events.empty()) return {};
  LAKEBED_TRY(pool_.read_places());
  ColumnBatch part = pool_.build(resolved_);
  const auto is_upsert = [&](size_t row) {
    return resolved_.events[row].operation == cdc::Operation::kUpsert;
  };
  LAKEBED_TRY(check_no_nulls(part, context_.plan.flow, is_upsert));  // rule F12
  std::vector<bool> hidden(part.rows, false);
  if (tests_) LAKEBED_TRY(tests_->judge(part, hidden, is_upsert));
  std::vector<uint64_t> values;
  std::vector<uint64_t> tracked;
  hash_rows(context_.plan, context_.columns, part, values, tracked);
  const auto base = static_cast<uint32_t>(out.rows);
  Column authors{value::Type(value::Kind::kBinary)};
  for (size_t row = 0; row < part.rows; ++row) {
    const cdc::ResolvedEvent& from = resolved_.events[row];
    cdc::Event event{keys[from.key].key, from.sequence, 0, 0, base + static_cast<uint32_t>(row),
                     from.operation,     from.rewrites};
    if (hidden[row]) {  // for the kernels a delete that is known again
      event.operation = cdc::Operation::kDelete;
      event.value_hash = cdc::hidden_hash(values[row]);
    } else if (!event.is_delete()) {
      event.value_hash = values[row];
      event.tracked_hash = context_.plan.tracks_all ? values[row] : tracked[row];
    }
    out.events.push_back(event);
    authors.append_bytes(authors_[row]);
  }
  out.first.push_back(base);
  out.rows += part.rows;
  out.parts.push_back(std::move(part));
  out.authors.push_back(std::move(authors));
  return {};
}

Result<EventBatch> Resolver::run() {
  EventBatch out;
  const CdcPlan& plan = context_.plan;
  if (!plan.expectations.empty()) {
    LAKEBED_ASSIGN(auto tests,
                   WholeRowTests::make(context_.session, plan, delivered_columns(context_.columns),
                                       context_.schema));
    tests_.emplace(std::move(tests));
  }
  // What a truncate drops has been dropped: none arrives after an event at its own sequence.
  for (const cdc::Truncate& truncate : batch_.truncates) {
    out.truncates.push_back({truncate.sequence, 0});
  }
  std::vector<uint64_t> before(leaves_.words(), 0);
  decode_written("", Leaves(context_.authors->before).match(leaves_), before);
  out.authors_before = encode_written(before, leaves_.count());
  LAKEBED_ASSIGN(const std::vector<KeyEvents> keys, all_keys());
  size_t begin = 0;
  while (begin < keys.size()) {
    size_t end = begin;
    size_t events = 0;
    while (end < keys.size() && events < kChunkEvents) events += 1 + keys[end++].count;
    const auto chunk = std::span<const KeyEvents>(keys).subspan(begin, end - begin);
    load(chunk);
    resolved_.clear();
    authors_.clear();
    LAKEBED_TRY(resolve(chunk));
    LAKEBED_TRY(finish(chunk, out));
    begin = end;
  }
  if (tests_ && !batch_.rows_tested) {
    LAKEBED_TRY(tests_->verdict());
    out.quality = tests_->quality();
  }
  return out;
}

// ---- SCD type 2 ------------------------------------------------------------------------------

// The remembered rows of one key as the kernel sees them. Errors are kept for the owner.
class RowHistory : public cdc::HistoryOfRows {
 public:
  RowHistory(MemoryCursor& cursor, RowPool& pool, const Leaves& leaves)
      : cursor_(cursor), pool_(pool), written_(leaves.words()) {}

  bool seek(cdc::EntrySet set, cdc::Seek how, const value::SequenceView& sequence,
            cdc::Entry& out) override {
    return status_.ok() && cursor_.seek(set, how, sequence, out);
  }
  bool same(size_t leaf, cdc::Source left, cdc::Source right) override {
    return pool_.same(leaf, left, right);
  }
  Row row_of(const cdc::Entry& entry) override {
    std::fill(written_.begin(), written_.end(), 0);
    RowPool::Kept kept;
    if (entry.is_delete() && entry.payload == 0) return {cdc::kNulls, written_, true};
    if (entry.payload == 0) {
      kept = pool_.add_place(entry.place);
    } else {
      auto found = pool_.add_payload(entry.payload);
      if (!found.ok()) {
        status_ = std::move(found).error();
        return {cdc::kNulls, written_, true};
      }
      kept = *found;
    }
    decode_written(kept.authors, *kept.leaves, written_);
    return {kept.source, written_, entry.payload != 0};
  }
  Status status() const { return status_.ok() ? cursor_.status() : status_; }

 private:
  MemoryCursor& cursor_;
  RowPool& pool_;
  std::vector<uint64_t> written_;
  Status status_;
};

class Scd2Resolver : public Resolver {
 public:
  Scd2Resolver(ApplyContext& context, const EventBatch& batch, cdc::Metrics& metrics)
      : Resolver(context, batch, metrics),
        kernel_(leaves_.count()),
        cursor_(*context.table.memory, context.expiry),
        history_(cursor_, pool_, leaves_) {}

 private:
  Status resolve(std::span<const KeyEvents> keys) override {
    for (size_t at = 0; at < keys.size(); ++at) {
      LAKEBED_TRY(cursor_.move_to(keys[at].key));
      kernel_.run(static_cast<uint32_t>(at), events_of(keys[at]), history_, resolved_, metrics_);
      LAKEBED_TRY(history_.status());
    }
    for (size_t i = 0; i < resolved_.events.size(); ++i) {
      authors_.push_back(encode_written(resolved_.written_of(i), leaves_.count()));
    }
    return {};
  }

  cdc::PartialScd2 kernel_;
  MemoryCursor cursor_;
  RowHistory history_;
};

// ---- SCD type 1 ------------------------------------------------------------------------------

class Scd1Resolver : public Resolver {
 public:
  Scd1Resolver(ApplyContext& context, const EventBatch& batch, cdc::Metrics& metrics,
               const cdc::TruncateFloor& floor)
      : Resolver(context, batch, metrics), kernel_(leaves_.count()), floor_(floor) {}

 private:
  Result<std::vector<Hash128>> further_keys() override;
  Status resolve(std::span<const KeyEvents> keys) override;
  Result<cdc::KnownRow> known_row(const state::Entry& entry);

  cdc::PartialScd1 kernel_;
  const cdc::TruncateFloor& floor_;
  std::deque<std::string> tails_;  // of the authors of the chunk
};

// Rule T2: rows above a truncate of which a leaf may have been written below it.
Result<std::vector<Hash128>> Scd1Resolver::further_keys() {
  std::vector<Hash128> keys;
  if (!floor_.arrived()) return keys;
  const auto has_events = [&](const Hash128& key) {
    const auto at = std::lower_bound(
        batch_.events.begin(), batch_.events.end(), key,
        [](const cdc::Event& event, const Hash128& wanted) { return event.key < wanted; });
    return at != batch_.events.end() && at->key == key;
  };
  LAKEBED_TRY(context_.table.memory->scan_all([&](const state::Entry& entry) -> Status {
    const bool in_question =
        entry.payload != 0 && !entry.is_tombstone() && !floor_.removes(entry.sequence);
    if (in_question && !has_events(entry.key)) keys.push_back(entry.key);
    return {};
  }));
  return keys;
}

Result<cdc::KnownRow> Scd1Resolver::known_row(const state::Entry& entry) {
  cdc::KnownRow known;
  known.entry = to_kernel(entry);
  if (entry.is_tombstone()) return known;
  known.authors.author.assign(leaves_.count(), 0);
  if (entry.is_delete() && entry.payload == 0) return known;  // hidden, its values were not kept
  RowPool::Kept kept;
  known.at_hand = entry.payload != 0;
  if (known.at_hand) {
    LAKEBED_ASSIGN(kept, pool_.add_payload(entry.payload));
  } else {
    kept = pool_.add_place(known.entry.place);
  }
  known.source = kept.source;
  if (!decode_authors(kept.authors, entry.sequence, *kept.leaves, known.authors, tails_)) {
    return state::damaged("the payload heap", "who wrote the leaves of a row can't be read");
  }
  return known;
}

Status Scd1Resolver::resolve(std::span<const KeyEvents> keys) {
  tails_.clear();
  std::vector<Hash128> hashes;
  for (const KeyEvents& key : keys) hashes.push_back(key.key);
  LAKEBED_ASSIGN(const auto found, context_.table.memory->find_greatest(hashes));
  cdc::KnownRow known;
  for (size_t at = 0; at < keys.size(); ++at) {
    const bool is_known = found[at].found && !state::is_forgotten(context_.expiry, found[at].entry);
    if (is_known) {
      LAKEBED_ASSIGN(known, known_row(found[at].entry));
    }
    if (!kernel_.run(static_cast<uint32_t>(at), events_of(keys[at]), is_known ? &known : nullptr,
                     floor_, pool_, resolved_, metrics_)) {
      continue;
    }
    authors_.push_back(encode_authors(kernel_.authors(), resolved_.events.back().sequence));
  }
  return {};
}

}  // namespace

Result<EventBatch> resolve_partial(ApplyContext& context, const EventBatch& batch,
                                   cdc::Metrics& metrics) {
  LAKEBED_ASSERT(context.authors.has_value());
  if (context.plan.kind == TargetKind::kScd2) {
    return Scd2Resolver(context, batch, metrics).run();
  }
  LAKEBED_ASSIGN(const auto remembered, read_floor(*context.table.memory));
  std::optional<value::SequenceView> before;
  if (remembered) before = *remembered;
  const cdc::TruncateFloor floor(before, batch.truncates);
  return Scd1Resolver(context, batch, metrics, floor).run();
}

}  // namespace lakebed::run
