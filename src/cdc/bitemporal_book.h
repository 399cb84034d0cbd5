// The events and beliefs of one key while a batch is applied: what is remembered, with the batch's
// own changes over it. Internal to the bitemporal kernel.
#pragma once

#include <map>
#include <utility>

#include "cdc/bitemporal.h"

namespace lakebed::cdc {

class BitemporalBook {
 public:
  BitemporalBook(BitemporalCursor& cursor, BitemporalCounters& counters)
      : cursor_(cursor), counters_(counters) {}

  bool event(Seek how, Moment business, Moment system, BusinessEvent& out);
  bool belief(Seek how, Moment start, Moment system_start, Belief& out);

  // The event that counts at a business time and a system time.
  bool winner(Moment business, Moment system, BusinessEvent& out);
  // The belief that holds at a business time and a system time, wherever it starts.
  bool holding(Moment business, Moment system, Belief& out);
  // The belief that starts exactly there and lives then.
  bool starting(Moment start, Moment system, Belief& out);

  void put_event(const BusinessEvent& event);
  void put_belief(const Belief& belief);
  void remove_belief(const Belief& belief);

  // Appends what differs from what was remembered.
  void drain(uint32_t key, BitemporalChanges& changes, Metrics& metrics) const;

 private:
  using Point = std::pair<Moment, Moment>;
  struct Touched {
    std::optional<Belief> before;
    std::optional<Belief> after;
  };
  Touched& touch(const Belief& belief);
  bool remembered_belief(Seek how, Point at, Belief& out);
  bool touched_belief(Seek how, Point at, Belief& out) const;

  BitemporalCursor& cursor_;
  BitemporalCounters& counters_;
  std::map<Point, BusinessEvent> events_;
  std::map<Point, Touched> beliefs_;
};

}  // namespace lakebed::cdc
