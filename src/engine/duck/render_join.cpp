#include <fmt/format.h>

#include "engine/duck/render_relation.h"

namespace lakebed::engine::duck {

using plan::JoinKind;
using plan::Relation;

namespace {

const char* join_words(JoinKind kind) {
  switch (kind) {
    case JoinKind::kInner:
    case JoinKind::kCross: return "INNER JOIN";
    case JoinKind::kLeft: return "LEFT JOIN";
    case JoinKind::kRight: return "RIGHT JOIN";
    case JoinKind::kFull: return "FULL JOIN";
    case JoinKind::kLeftSemi: return "SEMI JOIN";
    case JoinKind::kLeftAnti: return "ANTI JOIN";
  }
  return "INNER JOIN";
}

bool keeps_right(JoinKind kind) {
  return kind != JoinKind::kLeftSemi && kind != JoinKind::kLeftAnti;
}

const char* set_words(plan::SetOperationKind kind) {
  switch (kind) {
    case plan::SetOperationKind::kUnion: return "UNION";
    case plan::SetOperationKind::kIntersect: return "INTERSECT";
    case plan::SetOperationKind::kExcept: return "EXCEPT";
  }
  return "UNION";
}

}  // namespace

Result<RenderedRelation> QueryRenderer::join(const Relation& node) {
  LAKEBED_ASSIGN(auto left, relation(*node.inputs[0]));
  LAKEBED_ASSIGN(auto right, relation(*node.inputs[1]));
  std::string matched = "true";
  if (node.condition) {
    LAKEBED_ASSIGN(matched, condition(*node.condition));
  }
  RenderedRelation out;
  out.sql = fmt::format("SELECT * FROM {} {} {}{} ON {}", from(left.sql), join_words(node.join),
                        node.lateral ? "LATERAL " : "", from(right.sql), matched);
  out.ordinals = std::move(left.ordinals);
  // Without numbers on the left there is no order to keep; the right side only breaks ties.
  const bool ordered = !out.ordinals.empty() && keeps_right(node.join);
  if (ordered) {
    out.ordinals.insert(out.ordinals.end(), right.ordinals.begin(), right.ordinals.end());
  }
  return out;
}

Result<std::string> QueryRenderer::operand_columns(const Relation& node, const Relation& input) {
  std::string out;
  for (size_t i = 0; i < node.output.size(); ++i) {
    out += fmt::format("{}{} AS {}", out.empty() ? "" : ", ", column_name(input.output[i].id),
                       column_name(node.output[i].id));
  }
  return out;
}

Result<RenderedRelation> QueryRenderer::set_operation(const Relation& node) {
  std::string sql;
  for (const auto& input : node.inputs) {
    LAKEBED_ASSIGN(auto operand, relation(*input));
    LAKEBED_ASSIGN(auto columns, operand_columns(node, *input));
    if (!sql.empty()) {
      sql += fmt::format(" {}{} ", set_words(node.set_operation), node.all ? " ALL" : "");
    }
    sql += fmt::format("(SELECT {} FROM {})", columns, from(operand.sql));
  }
  return RenderedRelation{std::move(sql), {}};
}

}  // namespace lakebed::engine::duck
