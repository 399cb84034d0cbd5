// Random feeds for the property tests of the kernels: made from a seed, printed so that a person
// can read them, and shrunk to a few items while they still fail.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/world.h"
#include "cdc/reference/twin.h"

namespace lakebed::properties {

// Sequences are drawn from a small ascending domain, so that order can be read off the index.
struct Domain {
  std::string name;  // the type
  std::vector<value::SequenceCode> codes;
};
// `kind` % 4: BIGINT, STRING with long common prefixes, STRUCT with NULL fields, DECIMAL(38).
Domain make_domain(uint64_t kind, size_t size, Random& random);

struct Item {
  // kHidden: an upsert whose row an expectation hides (rule F6).
  enum class What : uint8_t { kUpsert, kDelete, kTruncate, kHidden };
  What what = What::kUpsert;
  uint32_t key = 0;
  uint32_t sequence = 0;  // index in the domain
  uint32_t value = 0;
  bool hides_row() const { return what == What::kDelete || what == What::kHidden; }
  bool operator==(const Item&) const = default;
};

struct Feed {
  std::shared_ptr<const Domain> domain;  // shared: shrinking copies feeds by the hundred
  uint32_t tracked_of = 1;               // tracked value = value / tracked_of (0: none tracked)
  std::vector<Item> items;               // in order of arrival
  std::vector<size_t> cuts;              // ascending ends of batches, the last one left out

  std::string text() const;
};

// A feed of one of several characters: dense ties, deep single keys, mostly in order, ...
Feed random_feed(Random& random);

// The items as the twins and targets take them. Views point into the feed's domain.
std::vector<cdc::reference::Delivery> deliveries_of(const Feed& feed,
                                                    const std::vector<Item>& items);
// The batches that the cuts make.
std::vector<std::vector<Item>> batches_of(const Feed& feed);

// What is wrong with a feed, or nothing.
using Check = std::function<std::string(const Feed&)>;
// Drops batch cuts and items, and makes values and sequences smaller, while the check still fails.
Feed shrink(Feed failing, const Check& check);

// From the environment (decimal), else the default; so a failure can be run again.
uint64_t number_from_environment(const char* name, uint64_t otherwise);

}  // namespace lakebed::properties
