// Feeds and tables as short texts, for the tests of this room.
//
//     "+1:a +2:a2 -3 | +2:b t9"      | ends a batch
//     +2:a2   upsert at 2, values "a2", of which the first letter is tracked
//     -3      delete at 3            t9   truncate at 9
//     B+1:a   the same of key B; without a letter the key is A
//
// Tables: SCD type 1 "a B=b", SCD type 2 "[1,3)a2 [4,)b B[1,)a", in order of key and start.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <sstream>
#include <string>

#include "cdc/reference/memory_target.h"

namespace lakebed::cdc {

class Story {
 public:
  explicit Story(const std::string& feed) { tell(feed); }

  // Applies further batches to both targets; truncates reach SCD type 1 only.
  void tell(const std::string& feed) {
    std::istringstream words(feed);
    std::string word;
    std::vector<reference::Delivery> batch;
    while (words >> word) {
      if (word == "|") {
        apply(batch);
        batch.clear();
      } else {
        batch.push_back(parse(word));
      }
    }
    apply(batch);
  }

  std::string scd1() const {
    std::string out;
    for (const auto& row : scd1_.rows()) add(out, key_prefix(row.key, "=") + text(row.value_hash));
    return out;
  }
  std::string scd2() const {
    std::string out;
    for (const auto& row : scd2_.rows()) {
      const std::string end = row.end ? std::to_string(row.end->head) : "";
      add(out, key_prefix(row.key, "") + "[" + std::to_string(row.start.head) + "," + end + ")" +
                   text(row.value_hash));
    }
    return out;
  }
  const reference::MemoryTargetScd1& type1() const { return scd1_; }
  const reference::MemoryTargetScd2& type2() const { return scd2_; }
  // Rows removed and added by the last batch, e.g. "-1 +2".
  std::string touched() const {
    const Scd2Changes& changes = scd2_.changes();
    return "-" + std::to_string(changes.removed.size()) + " +" +
           std::to_string(changes.added.size());
  }

 private:
  static void add(std::string& out, const std::string& word) {
    if (!out.empty()) out += ' ';
    out += word;
  }
  static std::string key_prefix(const Hash128& key, const std::string& sign) {
    return key.high == 'A' ? "" : std::string(1, static_cast<char>(key.high)) + sign;
  }
  std::string text(uint64_t hash) const { return values_.at(hash); }

  reference::Delivery parse(std::string word) {
    reference::Delivery delivery;
    Event& event = delivery.event;
    event.key = {'A', 0};
    if (word[0] >= 'A' && word[0] <= 'Z') {
      event.key.high = static_cast<uint64_t>(word[0]);
      word.erase(0, 1);
    }
    event.sequence.head = std::stoull(word.substr(1));
    delivery.is_truncate = word[0] == 't';
    if (word[0] == '-') event.operation = Operation::kDelete;
    const size_t colon = word.find(':');
    if (colon != std::string::npos) {
      const std::string value = word.substr(colon + 1);
      event.value_hash = hash64(value);
      event.tracked_hash = hash64(value.substr(0, 1));
      values_[event.value_hash] = value;
    }
    return delivery;
  }
  void apply(const std::vector<reference::Delivery>& batch) {
    scd1_.apply(batch);
    EXPECT_EQ(scd1_.take_faults(), "");
    std::vector<reference::Delivery> events;
    for (const auto& delivery : batch) {
      if (!delivery.is_truncate) events.push_back(delivery);
    }
    scd2_.apply(events);
    EXPECT_EQ(scd2_.take_faults(), "");
  }

  std::map<uint64_t, std::string> values_;
  reference::MemoryTargetScd1 scd1_;
  reference::MemoryTargetScd2 scd2_;
};

}  // namespace lakebed::cdc
