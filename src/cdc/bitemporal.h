// Bitemporal targets: what was believed at each system time about each business time, kept right
// however late an event comes on either axis (rules C1, C2, C3).
//
//     system ^
//            |  a . . . . |  b      an event says what holds from its business time on, and counts
//            |  a         |  b      from its system time on, until a later one at the same business
//            |  a  . . . . . . .    time takes its place
//            +--------------------> business
//
// At one system time the events that count then form a timeline: sorted by business time, equal
// neighbours are one, a delete ends and creates nothing. A belief is one stretch of that timeline
// over the whole system interval in which it is part of it: a rectangle, and a row of the table.
//
// An event changes the timelines of its own system interval [its system time, the next event's at
// its business time) and there only the stretches that touch its business time. The kernel walks
// that interval from change to change, sees the neighbours by seeks, cuts what no longer holds and
// adds what does; rectangles that meet become one. What comes out is the NET change of a batch: no
// row is written twice, and no belief of zero length can arise.
//
// Moments are order codes (value/order.h): bytes that compare as the values do. Two axes may have
// different types; the kernel never asks.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "cdc/entry.h"
#include "cdc/scd2.h"

namespace lakebed::cdc {

// An order code; it belongs to the caller.
using Moment = std::string_view;

// Below and above every code: for "any system time at this business time".
inline constexpr Moment kFirstMoment = "";
inline constexpr Moment kLastMoment = "\xff";

struct BitemporalEvent {
  Hash128 key;
  Moment business;
  Moment system;
  uint64_t value_hash = 0;  // of all output columns but the keys
  uint32_t arrival = 0;
  Operation operation = Operation::kUpsert;

  bool is_delete() const { return operation == Operation::kDelete; }
};

// A remembered event. Of two at one (business, system) the later arrival is remembered (rule E4).
struct BusinessEvent {
  Moment business;
  Moment system;
  uint64_t value_hash = 0;  // 0 for a delete
  ValueSource values;       // kEvent or kHeap; kNone for a delete
  bool deletes = false;
};

// A row of the table: values that hold over [start, end) and are believed over
// [system_start, system_end). Known by (start, system_start) (rule F9).
struct Belief {
  Moment start;
  Moment system_start;
  std::optional<Moment> end;
  std::optional<Moment> system_end;
  uint64_t value_hash = 0;
  ValueSource values;  // kEvent or kHeap
  Place place;

  bool lives_at(Moment system) const {
    return system_start <= system && (!system_end || *system_end > system);
  }
};

// What is remembered of ONE key, as it was before the batch: events by (business, system), beliefs
// by (start, system_start), both in lexicographic order. As cdc::Cursor otherwise.
class BitemporalCursor {
 public:
  virtual ~BitemporalCursor() = default;
  virtual bool event(Seek how, Moment business, Moment system, BusinessEvent& out) = 0;
  virtual bool belief(Seek how, Moment start, Moment system_start, Belief& out) = 0;
};

// What changes, key after key; a caller with many keys drains it now and then.
struct BitemporalChanges {
  struct Put {
    BusinessEvent event;  // replaces one at the same (business, system)
    uint32_t key = 0;
  };
  struct Change {
    std::optional<Belief> before;  // the row that goes; `place` says where it lies
    std::optional<Belief> after;   // the row to write; the caller fills in `place`
    uint32_t key = 0;
  };
  std::vector<Put> events;
  std::vector<Change> beliefs;
  void clear();
};

struct BitemporalCounters {
  uint64_t seeks = 0;
  uint64_t slices = 0;  // system intervals that were looked at
};

// Keeps its working memory between keys; use one a thread.
class BitemporalKernel {
 public:
  // Applies the events of one key, at least one, over what `cursor` knows of it and appends what
  // changes, marked with the number `key`. Requires: arrivals ascend. Views in `changes` point into
  // what events and cursor view.
  void run(uint32_t key, std::span<const BitemporalEvent> events, BitemporalCursor& cursor,
           BitemporalChanges& changes, Metrics& metrics);

  const BitemporalCounters& counters() const { return counters_; }

 private:
  BitemporalCounters counters_;
};

}  // namespace lakebed::cdc
