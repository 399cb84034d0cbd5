#include "cdc/bitemporal.h"

#include <algorithm>

#include "cdc/bitemporal_book.h"

namespace lakebed::cdc {

namespace {

// What holds from a business time on at one system time: nothing known (absent), a delete, or
// values.
struct State {
  bool present = false;
  bool deletes = false;
  uint64_t value_hash = 0;
  ValueSource values;

  bool shows() const { return present && !deletes; }
};

State state_of(const BusinessEvent& event) {
  return {true, event.deletes, event.value_hash, event.values};
}

// The neighbourhood of a business time at one system time, without that business time itself.
struct Neighbours {
  State before;                     // the state that reaches the business time from below
  Moment before_start;              // where its stretch starts, where before.shows()
  State after;                      // the next state
  Moment after_at;                  // its business time, where after.present
  std::optional<Moment> after_end;  // where its stretch ends, where after.shows()
};

// A stretch of one timeline.
struct Stretch {
  Moment start;
  std::optional<Moment> end;
  uint64_t value_hash = 0;
  ValueSource values;
  bool operator==(const Stretch& other) const {
    return start == other.start && end == other.end && value_hash == other.value_hash;
  }
};

// The stretches around `business` when `here` is the state there. Rule C2: equal neighbours are
// one, a delete ends and creates nothing.
class Stretches {
 public:
  Stretches(const Neighbours& around, Moment business, const State& here) {
    if (around.before.shows()) open(around.before_start, around.before);
    if (here.present) next(business, here);
    if (around.after.present) {
      next(around.after_at, around.after);
      close(around.after_end);
    } else {
      close(std::nullopt);
    }
  }

  bool has(const Stretch& stretch) const {
    return std::find(all_.begin(), all_.end(), stretch) != all_.end();
  }
  const std::vector<Stretch>& all() const { return all_; }

 private:
  void open(Moment start, const State& state) {
    all_.push_back({start, std::nullopt, state.value_hash, state.values});
    open_ = true;
  }
  void close(const std::optional<Moment>& end) {
    if (open_) all_.back().end = end;
    open_ = false;
  }
  void next(Moment at, const State& state) {
    if (open_ && state.shows() && state.value_hash == all_.back().value_hash) return;
    close(at);
    if (state.shows()) open(at, state);
  }

  std::vector<Stretch> all_;
  bool open_ = false;
};

std::optional<Moment> next_system(BitemporalBook& book, Moment business, Moment system) {
  BusinessEvent next;
  if (!book.event(Seek::kAbove, business, system, next)) return std::nullopt;
  if (next.business != business) return std::nullopt;
  return next.system;
}

// One side of a business time: the nearest business time there with a state, as system time goes
// on.
//
// What has no state yet gets one later and is then the nearest, unless something nearer got its own
// before. So of all that lies between only those matter that become known before all nearer ones:
//
//     business:   near at first      c     b     a   | ours        known at: a 9, b 12, c 4
//     nearest:    near, from 4 on c, from 9 on a; b never
//
// They are found in one walk outwards; going on in system time then costs a step each.
class Side {
 public:
  Side(BitemporalBook& book, Seek how, Moment business, Moment now) {
    const Moment edge = how == Seek::kBelow ? kFirstMoment : kLastMoment;
    BusinessEvent some;
    while (book.event(how, business, edge, some)) {
      business = some.business;
      if (book.winner(business, now, some)) {
        near_ = business;
        return;
      }
      const std::optional<Moment> known = next_system(book, business, now);
      LAKEBED_ASSERT(known.has_value());
      if (later_.empty() || *known < later_.back().system) later_.push_back({business, *known});
    }
  }

  void advance(Moment now) {
    while (!later_.empty() && later_.back().system <= now) {
      near_ = later_.back().business;
      later_.pop_back();
    }
  }
  const std::optional<Moment>& near() const { return near_; }
  // When something nearer becomes known.
  std::optional<Moment> changes() const {
    return later_.empty() ? std::nullopt : std::optional(later_.back().system);
  }

 private:
  struct Later {
    Moment business;
    Moment system;  // since when it has a state
  };
  std::vector<Later> later_;  // from near to far, known ever earlier
  std::optional<Moment> near_;
};

// Brings one event into a book.
class Placing {
 public:
  Placing(BitemporalBook& book, BitemporalCounters& counters) : book_(book), counters_(counters) {}

  void place(const BusinessEvent& event);

 private:
  State state_before(const BusinessEvent& event);
  // Lowers `until_` to where something of the neighbourhood changes.
  Neighbours neighbours(const Side& below, const Side& above, Moment now);
  State state_at(const Side& side, Moment now);
  void bound(const std::optional<Moment>& system);
  void change(const Neighbours& around, const BusinessEvent& event, const State& before,
              Moment now);
  void cut(const Stretch& stretch, Moment now);
  void add(const Stretch& stretch, Moment now);

  BitemporalBook& book_;
  BitemporalCounters& counters_;
  std::optional<Moment> until_;
};

// The state at the event's business time in the interval that the event takes over.
State Placing::state_before(const BusinessEvent& event) {
  BusinessEvent known;
  return book_.winner(event.business, event.system, known) ? state_of(known) : State{};
}

void Placing::bound(const std::optional<Moment>& system) {
  if (system && (!until_ || *system < *until_)) until_ = system;
}

State Placing::state_at(const Side& side, Moment now) {
  bound(side.changes());
  if (!side.near()) return {};
  bound(next_system(book_, *side.near(), now));
  BusinessEvent near;
  const bool known = book_.winner(*side.near(), now, near);
  LAKEBED_ASSERT(known);
  return state_of(near);
}

Neighbours Placing::neighbours(const Side& below, const Side& above, Moment now) {
  Neighbours around;
  Belief belief;
  around.before = state_at(below, now);
  if (around.before.shows()) {
    const bool known = book_.holding(*below.near(), now, belief);
    LAKEBED_ASSERT(known);
    around.before_start = belief.start;
    around.before.values = belief.values;
    bound(belief.system_end);
  }
  around.after = state_at(above, now);
  if (around.after.present) around.after_at = *above.near();
  if (!around.after.shows()) return around;
  const bool known = book_.holding(around.after_at, now, belief);
  LAKEBED_ASSERT(known);
  around.after_end = belief.end;
  bound(belief.system_end);
  return around;
}

// Takes [now, until) out of the belief of that stretch. What remains of it stays as it is: rows
// already written change only by getting a system end, where the event came in time (rule C3).
void Placing::cut(const Stretch& stretch, Moment now) {
  Belief old;
  const bool known = book_.starting(stretch.start, now, old);
  LAKEBED_ASSERT(known);
  Belief later = old;
  if (old.system_start < now) {
    Belief earlier = old;
    earlier.system_end = now;
    book_.put_belief(earlier);
  } else {
    book_.remove_belief(old);
  }
  const bool reaches_on = until_ && (!old.system_end || *until_ < *old.system_end);
  if (!reaches_on) return;
  later.system_start = *until_;
  book_.put_belief(later);
}

// Adds the stretch over [now, until); rectangles that meet in system time become one.
void Placing::add(const Stretch& stretch, Moment now) {
  Belief added;
  added.start = stretch.start;
  added.system_start = now;
  added.end = stretch.end;
  added.system_end = until_;
  added.value_hash = stretch.value_hash;
  added.values = stretch.values;
  const auto same = [&](const Belief& other) {
    return other.start == added.start && other.end == added.end &&
           other.value_hash == added.value_hash;
  };
  Belief other;
  if (until_ && book_.starting(stretch.start, *until_, other) && same(other) &&
      other.system_start == *until_) {
    added.system_end = other.system_end;
    book_.remove_belief(other);
  }
  if (book_.belief(Seek::kBelow, stretch.start, now, other) && same(other) &&
      other.system_end == now) {
    other.system_end = added.system_end;
    book_.put_belief(other);
    return;
  }
  book_.put_belief(added);
}

void Placing::change(const Neighbours& around, const BusinessEvent& event, const State& before,
                     Moment now) {
  const Stretches old(around, event.business, before);
  const Stretches made(around, event.business, state_of(event));
  for (const Stretch& stretch : old.all()) {
    if (!made.has(stretch)) cut(stretch, now);
  }
  for (const Stretch& stretch : made.all()) {
    if (!old.has(stretch)) add(stretch, now);
  }
}

void Placing::place(const BusinessEvent& event) {
  const State before = state_before(event);
  const std::optional<Moment> end = next_system(book_, event.business, event.system);
  Moment now = event.system;
  Side below(book_, Seek::kBelow, event.business, now);
  Side above(book_, Seek::kAbove, event.business, now);
  while (true) {
    ++counters_.slices;
    until_ = end;
    const Neighbours around = neighbours(below, above, now);
    if (before.shows()) {
      Belief belief;
      if (book_.holding(event.business, now, belief)) bound(belief.system_end);
    }
    change(around, event, before, now);
    if (until_ == end) break;
    now = *until_;
    below.advance(now);
    above.advance(now);
  }
  book_.put_event(event);
}

}  // namespace

void BitemporalKernel::run(uint32_t key, std::span<const BitemporalEvent> events,
                           BitemporalCursor& cursor, BitemporalChanges& changes, Metrics& metrics) {
  BitemporalBook book(cursor, counters_);
  Placing placing(book, counters_);
  BusinessEvent newest;
  const bool known = cursor.event(Seek::kGreatest, kLastMoment, kLastMoment, newest);
  for (const BitemporalEvent& event : events) {
    if (known && event.business < newest.business) ++metrics.late_events;
    BusinessEvent placed{event.business, event.system, event.value_hash, {}, event.is_delete()};
    if (!event.is_delete()) {
      placed.values = {ValueSource::Kind::kEvent, event.arrival, 0, {}};
    }
    BusinessEvent met;
    if (book.winner(event.business, event.system, met) && met.system == event.system) {
      // Rule E5: a repeat changes nothing. Rule E4: of two different ones the later arrival wins.
      if (met.deletes == placed.deletes && met.value_hash == placed.value_hash) continue;
      ++metrics.tied_events;
      if (metrics.first_tied == kNoArrival) metrics.first_tied = event.arrival;
    }
    placing.place(placed);
  }
  book.drain(key, changes, metrics);
}

}  // namespace lakebed::cdc
