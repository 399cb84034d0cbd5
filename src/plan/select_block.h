// One SELECT: list, GROUP BY, HAVING, QUALIFY, DISTINCT and ORDER BY together, because each sees
// names of the others. Internal to this room.
//
// The layers that come out, from the input upwards (those that are needed):
//   grouping expressions · aggregate · HAVING filter · generator · windows · QUALIFY filter ·
//   the list (one projection a level of lateral aliases) · DISTINCT · sort · hidden columns off
#pragma once

#include <string>
#include <vector>

#include "plan/aggregate_block.h"
#include "plan/resolver.h"

namespace lakebed::plan {

class SelectBlock {
  // A generator of the list, to be computed below it.
  struct Generator {
    ExpressionPtr call;
    bool outer = false;
    std::vector<Attribute> columns;
  };

 public:
  SelectBlock(Session& session, const Environment& environment)
      : session_(session), environment_(environment) {}

  // Peels sort, distinct, qualify and having off `node`. False when no SELECT is below.
  bool take(const RelationPtr& node);
  Result<RelationPtr> resolve();

 private:
  Status check_streams(const Relation& input);
  Status resolve_items();
  Status add_item(const ExpressionPtr& node);
  Status add_generator(const ExpressionPtr& call, const std::vector<std::string>& names);
  Status resolve_conditions();
  Status resolve_order();
  bool orders_by_all() const;
  Result<ExpressionPtr> order_key(const ExpressionPtr& key);
  Result<ExpressionPtr> item_at(const Expression& ordinal, const std::string& clause);
  ExpressionPtr item_column(const Item& item, const SourceSpan& span) const;
  bool only_items(const ExpressionPtr& node) const;

  Result<Grouping> resolve_grouping();
  Result<ExpressionPtr> grouping_expression(const ExpressionPtr& node);
  Result<std::vector<size_t>> grouping_set(const std::vector<ExpressionPtr>& nodes,
                                           Grouping& grouping);
  Status add_rollup(Grouping& grouping);
  bool is_aggregated() const;
  Status apply_aggregate();
  Status apply_generators();
  Status apply_windows();
  Status apply_items();
  Status apply_order();

  Session& session_;
  const Environment& environment_;
  const Relation* sort_ = nullptr;
  const Relation* distinct_ = nullptr;
  const Relation* qualify_ = nullptr;
  const Relation* having_ = nullptr;
  RelationPtr core_;

  Scope scope_;
  RelationPtr base_;  // the layers so far
  std::vector<Item> items_;
  ExpressionPtr having_condition_;
  ExpressionPtr qualify_condition_;
  std::vector<ExpressionPtr> order_;  // over items
  std::vector<Generator> generators_;
};

}  // namespace lakebed::plan
