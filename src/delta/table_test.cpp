#include "delta/table.h"

#include <gtest/gtest.h>

#include "delta/properties.h"
#include "delta/schema.h"

namespace lakebed::delta {
namespace {

using value::Field;
using value::Kind;
using value::Schema;
using value::Type;

class TableTest : public testing::Test {
 protected:
  std::unique_ptr<Clock> clock_ = system_clock();
  std::unique_ptr<Random> random_ = seeded_random(3);

  Result<TableShape> make(const Schema& schema, const TextMap& properties = {},
                          const std::vector<std::string>& partitions = {}) {
    return new_table({"t", "", schema, partitions, properties}, *clock_, *random_);
  }

  static Snapshot snapshot_of(const TableShape& shape) {
    CommitActions actions;
    actions.info = CommitInfo();
    actions.protocol = shape.protocol;
    actions.metadata = shape.metadata;
    Snapshot snapshot;
    EXPECT_TRUE(snapshot.apply(actions, 0, "f").ok());
    return snapshot;
  }
};

Field field(const std::string& name, Type type, bool nullable = true) {
  return {name, std::move(type), nullable, "", {}};
}

using Names = std::vector<std::string>;

TEST_F(TableTest, FeaturesFollowFromTheSchema) {
  const auto plain = make({field("a", Kind::kInt)});
  ASSERT_TRUE(plain.ok());
  EXPECT_EQ(plain->protocol.reader_version, 3);
  EXPECT_EQ(plain->protocol.writer_version, 7);
  EXPECT_EQ(plain->protocol.reader_features, Names{"deletionVectors"});
  EXPECT_EQ(plain->protocol.writer_features,
            (Names{"deletionVectors", "domainMetadata", "inCommitTimestamp"}));
  EXPECT_FALSE(has_column_mapping(plain->metadata));
  const auto rich = make({field("a", Kind::kTimestampNtz, false), field("b c", Kind::kInt)});
  ASSERT_TRUE(rich.ok());
  EXPECT_EQ(rich->protocol.reader_features,
            (Names{"deletionVectors", "columnMapping", "timestampNtz"}));
  EXPECT_TRUE(has_feature(rich->protocol, "invariants"));
  EXPECT_TRUE(check_writable(rich->protocol, rich->metadata).ok());
}

// Rule E7: names that Delta allows only under column mapping switch it on when the table is made.
TEST_F(TableTest, OddNamesSwitchMappingOn) {
  const Type inner = Type::structure({field("x=y", Kind::kInt), field("z", Kind::kInt)});
  const auto shape = make({field("id", Kind::kLong), field("a b", Kind::kString), field("s", inner),
                           field("l", Type::array(inner))});
  ASSERT_TRUE(shape.ok());
  EXPECT_EQ(shape->metadata.configuration.at("delta.columnMapping.mode"), "name");
  EXPECT_EQ(shape->metadata.configuration.at("delta.columnMapping.maxColumnId"), "9");
  const Schema schema = *schema_from_json(shape->metadata.schema_string);
  EXPECT_EQ(physical_name(schema[0]), "id");
  EXPECT_TRUE(physical_name(schema[1]).starts_with("col-"));
  EXPECT_EQ(physical_names(schema).size(), 3U);
  EXPECT_TRUE(physical_names(schema).contains("s\x1fx=y"));
  EXPECT_TRUE(
      physical_names(schema).contains("l\x1f"
                                      "element\x1fx=y"));
  EXPECT_EQ(field_ids(schema).size(), 9U);
  EXPECT_FALSE(needs_column_mapping(physical_schema(schema)));
}

TEST_F(TableTest, SchemasSurviveTheirText) {
  Schema schema = {field("b", Kind::kBoolean, false), field("d", Type::decimal(38, 3)),
                   field("m", Type::map(Type(Kind::kString), Type::array(Kind::kDate, false))),
                   field("s", Type::structure({field("t", Kind::kTimestamp, false)}))};
  schema[1].comment = "a \"comment\"";
  schema[1].metadata["custom"] = "{\"a\":1}";
  const std::string text = schema_to_json(schema);
  const auto read = schema_from_json(text);
  ASSERT_TRUE(read.ok()) << read.error().text();
  EXPECT_EQ(schema_to_json(*read), text);
  EXPECT_EQ((*read)[1].comment, schema[1].comment);
  EXPECT_FALSE((*read)[0].nullable);
  EXPECT_FALSE((*read)[2].type.map_value().fields[0].nullable);
  EXPECT_EQ(schema_from_json("{").error().code, "DELTA_LOG.DAMAGED");
  EXPECT_EQ(schema_from_json("\"long\"").error().code, "DELTA_LOG.DAMAGED");
}

TEST_F(TableTest, GeneratedColumnsKeepTheirExpression) {
  value::Schema schema = {{"a b", value::Kind::kInt, true, "", {}},
                          {"c", value::Kind::kInt, true, "", {}}};
  EXPECT_EQ(generation_expression(schema[1]), "");
  set_generation_expression(schema[1], "`a b` + \"1\"");
  TableDefinition definition;
  definition.schema = schema;
  auto shape = new_table(definition, *clock_, *random_);
  ASSERT_TRUE(shape.ok()) << shape.error().text();
  const auto& features = shape->protocol.writer_features;
  EXPECT_NE(std::find(features.begin(), features.end(), "generatedColumns"), features.end());
  const auto read = schema_from_json(shape->metadata.schema_string);
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(generation_expression((*read)[1]), "`a b` + \"1\"");
  EXPECT_TRUE(check_writable(shape->protocol, shape->metadata).ok());
}

TEST_F(TableTest, PropertiesAreHonouredOrRefused) {
  const auto code = [](const std::string& name, const std::string& value) {
    const auto checked = check_properties({{name, value}});
    return checked.ok() ? std::string("ok") : checked.error().code;
  };
  EXPECT_EQ(code("quality", "gold"), "ok");
  EXPECT_EQ(code("pipelines.reset.allowed", "false"), "ok");
  EXPECT_EQ(code("delta.autoOptimize.optimizeWrite", "true"), "ok");
  EXPECT_EQ(code("delta.enableChangeDataFeed", "false"), "ok");
  EXPECT_EQ(code("delta.enableChangeDataFeed", "true"), "NOT_BUILT_YET.delta.enableChangeDataFeed");
  EXPECT_EQ(code("DELTA.enablechangedatafeed", "TRUE"), "NOT_BUILT_YET.delta.enableChangeDataFeed");
  EXPECT_EQ(code("delta.universalFormat.enabledFormats", "iceberg"),
            "NOT_BUILT_YET.delta.universalFormat.enabledFormats");
  EXPECT_EQ(code("delta.enableIcebergCompatV3", "true"),
            "NOT_BUILT_YET.delta.enableIcebergCompatV3");
  EXPECT_EQ(code("delta.enableRowTracking", "true"), "NOT_BUILT_YET.delta.enableRowTracking");
  EXPECT_EQ(code("delta.enableTypeWidening", "maybe"), "DELTA_INVALID_PROPERTY_VALUE");
  EXPECT_EQ(code("delta.appendOnly", "true"), "NOT_BUILT_YET.delta.appendOnly");
  EXPECT_EQ(code("delta.columnMapping.mode", "name"), "ok");
  EXPECT_EQ(code("delta.columnMapping.mode", "id"), "NOT_BUILT_YET.delta.columnMapping.mode");
  EXPECT_EQ(code("delta.columnMapping.mode", "nam"), "DELTA_INVALID_PROPERTY_VALUE");
  EXPECT_EQ(code("delta.logRetentionDuration", "interval 30 days"), "ok");
  EXPECT_EQ(code("delta.logRetentionDuration", "soon"), "DELTA_INVALID_PROPERTY_VALUE");
  EXPECT_EQ(code("delta.minReaderVersion", "2"), "ok");
  EXPECT_EQ(code("delta.minReaderVersion", "9"), "DELTA_INVALID_PROPERTY_VALUE");
  EXPECT_EQ(code("delta.feature.timestampNtz", "supported"), "ok");
  EXPECT_EQ(code("delta.feature.variantType-preview", "supported"),
            "NOT_BUILT_YET.delta.feature.variantType-preview");
  EXPECT_EQ(code("delta.constraints.c", "a > 1"), "NOT_BUILT_YET.delta.constraints.c");
  const auto unknown = check_properties({{"delta.logRetentionDuratoin", "1"}});
  EXPECT_EQ(unknown.error().code, "DELTA_UNKNOWN_PROPERTY");
  EXPECT_NE(unknown.error().hint.find("delta.logRetentionDuration"), std::string::npos);
  EXPECT_EQ(unknown.error().blame, Blame::kProject);
  EXPECT_EQ(*parse_interval_ms("2 weeks 1 hour"), 14 * 86'400'000LL + 3'600'000);
}

TEST_F(TableTest, BadDefinitionsAreNamed) {
  EXPECT_EQ(make({field("a", Kind::kInt), field("A", Kind::kInt)}).error().code,
            "DELTA_DUPLICATE_COLUMNS");
  EXPECT_EQ(make({field("a", Kind::kVoid)}).error().code, "DELTA_UNSUPPORTED_TYPE.VOID");
  EXPECT_EQ(make({field("a", Kind::kInt)}, {}, {"b"}).error().code,
            "DELTA_UNKNOWN_PARTITION_COLUMN");
  EXPECT_EQ(make({field("a", Kind::kInt)}, {}, {"a"}).error().code,
            "DELTA_INVALID_PARTITION_COLUMN");
  const auto good = make({field("a", Kind::kInt), field("P", Kind::kInt)}, {}, {"p"});
  ASSERT_TRUE(good.ok());
  EXPECT_EQ(good->metadata.partition_columns, Names{"P"});
}

// Rule F3: new columns come last and are nullable; missing ones stay; types must not change.
TEST_F(TableTest, SchemasGrow) {
  const Snapshot snapshot = snapshot_of(*make(
      {field("Id", Kind::kLong, false), field("s", Type::structure({field("x", Kind::kInt)}))}));
  const auto same = evolve_table(snapshot, {field("id", Kind::kLong)}, *random_);
  ASSERT_TRUE(same.ok());
  EXPECT_EQ(same->metadata, snapshot.metadata());
  const auto grown =
      evolve_table(snapshot,
                   {field("id", Kind::kLong), field("n", Kind::kInt, false),
                    field("s", Type::structure({field("X", Kind::kInt), field("y", Kind::kDate)}))},
                   *random_);
  ASSERT_TRUE(grown.ok()) << grown.error().text();
  ASSERT_EQ(grown->schema.size(), 3U);
  EXPECT_EQ(grown->schema[0].name, "Id");
  EXPECT_EQ(grown->schema[1].type.fields[0].name, "x");
  EXPECT_EQ(grown->schema[1].type.fields[1].name, "y");
  EXPECT_TRUE(grown->schema[2].nullable);
  EXPECT_EQ(evolve_table(snapshot, {field("id", Kind::kInt)}, *random_).error().code,
            "CANNOT_MERGE_INCOMPATIBLE_DATA_TYPE");
  const auto odd = evolve_table(snapshot, {field("a b", Kind::kInt)}, *random_);
  ASSERT_TRUE(odd.ok());
  EXPECT_TRUE(has_column_mapping(odd->metadata));
  EXPECT_TRUE(has_feature(odd->protocol, "columnMapping"));
  EXPECT_EQ(physical_name(odd->schema[0]), "Id");
}

// Rule F3: wider types are written down at the struct field that holds them.
TEST_F(TableTest, TypesWiden) {
  const Snapshot snapshot = snapshot_of(
      *make({field("id", Kind::kInt), field("s", Type::structure({field("x", Kind::kShort)})),
             field("m", Type::map(Kind::kString, Type::array(Kind::kFloat))),
             field("d", Type::decimal(5, 2)), field("t", Kind::kDate)}));
  EXPECT_FALSE(has_feature(snapshot.protocol(), "typeWidening"));
  const auto wide =
      evolve_table(snapshot,
                   {field("ID", Kind::kLong), field("s", Type::structure({field("x", Kind::kInt)})),
                    field("m", Type::map(Kind::kString, Type::array(Kind::kDouble))),
                    field("d", Type::decimal(9, 4)), field("t", Kind::kTimestampNtz)},
                   *random_);
  ASSERT_TRUE(wide.ok()) << wide.error().text();
  EXPECT_TRUE(has_feature(wide->protocol, "typeWidening"));
  EXPECT_TRUE(has_feature(wide->protocol, "timestampNtz"));
  EXPECT_EQ(wide->metadata.configuration.at("delta.enableTypeWidening"), "true");
  const auto changes = [](const Field& at) { return at.metadata.at("delta.typeChanges"); };
  EXPECT_EQ(wide->schema[0].name, "id");
  EXPECT_EQ(changes(wide->schema[0]), R"([{"fromType":"integer","toType":"long"}])");
  EXPECT_EQ(changes(wide->schema[1].type.fields[0]),
            R"([{"fromType":"short","toType":"integer"}])");
  EXPECT_EQ(changes(wide->schema[2]),
            R"([{"fromType":"float","toType":"double","fieldPath":"value.element"}])");
  EXPECT_EQ(changes(wide->schema[3]),
            R"json([{"fromType":"decimal(5,2)","toType":"decimal(9,4)"}])json");
  EXPECT_EQ(changes(wide->schema[4]), R"([{"fromType":"date","toType":"timestamp_ntz"}])");

  const auto wider = evolve_table(
      snapshot_of(*wide), {field("s", Type::structure({field("x", Kind::kDouble)}))}, *random_);
  ASSERT_TRUE(wider.ok()) << wider.error().text();
  EXPECT_EQ(changes(wider->schema[1].type.fields[0]),
            R"([{"fromType":"short","toType":"integer"},)"
            R"({"fromType":"integer","toType":"double"}])");
  EXPECT_EQ(evolve_table(snapshot, {field("d", Type::decimal(9, 7))}, *random_).error().code,
            "CANNOT_MERGE_INCOMPATIBLE_DATA_TYPE");
}

TEST_F(TableTest, TypesMayBeForbiddenToWiden) {
  const Snapshot snapshot =
      snapshot_of(*make({field("id", Kind::kInt)}, {{"delta.enableTypeWidening", "false"}}));
  EXPECT_EQ(evolve_table(snapshot, {field("id", Kind::kLong)}, *random_).error().code,
            "CANNOT_MERGE_INCOMPATIBLE_DATA_TYPE");
  const auto grown =
      evolve_table(snapshot, {field("id", Kind::kInt), field("n", Kind::kInt)}, *random_);
  EXPECT_TRUE(grown.ok());
}

// Rule F2: a full refresh takes the current definition's types; ids of column mapping go on.
TEST_F(TableTest, FullRefreshReplacesTheShape) {
  const Snapshot snapshot = snapshot_of(*make({field("a b", Kind::kLong), field("c", Kind::kInt)}));
  const auto shape = replace_table(
      snapshot, {"t", "", {field("a b", Kind::kLong), field("c", Kind::kString)}, {}, {}},
      *random_);
  ASSERT_TRUE(shape.ok());
  EXPECT_EQ(shape->metadata.id, snapshot.table_id());
  EXPECT_EQ(physical_name(shape->schema[0]), physical_name(snapshot.schema()[0]));
  EXPECT_NE(physical_name(shape->schema[1]), "c");
  EXPECT_EQ(column_id(shape->schema[1]), 3);
  EXPECT_EQ(shape->metadata.configuration.at("delta.columnMapping.maxColumnId"), "3");
}

}  // namespace
}  // namespace lakebed::delta
