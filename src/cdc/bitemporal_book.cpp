#include "cdc/bitemporal_book.h"

namespace lakebed::cdc {

namespace {

bool looks_down(Seek how) { return how == Seek::kAtMost || how == Seek::kBelow; }

// The first element of a map that answers the question, or end().
template <typename Map, typename Point>
auto find_in(const Map& map, Seek how, const Point& at) {
  switch (how) {
    case Seek::kAtLeast: return map.lower_bound(at);
    case Seek::kAbove: return map.upper_bound(at);
    case Seek::kGreatest: return map.empty() ? map.end() : std::prev(map.end());
    case Seek::kAtMost:
    case Seek::kBelow: break;
  }
  const auto after = how == Seek::kAtMost ? map.upper_bound(at) : map.lower_bound(at);
  return after == map.begin() ? map.end() : std::prev(after);
}

bool same_rectangle(const Belief& a, const Belief& b) {
  return a.end == b.end && a.system_end == b.system_end && a.value_hash == b.value_hash;
}

}  // namespace

void BitemporalChanges::clear() {
  events.clear();
  beliefs.clear();
}

bool BitemporalBook::event(Seek how, Moment business, Moment system, BusinessEvent& out) {
  ++counters_.seeks;
  const bool remembered = cursor_.event(how, business, system, out);
  const auto own = find_in(events_, how, Point(business, system));
  if (own == events_.end()) return remembered;
  if (!remembered) {
    out = own->second;
    return true;
  }
  // The nearer of the two; at one place the batch's own replaces what was.
  const Point known(out.business, out.system);
  const bool nearer = looks_down(how) || how == Seek::kGreatest ? own->first >= known
                                                                : own->first <= known;
  if (nearer) out = own->second;
  return true;
}

// What is remembered and was not touched by this batch.
bool BitemporalBook::remembered_belief(Seek how, Point at, Belief& out) {
  while (cursor_.belief(how, at.first, at.second, out)) {
    at = Point(out.start, out.system_start);
    if (!beliefs_.contains(at)) return true;
    how = looks_down(how) || how == Seek::kGreatest ? Seek::kBelow : Seek::kAbove;
  }
  return false;
}

bool BitemporalBook::touched_belief(Seek how, Point at, Belief& out) const {
  auto own = find_in(beliefs_, how, at);
  const bool down = looks_down(how) || how == Seek::kGreatest;
  while (own != beliefs_.end()) {
    if (own->second.after) {
      out = *own->second.after;
      return true;
    }
    if (!down) {
      ++own;
    } else if (own == beliefs_.begin()) {
      return false;
    } else {
      --own;
    }
  }
  return false;
}

bool BitemporalBook::belief(Seek how, Moment start, Moment system_start, Belief& out) {
  ++counters_.seeks;
  const Point at(start, system_start);
  Belief own;
  const bool remembered = remembered_belief(how, at, out);
  if (!touched_belief(how, at, own)) return remembered;
  const Point known(out.start, out.system_start);
  const Point other(own.start, own.system_start);
  const bool down = looks_down(how) || how == Seek::kGreatest;
  if (!remembered || (down ? other > known : other < known)) out = own;
  return true;
}

bool BitemporalBook::winner(Moment business, Moment system, BusinessEvent& out) {
  return event(Seek::kAtMost, business, system, out) && out.business == business;
}

bool BitemporalBook::starting(Moment start, Moment system, Belief& out) {
  return belief(Seek::kAtMost, start, system, out) && out.start == start && out.lives_at(system);
}

bool BitemporalBook::holding(Moment business, Moment system, Belief& out) {
  bool found = belief(Seek::kAtMost, business, system, out);
  while (found) {
    if (out.system_start > system) {
      // Beliefs of one start follow each other in system time: one of them may live then.
      found = belief(Seek::kAtMost, out.start, system, out);
      continue;
    }
    if (out.lives_at(system)) return !out.end || *out.end > business;
    found = belief(Seek::kBelow, out.start, kFirstMoment, out);
  }
  return false;
}

void BitemporalBook::put_event(const BusinessEvent& event) {
  events_[Point(event.business, event.system)] = event;
}

BitemporalBook::Touched& BitemporalBook::touch(const Belief& belief) {
  const Point at(belief.start, belief.system_start);
  const auto known = beliefs_.find(at);
  if (known != beliefs_.end()) return known->second;
  Touched touched;
  Belief before;
  ++counters_.seeks;
  if (cursor_.belief(Seek::kAtMost, at.first, at.second, before) && before.start == at.first &&
      before.system_start == at.second) {
    touched.before = before;
    touched.after = before;
  }
  return beliefs_.emplace(at, touched).first->second;
}

void BitemporalBook::put_belief(const Belief& belief) { touch(belief).after = belief; }

void BitemporalBook::remove_belief(const Belief& belief) { touch(belief).after.reset(); }

void BitemporalBook::drain(uint32_t key, BitemporalChanges& changes, Metrics& metrics) const {
  for (const auto& [at, event] : events_) changes.events.push_back({event, key});
  for (const auto& [at, touched] : beliefs_) {
    const bool same = touched.before && touched.after
                          ? same_rectangle(*touched.before, *touched.after)
                          : !touched.before && !touched.after;
    if (same) continue;
    changes.beliefs.push_back({touched.before, touched.after, key});
    ++(touched.after ? metrics.upserted_rows : metrics.deleted_rows);
  }
}

}  // namespace lakebed::cdc
