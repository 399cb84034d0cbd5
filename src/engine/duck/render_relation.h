// Inside the renderer: relations and expressions render each other (subqueries).
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "engine/duck/render_query.h"

namespace lakebed::engine::duck {

// A relation as a SELECT, with the names of columns that give the order of its source's rows.
struct RenderedRelation {
  std::string sql;
  std::vector<std::string> ordinals;  // most significant first; empty: no known order
};

class QueryRenderer {
 public:
  QueryRenderer(const LeafRenderer& leaves, RenderContext& context)
      : leaves_(leaves), context_(context) {}

  // Notes every attribute that something below or at `relation` uses.
  void find_used(const plan::Relation& relation);
  void mark_used(const plan::Relation& relation);
  void want_ordinals(bool wanted) { want_ordinals_ = wanted; }

  Result<RenderedRelation> relation(const plan::Relation& node);
  Result<std::string> expression(const plan::Expression& node);

 private:
  // render_relation.cpp
  Result<RenderedRelation> leaf(const plan::Relation& node);
  Result<RenderedRelation> values(const plan::Relation& node);
  Result<RenderedRelation> project(const plan::Relation& node);
  Result<RenderedRelation> filter(const plan::Relation& node);
  Result<RenderedRelation> sort(const plan::Relation& node);
  Result<RenderedRelation> limit(const plan::Relation& node);
  Result<RenderedRelation> distinct(const plan::Relation& node);
  Result<std::string> order_list(const std::vector<plan::ExpressionPtr>& order);
  // The SELECT of `node`'s input as a FROM item with an alias.
  std::string from(const std::string& sql);
  // ", o1, o2" for a select list.
  static std::string passed_on(const std::vector<std::string>& ordinals);
  // c1, c2 of the used columns of an output; "1 AS none" for none.
  std::string used_columns(const std::vector<plan::Attribute>& output) const;

  // render_join.cpp
  Result<RenderedRelation> join(const plan::Relation& node);
  Result<RenderedRelation> set_operation(const plan::Relation& node);
  Result<std::string> operand_columns(const plan::Relation& node, const plan::Relation& input);

  // render_aggregate.cpp
  Result<RenderedRelation> aggregate(const plan::Relation& node);
  Result<std::string> aggregate_output(const plan::Expression& alias);
  Result<std::string> grouping_clause(const plan::Relation& node);

  // render_generate.cpp
  Result<RenderedRelation> generate(const plan::Relation& node);
  Result<RenderedRelation> stack(const plan::Relation& node, RenderedRelation input);
  Result<RenderedRelation> json_tuple(const plan::Relation& node, RenderedRelation input);

  // render_logic.cpp
  // A condition of a filter or join: DuckDB itself stops at the first part that decides.
  Result<std::string> condition(const plan::Expression& node);
  // AND / OR as values, where DuckDB would compute all parts.
  Result<std::string> logic(const plan::Expression& node);

  // render_expression.cpp
  Result<std::string> call(const plan::Expression& node, const std::string& over);
  Result<std::string> case_when(const plan::Expression& node);
  Result<std::string> index(const plan::Expression& node);
  Result<std::string> field(const plan::Expression& node);
  Result<std::string> lambda(const plan::Expression& node);

  // render_subquery.cpp
  Result<std::string> scalar_subquery(const plan::Expression& node);
  Result<std::string> exists(const plan::Expression& node);
  Result<std::string> in_subquery(const plan::Expression& node);
  Result<std::string> row_in_subquery(const plan::Expression& node);

  // render_window.cpp
  Result<std::string> window(const plan::Expression& node);
  Result<std::string> frame(const plan::WindowSpec& spec);
  Result<std::string> bound(const plan::WindowSpec& spec, plan::WindowFrame::Bound bound,
                            const plan::ExpressionPtr& offset);

  void find_used(const plan::Expression& expression);

  const LeafRenderer& leaves_;
  RenderContext& context_;
  std::set<plan::AttributeId> used_;
  std::map<std::string, std::string> lambda_names_;
  bool want_ordinals_ = false;
};

}  // namespace lakebed::engine::duck
