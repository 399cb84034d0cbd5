#include "state/row_codec.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>

#include "base/world.h"
#include "value/order.h"

namespace lakebed::state {
namespace {

using value::Column;
using value::Field;
using value::Kind;
using value::Schema;
using value::Type;

Field field(const std::string& name, Type type) {
  Field made;
  made.name = name;
  made.type = std::move(type);
  return made;
}

class RowCodec : public ::testing::Test {
 protected:
  uint64_t below(uint64_t limit) { return random_->next() % limit; }

  Type any_type(int depth) {
    constexpr Kind kFlat[] = {Kind::kVoid,   Kind::kBoolean, Kind::kByte,   Kind::kShort,
                              Kind::kInt,    Kind::kLong,    Kind::kFloat,  Kind::kDouble,
                              Kind::kString, Kind::kBinary,  Kind::kDate,   Kind::kTimestamp,
                              Kind::kTimestampNtz};
    switch (below(depth > 2 ? 2 : 6)) {
      case 0: return Type::decimal(static_cast<int>(1 + below(38)), 0);
      case 3: return Type::array(any_type(depth + 1));
      case 4: return Type::map(any_type(depth + 1), any_type(depth + 1));
      case 5: return Type::structure(any_schema(depth + 1));
      default: return kFlat[below(std::size(kFlat))];
    }
  }

  Schema any_schema(int depth) {
    Schema schema;
    const uint64_t fields = below(depth == 0 ? 20 : 5);
    for (uint64_t i = 0; i < fields; ++i) {
      schema.push_back(field("c" + std::to_string(i), any_type(depth)));
    }
    return schema;
  }

  void append_any(Column& column) {
    if (below(4) == 0) return column.append_null();
    switch (column.type().kind) {
      case Kind::kVoid: return column.append_null();
      case Kind::kString:
      case Kind::kBinary: return column.append_bytes(std::string(below(300), 'x'));
      case Kind::kDecimal: return column.append_decimal(static_cast<int64_t>(random_->next()));
      case Kind::kFloat: return column.append_fixed(static_cast<float>(below(1000)));
      case Kind::kDouble: return column.append_fixed(static_cast<double>(below(1000)));
      case Kind::kStruct:
        for (Column& child : column.raw_children()) append_any(child);
        return column.append_struct();
      case Kind::kArray:
      case Kind::kMap: {
        const uint64_t items = below(12);
        for (uint64_t i = 0; i < items; ++i) {
          for (Column& child : column.raw_children()) append_any(child);
        }
        return column.append_list();
      }
      default: column.append_integer(static_cast<int8_t>(random_->next()));
    }
  }

  std::vector<Column> columns_of(const Schema& schema) {
    std::vector<Column> columns;
    for (const Field& one : schema) columns.emplace_back(one.type);
    return columns;
  }

  std::unique_ptr<Random> random_ = seeded_random(17);
};

TEST_F(RowCodec, AllTypesComeBack) {
  for (int round = 0; round < 300; ++round) {
    const Schema schema = any_schema(0);
    std::vector<Column> columns = columns_of(schema);
    std::vector<Column> read = columns_of(schema);
    const auto reader = RowReader::make(schema, schema);
    ASSERT_TRUE(reader.ok());
    for (size_t row = 0; row < 10; ++row) {
      for (Column& column : columns) append_any(column);
      std::string bytes;
      append_row(columns, row, bytes);
      ASSERT_TRUE(reader->append(bytes, read).ok());
      for (size_t i = 0; i < columns.size(); ++i) {
        EXPECT_TRUE(value::same_value(columns[i], row, read[i], row)) << schema[i].type.text();
      }
      if (bytes.empty()) continue;
      // A row cut short is never read as a shorter row.
      std::vector<Column> rest = columns_of(schema);
      EXPECT_FALSE(reader->append(std::string_view(bytes).substr(0, bytes.size() - 1), rest).ok());
    }
    const auto again = schema_from_json(schema_to_json(schema));
    ASSERT_TRUE(again.ok());
    EXPECT_EQ(*again, schema);
  }
}

TEST_F(RowCodec, RandomBytesDoNoHarm) {
  for (int round = 0; round < 2000; ++round) {
    const Schema schema = any_schema(0);
    const auto reader = RowReader::make(schema, schema);
    std::string bytes;
    const uint64_t length = below(100);
    for (uint64_t i = 0; i < length; ++i) bytes.push_back(static_cast<char>(random_->next()));
    std::vector<Column> read = columns_of(schema);
    (void)reader->append(bytes, read).ok();
  }
}

// Rule F3: columns come, go, widen and are looked up without case; older rows read as NULL.
TEST_F(RowCodec, SchemasThatGrew) {
  const Schema stored{field("Id", Kind::kInt), field("gone", Kind::kString),
                      field("d", Type::decimal(5, 2)), field("f", Kind::kFloat),
                      field("day", Kind::kDate), field("n", Kind::kShort),
                      field("s", Type::structure({field("x", Kind::kInt), field("y", Kind::kInt)})),
                      field("l", Type::array(Kind::kInt))};
  const Schema wanted{field("added", Kind::kString),
                      field("l", Type::array(Kind::kLong)),
                      field("s", Type::structure({field("z", Kind::kInt),
                                                  field("X", Kind::kLong)})),
                      field("day", Kind::kTimestampNtz),
                      field("id", Kind::kLong),
                      field("d", Type::decimal(20, 4)),
                      field("f", Kind::kDouble),
                      field("n", Type::decimal(12, 2))};
  std::vector<Column> columns = columns_of(stored);
  columns[0].append_integer(-5);
  columns[1].append_bytes("unwanted");
  columns[2].append_decimal(-12345);
  columns[3].append_fixed(1.5F);
  columns[4].append_integer(2);
  columns[5].append_integer(-7);
  columns[6].raw_children()[0].append_integer(8);
  columns[6].raw_children()[1].append_integer(9);
  columns[6].append_struct();
  columns[7].raw_children()[0].append_integer(11);
  columns[7].raw_children()[0].append_null();
  columns[7].append_list();
  std::string bytes;
  append_row(columns, 0, bytes);
  const auto reader = RowReader::make(stored, wanted);
  ASSERT_TRUE(reader.ok()) << reader.error().text();
  std::vector<Column> read = columns_of(wanted);
  ASSERT_TRUE(reader->append(bytes, read).ok());
  EXPECT_TRUE(read[0].is_null(0));
  EXPECT_EQ(read[1].end(0), 2U);
  EXPECT_EQ(read[1].children()[0].integer(0), 11);
  EXPECT_TRUE(read[1].children()[0].is_null(1));
  EXPECT_TRUE(read[2].children()[0].is_null(0));
  EXPECT_EQ(read[2].children()[1].integer(0), 8);
  EXPECT_EQ(read[3].integer(0), int64_t{2} * 86400 * 1000000);
  EXPECT_EQ(read[4].integer(0), -5);
  EXPECT_EQ(read[5].decimal(0), -1234500);
  EXPECT_EQ(read[6].fixed<double>(0), 1.5);
  EXPECT_EQ(read[7].decimal(0), -700);
  for (const Column& column : read) EXPECT_EQ(column.size(), 1U);
}

TEST_F(RowCodec, NarrowerTypesAreRefused) {
  const auto reader = RowReader::make({field("a", Kind::kLong)}, {field("a", Kind::kInt)});
  ASSERT_FALSE(reader.ok());
  EXPECT_EQ(reader.error().code, "STATE_SCHEMA_MISMATCH");
  EXPECT_NE(reader.error().message.find("BIGINT"), std::string::npos);
}

}  // namespace
}  // namespace lakebed::state
