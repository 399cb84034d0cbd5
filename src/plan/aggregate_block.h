// Turns a SELECT with aggregates into three layers: a projection that computes the grouping
// expressions, one kAggregate whose outputs are single aggregates, and (by the caller) whatever is
// computed from these. Internal to this room.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "plan/resolver.h"

namespace lakebed::plan {

// GROUP BY, resolved over the input.
struct Grouping {
  std::vector<ExpressionPtr> expressions;      // all different
  bool has_sets = false;
  std::vector<std::vector<size_t>> sets;       // indices into expressions
  bool written = false;                        // a GROUP BY stands in the text
};

class AggregateBuilder {
 public:
  AggregateBuilder(Session& session, RelationPtr input, Grouping grouping, SourceSpan span);

  // Ids that may stay as they are: select items, columns of a generator above.
  void allow(AttributeId id) { allowed_.insert(id); }
  // The expression over the aggregate's output. Errors: MISSING_AGGREGATION, MISSING_GROUP_BY,
  // NESTED_AGGREGATE_FUNCTION, GROUPING_COLUMN_MISMATCH.
  Result<ExpressionPtr> extract(const ExpressionPtr& node);
  // The relation, once all was extracted.
  RelationPtr build();

 private:
  ExpressionPtr output_column(size_t index, const SourceSpan& span) const;
  size_t add_output(ExpressionPtr expression, const std::string& name);
  Result<ExpressionPtr> extract_call(const ExpressionPtr& node);
  Result<ExpressionPtr> extract_grouping(const Expression& node);
  Result<ExpressionPtr> extract_window(const ExpressionPtr& node);
  Result<ExpressionPtr> extract_subquery(const ExpressionPtr& node);
  Result<ExpressionPtr> extract_parts(const ExpressionPtr& node);
  Error not_grouped(const Expression& node) const;

  Session& session_;
  RelationPtr input_;
  Grouping grouping_;
  SourceSpan span_;
  std::vector<ExpressionPtr> keys_;     // kColumns of input_, one a grouping expression
  std::vector<ExpressionPtr> outputs_;  // kAlias; the first are the keys
  std::set<AttributeId> allowed_;
  std::set<AttributeId> input_ids_;
};

}  // namespace lakebed::plan
