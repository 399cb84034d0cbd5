#include "contract.h"

#include <map>
#include <set>

#include "plan/functions.h"
#include "plan_text.h"

namespace lakebed::plan {
namespace {

using Visible = std::map<AttributeId, value::Type>;

class Checker {
 public:
  std::string breach;

  void check(const Relation& node, const Visible& outer) {
    Visible below;
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      const bool lateral = node.kind == RelationKind::kJoin && node.lateral && i == 1;
      Visible seen = outer;
      if (lateral) seen.insert(below.begin(), below.end());
      check(*node.inputs[i], seen);
      for (const Attribute& attribute : node.inputs[i]->output) {
        below[attribute.id] = attribute.type;
      }
    }
    check_own(node, below, outer);
    std::set<AttributeId> ids;
    for (const Attribute& attribute : node.output) {
      if (attribute.id == 0) fail("an output without an id", node);
      if (!ids.insert(attribute.id).second) fail("an output id twice", node);
    }
  }

 private:
  void fail(const std::string& what, const Relation& node) {
    if (breach.empty()) breach = what + " in\n" + plan_text(node);
  }

  void check_own(const Relation& node, const Visible& below, const Visible& outer) {
    const auto each = [&](const std::vector<ExpressionPtr>& list) {
      for (const ExpressionPtr& item : list) expression(*item, node, below, outer);
    };
    each(node.expressions);
    each(node.order);
    each(node.grouping);
    for (const auto& row : node.rows) each(row);
    if (node.condition != nullptr) {
      expression(*node.condition, node, below, outer);
      if (node.condition->type.kind != value::Kind::kBoolean) fail("condition type", node);
    }
    shape(node);
  }

  void shape(const Relation& node) {
    switch (node.kind) {
      case RelationKind::kProject:
      case RelationKind::kAggregate:
        if (node.output.size() != node.expressions.size()) return fail("output size", node);
        for (size_t i = 0; i < node.output.size(); ++i) item(node, i);
        return;
      case RelationKind::kSetOperation:
        if (node.inputs.size() != 2) return fail("inputs of a set operation", node);
        for (const RelationPtr& input : node.inputs) {
          if (input->output.size() != node.output.size()) return fail("set width", node);
          for (size_t i = 0; i < node.output.size(); ++i) {
            if (input->output[i].type != node.output[i].type) return fail("set type", node);
          }
        }
        return;
      case RelationKind::kRead:
      case RelationKind::kTableFunction:
      case RelationKind::kAlias:
      case RelationKind::kWith:
      case RelationKind::kHaving:
      case RelationKind::kQualify: return fail("an unresolved relation", node);
      default: return;
    }
  }

  void item(const Relation& node, size_t at) {
    const Expression& expression = *node.expressions[at];
    const bool alias = expression.kind == ExpressionKind::kAlias;
    if (!alias && expression.kind != ExpressionKind::kColumn) fail("no alias, no column", node);
    if (!alias && node.kind == RelationKind::kAggregate) fail("no alias in an aggregate", node);
    if (expression.attribute != node.output[at].id) fail("output id", node);
    if (expression.type != node.output[at].type) fail("output type", node);
    if (alias && node.kind == RelationKind::kAggregate) {
      const ExpressionKind inner = expression.children[0]->kind;
      if (inner != ExpressionKind::kCall && inner != ExpressionKind::kColumn) {
        fail("an aggregate output that is no aggregate", node);
      }
    }
  }

  void expression(const Expression& node, const Relation& in, const Visible& below,
                  const Visible& outer, bool window_allowed = false) {
    if (!node.resolved) fail("unresolved: " + plan_text(node), in);
    const auto reference = [&](const Visible& ids) {
      const auto found = ids.find(node.attribute);
      if (found == ids.end()) return fail("unknown column " + plan_text(node), in);
      if (found->second != node.type) fail("type of " + plan_text(node), in);
    };
    if (node.kind == ExpressionKind::kColumn) reference(below);
    if (node.kind == ExpressionKind::kOuterColumn) reference(outer);
    if (node.kind == ExpressionKind::kWindow && !window_allowed) fail("a window inside", in);
    if (node.kind == ExpressionKind::kStar) fail("a star", in);
    const bool alias = node.kind == ExpressionKind::kAlias && in.kind == RelationKind::kProject;
    for (const ExpressionPtr& child : node.children) {
      expression(*child, in, below, outer, alias);
    }
    if (node.filter != nullptr) expression(*node.filter, in, below, outer);
    if (node.window) {
      for (const ExpressionPtr& part : node.window->partition) expression(*part, in, below, outer);
      for (const ExpressionPtr& part : node.window->order) expression(*part, in, below, outer);
    }
    if (node.kind == ExpressionKind::kCall) call(node, in);
    if (node.relation == nullptr) return;
    Visible seen = outer;
    seen.insert(below.begin(), below.end());
    check(*node.relation, seen);
  }

  void call(const Expression& node, const Relation& in) {
    const bool special = node.name == "named_struct" || node.name == "grouping" ||
                         node.name == "grouping_id";
    const Function* function = find_function(node.name);
    if (!special && function == nullptr) fail("unknown call " + node.name, in);
    const bool aggregate = function != nullptr && function->kind == FunctionKind::kAggregate;
    const bool here = in.kind == RelationKind::kAggregate || in.kind == RelationKind::kProject;
    if (aggregate && !here) fail("an aggregate outside of kAggregate", in);
  }
};

}  // namespace

std::string contract_breach(const ResolvedQuery& query) {
  Checker checker;
  checker.check(*query.root, {});
  for (const Attribute& attribute : query.root->output) {
    if (attribute.hidden) checker.breach = "a hidden column in the root's output";
  }
  return checker.breach;
}

}  // namespace lakebed::plan
