// The engine against real DuckDB: writing and reading back, positions, order, scans.
#include "engine/engine.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "value/order.h"

namespace lakebed::engine {
namespace {

using value::Column;
using value::ColumnBatch;
using value::Field;
using value::Kind;
using value::Schema;
using value::Type;

Field field(const std::string& name, Type type) {
  Field out;
  out.name = name;
  out.type = std::move(type);
  return out;
}

Engine& engine() {
  static std::unique_ptr<Engine> made = [] {
    EngineOptions options;
    options.threads = 2;
    options.time_zone = "Europe/Berlin";
    auto opened = open_duck_engine(options);
    EXPECT_TRUE(opened.ok()) << opened.error().text();
    return std::move(opened).value();
  }();
  return *made;
}

class EngineTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() /
              ("lakebed_engine_" + std::to_string(getpid()));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string path(const std::string& name) const { return (folder_ / name).string(); }

  std::string write(const std::string& name, const ColumnBatch& batch,
                    const WriteOptions& options = {}) {
    auto written = engine().write_parquet(path(name), batch.schema, {&batch}, options);
    EXPECT_TRUE(written.ok()) << written.error().text();
    if (written.ok()) {
      EXPECT_EQ(written->rows, batch.rows);
      EXPECT_EQ(written->bytes, std::filesystem::file_size(path(name)));
    }
    return path(name);
  }

  std::filesystem::path folder_;
};

ColumnBatch numbers(int64_t first, int64_t count) {
  auto batch = ColumnBatch::empty({field("id", Kind::kLong), field("name", Kind::kString)});
  for (int64_t i = first; i < first + count; ++i) {
    batch.columns[0].append_integer(i);
    if (i % 7 == 0) {
      batch.columns[1].append_null();
    } else {
      batch.columns[1].append_bytes("name of number " + std::to_string(i));
    }
  }
  batch.rows = static_cast<size_t>(count);
  return batch;
}

// A plan that is one scan.
struct LeafPlan {
  plan::ResolvedQuery query;
  std::map<uint32_t, ScanInput> inputs;
};

LeafPlan scan_of(const Schema& schema, ScanInput input) {
  auto leaf = std::make_shared<plan::Relation>();
  leaf->kind = plan::RelationKind::kLeaf;
  leaf->leaf = 1;
  for (size_t i = 0; i < schema.size(); ++i) {
    plan::Attribute attribute;
    attribute.id = static_cast<plan::AttributeId>(i + 1);
    attribute.name = schema[i].name;
    attribute.type = schema[i].type;
    leaf->output.push_back(attribute);
  }
  LeafPlan out;
  plan::Scan scan;
  scan.leaf = 1;
  scan.schema = schema;
  out.query.root = leaf;
  out.query.scans = {scan};
  out.inputs[1] = std::move(input);
  return out;
}

Result<ColumnBatch> read(const LeafPlan& plan) {
  LAKEBED_ASSIGN(auto reader, engine().run(plan.query, plan.inputs));
  auto all = ColumnBatch::empty(reader->schema());
  while (true) {
    LAKEBED_ASSIGN(auto batch, reader->next());
    if (!batch) return all;
    all.append_range(*batch, 0, batch->rows);
  }
}

ScanInput parquet(std::vector<ParquetFile> files) {
  ScanInput input;
  input.is_parquet = true;
  input.files = std::move(files);
  return input;
}

ParquetFile file_at(const std::string& path) {
  ParquetFile file;
  file.path = path;
  return file;
}

void expect_same(const ColumnBatch& left, const ColumnBatch& right) {
  ASSERT_EQ(left.rows, right.rows);
  ASSERT_EQ(left.columns.size(), right.columns.size());
  for (size_t c = 0; c < left.columns.size(); ++c) {
    ASSERT_EQ(left.columns[c].type().text(), right.columns[c].type().text());
    for (size_t row = 0; row < left.rows; ++row) {
      ASSERT_TRUE(value::same_value(left.columns[c], row, right.columns[c], row))
          << "column " << left.schema[c].name << ", row " << row;
    }
  }
}

ColumnBatch all_types() {
  const Type inner = Type::structure({field("x", Kind::kInt), field("y", Kind::kString)});
  auto batch = ColumnBatch::empty(
      {field("b", Kind::kBoolean), field("i8", Kind::kByte), field("i16", Kind::kShort),
       field("i32", Kind::kInt), field("f", Kind::kFloat), field("d", Kind::kDouble),
       field("d4", Type::decimal(4, 1)), field("d9", Type::decimal(9, 2)),
       field("d18", Type::decimal(18, 4)), field("d38", Type::decimal(38, 10)),
       field("bin", Kind::kBinary), field("day", Kind::kDate), field("ts", Kind::kTimestamp),
       field("ntz", Kind::kTimestampNtz), field("list", Type::array(Kind::kInt)),
       field("map", Type::map(Kind::kString, Kind::kLong)), field("s", inner),
       field("deep", Type::array(inner))});
  auto& c = batch.columns;
  for (int i = 0; i < 5000; ++i) {
    batch.rows += 1;
    if (i % 5 == 4) {
      for (auto& column : c) column.append_null();
      continue;
    }
    c[0].append_integer(i % 2);
    c[1].append_integer(i % 100 - 50);
    c[2].append_integer(i - 2500);
    c[3].append_integer(i * 1000);
    c[4].append_fixed<float>(static_cast<float>(i) / 4);
    c[5].append_fixed<double>(i * 1.25e10);
    c[6].append_decimal(i % 1000);
    c[7].append_decimal(-i * 100);
    c[8].append_decimal(value::Int128{i} * 1'000'000'000);
    c[9].append_decimal(value::Int128{i} * 1'000'000'000'000'000'000 * 1'000'000'000);
    c[10].append_bytes(std::string("\0\xff!", 3) + std::to_string(i));
    c[11].append_integer(i - 100);
    c[12].append_integer(1'700'000'000'000'000 + i);
    c[13].append_integer(-i * 1'000'000LL);
    for (int k = 0; k < i % 4; ++k) {
      k == 1 ? c[14].raw_children()[0].append_null() : c[14].raw_children()[0].append_integer(k);
      c[15].raw_children()[0].append_bytes("key" + std::to_string(k));
      c[15].raw_children()[1].append_integer(i);
      auto& item = c[17].raw_children()[0];
      item.raw_children()[0].append_integer(k);
      item.raw_children()[1].append_null();
      item.append_struct();
    }
    c[14].append_list();
    c[15].append_list();
    c[17].append_list();
    c[16].raw_children()[0].append_integer(i);
    c[16].raw_children()[1].append_bytes("inside");
    c[16].append_struct();
  }
  return batch;
}

TEST_F(EngineTest, EveryTypeComesBackAsItWasWritten) {
  const auto batch = all_types();
  const auto file = write("types.parquet", batch);
  auto schema = engine().parquet_schema(file);
  ASSERT_TRUE(schema.ok()) << schema.error().text();
  ASSERT_EQ(schema->size(), batch.schema.size());
  for (size_t i = 0; i < schema->size(); ++i) {
    EXPECT_EQ((*schema)[i].name, batch.schema[i].name);
    EXPECT_EQ((*schema)[i].type.text(), batch.schema[i].type.text());
  }
  auto back = read(scan_of(batch.schema, parquet({file_at(file)})));
  ASSERT_TRUE(back.ok()) << back.error().text();
  expect_same(batch, *back);
}

// Positions are remembered, so rows lie in the file in the order given, with two threads too.
TEST_F(EngineTest, RowsAreWrittenAndReadInOrder) {
  const auto first = numbers(0, 70'000);
  const auto second = numbers(70'000, 1'000);
  const auto third = numbers(71'000, 100'000);
  auto written = engine().write_parquet(path("order.parquet"), first.schema,
                                        {&first, &second, &third}, {});
  ASSERT_TRUE(written.ok()) << written.error().text();
  EXPECT_EQ(written->rows, 171'000U);
  auto schema = first.schema;
  schema.push_back(field("__file_index", Kind::kLong));
  schema.push_back(field("__row_index", Kind::kLong));
  auto back = read(scan_of(schema, parquet({file_at(path("order.parquet")),
                                            file_at(path("order.parquet"))})));
  ASSERT_TRUE(back.ok()) << back.error().text();
  ASSERT_EQ(back->rows, 342'000U);
  for (size_t row = 0; row < back->rows; ++row) {
    ASSERT_EQ(back->columns[0].integer(row), static_cast<int64_t>(row % 171'000));
    ASSERT_EQ(back->columns[2].integer(row), static_cast<int64_t>(row / 171'000));
    ASSERT_EQ(back->columns[3].integer(row), static_cast<int64_t>(row % 171'000));
  }
}

TEST_F(EngineTest, DeletedRowsAreNotRead) {
  const auto file = write("deleted.parquet", numbers(0, 10'000));
  auto first = file_at(file);
  first.deleted_rows = std::make_shared<std::vector<uint64_t>>(std::vector<uint64_t>{0, 5, 9999});
  auto back = read(scan_of(numbers(0, 0).schema, parquet({file_at(file), first})));
  ASSERT_TRUE(back.ok()) << back.error().text();
  ASSERT_EQ(back->rows, 19'997U);
  EXPECT_EQ(back->columns[0].integer(9'999), 9'999);
  EXPECT_EQ(back->columns[0].integer(10'000), 1);
  EXPECT_EQ(back->columns[0].integer(10'004), 6);
  EXPECT_EQ(back->columns[0].integer(19'996), 9'998);
}

TEST_F(EngineTest, RowsByPositionComeInTheOrderAsked) {
  const auto file = write("rows.parquet", numbers(100, 50'000));
  const auto schema = numbers(0, 0).schema;
  auto few = engine().read_rows(file_at(file), schema, {}, {40'000, 3, 3, 0});
  ASSERT_TRUE(few.ok()) << few.error().text();
  ASSERT_EQ(few->rows, 4U);
  EXPECT_EQ(few->columns[0].integer(0), 40'100);
  EXPECT_EQ(few->columns[0].integer(1), 103);
  EXPECT_EQ(few->columns[0].integer(3), 100);
  std::vector<uint64_t> many;
  for (uint64_t i = 0; i < 5'000; ++i) many.push_back(49'999 - i * 10);
  auto back = engine().read_rows(file_at(file), schema, {}, many);
  ASSERT_TRUE(back.ok()) << back.error().text();
  ASSERT_EQ(back->rows, many.size());
  for (size_t i = 0; i < many.size(); ++i) {
    ASSERT_EQ(back->columns[0].integer(i), static_cast<int64_t>(many[i] + 100));
  }
  auto beyond = engine().read_rows(file_at(file), schema, {}, {50'000});
  ASSERT_FALSE(beyond.ok());
  EXPECT_EQ(beyond.error().code, "ROW_NOT_FOUND");
}

TEST_F(EngineTest, FilesOfSeveralShapesFitTheReadersSchema) {
  auto narrow = ColumnBatch::empty({field("id", Kind::kInt)});
  narrow.columns[0].append_integer(1);
  narrow.rows = 1;
  auto wide = ColumnBatch::empty(
      {field("col-7", Kind::kLong),
       field("s", Type::structure({field("in-1", Kind::kInt), field("gone", Kind::kInt)}))});
  wide.columns[0].append_integer(2);
  wide.columns[1].raw_children()[0].append_integer(20);
  wide.columns[1].raw_children()[1].append_integer(21);
  wide.columns[1].append_struct();
  wide.columns[0].append_integer(3);
  wide.columns[1].append_null();
  wide.rows = 2;
  const Schema schema = {
      field("id", Kind::kLong), field("never", Kind::kString),
      field("s", Type::structure({field("new", Kind::kString), field("a", Kind::kLong)})),
      field("part", Kind::kDate)};
  auto first = file_at(write("narrow.parquet", narrow));
  auto second = file_at(write("wide.parquet", wide));
  first.constants["part"] = "2024-02-29";
  second.constants["part"] = std::nullopt;
  auto input = parquet({first, second});
  auto mapped = scan_of(schema, input);
  mapped.inputs[1].files = {second};
  mapped.inputs[1].physical_names = {{"id", "col-7"}, {"s\x1f" "a", "in-1"}};
  auto back = read(mapped);
  ASSERT_TRUE(back.ok()) << back.error().text();
  ASSERT_EQ(back->rows, 2U);
  EXPECT_EQ(back->columns[0].integer(0), 2);
  EXPECT_TRUE(back->columns[1].is_null(0));
  ASSERT_FALSE(back->columns[2].is_null(0));
  EXPECT_TRUE(back->columns[2].children()[0].is_null(0));
  EXPECT_EQ(back->columns[2].children()[1].integer(0), 20);
  EXPECT_TRUE(back->columns[2].is_null(1));
  EXPECT_TRUE(back->columns[3].is_null(0));
  auto plain = read(scan_of(schema, input));
  ASSERT_TRUE(plain.ok()) << plain.error().text();
  ASSERT_EQ(plain->rows, 3U);
  EXPECT_EQ(plain->columns[0].integer(0), 1);
  EXPECT_TRUE(plain->columns[0].is_null(1));
  EXPECT_TRUE(plain->columns[2].is_null(0));
  EXPECT_EQ(plain->columns[3].integer(0), 19'782);
}

TEST_F(EngineTest, MetadataOfFiles) {
  const auto file = write("meta data.parquet", numbers(0, 3));
  const Type metadata = Type::structure(
      {field("file_path", Kind::kString), field("file_name", Kind::kString),
       field("file_size", Kind::kLong), field("file_modification_time", Kind::kTimestamp)});
  auto back = read(scan_of({field("id", Kind::kLong), field("_metadata", metadata)},
                           parquet({file_at(file)})));
  ASSERT_TRUE(back.ok()) << back.error().text();
  ASSERT_EQ(back->rows, 3U);
  const auto& parts = back->columns[1].children();
  EXPECT_TRUE(std::string(parts[0].bytes(2)).ends_with("/meta%20data.parquet"));
  EXPECT_EQ(parts[1].bytes(2), "meta data.parquet");
  EXPECT_EQ(parts[2].integer(2), static_cast<int64_t>(std::filesystem::file_size(file)));
}

// Pulls the same batch some times, then ends, or fails.
class Repeater : public value::BatchReader {
 public:
  Repeater(ColumnBatch batch, int times, bool fails)
      : batch_(std::move(batch)), times_(times), fails_(fails) {}
  const Schema& schema() const override { return batch_.schema; }
  Result<std::optional<ColumnBatch>> next() override {
    if (times_-- > 0) return std::optional<ColumnBatch>(batch_);
    if (fails_) return update_error("JSON.DAMAGED", "line 7: not JSON").within("file a.json");
    return std::optional<ColumnBatch>();
  }

 private:
  ColumnBatch batch_;
  int times_;
  bool fails_;
};

ScanInput repeated(const ColumnBatch& batch, int times, bool fails) {
  ScanInput input;
  input.reader = [=]() -> Result<std::unique_ptr<value::BatchReader>> {
    return std::unique_ptr<value::BatchReader>(std::make_unique<Repeater>(batch, times, fails));
  };
  return input;
}

TEST_F(EngineTest, RowsOfAReaderKeepTheirOrder) {
  const auto batch = numbers(0, 50'000);
  auto back = read(scan_of(batch.schema, repeated(batch, 4, false)));
  ASSERT_TRUE(back.ok()) << back.error().text();
  ASSERT_EQ(back->rows, 200'000U);
  for (size_t row = 0; row < back->rows; ++row) {
    ASSERT_EQ(back->columns[0].integer(row), static_cast<int64_t>(row % 50'000));
  }
  EXPECT_TRUE(back->columns[1].is_null(50'007));
  EXPECT_EQ(back->columns[1].bytes(50'001), "name of number 1");
}

TEST_F(EngineTest, TypesPassThroughReaders) {
  const auto batch = all_types();
  auto back = read(scan_of(batch.schema, repeated(batch, 1, false)));
  ASSERT_TRUE(back.ok()) << back.error().text();
  expect_same(batch, *back);
}

TEST_F(EngineTest, AnErrorOfAReaderArrivesWhole) {
  const auto batch = numbers(0, 3'000);
  auto back = read(scan_of(batch.schema, repeated(batch, 2, true)));
  ASSERT_FALSE(back.ok());
  EXPECT_EQ(back.error().code, "JSON.DAMAGED");
  EXPECT_EQ(back.error().message, "line 7: not JSON");
  ASSERT_EQ(back.error().context.size(), 1U);
}

TEST_F(EngineTest, DamagedAndMissingFilesAreNamed) {
  auto missing = engine().parquet_schema(path("missing.parquet"));
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.error().code, "FILE_NOT_FOUND");
  EXPECT_NE(missing.error().message.find("missing.parquet"), std::string::npos);
  std::FILE* out = std::fopen(path("damaged.parquet").c_str(), "w");
  std::fputs("this is no Parquet file, whatever its name says", out);
  std::fclose(out);
  auto damaged = engine().parquet_schema(path("damaged.parquet"));
  ASSERT_FALSE(damaged.ok());
  EXPECT_EQ(damaged.error().code, "PARQUET_FILE.DAMAGED");
  EXPECT_NE(damaged.error().text().find("damaged.parquet"), std::string::npos);
}

TEST_F(EngineTest, FieldIdsAreWritten) {
  WriteOptions options;
  options.field_ids = {{"id", 4}, {"name", 9}};
  write("ids.parquet", numbers(0, 10), options);
  auto deep = ColumnBatch::empty({field("s", Type::structure({field("x", Kind::kInt)})),
                                  field("l", Type::array(Kind::kInt))});
  options.field_ids = {{"s", 1}, {"s.x", 2}, {"l", 3}, {"l.element", 4}};
  write("deep.parquet", deep, options);
}

TEST_F(EngineTest, WhatCannotBeStoredIsRefused) {
  auto batch = ColumnBatch::empty({field("v", Kind::kVoid)});
  auto written = engine().write_parquet(path("void.parquet"), batch.schema, {&batch}, {});
  ASSERT_FALSE(written.ok());
  EXPECT_EQ(written.error().code, "UNSUPPORTED_TYPE");
}

}  // namespace
}  // namespace lakebed::engine
