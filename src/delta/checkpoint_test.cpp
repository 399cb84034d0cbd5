// Tables with real Parquet files, through the engine: checkpoints both ways, scans with vectors,
// column mapping. LAKEBED_TEST_TABLES names a folder to leave the tables in, for other readers.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "delta/check.h"
#include "delta/checkpoint.h"
#include "delta/commit.h"
#include "delta/deletion_vector.h"
#include "delta/partition.h"
#include "delta/scan.h"
#include "delta/schema.h"
#include "delta/statistics.h"
#include "delta/table.h"

namespace lakebed::delta {
namespace {

using value::ColumnBatch;
using value::Field;
using value::Kind;
using value::Schema;
using value::Type;

Field field(const std::string& name, Type type, bool nullable = true) {
  return {name, std::move(type), nullable, "", {}};
}

class EngineTest : public testing::Test {
 protected:
  void SetUp() override {
    auto opened = engine::open_duck_engine({});
    if (!opened.ok()) GTEST_SKIP() << opened.error().text();
    engine_ = std::move(opened).value();
    const char* keep = std::getenv("LAKEBED_TEST_TABLES");
    kept_ = keep != nullptr;
    const auto* info = testing::UnitTest::GetInstance()->current_test_info();
    const std::filesystem::path base =
        kept_ ? std::filesystem::path(keep) : std::filesystem::temp_directory_path();
    folder_ = (base / (std::string("lakebed delta ") + info->name())).string();
    std::filesystem::remove_all(folder_);
    store_ = store::local_store(folder_);
    environment_ = std::make_unique<Environment>(
        *store_, [this]() -> Result<engine::Engine*> { return engine_.get(); }, *clock_, *random_);
  }
  void TearDown() override {
    if (!kept_) std::filesystem::remove_all(folder_);
  }

  void create(const Schema& schema, const std::vector<std::string>& partitions = {}) {
    const auto shape = new_table({"", "", schema, partitions, {}}, *clock_, *random_);
    ASSERT_TRUE(shape.ok()) << shape.error().text();
    Transaction transaction({"CREATE TABLE", {}, {}, {}, false}, *random_);
    transaction.set_protocol(shape->protocol);
    transaction.set_metadata(shape->metadata);
    must_win(transaction);
  }

  void must_win(const Transaction& transaction) {
    const auto outcome = commit(*environment_, snapshot_, transaction);
    ASSERT_TRUE(outcome.ok()) << outcome.error().text();
    ASSERT_TRUE(outcome->won);
  }

  // Writes one data file with these rows (columns of the table's schema) and adds it.
  void write(const ColumnBatch& rows, const PartitionValues& partition = {}) {
    Transaction transaction({"STREAMING UPDATE", {{"flow", "f"}}, {{"numOutputRows", "1"}}, {},
                             true},
                            *random_);
    const std::string path = "part-" + uuid_text(transaction.uuid()) + ".parquet";
    ColumnBatch physical = rows;
    Schema schema;
    std::vector<value::Column> columns;
    for (size_t i = 0; i < rows.columns.size(); ++i) {
      const auto& partitions = snapshot_.partition_columns();
      const std::string& name = snapshot_.schema()[i].name;
      if (std::find(partitions.begin(), partitions.end(), name) != partitions.end()) continue;
      schema.push_back(physical_schema(snapshot_.schema())[i]);
      columns.push_back(rows.columns[i]);
    }
    physical.schema = schema;
    physical.columns = columns;
    engine::WriteOptions options;
    options.field_ids = field_ids(snapshot_.schema());
    const auto written = engine_->write_parquet(*store_->local_path(path), schema, {&physical},
                                                options);
    ASSERT_TRUE(written.ok()) << written.error().text();
    AddFile add;
    add.path = encode_path(path);
    add.size = static_cast<int64_t>(written->bytes);
    add.modified_ms = clock_->now_us() / 1000;
    add.partition_values = partition;
    add.stats = statistics_json(snapshot_.schema(), {&rows}, {32, snapshot_.partition_columns()});
    transaction.add(add);
    transaction.set_domain("lakebed", "{\"manifest\":\"m\"}");
    transaction.set_transaction("lakebed:f", snapshot_.version(), clock_->now_us() / 1000);
    ASSERT_TRUE(store_->sync({path}).ok());
    must_win(transaction);
  }

  void hide(const std::vector<uint64_t>& rows) {
    VectorFile vectors(make_uuid(*random_));
    Transaction transaction({"STREAMING UPDATE", {}, {}, {}, false}, *random_);
    for (const AddFilePtr& file : snapshot_.files()) {
      Bitmap bitmap;
      bitmap.add_many(rows);
      ASSERT_TRUE(transaction
                      .replace_vector(*file, vectors.append(bitmap), clock_->now_us() / 1000)
                      .ok());
    }
    ASSERT_TRUE(store_->put(vectors.path(), vectors.bytes()).ok());
    ASSERT_TRUE(store_->sync({vectors.path()}).ok());
    must_win(transaction);
  }

  void expect_sound() {
    CheckOptions options;
    const auto found = check_table(*environment_, options);
    ASSERT_TRUE(found.ok()) << found.error().text();
    for (const Violation& violation : *found) ADD_FAILURE() << violation.message;
  }

  // What `loaded` has must be what the snapshot in memory has.
  void expect_same(const Snapshot& loaded) {
    EXPECT_EQ(loaded.version(), snapshot_.version());
    EXPECT_EQ(loaded.timestamp_ms(), snapshot_.timestamp_ms());
    EXPECT_EQ(loaded.file_set_hash(), snapshot_.file_set_hash());
    EXPECT_EQ(loaded.total_rows(), snapshot_.total_rows());
    EXPECT_EQ(loaded.total_bytes(), snapshot_.total_bytes());
    EXPECT_EQ(loaded.domains(), snapshot_.domains());
    EXPECT_EQ(loaded.transaction("lakebed:f"), snapshot_.transaction("lakebed:f"));
    EXPECT_EQ(loaded.metadata(), snapshot_.metadata());
    EXPECT_EQ(loaded.protocol(), snapshot_.protocol());
    EXPECT_EQ(loaded.tombstones().size(), snapshot_.tombstones().size());
    const auto left = loaded.files();
    const auto right = snapshot_.files();
    ASSERT_EQ(left.size(), right.size());
    for (size_t i = 0; i < left.size(); ++i) {
      EXPECT_EQ(left[i]->key(), right[i]->key());
      EXPECT_EQ(left[i]->added_version, right[i]->added_version);
      EXPECT_EQ(left[i]->stats, right[i]->stats);
      EXPECT_EQ(left[i]->partition_values, right[i]->partition_values);
    }
  }

  std::unique_ptr<engine::Engine> engine_;
  std::unique_ptr<Clock> clock_ = system_clock();
  std::unique_ptr<Random> random_ = system_random();
  std::string folder_;
  bool kept_ = false;
  std::unique_ptr<store::Store> store_;
  std::unique_ptr<Environment> environment_;
  Snapshot snapshot_;
};

ColumnBatch ids(const Schema& schema, int64_t from, int64_t count) {
  ColumnBatch batch = ColumnBatch::empty(schema);
  for (int64_t i = from; i < from + count; ++i) {
    batch.columns[0].append_integer(i);
    batch.columns[1].append_bytes("name " + std::to_string(i));
  }
  batch.rows = static_cast<size_t>(count);
  return batch;
}

TEST_F(EngineTest, Checkpoints) {
  create({field("id", Kind::kLong, false), field("a name", Kind::kString)});
  for (int64_t i = 0; i < 3; ++i) write(ids(snapshot_.schema(), i * 10, 10));
  hide({0, 3});
  EXPECT_TRUE(checkpoint_is_due(snapshot_, 4));
  EXPECT_FALSE(checkpoint_is_due(snapshot_, 5));
  const Status written = write_checkpoint(*environment_, snapshot_);
  ASSERT_TRUE(written.ok()) << written.error().text();
  EXPECT_FALSE(checkpoint_is_due(snapshot_, 4));
  ASSERT_TRUE(write_checkpoint(*environment_, snapshot_).ok());  // again is fine
  write(ids(snapshot_.schema(), 30, 5));
  expect_sound();
  auto loaded = load(*environment_);
  ASSERT_TRUE(loaded.ok()) << loaded.error().text();
  EXPECT_EQ(loaded->checkpoint_version(), 4);
  expect_same(*loaded);
  // The log before the checkpoint may be gone, and the hint too.
  for (int64_t version = 0; version < 4; ++version) {
    ASSERT_TRUE(store_->remove(commit_file(version)).ok());
  }
  loaded = load(*environment_);
  ASSERT_TRUE(loaded.ok()) << loaded.error().text();
  expect_same(*loaded);
  ASSERT_TRUE(store_->remove("_delta_log/_last_checkpoint").ok());
  expect_same(*load(*environment_));
  EXPECT_EQ(load(*environment_, 2).error().code, "DELTA_VERSION_NOT_FOUND");
  expect_sound();
}

TEST_F(EngineTest, DamagedCheckpointsAreNamed) {
  create({field("id", Kind::kLong), field("name", Kind::kString)});
  write(ids(snapshot_.schema(), 0, 3));
  ASSERT_TRUE(write_checkpoint(*environment_, snapshot_).ok());
  const std::string path = "_delta_log/00000000000000000001.checkpoint.parquet";
  const std::string good = *store_->read(path);
  ASSERT_TRUE(store_->put(path, good.substr(0, good.size() / 2)).ok());
  const auto loaded = load(*environment_);
  ASSERT_FALSE(loaded.ok());
  EXPECT_EQ(loaded.error().code, "DELTA_CHECKPOINT.DAMAGED");
  EXPECT_NE(loaded.error().message.find(path), std::string::npos);
  ASSERT_TRUE(store_->put(path, good).ok());
}

TEST_F(EngineTest, PartitionsAndVectors) {
  create({field("id", Kind::kLong), field("name", Kind::kString), field("p", Kind::kString),
          field("d", Type::decimal(10, 2))},
         {"p", "d"});
  for (const char* partition : {"a b/c%", "", "ü:1"}) {
    ColumnBatch batch = ids(snapshot_.schema(), 0, 4);
    for (int i = 0; i < 4; ++i) {
      batch.columns[2].append_bytes(partition);
      batch.columns[3].append_decimal(1250);
    }
    write(batch, {{"p", partition_text(batch.columns[2], 0)},
                  {"d", partition_text(batch.columns[3], 0)}});
  }
  hide({1});
  expect_sound();
  VectorCache cache;
  const auto input = scan_input(*store_, snapshot_, cache);
  ASSERT_TRUE(input.ok());
  ASSERT_EQ(input->files.size(), 3U);
  EXPECT_EQ(input->files[0].constants.at("p"), "a b/c%");
  EXPECT_EQ(input->files[1].constants.at("p"), std::nullopt);
  EXPECT_EQ(input->files[2].constants.at("d"), "12.50");
  EXPECT_EQ(*input->files[2].deleted_rows, std::vector<uint64_t>{1});
  EXPECT_EQ(input->files[0].path, folder_ + "/" + snapshot_.files()[0]->path);
}

// Appends a value made of the number `n`; NULL for some.
void append_any(value::Column& column, uint64_t n) {
  const Type& type = column.type();
  if (n % 11 == 3) return column.append_null();
  switch (type.kind) {
    case Kind::kString:
      if (n % 5 != 0) return column.append_bytes("ü" + std::to_string(n));
      return column.append_bytes(std::string(30 + n % 9, static_cast<char>('a' + n % 26)));
    case Kind::kBinary:
      return column.append_bytes(std::string(n % 4, '\x01'));
    case Kind::kFloat:
      return column.append_fixed(static_cast<float>(n % 1000) / 8 - 50);
    case Kind::kDouble:
      return column.append_fixed(static_cast<double>(n % 100'003) / 7 - 5000);
    case Kind::kDecimal:
      return column.append_decimal(value::Int128(n) * (type.precision > 18 ? 1'000'000'007 : 1) -
                                   500'000);
    case Kind::kTimestamp:
    case Kind::kTimestampNtz:
      return column.append_integer(static_cast<int64_t>(n * 7'777'777'777) - 4'000'000'000'000'001);
    case Kind::kStruct:
      for (value::Column& child : column.raw_children()) append_any(child, n / 2 + 1);
      return column.append_struct();
    case Kind::kArray:
      for (uint64_t i = 0; i < n % 3; ++i) append_any(column.raw_children()[0], n + i);
      return column.append_list();
    case Kind::kMap:
      for (uint64_t i = 0; i < n % 2; ++i) {
        column.raw_children()[0].append_bytes("k" + std::to_string(n));
        append_any(column.raw_children()[1], n);
      }
      return column.append_list();
    default:
      return column.append_integer(static_cast<int64_t>(n % 101) - 50);
  }
}

Schema all_types(bool odd) {
  const std::string gap = odd ? " of" : "_";
  const Type inner = Type::structure({field("x" + gap, Kind::kInt), field("t", Kind::kTimestamp)});
  Schema schema = {field("id", Kind::kLong, false)};
  for (const Kind kind : {Kind::kBoolean, Kind::kByte, Kind::kShort, Kind::kInt, Kind::kFloat,
                          Kind::kDouble, Kind::kString, Kind::kBinary, Kind::kDate,
                          Kind::kTimestamp, Kind::kTimestampNtz}) {
    schema.push_back(field("c" + gap + Type(kind).text(), kind));
  }
  schema.push_back(field("small" + gap, Type::decimal(12, 3)));
  schema.push_back(field("big" + gap, Type::decimal(30, 6)));
  schema.push_back(field("s", inner));
  schema.push_back(field("l" + gap, Type::array(inner)));
  schema.push_back(field("m", Type::map(Kind::kString, Kind::kDouble)));
  return schema;
}

TEST_F(EngineTest, AllTypes) {
  create(all_types(false));
  for (uint64_t part = 0; part < 3; ++part) {
    ColumnBatch batch = ColumnBatch::empty(snapshot_.schema());
    for (uint64_t row = 0; row < 40; ++row) {
      batch.columns[0].append_integer(static_cast<int64_t>(part * 40 + row));
      for (size_t i = 1; i < batch.columns.size(); ++i) {
        append_any(batch.columns[i], part * 5000 + row * 37 + i);
      }
    }
    batch.rows = 40;
    write(batch);
  }
  hide({2, 39});
  expect_sound();
}

TEST_F(EngineTest, AllTypesUnderOddNames) {
  create(all_types(true));
  for (uint64_t part = 0; part < 2; ++part) {
    ColumnBatch batch = ColumnBatch::empty(snapshot_.schema());
    for (uint64_t row = 0; row < 40; ++row) {
      batch.columns[0].append_integer(static_cast<int64_t>(part * 40 + row));
      for (size_t i = 1; i < batch.columns.size(); ++i) append_any(batch.columns[i], row * 37 + i);
    }
    batch.rows = 40;
    write(batch);
  }
  hide({2, 39});
  expect_sound();
}

}  // namespace
}  // namespace lakebed::delta
