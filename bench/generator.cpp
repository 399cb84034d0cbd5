#include "generator.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace lakebed::bench {

namespace {

using value::Column;
using value::ColumnBatch;
using value::Kind;

constexpr uint64_t kSeed = 0x5eed;
constexpr int64_t kBatchStep = int64_t{1} << 32;
constexpr const char* kCities[] = {"Oslo", "Lima", "Porto", "Nairobi", "Kyoto", "Valparaiso"};

uint64_t mix(uint64_t x) {
  x += 0x9e3779b97f4a7c15ULL;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

uint64_t mix(uint64_t a, uint64_t b, uint64_t c) { return mix(mix(mix(a) ^ b) ^ c); }

// A prime far above any table's size is no divisor of it: the walk meets each key once.
uint64_t walk(uint64_t rows, uint64_t batch, uint64_t row) {
  constexpr uint64_t kStep = 2'147'483'647;
  return (row * kStep + mix(kSeed, batch, ~uint64_t{0}) % rows) % rows;
}

bool only_deleted(int64_t id) { return mix(static_cast<uint64_t>(id)) % 17 == 0; }

Change plain_change(const Shape& shape, uint64_t batch, uint64_t row, uint64_t hash) {
  Change change;
  const bool is_insert = !shape.only_updates && hash % 100 < 15;
  change.id = static_cast<int64_t>(is_insert ? shape.rows + (batch - 1) * shape.changes + row
                                             : walk(shape.rows, batch, row));
  change.is_delete = !shape.only_updates && !is_insert && only_deleted(change.id);
  return change;
}

// The parts of a payload, as the columns hold them.
struct Payload {
  uint64_t name, city, quantity, cents, quarters, day, note;
};

Payload parts(uint64_t payload) {
  const uint64_t more = mix(payload);
  return {payload % 1'000'000'000'000,
          more % 6,
          more % 10'000,
          (more >> 16) % 10'000'000,
          payload % 4'000'000,
          (more >> 40) % 20'000,
          more % 1'000'000'000'000};
}

int64_t payload_sum(int64_t id, uint64_t payload) {
  const Payload p = parts(payload);
  const uint64_t sum = p.name % 1'000'003 + p.quantity * 3 + p.cents * 5 + p.quarters * 7 +
                       std::char_traits<char>::length(kCities[p.city]) * 13 + p.note % 1'000'003;
  return static_cast<int64_t>(sum % 1'000'003) * (id % 997 + 1);
}

Change bitemporal_change(const Shape& shape, uint64_t batch, uint64_t row, uint64_t hash) {
  constexpr uint64_t kBetween = 1000;  // business times from one loaded version to the next
  const uint64_t newest = shape.versions * kBetween;
  const uint64_t more = mix(hash);
  Change change;
  change.payload = hash;
  if (batch == 0) {
    change.id = static_cast<int64_t>(row % shape.keys());
    change.business = static_cast<int64_t>(row / shape.keys() * kBetween);
    change.sequence = static_cast<int64_t>(row);
    return change;
  }
  const uint64_t kind = more % 100;
  uint64_t business = newest + batch * shape.changes + row;
  if (kind >= 70 && kind < 90) business = (more >> 8) % newest | 1;
  if (kind >= 90 && kind < 97) business = (more >> 8) % shape.versions * kBetween;
  change.id = static_cast<int64_t>(hash % shape.keys());
  change.business = static_cast<int64_t>(business);
  change.sequence = static_cast<int64_t>(batch) * kBatchStep + static_cast<int64_t>(row);
  change.is_delete = kind >= 97;
  return change;
}

}  // namespace

Change change_at(const Shape& shape, uint64_t batch, uint64_t row) {
  const uint64_t hash = mix(kSeed, batch, row);
  if (shape.bitemporal()) return bitemporal_change(shape, batch, row, hash);
  Change change;
  if (batch == 0) {
    change.id = static_cast<int64_t>(row);
    change.sequence = change.id;
    change.payload = hash;
    return change;
  }
  const bool repeats = !shape.only_updates && row > 0 && mix(hash) % 100 < 5;
  change = repeats ? plain_change(shape, batch, row - 1, mix(kSeed, batch, row - 1))
                   : plain_change(shape, batch, row, hash);
  const bool is_late = !shape.only_updates && (hash >> 32) % 100 < 2;
  const auto number = static_cast<int64_t>(batch) - (is_late ? 1 : 0);
  change.sequence = number * kBatchStep + static_cast<int64_t>(row) * 2 + (is_late ? 1 : 0);
  change.payload = hash;
  return change;
}

value::Schema feed_schema(const Shape& shape) {
  const std::pair<const char*, value::Type> columns[] = {{"id", Kind::kLong},
                                                         {"sequence", Kind::kLong},
                                                         {"op", Kind::kString},
                                                         {"name", Kind::kString},
                                                         {"city", Kind::kString},
                                                         {"quantity", Kind::kInt},
                                                         {"amount", value::Type::decimal(12, 2)},
                                                         {"score", Kind::kDouble},
                                                         {"born", Kind::kDate},
                                                         {"note", Kind::kString}};
  value::Schema schema;
  for (const auto& [name, type] : columns) {
    schema.emplace_back();
    schema.back().name = name;
    schema.back().type = type;
  }
  if (shape.bitemporal()) schema.push_back({"business", Kind::kLong, true, "", {}});
  return schema;
}

namespace {

void append_row(const Change& change, ColumnBatch& out) {
  const Payload p = parts(change.payload);
  auto& columns = out.columns;
  columns[0].append_integer(change.id);
  columns[1].append_integer(change.sequence);
  columns[2].append_bytes(change.is_delete ? "d" : "u");
  columns[3].append_bytes(fmt::format("name-{:012d}", p.name));
  columns[4].append_bytes(kCities[p.city]);
  columns[5].append_integer(static_cast<int64_t>(p.quantity));
  columns[6].append_decimal(static_cast<value::Int128>(p.cents));
  columns[7].append_fixed(static_cast<double>(p.quarters) / 4.0);
  columns[8].append_integer(static_cast<int64_t>(p.day));
  columns[9].append_bytes(fmt::format("note-{:012d} of a row", p.note));
  if (columns.size() > 10) columns[10].append_integer(change.business);
  ++out.rows;
}

// A row's state in a copy: 1 % get another payload with each copy, 0.5 % are missing from each.
std::optional<Change> copy_row(uint64_t batch, uint64_t row) {
  uint64_t changed = 0;
  for (uint64_t at = 1; at <= batch; ++at) changed = mix(kSeed, at, row) % 200 < 2 ? at : changed;
  if (mix(kSeed, batch, row) % 200 == 2) return std::nullopt;
  Change change;
  change.id = static_cast<int64_t>(row);
  change.sequence = static_cast<int64_t>(changed);
  change.payload = mix(kSeed, changed, row);
  return change;
}

}  // namespace

ColumnBatch feed_rows(const Shape& shape, uint64_t batch, uint64_t first, uint64_t count) {
  ColumnBatch out = ColumnBatch::empty(feed_schema(shape));
  for (Column& column : out.columns) column.reserve(count);
  for (uint64_t row = first; row < first + count; ++row) {
    append_row(change_at(shape, batch, row), out);
  }
  return out;
}

ColumnBatch copy_rows(const Shape& shape, uint64_t batch) {
  ColumnBatch out = ColumnBatch::empty(feed_schema(shape));
  for (Column& column : out.columns) column.reserve(shape.rows);
  for (uint64_t row = 0; row < shape.rows; ++row) {
    if (const auto change = copy_row(batch, row)) append_row(*change, out);
  }
  return out;
}

Checksum copy_answer(const Shape& shape, uint64_t batch) {
  Checksum sum;
  for (uint64_t row = 0; row < shape.rows; ++row) {
    const auto change = copy_row(batch, row);
    if (!change) continue;
    ++sum.rows;
    sum.ids += change->id;
    sum.sequences += change->sequence;
    sum.payloads += payload_sum(change->id, change->payload);
  }
  return sum;
}

std::string Checksum::text() const {
  return fmt::format("{}|{}|{}|{}", rows, ids, sequences, payloads);
}

std::string checksum_columns() {
  return "count(*), sum(id), sum(sequence), sum(((CAST(substr(name, 6, 12) AS BIGINT) % 1000003"
         " + CAST(quantity AS BIGINT) * 3 + CAST(amount * 100 AS BIGINT) * 5"
         " + CAST(score * 4 AS BIGINT) * 7 + length(city) * 13"
         " + CAST(substr(note, 6, 12) AS BIGINT) % 1000003) % 1000003) * (id % 997 + 1))";
}

void BitemporalOracle::take(uint64_t batch) {
  const uint64_t rows = batch == 0 ? shape_.rows : shape_.changes;
  for (uint64_t row = 0; row < rows; ++row) {
    const Change change = change_at(shape_, batch, row);
    keys_[static_cast<size_t>(change.id)][change.business] = change;  // known in order
  }
}

Checksum BitemporalOracle::answer() const {
  Checksum sum;
  for (const auto& changes : keys_) {
    for (const auto& [business, change] : changes) {
      if (change.is_delete) continue;
      ++sum.rows;
      sum.ids += change.id;
      sum.sequences += change.sequence;
      sum.payloads += payload_sum(change.id, change.payload);
    }
  }
  return sum;
}

Oracle::Oracle(const Shape& shape) : shape_(shape) {
  latest_.resize(shape.rows);
  for (uint64_t row = 0; row < shape.rows; ++row) take(change_at(shape, 0, row));
}

void Oracle::take(const Change& change) {
  const auto at = static_cast<size_t>(change.id);
  if (at >= latest_.size()) latest_.resize(at + 1);
  Latest& latest = latest_[at];
  if (change.sequence > latest.sequence) {
    latest = {change.sequence, change.payload, change.is_delete};
  }
}

void Oracle::apply(uint64_t batch) {
  for (uint64_t row = 0; row < shape_.changes; ++row) take(change_at(shape_, batch, row));
}

Checksum Oracle::answer() const {
  Checksum sum;
  for (size_t id = 0; id < latest_.size(); ++id) {
    const Latest& latest = latest_[id];
    if (latest.sequence < 0 || latest.is_deleted) continue;
    ++sum.rows;
    sum.ids += static_cast<int64_t>(id);
    sum.sequences += latest.sequence;
    sum.payloads += payload_sum(static_cast<int64_t>(id), latest.payload);
  }
  return sum;
}

}  // namespace lakebed::bench
