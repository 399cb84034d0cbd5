#include "feed.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace lakebed::properties {

namespace {

using value::Column;
using value::Kind;
using value::Type;

uint64_t below(Random& random, uint64_t bound) { return random.next() % bound; }
bool chance(Random& random, uint64_t percent) { return below(random, 100) < percent; }

std::string random_text(Random& random) {
  std::string text = chance(random, 70) ? "a common prefix " : "";
  const uint64_t length = below(random, 5);
  for (uint64_t at = 0; at < length; ++at) text += static_cast<char>(below(random, 3));
  return text;
}

void append_random(Column& column, uint64_t kind, Random& random) {
  if (kind == 0) {
    column.append_integer(static_cast<int64_t>(below(random, 1000)) - 500);
  } else if (kind == 1) {
    column.append_bytes(random_text(random));
  } else if (kind == 2) {
    Column& number = column.raw_children()[0];
    Column& text = column.raw_children()[1];
    if (chance(random, 20))
      number.append_null();
    else
      number.append_integer(static_cast<int64_t>(below(random, 6)));
    if (chance(random, 20))
      text.append_null();
    else
      text.append_bytes(random_text(random));
    column.append_struct();
  } else {
    value::Int128 high = static_cast<int64_t>(below(random, 9)) - 4;
    column.append_decimal((high << 64) + static_cast<int64_t>(below(random, 5)));
  }
}

Type domain_type(uint64_t kind) {
  if (kind == 0) return Kind::kLong;
  if (kind == 1) return Kind::kString;
  if (kind == 3) return Type::decimal(38, 4);
  value::Field at;
  at.name = "at";
  at.type = Kind::kLong;
  value::Field position;
  position.name = "position";
  position.type = Kind::kString;
  return Type::structure({at, position});
}

}  // namespace

Domain make_domain(uint64_t kind, size_t size, Random& random) {
  kind %= 4;
  Domain domain;
  const Type type = domain_type(kind);
  domain.name = type.text();
  Column column(type);
  for (size_t row = 0; row < size * 2; ++row) {
    append_random(column, kind, random);
    domain.codes.push_back(value::sequence_code(column, row));
  }
  std::sort(domain.codes.begin(), domain.codes.end());
  domain.codes.erase(std::unique(domain.codes.begin(), domain.codes.end()), domain.codes.end());
  if (domain.codes.size() > size) domain.codes.resize(size);
  return domain;
}

std::string Feed::text() const {
  std::string out = fmt::format("  sequences: {} (shown by rank), tracked = value / {}\n",
                                domain->name, tracked_of);
  size_t cut = 0;
  for (size_t at = 0; at < items.size(); ++at) {
    if (cut < cuts.size() && cuts[cut] == at) {
      out += "  ---- batch ----\n";
      ++cut;
    }
    const Item& item = items[at];
    if (item.what == Item::What::kTruncate) {
      out += fmt::format("  truncate       @{}\n", item.sequence);
    } else if (item.what == Item::What::kDelete) {
      out += fmt::format("  delete  key {}  @{}\n", item.key, item.sequence);
    } else {
      const char* what = item.what == Item::What::kHidden ? "hidden" : "upsert";
      out +=
          fmt::format("  {}  key {}  @{}  value {}\n", what, item.key, item.sequence, item.value);
    }
  }
  return out;
}

Feed random_feed(Random& random) {
  Feed feed;
  const bool deep = chance(random, 4);
  const size_t items = deep ? 100 + below(random, 150) : 1 + below(random, 28);
  const size_t width = chance(random, 40) ? 4 + below(random, 5) : items * 2 + 2;
  feed.domain = std::make_shared<Domain>(make_domain(below(random, 7), width, random));
  const uint64_t ranks = feed.domain->codes.size();
  const uint64_t keys = deep ? 1 : 1 + below(random, 3);
  const uint64_t values = 1 + below(random, 5);
  const uint64_t deletes = below(random, 45);
  const uint64_t hidden = chance(random, 30) ? below(random, 25) : 0;
  const uint64_t truncates = chance(random, 50) ? below(random, 15) : 0;
  const uint64_t late = chance(random, 30) ? 10 : 100;  // percent of items out of order
  feed.tracked_of = chance(random, 50) ? 1 : (chance(random, 80) ? 2 : 0);
  for (size_t at = 0; at < items; ++at) {
    Item item;
    item.key = static_cast<uint32_t>(below(random, keys));
    const uint64_t in_order = at * ranks / items;
    item.sequence = static_cast<uint32_t>(chance(random, late) ? below(random, ranks) : in_order);
    item.value = static_cast<uint32_t>(below(random, values));
    if (chance(random, deletes)) item.what = Item::What::kDelete;
    if (chance(random, hidden)) item.what = Item::What::kHidden;
    if (chance(random, truncates)) item.what = Item::What::kTruncate;
    if (!feed.items.empty() && chance(random, 8)) {
      item = feed.items[below(random, feed.items.size())];
    }
    feed.items.push_back(item);
  }
  const uint64_t cut_percent = below(random, 100);
  for (size_t at = 1; at < items; ++at) {
    if (chance(random, cut_percent)) feed.cuts.push_back(at);
  }
  return feed;
}

std::vector<cdc::reference::Delivery> deliveries_of(const Feed& feed,
                                                    const std::vector<Item>& items) {
  std::vector<cdc::reference::Delivery> out;
  for (const Item& item : items) {
    cdc::reference::Delivery delivery;
    delivery.is_truncate = item.what == Item::What::kTruncate;
    cdc::Event& event = delivery.event;
    event.key = {item.key, ~uint64_t{item.key}};
    event.sequence = feed.domain->codes.at(item.sequence);
    event.value_hash = 100 + item.value;
    event.tracked_hash = feed.tracked_of == 0 ? 7 : 1000 + item.value / feed.tracked_of;
    if (item.hides_row()) {
      event.operation = cdc::Operation::kDelete;
      const bool hidden = item.what == Item::What::kHidden;
      event.value_hash = hidden ? cdc::hidden_hash(event.value_hash) : 0;
    }
    event.arrival = static_cast<uint32_t>(out.size());
    out.push_back(delivery);
  }
  return out;
}

std::vector<std::vector<Item>> batches_of(const Feed& feed) {
  std::vector<std::vector<Item>> batches;
  size_t begin = 0;
  const auto take = [&](size_t end) {
    const auto at = feed.items.begin();
    batches.emplace_back(at + static_cast<ptrdiff_t>(begin), at + static_cast<ptrdiff_t>(end));
    begin = end;
  };
  for (size_t cut : feed.cuts) take(cut);
  take(feed.items.size());
  return batches;
}

namespace {

// The feed without the items [first, first + count); cuts move along.
Feed without(const Feed& feed, size_t first, size_t count) {
  Feed out = feed;
  const auto at = out.items.begin() + static_cast<ptrdiff_t>(first);
  out.items.erase(at, at + static_cast<ptrdiff_t>(count));
  out.cuts.clear();
  for (size_t cut : feed.cuts) {
    const size_t moved = cut <= first ? cut : std::max(first, cut - std::min(count, cut - first));
    const bool useful = moved > 0 && moved < out.items.size();
    if (useful && (out.cuts.empty() || out.cuts.back() != moved)) out.cuts.push_back(moved);
  }
  return out;
}

// Takes the candidate over where it still fails.
bool try_smaller(Feed& failing, Feed candidate, const Check& check) {
  if (check(candidate).empty()) return false;
  failing = std::move(candidate);
  return true;
}

bool drop_items(Feed& failing, const Check& check) {
  bool progress = false;
  for (size_t count = std::max<size_t>(failing.items.size() / 2, 1); count >= 1; count /= 2) {
    for (size_t at = 0; at + count <= failing.items.size();) {
      const bool dropped =
          failing.items.size() > count && try_smaller(failing, without(failing, at, count), check);
      progress = progress || dropped;
      if (!dropped) at += count;
    }
  }
  return progress;
}

bool drop_cuts(Feed& failing, const Check& check) {
  bool progress = false;
  for (size_t at = 0; at < failing.cuts.size();) {
    Feed candidate = failing;
    candidate.cuts.erase(candidate.cuts.begin() + static_cast<ptrdiff_t>(at));
    if (try_smaller(failing, std::move(candidate), check))
      progress = true;
    else
      ++at;
  }
  return progress;
}

bool lower_numbers(Feed& failing, const Check& check) {
  bool progress = false;
  for (size_t at = 0; at < failing.items.size(); ++at) {
    for (uint32_t Item::* field : {&Item::value, &Item::sequence, &Item::key}) {
      while (failing.items[at].*field > 0) {
        Feed candidate = failing;
        --(candidate.items[at].*field);
        if (!try_smaller(failing, std::move(candidate), check)) break;
        progress = true;
      }
    }
  }
  return progress;
}

}  // namespace

Feed shrink(Feed failing, const Check& check) {
  bool progress = true;
  while (progress) {
    progress = drop_items(failing, check);
    progress = drop_cuts(failing, check) || progress;
    progress = lower_numbers(failing, check) || progress;
  }
  return failing;
}

uint64_t number_from_environment(const char* name, uint64_t otherwise) {
  const char* text = std::getenv(name);
  if (text == nullptr || *text == '\0') return otherwise;
  return std::strtoull(text, nullptr, 10);
}

}  // namespace lakebed::properties
