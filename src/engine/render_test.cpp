// Resolved plans against real DuckDB: joins and subqueries in source order, conditions that
// decide from the left, generators, and errors with Spark's codes. Trees are built by hand.
#include <gtest/gtest.h>

#include "engine/engine.h"

namespace lakebed::engine {
namespace {

using plan::AttributeId;
using plan::Expression;
using plan::ExpressionKind;
using plan::ExpressionPtr;
using plan::Relation;
using plan::RelationKind;
using plan::RelationPtr;
using value::ColumnBatch;
using value::Kind;
using value::Type;

ExpressionPtr column(AttributeId id, Type type = Kind::kLong) {
  Expression out;
  out.kind = ExpressionKind::kColumn;
  out.attribute = id;
  out.type = std::move(type);
  out.resolved = true;
  return std::make_shared<Expression>(out);
}

ExpressionPtr literal(const std::string& text, Type type = Kind::kLong) {
  Expression out;
  out.text = text;
  out.type = std::move(type);
  out.resolved = true;
  return std::make_shared<Expression>(out);
}

ExpressionPtr call(const std::string& name, Type type, std::vector<ExpressionPtr> arguments) {
  Expression out;
  out.kind = ExpressionKind::kCall;
  out.name = name;
  out.type = std::move(type);
  out.children = std::move(arguments);
  out.resolved = true;
  return std::make_shared<Expression>(out);
}

ExpressionPtr alias(AttributeId id, const ExpressionPtr& child) {
  Expression out;
  out.kind = ExpressionKind::kAlias;
  out.attribute = id;
  out.type = child->type;
  out.children = {child};
  out.resolved = true;
  return std::make_shared<Expression>(out);
}

plan::Attribute attribute(AttributeId id, Type type = Kind::kLong) {
  plan::Attribute out;
  out.id = id;
  out.name = "n" + std::to_string(id);
  out.type = std::move(type);
  return out;
}

RelationPtr relation(RelationKind kind, std::vector<RelationPtr> inputs,
                     std::vector<plan::Attribute> output, ExpressionPtr condition = nullptr) {
  Relation out;
  out.kind = kind;
  out.inputs = std::move(inputs);
  out.output = std::move(output);
  out.condition = std::move(condition);
  return std::make_shared<Relation>(out);
}

RelationPtr leaf(uint32_t number, AttributeId id) {
  Relation out;
  out.kind = RelationKind::kLeaf;
  out.leaf = number;
  out.output = {attribute(id)};
  return std::make_shared<Relation>(out);
}

class OneBatch : public value::BatchReader {
 public:
  explicit OneBatch(ColumnBatch batch) : batch_(std::move(batch)) {}
  const value::Schema& schema() const override { return batch_.schema; }
  Result<std::optional<ColumnBatch>> next() override {
    if (done_) return std::optional<ColumnBatch>();
    done_ = true;
    return std::optional<ColumnBatch>(batch_);
  }

 private:
  ColumnBatch batch_;
  bool done_ = false;
};

// A scan of one BIGINT column.
struct Data {
  uint32_t leaf;
  std::vector<int64_t> numbers;
};

Result<ColumnBatch> run(const RelationPtr& root, const std::vector<Data>& data) {
  EngineOptions options;
  options.threads = 2;
  LAKEBED_ASSIGN(auto engine, open_duck_engine(options));
  plan::ResolvedQuery query;
  query.root = root;
  std::map<uint32_t, ScanInput> inputs;
  for (const auto& item : data) {
    plan::Scan scan;
    scan.leaf = item.leaf;
    scan.schema.resize(1);
    scan.schema[0].name = "n";
    scan.schema[0].type = Kind::kLong;
    query.scans.push_back(scan);
    auto batch = ColumnBatch::empty(scan.schema);
    for (const int64_t number : item.numbers) batch.columns[0].append_integer(number);
    batch.rows = item.numbers.size();
    inputs[item.leaf].reader = [batch]() -> Result<std::unique_ptr<value::BatchReader>> {
      return std::unique_ptr<value::BatchReader>(std::make_unique<OneBatch>(batch));
    };
  }
  LAKEBED_ASSIGN(auto reader, engine->run(query, inputs));
  auto all = ColumnBatch::empty(reader->schema());
  while (true) {
    LAKEBED_ASSIGN(auto batch, reader->next());
    if (!batch) return all;
    all.append_range(*batch, 0, batch->rows);
  }
}

std::vector<int64_t> numbers_of(const value::Column& column) {
  std::vector<int64_t> out;
  for (size_t i = 0; i < column.size(); ++i) {
    out.push_back(column.is_null(i) ? -1 : column.integer(i));
  }
  return out;
}

// A stream joined to a table keeps the stream's order, also where the table is the smaller side
// (DuckDB then probes with the stream) or the greater one (it turns them around).
TEST(RenderTest, JoinsKeepTheOrderOfTheLeftSide) {
  auto join = relation(RelationKind::kJoin, {leaf(1, 1), leaf(2, 2)},
                       {attribute(1), attribute(2)},
                       call("=", Kind::kBoolean, {column(1), column(2)}));
  std::vector<int64_t> table;
  for (int64_t i = 0; i < 30'000; ++i) table.push_back(29'999 - i);
  const std::vector<int64_t> stream = {7, 29'000, 3, 40'000, 12'345, 7};
  auto back = run(join, {{1, stream}, {2, table}});
  ASSERT_TRUE(back.ok()) << back.error().text();
  EXPECT_EQ(numbers_of(back->columns[0]), (std::vector<int64_t>{7, 29'000, 3, 12'345, 7}));
  EXPECT_EQ(numbers_of(back->columns[1]), (std::vector<int64_t>{7, 29'000, 3, 12'345, 7}));
}

TEST(RenderTest, SubqueriesKeepTheOrderOfTheOuterRows) {
  Expression in;
  in.kind = ExpressionKind::kInSubquery;
  in.children = {column(1)};
  in.relation = leaf(2, 2);
  in.type = Kind::kBoolean;
  auto filter = relation(RelationKind::kFilter, {leaf(1, 1)}, {attribute(1)},
                         std::make_shared<Expression>(in));
  auto back = run(filter, {{1, {9, 2, 8, 4, 1}}, {2, {1, 4, 8, 9}}});
  ASSERT_TRUE(back.ok()) << back.error().text();
  EXPECT_EQ(numbers_of(back->columns[0]), (std::vector<int64_t>{9, 8, 4, 1}));
}

RelationPtr projection(const RelationPtr& input, const ExpressionPtr& item, AttributeId id) {
  Relation out;
  out.kind = RelationKind::kProject;
  out.inputs = {input};
  out.expressions = {alias(id, item)};
  out.output = {attribute(id, item->type)};
  return std::make_shared<Relation>(out);
}

TEST(RenderTest, ConditionsDecideFromTheLeft) {
  auto quotient = call("div", Kind::kLong, {literal("10"), column(1)});
  auto safe = call("and", Kind::kBoolean,
                   {call("<>", Kind::kBoolean, {column(1), literal("0")}),
                    call(">", Kind::kBoolean, {quotient, literal("1")})});
  auto back = run(projection(leaf(1, 1), safe, 5), {{1, {0, 2, 20}}});
  ASSERT_TRUE(back.ok()) << back.error().text();
  EXPECT_EQ(numbers_of(back->columns[0]), (std::vector<int64_t>{0, 1, 0}));
  auto failing = run(projection(leaf(1, 1), quotient, 5), {{1, {0}}});
  ASSERT_FALSE(failing.ok());
  EXPECT_EQ(failing.error().code, "DIVIDE_BY_ZERO");
}

TEST(RenderTest, OuterGeneratorsKeepRowsWithoutElements) {
  const Type list = Type::array(Kind::kLong);
  Expression cast;
  cast.kind = ExpressionKind::kCast;
  cast.type = Kind::kInt;
  cast.children = {column(1)};
  const auto made = call("array_repeat", list, {column(1), std::make_shared<Expression>(cast)});
  Relation generate;
  generate.kind = RelationKind::kGenerate;
  generate.inputs = {leaf(1, 1)};
  generate.outer = true;
  generate.expressions = {call("explode", Type::structure({}), {made})};
  generate.output = {attribute(1), attribute(2)};
  auto back = run(std::make_shared<Relation>(generate), {{1, {2, 0, 1}}});
  ASSERT_TRUE(back.ok()) << back.error().text();
  EXPECT_EQ(numbers_of(back->columns[0]), (std::vector<int64_t>{2, 2, 0, 1}));
  EXPECT_EQ(numbers_of(back->columns[1]), (std::vector<int64_t>{2, 2, -1, 1}));
}

}  // namespace
}  // namespace lakebed::engine
