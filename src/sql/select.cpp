// One SELECT block, and the other things that a query may be.
#include <algorithm>

#include "sql/expressions.h"
#include "sql/names.h"
#include "sql/queries.h"

namespace lakebed::sql {

namespace {

using plan::Relation;
using plan::RelationKind;
using plan::RelationPtr;

RelationPtr on_top(RelationKind kind, RelationPtr input, plan::ExpressionPtr condition) {
  auto node = make_relation(kind, std::move(input));
  node->span = condition->span;
  node->condition = std::move(condition);
  return node;
}

RelationPtr one_row(const Cursor& cursor) {
  auto node = make_relation(RelationKind::kOneRow, nullptr);
  node->span = cursor.span_here();
  return node;
}

std::map<std::string, plan::WindowSpec> parse_windows(Cursor& cursor) {
  std::map<std::string, plan::WindowSpec> out;
  parse_commas(cursor, [&] {
    const std::string name = parse_identifier(cursor, "the name of a window");
    cursor.expect("AS");
    out[name] = cursor.at("(") ? parse_window_body(cursor) : parse_over(cursor);
  });
  return out;
}

// SELECT was taken. `input` is null unless FROM stood in front.
RelationPtr parse_select(Cursor& cursor, size_t first, RelationPtr input) {
  const bool distinct = cursor.accept("DISTINCT");
  if (!distinct && cursor.at("ALL") && !cursor.at_any({",", ".", "FROM"}, 1)) cursor.next();
  if (cursor.at_any({"FROM", "WHERE"}) && !cursor.at_any({".", ","}, 1)) {
    cursor.fail_expected("the columns to select");
  }
  std::vector<plan::ExpressionPtr> list = parse_named_expressions(cursor);
  const SourceSpan list_span = cursor.span_from(first);
  if (input == nullptr) input = cursor.accept("FROM") ? parse_from(cursor) : one_row(cursor);
  input = parse_lateral_views(cursor, std::move(input));
  if (cursor.accept("WHERE")) {
    input = on_top(RelationKind::kFilter, std::move(input), parse_expression(cursor));
  }
  GroupBy group;
  const bool grouped = cursor.accept_all({"GROUP", "BY"});
  if (grouped) group = parse_group_by(cursor);
  plan::ExpressionPtr having;
  if (cursor.accept("HAVING")) having = parse_expression(cursor);
  // Without GROUP BY only resolution knows whether the list aggregates.
  auto node = make_relation(
      grouped || having != nullptr ? RelationKind::kAggregate : RelationKind::kProject,
      std::move(input));
  node->expressions = std::move(list);
  node->grouping = std::move(group.grouping);
  node->grouping_kind = group.kind;
  node->grouping_sets = std::move(group.sets);
  node->span = list_span;
  RelationPtr out = node;
  if (having != nullptr) out = on_top(RelationKind::kHaving, out, having);
  plan::ExpressionPtr qualify;
  if (cursor.accept("QUALIFY")) qualify = parse_expression(cursor);
  if (cursor.at("WINDOW") && cursor.at_name(1) && cursor.at("AS", 2)) {
    cursor.next();
    node->windows = parse_windows(cursor);
  }
  if (qualify == nullptr && cursor.accept("QUALIFY")) qualify = parse_expression(cursor);
  if (qualify != nullptr) out = on_top(RelationKind::kQualify, out, qualify);
  if (!distinct) return out;
  auto unique = make_relation(RelationKind::kDistinct, out);
  unique->span = list_span;
  return unique;
}

RelationPtr parse_table(Cursor& cursor) {
  cursor.expect("TABLE");
  return parse_named_relation(cursor);
}

void set_element(Cursor& cursor, std::vector<std::vector<plan::ExpressionPtr>>& sets) {
  std::vector<plan::ExpressionPtr> set;
  if (cursor.at("(")) {
    const size_t opened = cursor.position();
    cursor.next();
    if (!cursor.at(")")) set = parse_expressions(cursor);
    cursor.expect_close(opened);
  } else {
    set.push_back(parse_expression(cursor));
  }
  sets.push_back(std::move(set));
}

using Sets = std::vector<std::vector<plan::ExpressionPtr>>;

Sets parse_sets_in_brackets(Cursor& cursor) {
  const size_t opened = cursor.position();
  cursor.expect("(");
  Sets sets;
  parse_commas(cursor, [&] { set_element(cursor, sets); });
  cursor.expect_close(opened);
  return sets;
}

// The grouping sets of ROLLUP: every prefix, the longest first.
Sets rollup(const Sets& elements) {
  Sets out;
  for (size_t length = elements.size() + 1; length-- > 0;) {
    out.emplace_back();
    for (size_t i = 0; i < length; ++i) {
      out.back().insert(out.back().end(), elements[i].begin(), elements[i].end());
    }
  }
  return out;
}

// The grouping sets of CUBE: every subset.
Sets cube(Cursor& cursor, const Sets& elements) {
  if (elements.size() > 12) cursor.fail("CUBE of more than 12 expressions");
  Sets out;
  for (size_t mask = size_t{1} << elements.size(); mask-- > 0;) {
    out.emplace_back();
    for (size_t i = 0; i < elements.size(); ++i) {
      if ((mask >> (elements.size() - 1 - i) & 1U) == 0) continue;
      out.back().insert(out.back().end(), elements[i].begin(), elements[i].end());
    }
  }
  return out;
}

// Every set of `left` together with every set of `right`.
Sets cross(const Sets& left, const Sets& right) {
  Sets out;
  for (const auto& one : left) {
    for (const auto& other : right) {
      out.push_back(one);
      out.back().insert(out.back().end(), other.begin(), other.end());
    }
  }
  return out;
}

bool simple(const Sets& elements) {
  for (const auto& element : elements) {
    if (element.size() != 1) return false;
  }
  return true;
}

std::vector<plan::ExpressionPtr> flat(const Sets& elements) {
  std::vector<plan::ExpressionPtr> out;
  for (const auto& element : elements) out.insert(out.end(), element.begin(), element.end());
  return out;
}

// One part of GROUP BY with its kind, before parts are put together.
struct Part {
  plan::GroupingKind kind = plan::GroupingKind::kPlain;
  Sets elements;
};

Part parse_part(Cursor& cursor) {
  Part part;
  if (cursor.at_all({"GROUPING", "SETS", "("})) {
    cursor.next();
    cursor.next();
    part.kind = plan::GroupingKind::kSets;
    part.elements = parse_sets_in_brackets(cursor);
  } else if (cursor.at_any({"ROLLUP", "CUBE"}) && cursor.at("(", 1)) {
    part.kind =
        cursor.next().upper == "ROLLUP" ? plan::GroupingKind::kRollup : plan::GroupingKind::kCube;
    part.elements = parse_sets_in_brackets(cursor);
  } else {
    part.elements = {{parse_expression(cursor)}};
  }
  return part;
}

Sets sets_of(Cursor& cursor, const Part& part) {
  if (part.kind == plan::GroupingKind::kRollup) return rollup(part.elements);
  if (part.kind == plan::GroupingKind::kCube) return cube(cursor, part.elements);
  return part.elements;
}

// Parts of different kinds become explicit grouping sets.
GroupBy combine(Cursor& cursor, const std::vector<Part>& parts) {
  GroupBy out;
  const bool plain = std::all_of(parts.begin(), parts.end(), [](const Part& part) {
    return part.kind == plan::GroupingKind::kPlain;
  });
  for (const Part& part : parts) {
    const auto expressions = flat(part.elements);
    out.grouping.insert(out.grouping.end(), expressions.begin(), expressions.end());
  }
  if (plain) return out;
  if (parts.size() == 1 && parts[0].kind != plan::GroupingKind::kSets &&
      simple(parts[0].elements)) {
    out.kind = parts[0].kind;
    return out;
  }
  out.kind = plan::GroupingKind::kSets;
  out.sets = {{}};
  for (const Part& part : parts) {
    out.sets = cross(out.sets, sets_of(cursor, part));
    if (out.sets.size() > 4096) cursor.fail("more than 4,096 grouping sets");
  }
  return out;
}

}  // namespace

GroupBy parse_group_by(Cursor& cursor) {
  if (cursor.at("ALL") && !cursor.at_any({",", ".", "("}, 1)) {
    cursor.next();
    GroupBy out;
    out.kind = plan::GroupingKind::kAll;
    return out;
  }
  std::vector<Part> parts;
  parse_commas(cursor, [&] { parts.push_back(parse_part(cursor)); });
  GroupBy out = combine(cursor, parts);
  // Hive's forms: GROUP BY a, b WITH ROLLUP, and GROUP BY a, b GROUPING SETS (...).
  if (cursor.accept_all({"WITH", "ROLLUP"})) out.kind = plan::GroupingKind::kRollup;
  if (cursor.accept_all({"WITH", "CUBE"})) out.kind = plan::GroupingKind::kCube;
  if (cursor.accept_all({"GROUPING", "SETS"})) {
    out.kind = plan::GroupingKind::kSets;
    out.sets = parse_sets_in_brackets(cursor);
  }
  return out;
}

RelationPtr parse_query_primary(Cursor& cursor) {
  const Nesting nesting(cursor);
  const size_t first = cursor.position();
  if (cursor.accept("SELECT")) return parse_select(cursor, first, nullptr);
  if (cursor.accept("FROM")) {
    RelationPtr input = parse_lateral_views(cursor, parse_from(cursor));
    if (!cursor.accept("SELECT")) return input;
    return parse_select(cursor, first, std::move(input));
  }
  if (cursor.at("TABLE")) return parse_table(cursor);
  if (cursor.accept("VALUES")) return parse_values(cursor, first);
  if (cursor.at("(")) {
    const size_t opened = cursor.position();
    cursor.next();
    RelationPtr query = parse_query(cursor);
    cursor.expect_close(opened);
    return query;
  }
  cursor.fail_expected("a query (SELECT, WITH, FROM or VALUES)");
}

}  // namespace lakebed::sql
