// The slow and obvious twin of the bitemporal kernel, and the plainest target that it can have.
//
// BitemporalTwin holds all events of one key and computes the beliefs straight from rule C2: one
// timeline for each system time at which anything happened, then equal stretches of neighbouring
// timelines joined. BitemporalMemory remembers what the kernel asks to be remembered and applies
// its changes, checking each. A row's values are stood for by their hash.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cdc/bitemporal.h"

namespace lakebed::cdc::reference {

// A row, without key and values.
struct TwinBelief {
  std::string start;
  std::string system_start;
  std::optional<std::string> end;
  std::optional<std::string> system_end;
  uint64_t value_hash = 0;
  auto operator<=>(const TwinBelief&) const = default;
};

struct TwinMoment {
  std::string business;
  std::string system;
  auto operator<=>(const TwinMoment&) const = default;
};

class BitemporalTwin {
 public:
  // A later arrival at one (business, system) replaces the earlier one (rule E4).
  void add(const BitemporalEvent& event);
  std::vector<TwinBelief> rows() const;  // sorted
  // The timeline of the latest system time: start, end, value hash; what SCD type 2 would show.
  std::vector<TwinBelief> current() const;

 private:
  struct What {
    bool deletes = false;
    uint64_t value_hash = 0;
  };
  std::vector<TwinBelief> timeline(const std::string& system) const;

  std::map<TwinMoment, What> events_;
};

class BitemporalMemory : public BitemporalCursor {
 public:
  bool event(Seek how, Moment business, Moment system, BusinessEvent& out) override;
  bool belief(Seek how, Moment start, Moment system_start, Belief& out) override;

  // Takes the changes of one key; what breaks a promise of the kernel is collected as text.
  void take(const BitemporalChanges& changes);
  std::vector<TwinBelief> rows() const;  // sorted
  std::string take_faults() { return std::exchange(faults_, {}); }

 private:
  struct What {
    bool deletes = false;
    uint64_t value_hash = 0;
    uint64_t payload = 0;
  };
  struct Row {
    TwinBelief fields;
    uint32_t number = 0;  // stands for the place
    uint64_t payload = 0;
  };
  uint64_t payload_of(const ValueSource& values);
  void fault(const std::string& text) { faults_ += text + "\n"; }

  std::map<TwinMoment, What> events_;
  std::map<TwinMoment, Row> rows_;
  std::map<uint64_t, uint64_t> heap_;       // payload -> value hash
  std::map<uint32_t, uint64_t> arrivals_;   // of the batch: arrival -> value hash
  uint32_t next_row_ = 0;
  std::string faults_;

 public:
  // The values of the batch's events, by arrival, before take().
  void begin_batch(std::span<const BitemporalEvent> events);
};

}  // namespace lakebed::cdc::reference
