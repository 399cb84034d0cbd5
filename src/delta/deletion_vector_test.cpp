#include "delta/deletion_vector.h"

#include <gtest/gtest.h>

#include "base/hash.h"

namespace lakebed::delta {
namespace {

std::string hex(std::string_view bytes) {
  std::string out;
  for (const char c : bytes) {
    const auto byte = static_cast<uint8_t>(c);
    out += "0123456789abcdef"[byte >> 4];
    out += "0123456789abcdef"[byte & 15];
  }
  return out;
}

Bitmap bitmap_of(const std::vector<uint64_t>& rows) {
  Bitmap bitmap;
  bitmap.add_many(rows);
  return bitmap;
}

const std::vector<uint64_t> kGoldenRows = {3, 4, 7, 11, 18, 29};
constexpr const char* kGoldenData =
    "d1d339640100000000000000000000003a3000000100000000000500100000000300040007000b0012001d00";
constexpr const char* kGoldenInline = "^Bg9^0rr910000000000iXQKl0rr91000f55c8Xg0@@D72lkbi5=-{L";

TEST(DeletionVector, GoldenBytes) {
  const Bitmap bitmap = bitmap_of(kGoldenRows);
  EXPECT_EQ(hex(bitmap.serialize()), kGoldenData);
  const DeletionVector in_log = inline_vector(bitmap);
  EXPECT_EQ(in_log.path_or_inline, kGoldenInline);
  EXPECT_EQ(in_log.size_bytes, 44);
  VectorFile file(Uuid{});
  const DeletionVector on_disk = file.append(bitmap);
  EXPECT_EQ(hex(file.bytes()), std::string("010000002c") + kGoldenData + "acd74a79");
  EXPECT_EQ(on_disk.offset, 1);
  EXPECT_EQ(on_disk.size_bytes, 44);
  EXPECT_EQ(on_disk.cardinality, 6);
  EXPECT_EQ(file.path(),
            "_lakebed/dv/deletion_vector_00000000-0000-0000-0000-000000000000.bin");
}

TEST(DeletionVector, ReadsWhatItWrites) {
  auto store = store::memory_store();
  auto random = seeded_random(1);
  VectorFile file(make_uuid(*random));
  std::vector<uint64_t> many;
  for (uint64_t i = 0; i < 300'000; ++i) many.push_back(i * 3 + (i > 200'000 ? 1ULL << 33 : 0));
  std::vector<uint64_t> stretch;
  for (uint64_t i = 1000; i < 90'000; ++i) stretch.push_back(i);
  const std::vector<std::vector<uint64_t>> all = {kGoldenRows, many, stretch};
  std::vector<DeletionVector> vectors;
  for (const auto& rows : all) vectors.push_back(file.append(bitmap_of(rows)));
  ASSERT_TRUE(store->put(file.path(), file.bytes()).ok());
  for (size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(*vector_path(vectors[i]), file.path());
    const auto bitmap = read_vector(*store, vectors[i]);
    ASSERT_TRUE(bitmap.ok()) << bitmap.error().text();
    EXPECT_EQ(bitmap->rows(), all[i]);
    EXPECT_EQ(read_vector(*store, inline_vector(*bitmap))->rows(), all[i]);
  }
  EXPECT_LT(vectors[2].size_bytes, 100);  // a run
}

TEST(DeletionVector, ReadsTheOldNativeForm) {
  DeletionVector vector;
  vector.storage = 'i';
  vector.path_or_inline = "wi5b=000010000siXQKl0rr91000f55c8Xg0@@D72lkbi5=-{L";
  vector.size_bytes = 40;
  vector.cardinality = 6;
  auto store = store::memory_store();
  const auto bitmap = read_vector(*store, vector);
  ASSERT_TRUE(bitmap.ok()) << bitmap.error().text();
  EXPECT_EQ(bitmap->rows(), kGoldenRows);
}

TEST(DeletionVector, DamagedOnesAreNamed) {
  auto store = store::memory_store();
  VectorFile file(Uuid{7});
  const DeletionVector good = file.append(bitmap_of(kGoldenRows));
  const auto code = [&](const DeletionVector& vector) {
    const auto bitmap = read_vector(*store, vector);
    if (bitmap.ok()) return std::string("ok");
    const bool named = bitmap.error().text().find(file.path()) != std::string::npos;
    return named ? bitmap.error().code : bitmap.error().text();
  };
  EXPECT_EQ(code(good), "DELTA_DELETION_VECTOR.DAMAGED");  // the file is missing
  ASSERT_TRUE(store->put(file.path(), file.bytes()).ok());
  EXPECT_EQ(code(good), "ok");
  DeletionVector wrong = good;
  wrong.cardinality = 5;
  EXPECT_EQ(code(wrong), "DELTA_DELETION_VECTOR.DAMAGED");
  wrong = good;
  wrong.size_bytes = 43;
  EXPECT_EQ(code(wrong), "DELTA_DELETION_VECTOR.DAMAGED");
  for (size_t at = 1; at < file.bytes().size(); ++at) {
    std::string bytes = file.bytes();
    bytes[at] = static_cast<char>(bytes[at] ^ 0x10);
    ASSERT_TRUE(store->put(file.path(), bytes).ok());
    EXPECT_EQ(code(good), "DELTA_DELETION_VECTOR.DAMAGED") << at;
    ASSERT_TRUE(store->put(file.path(), file.bytes().substr(0, at)).ok());
    EXPECT_EQ(code(good), "DELTA_DELETION_VECTOR.DAMAGED") << at;
  }
}

TEST(Bitmap, NeverReadsPastTheEnd) {
  std::vector<uint64_t> rows;
  for (uint64_t i = 0; i < 9000; ++i) rows.push_back(i * i % 200'000);
  const std::string bytes = bitmap_of(rows).serialize();
  for (size_t size = 0; size < bytes.size(); size += 13) {
    const auto copy = std::make_unique<std::string>(bytes.substr(0, size));
    EXPECT_FALSE(Bitmap::parse(*copy).ok()) << size;
  }
}

TEST(Bitmap, MergesAndCompares) {
  Bitmap left = bitmap_of({1, 5, 1ULL << 40});
  const Bitmap right = bitmap_of({5, 6});
  left.merge(right);
  EXPECT_EQ(left.rows(), (std::vector<uint64_t>{1, 5, 6, 1ULL << 40}));
  EXPECT_TRUE(left.contains(1ULL << 40));
  EXPECT_FALSE(left.contains(2));
  EXPECT_EQ(left.cardinality(), 4U);
  Bitmap copy = left;
  EXPECT_TRUE(copy == left);
  copy.add(0);
  EXPECT_FALSE(copy == left);
}

}  // namespace
}  // namespace lakebed::delta
