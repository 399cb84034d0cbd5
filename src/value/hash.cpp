#include "value/hash.h"

#include <bit>
#include <cmath>

#include "base/names.h"
#include "value/order.h"

namespace lakebed::value {

namespace {

constexpr uint64_t kNaN = 0x7FF8000000000000ULL;
constexpr int64_t kMicrosPerDay = 86'400'000'000;
// Tags keep kinds of canonical values apart. On disk for ever.
constexpr uint64_t kTagInteger = 1, kTagReal = 2, kTagWide = 3, kTagScaled = 4, kTagBytes = 5;
constexpr uint64_t kTagList = 6, kTagMap = 7, kTagStruct = 8, kTagNull = 9, kTagTime = 10;
constexpr uint64_t kTagBoolean = 11;

uint64_t hash_integer(int64_t item) {
  return hash_combine(kTagInteger, static_cast<uint64_t>(item));
}

uint64_t hash_real(double number) {
  if (number != number) return hash_combine(kTagReal, kNaN);
  // Exactly representable integers hash as integers, so INT widened to DOUBLE keeps its hash.
  if (std::abs(number) < 9.2e18 && number == std::trunc(number)) {
    return hash_integer(static_cast<int64_t>(number));
  }
  return hash_combine(kTagReal, std::bit_cast<uint64_t>(number));
}

uint64_t hash_decimal(Int128 unscaled, int scale) {
  while (scale > 0 && unscaled % 10 == 0) {
    unscaled /= 10;
    --scale;
  }
  const auto low = static_cast<int64_t>(unscaled);
  if (scale == 0 && unscaled == low) return hash_integer(low);
  const auto bits = static_cast<UInt128>(unscaled);
  const uint64_t halves =
      hash_combine(static_cast<uint64_t>(bits), static_cast<uint64_t>(bits >> 64));
  return scale == 0 ? hash_combine(kTagWide, halves)
                    : hash_combine(hash_combine(kTagScaled, static_cast<uint64_t>(scale)), halves);
}

uint64_t path_hash(const std::string& path) { return hash64(path); }

// The canonical hash of one value that stands as a whole (leaf, or inside an array or map).
uint64_t whole_hash(const Column& column, size_t row);

uint64_t list_hash(const Column& column, size_t row) {
  uint64_t running = kTagList;
  for (uint64_t i = column.begin(row); i < column.end(row); ++i) {
    running = hash_combine(running, whole_hash(column.children()[0], i));
  }
  return running;
}

uint64_t map_hash(const Column& column, size_t row) {
  uint64_t sum = kTagMap;
  for (uint64_t i = column.begin(row); i < column.end(row); ++i) {
    sum += hash_combine(whole_hash(column.children()[0], i), whole_hash(column.children()[1], i));
  }
  return sum;
}

uint64_t struct_hash(const Column& column, size_t row) {
  uint64_t sum = kTagStruct;
  for (size_t i = 0; i < column.children().size(); ++i) {
    if (column.children()[i].is_null(row)) continue;
    const uint64_t leaf = path_hash(fold_case(column.type().fields[i].name));
    sum += hash_combine(leaf, whole_hash(column.children()[i], row));
  }
  return sum;
}

uint64_t whole_hash(const Column& column, size_t row) {
  if (column.is_null(row)) return kTagNull;
  switch (column.type().kind) {
    case Kind::kVoid: return kTagNull;
    case Kind::kBoolean: return hash_combine(kTagBoolean, column.fixed<uint8_t>(row) != 0);
    case Kind::kFloat: return hash_real(static_cast<double>(column.fixed<float>(row)));
    case Kind::kDouble: return hash_real(column.fixed<double>(row));
    case Kind::kDecimal: return hash_decimal(column.decimal(row), column.type().scale);
    case Kind::kString:
    case Kind::kBinary: return hash_combine(kTagBytes, hash64(column.bytes(row)));
    case Kind::kDate:
      return hash_combine(kTagTime, static_cast<uint64_t>(column.integer(row) * kMicrosPerDay));
    case Kind::kTimestamp:
    case Kind::kTimestampNtz:
      return hash_combine(kTagTime, static_cast<uint64_t>(column.integer(row)));
    case Kind::kArray: return list_hash(column, row);
    case Kind::kMap: return map_hash(column, row);
    case Kind::kStruct: return struct_hash(column, row);
    default: return hash_integer(column.integer(row));
  }
}

// NULL adds nothing.
template <typename Hash>
void add_each(const Column& column, uint64_t leaf, std::vector<uint64_t>& sums, Hash hash) {
  const bool nulls = column.has_nulls();
  for (size_t row = 0; row < column.size(); ++row) {
    if (!nulls || !column.is_null(row)) sums[row] += hash_combine(leaf, hash(row));
  }
}

// The same as whole_hash for each row; the commonest kinds have loops of their own.
void add_leaf(const Column& column, uint64_t leaf, std::vector<uint64_t>& sums) {
  switch (column.type().kind) {
    case Kind::kInt:
      return add_each(column, leaf, sums,
                      [&](size_t row) { return hash_integer(column.fixed<int32_t>(row)); });
    case Kind::kLong:
      return add_each(column, leaf, sums,
                      [&](size_t row) { return hash_integer(column.fixed<int64_t>(row)); });
    case Kind::kDouble:
      return add_each(column, leaf, sums,
                      [&](size_t row) { return hash_real(column.fixed<double>(row)); });
    case Kind::kString:
      return add_each(column, leaf, sums, [&](size_t row) {
        return hash_combine(kTagBytes, hash64(column.bytes(row)));
      });
    default:
      return add_each(column, leaf, sums, [&](size_t row) { return whole_hash(column, row); });
  }
}

}  // namespace

void add_value_hashes(const Column& column, const std::string& name, std::vector<uint64_t>& sums) {
  LAKEBED_ASSERT(sums.size() == column.size());
  const std::string path = fold_case(name);
  const uint64_t leaf = path_hash(path);
  if (column.type().kind != Kind::kStruct) return add_leaf(column, leaf, sums);
  for (size_t row = 0; row < column.size(); ++row) {
    if (!column.is_null(row)) sums[row] += hash_combine(leaf, kTagStruct);
  }
  for (size_t i = 0; i < column.children().size(); ++i) {
    add_value_hashes(column.children()[i], path + "." + column.type().fields[i].name, sums);
  }
}

std::vector<Hash128> key_hashes(const std::vector<const Column*>& keys) {
  LAKEBED_ASSERT(!keys.empty());
  std::vector<Hash128> hashes;
  const size_t rows = keys[0]->size();
  hashes.reserve(rows);
  std::string code;
  for (size_t row = 0; row < rows; ++row) {
    code.clear();
    for (const Column* key : keys) append_order_code(*key, row, code);
    hashes.push_back(hash128(code));
  }
  return hashes;
}

}  // namespace lakebed::value
