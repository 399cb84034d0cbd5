#include "run/snapshot/snapshot_run.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/names.h"
#include "run/snapshot/key_states.h"
#include "run/snapshot/version_query.h"
#include "run/target/batch_commit.h"
#include "run/update/once.h"
#include "run/upkeep/maintain.h"
#include "value/text.h"

namespace lakebed::run {

namespace {

using state::FactSection;

Result<std::optional<value::SequenceCode>> floor_of(const Table& table) {
  if (!table.memory) return std::optional<value::SequenceCode>{};
  const auto fact = table.memory->fact(FactSection::kTable, kSnapshotFloorFact);
  if (!fact) return std::optional<value::SequenceCode>{};
  LAKEBED_ASSIGN(value::SequenceCode code, sequence_from_json(*fact));
  return std::optional(std::move(code));
}

// Passes the rows with one key: to show the key of a duplicate.
class OneKey : public RowSieve {
 public:
  explicit OneKey(const Hash128& key) : key_(key) {}
  Status keep_changes(std::vector<cdc::Event>& events) override {
    std::erase_if(events, [this](const cdc::Event& event) { return event.key != key_; });
    return {};
  }

 private:
  Hash128 key_;
};

// Passes what differs from the memory (rule S1).
class Differences : public RowSieve {
 public:
  explicit Differences(KeyStates& states) : states_(states) {}
  Status keep_changes(std::vector<cdc::Event>& events) override {
    keys_.clear();
    for (const cdc::Event& event : events) keys_.push_back(event.key);
    LAKEBED_TRY(states_.see(keys_, found_));
    size_t kept = 0;
    for (size_t i = 0; i < events.size(); ++i) {
      if (cdc::row_differs(events[i], found_[i])) events[kept++] = events[i];
    }
    events.resize(kept);
    return {};
  }

 private:
  KeyStates& states_;
  std::vector<Hash128> keys_;
  std::vector<cdc::KeyState> found_;
};

// One snapshot flow while it runs.
class SnapshotRun {
 public:
  SnapshotRun(RunContext& context, const Flow& flow, const Dataset& target)
      : context_(context),
        flow_(flow),
        target_(target),
        source_(sql_snapshots(context.session, context.pipeline, flow,
                              context.session.clock().now_us())) {}

  Status run();

 private:
  enum class Step : uint8_t { kDone, kCommitted, kLost };
  Result<Step> step();
  Result<Step> take(const OfferedSnapshot& offered);
  Result<Step> nothing_offered(TargetKind kind);
  Result<EventBatch> difference(const OfferedSnapshot& offered, cdc::SequenceView version);
  Result<std::optional<SnapshotVersion>> last_version() const;
  Status check_order(const OfferedSnapshot& offered) const;
  Status check_rest(const OfferedSnapshot& offered, const KeyStates::Rest& rest,
                    const value::Schema& columns, cdc::SequenceView version);
  Result<std::string> duplicate_sample(const OfferedSnapshot& offered, const Hash128& key,
                                       const value::Schema& columns, cdc::SequenceView version);
  Status note(const OfferedSnapshot& offered, TargetCommit& commit) const;
  std::string fact_key() const { return fold_case(flow_.name); }
  const std::string& zone() const { return context_.session.project().time_zone; }
  bool is_done_once() const { return is_complete(flow_, table_->memory.get()); }

  RunContext& context_;
  const Flow& flow_;
  const Dataset& target_;
  std::unique_ptr<SnapshotSource> source_;
  std::unique_ptr<Table> table_;
  std::optional<SnapshotVersion> last_;
  value::Schema schema_;
  bool took_ = false;  // a snapshot, in this update
};

Result<std::optional<SnapshotVersion>> SnapshotRun::last_version() const {
  if (!table_->memory) return std::optional<SnapshotVersion>{};
  const auto fact = table_->memory->fact(FactSection::kSnapshot, fact_key());
  if (!fact) return std::optional<SnapshotVersion>{};
  LAKEBED_ASSIGN(SnapshotVersion version, SnapshotVersion::from_fact(*fact));
  return std::optional(std::move(version));
}

// Rule S2: versions strictly ascend.
Status SnapshotRun::check_order(const OfferedSnapshot& offered) const {
  if (!last_ || last_->code() < offered.version.code()) return {};
  return update_error(
             "APPLY_CHANGES_FROM_SNAPSHOT_ERROR.OUT_OF_ORDER_SNAPSHOT_VERSION",
             fmt::format("flow {}: version {} is offered after version {}; versions must ascend",
                         quote_name(flow_.name), offered.version.text(zone()), last_->text(zone())))
      .with_hint(
          "WITH VERSION must yield a version greater than that of last_snapshot_version(), "
          "or no row");
}

Result<std::string> SnapshotRun::duplicate_sample(const OfferedSnapshot& offered,
                                                  const Hash128& key, const value::Schema& columns,
                                                  cdc::SequenceView version) {
  LAKEBED_ASSIGN(engine::Engine * engine, context_.session.engine());
  OneKey sieve(key);
  LAKEBED_ASSIGN(const EventBatch rows,
                 read_snapshot(offered.plan, *engine, offered.inputs, columns, version, sieve));
  std::string text;
  for (const size_t at : offered.plan.keys) {
    const std::string& name = offered.plan.selected[at].name;
    const auto column = value::find_field(columns, name);
    if (rows.parts.empty() || !column) continue;
    text += (text.empty() ? "" : ", ") + quote_name(name) + " = " +
            value::display_text(rows.parts[0].columns[*column], 0, zone());
  }
  return text;
}

// Rules S3 and S5, before anything is written.
Status SnapshotRun::check_rest(const OfferedSnapshot& offered, const KeyStates::Rest& rest,
                               const value::Schema& columns, cdc::SequenceView version) {
  const std::string which = fmt::format("flow {}: the snapshot of version {}",
                                        quote_name(flow_.name), offered.version.text(zone()));
  if (rest.duplicate_keys > 0) {
    LAKEBED_ASSIGN(const std::string sample,
                   duplicate_sample(offered, rest.first_duplicate, columns, version));
    return update_error("APPLY_CHANGES_FROM_SNAPSHOT_ERROR.DUPLICATE_KEY_VIOLATION",
                        fmt::format("{} has more than one row for {} keys ({} rows), for example "
                                    "for {}; nothing of it was applied",
                                    which, rest.duplicate_keys, rest.duplicate_rows, sample))
        .with_hint("a snapshot has one row a key; remove the others in the snapshot's query");
  }
  const double most = context_.session.project().max_delete_fraction;
  const auto gone = static_cast<double>(rest.absent.size());
  if (gone <= most * static_cast<double>(rest.present_before)) return {};
  return update_error("SNAPSHOT_DELETE_FRACTION_EXCEEDED",
                      fmt::format("{} would delete {} of {} keys, more than the part {} that "
                                  "lakebed.snapshot.maxDeleteFraction allows; nothing was written",
                                  which, rest.absent.size(), rest.present_before, most))
      .with_hint("check that the source is whole; raise the setting where so many rows are gone");
}

Result<EventBatch> SnapshotRun::difference(const OfferedSnapshot& offered,
                                           cdc::SequenceView version) {
  Session& session = context_.session;
  if (offered.plan.kind == TargetKind::kScd1) {
    // Rule M2: a flow that begins anew under another name offers what is below the floor already.
    LAKEBED_ASSIGN(const auto floor, floor_of(*table_));
    if (floor && version <= cdc::SequenceView(*floor)) return EventBatch{};
  }
  const value::Schema columns = without_time_columns(schema_, offered.plan.kind);
  LAKEBED_ASSIGN(engine::Engine * engine, session.engine());
  LAKEBED_ASSIGN(const auto states, key_states(*table_->memory, offered.plan.kind, version,
                                               session.project().storage / "_spill"));
  Differences differences(*states);
  LAKEBED_ASSIGN(EventBatch events, read_snapshot(offered.plan, *engine, offered.inputs, columns,
                                                  version, differences));
  LAKEBED_ASSIGN(const KeyStates::Rest rest, states->finish());
  LAKEBED_TRY(check_rest(offered, rest, columns, version));
  const size_t upserts = events.events.size();
  auto arrival = static_cast<uint32_t>(events.rows);  // deletes have no row: numbers beyond them
  for (const Hash128& key : rest.absent) {
    events.events.push_back({key, version, 0, 0, arrival++, cdc::Operation::kDelete});
  }
  std::inplace_merge(events.events.begin(), events.events.begin() + static_cast<ptrdiff_t>(upserts),
                     events.events.end(),
                     [](const cdc::Event& a, const cdc::Event& b) { return a.key < b.key; });
  return events;
}

// What the commit of a snapshot remembers: the version, and the floor for feeds (rule M2).
Status SnapshotRun::note(const OfferedSnapshot& offered, TargetCommit& commit) const {
  state::StateWriter& memory = commit.memory();
  memory.set_fact(FactSection::kSnapshot, fact_key(), offered.version.to_fact(zone()));
  commit.transaction().info().parameters["snapshotVersion"] = offered.version.text(zone());
  if (flow_.body.once && !source_->has_versions()) {
    mark_complete(flow_.name, memory);
  }
  if (offered.plan.kind != TargetKind::kScd1) return {};
  LAKEBED_ASSIGN(const auto floor, floor_of(*table_));
  const value::SequenceCode code = offered.version.code();
  if (floor && !(*floor < code)) return {};
  memory.set_fact(FactSection::kTable, kSnapshotFloorFact, sequence_to_json(code).dump());
  return {};
}

Result<SnapshotRun::Step> SnapshotRun::take(const OfferedSnapshot& offered) {
  LAKEBED_TRY(check_order(offered));
  const value::SequenceCode version = offered.version.code();
  LAKEBED_ASSIGN(const EventBatch events, difference(offered, version));
  // Without a version of its own an empty snapshot of an empty target says nothing (rule F1).
  if (!source_->has_versions() && events.events.empty()) return Step::kDone;
  BatchJob job{
      context_, *table_, target_, offered.plan, schema_, "snapshot " + offered.version.text(zone()),
      {}};
  job.note = [&](TargetCommit& commit) { return note(offered, commit); };
  LAKEBED_ASSIGN(const auto committed, commit_batch(job, events));
  took_ = took_ || committed.has_value();
  return committed ? Step::kCommitted : Step::kLost;
}

// A ONCE flow is done when nothing is offered any more and it has committed (rule F1).
Result<SnapshotRun::Step> SnapshotRun::nothing_offered(TargetKind kind) {
  if (flow_.body.once && last_) {
    LAKEBED_ASSIGN(auto commit,
                   TargetCommit::begin(context_.session, *table_, update_info(flow_.name)));
    mark_complete(flow_.name, commit->memory());
    LAKEBED_ASSIGN(const delta::CommitOutcome outcome, commit->finish());
    return outcome.won ? Step::kCommitted : Step::kLost;
  }
  if (schema_ == table_->snapshot.schema()) return Step::kDone;
  LAKEBED_ASSIGN(const bool won, commit_columns(context_, *table_, target_, kind, schema_));
  return won ? Step::kDone : Step::kLost;
}

Result<SnapshotRun::Step> SnapshotRun::step() {
  if (is_done_once()) return Step::kDone;
  LAKEBED_ASSIGN(const SnapshotShape shape, source_->shape());
  LAKEBED_TRY(check_owner(*table_, shape.plan.kind));
  LAKEBED_TRY(table_->check_unchanged());
  LAKEBED_TRY(check_remembered(flow_, target_, shape, *table_));
  LAKEBED_ASSIGN(last_, last_version());
  const bool there = table_->exists();
  LAKEBED_ASSIGN(schema_,
                 target_schema(shape.plan, target_, there ? &table_->snapshot.schema() : nullptr));
  if (!there) {
    LAKEBED_TRY(create_target(context_, *table_, target_, schema_, shape.plan.kind));
    return Step::kCommitted;
  }
  if (!took_) LAKEBED_TRY(check_unversioned(flow_, target_, *table_));
  LAKEBED_ASSIGN(const auto offered, source_->next(last_ ? &*last_ : nullptr));
  return offered ? take(*offered) : nothing_offered(shape.plan.kind);
}

Status SnapshotRun::run() {
  LAKEBED_ASSIGN(table_, Table::open(context_.session, target_.name));
  sweep_dead(context_, *table_);
  int races = 0;
  bool committed = false;
  while (true) {
    LAKEBED_ASSIGN(const Step done, step());
    if (done == Step::kDone) break;
    if (done == Step::kCommitted) {
      committed = true;
      races = 0;
      LAKEBED_TRY(maintain_between(context_, *table_));
      continue;
    }
    if (++races > kRacesMax) {
      return update_error("TARGET_BUSY", fmt::format("another writer of {} was faster {} times",
                                                     target_.name.text(), races));
    }
    LAKEBED_TRY(table_->reload());
  }
  if (!committed) return {};
  return maintain(context_, *table_);
}

}  // namespace

Status run_snapshot_flow(RunContext& context, const Flow& flow, const Dataset& target) {
  return SnapshotRun(context, flow, target).run();
}

Status check_remembered(const Flow& flow, const Dataset& target, const SnapshotShape& shape,
                        const Table& table) {
  if (!table.memory) return {};
  const std::string key = fold_case(flow.name);
  if (const auto fact = table.memory->fact(FactSection::kSnapshot, key)) {
    LAKEBED_ASSIGN(const SnapshotVersion last, SnapshotVersion::from_fact(*fact));
    LAKEBED_TRY(check_version_column(flow, target, shape.version, last));
  }
  return check_drift(shape.plan, *table.memory, target);
}

Status check_unversioned(const Flow& flow, const Dataset& target, const Table& table) {
  if (flow.snapshot()->version || !table.memory) return {};
  const bool empty = table.snapshot.files().empty() && table.memory->stats().entries == 0 &&
                     table.memory->facts(FactSection::kSnapshot).empty();
  if (empty) return {};
  return update_error("AUTO_CDC_FROM_SNAPSHOT_NON_EMPTY_TARGET_WITHOUT_VERSION",
                      fmt::format("flow {} has no WITH VERSION, and {} is not empty",
                                  quote_name(flow.name), target.name.text()))
      .with_hint("say ONCE for a single snapshot, or WITH VERSION (query) to take more than one");
}

Status drop_below_snapshot(const Table& table, EventBatch& events) {
  LAKEBED_ASSIGN(const auto floor, floor_of(table));
  if (!floor) return {};
  const cdc::SequenceView at = *floor;
  const size_t before = events.events.size();
  std::erase_if(events.events, [&](const cdc::Event& event) { return event.sequence <= at; });
  events.below_floor += before - events.events.size();
  std::erase_if(events.truncates, [&](const cdc::Truncate& mark) { return mark.sequence <= at; });
  return {};
}

}  // namespace lakebed::run
