// Window specifications: OVER w, OVER (...), and frames.
#include "sql/expressions.h"
#include "sql/names.h"

namespace lakebed::sql {

namespace {

using Bound = plan::WindowFrame::Bound;

Bound parse_bound(Cursor& cursor, plan::ExpressionPtr& offset) {
  if (cursor.accept_all({"CURRENT", "ROW"})) return Bound::kCurrentRow;
  const bool unbounded = cursor.accept("UNBOUNDED");
  if (!unbounded) offset = parse_expression(cursor);
  if (cursor.accept("PRECEDING")) {
    return unbounded ? Bound::kUnboundedPreceding : Bound::kPreceding;
  }
  if (!cursor.accept("FOLLOWING")) cursor.fail_expected("PRECEDING or FOLLOWING");
  return unbounded ? Bound::kUnboundedFollowing : Bound::kFollowing;
}

plan::WindowFrame parse_frame(Cursor& cursor) {
  plan::WindowFrame frame;
  frame.unit = cursor.next().upper == "ROWS" ? plan::WindowFrame::Unit::kRows
                                             : plan::WindowFrame::Unit::kRange;
  if (cursor.accept("BETWEEN")) {
    frame.start = parse_bound(cursor, frame.start_offset);
    cursor.expect("AND");
    frame.end = parse_bound(cursor, frame.end_offset);
  } else {
    frame.start = parse_bound(cursor, frame.start_offset);
  }
  return frame;
}

}  // namespace

plan::WindowSpec parse_window_body(Cursor& cursor) {
  const size_t opened = cursor.position();
  cursor.expect("(");
  plan::WindowSpec spec;
  const bool starts =
      cursor.at_any({"PARTITION", "DISTRIBUTE", "CLUSTER", "ORDER", "SORT"}) && cursor.at("BY", 1);
  const bool frame = cursor.at_any({"ROWS", "RANGE"}) && !cursor.at(")", 1);
  if (!starts && !frame && cursor.at_name()) spec.name = cursor.next().text;
  if (cursor.accept_all({"PARTITION", "BY"}) || cursor.accept_all({"DISTRIBUTE", "BY"})) {
    spec.partition = parse_expressions(cursor);
  }
  if (cursor.accept_all({"ORDER", "BY"}) || cursor.accept_all({"SORT", "BY"})) {
    spec.order = parse_sort_items(cursor);
  }
  if (cursor.at_any({"ROWS", "RANGE"})) spec.frame = parse_frame(cursor);
  if (cursor.at("GROUPS")) cursor.refuse("A GROUPS FRAME", cursor.span_here());
  cursor.expect_close(opened);
  return spec;
}

plan::WindowSpec parse_over(Cursor& cursor) {
  if (cursor.at("(")) return parse_window_body(cursor);
  plan::WindowSpec spec;
  spec.name = parse_identifier(cursor, "the name of a window");
  return spec;
}

}  // namespace lakebed::sql
