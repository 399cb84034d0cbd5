#include "plan/graph.h"

#include <gtest/gtest.h>

namespace lakebed::plan {
namespace {

GraphNode node(const std::string& name, std::vector<std::string> reads) {
  GraphNode out;
  out.name = name;
  out.reads = std::move(reads);
  out.span = SourceSpan{"p.sql", 1, 1, 1};
  return out;
}

TEST(Graph, EachNodeComesAfterWhatItReads) {
  const auto order = run_order({node("gold", {"silver", "outside"}), node("silver", {"bronze"}),
                                node("bronze", {}), node("other", {})});
  ASSERT_TRUE(order.ok());
  EXPECT_EQ(order.value(), (std::vector<size_t>{2, 1, 0, 3}));
}

TEST(Graph, ACycleIsNamed) {
  const auto order =
      run_order({node("start", {}), node("tail", {"a"}), node("a", {"b"}), node("b", {"a"})});
  ASSERT_FALSE(order.ok());
  EXPECT_EQ(order.error().code, "PIPELINE_DATASET_CYCLE");
  EXPECT_NE(order.error().message.find("a -> b -> a"), std::string::npos);
  EXPECT_EQ(order.error().blame, Blame::kProject);
  const auto self = run_order({node("x", {"x"})});
  ASSERT_FALSE(self.ok());
  EXPECT_NE(self.error().message.find("x -> x"), std::string::npos);
}

TEST(Graph, NamesAreUnique) {
  const auto order = run_order({node("x", {}), node("x", {})});
  ASSERT_FALSE(order.ok());
  EXPECT_EQ(order.error().code, "PIPELINE_DUPLICATE_IDENTIFIERS.DATASET");
}

TEST(Graph, ReadersThroughOthers) {
  const std::vector<GraphNode> nodes = {node("a", {}), node("b", {"a"}), node("c", {"b"}),
                                        node("d", {})};
  EXPECT_EQ(readers_of(nodes, 0), (std::vector<size_t>{1, 2}));
  EXPECT_TRUE(readers_of(nodes, 3).empty());
}

}  // namespace
}  // namespace lakebed::plan
