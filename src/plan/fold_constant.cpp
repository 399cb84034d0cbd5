// Constant arguments of table functions as texts.
#include <fmt/core.h>

#include <array>
#include <charconv>

#include "base/names.h"
#include "plan/clock_calls.h"
#include "plan/expression_text.h"
#include "plan/resolver.h"

namespace lakebed::plan {
namespace {

Error not_constant(const Expression& node) {
  return project_error("NON_FOLDABLE_ARGUMENT",
                       fmt::format("The argument {} must be a constant.", expression_text(node)),
                       node.span);
}

Result<Constant> fold_map(Session& session, const Expression& node) {
  if (node.children.size() % 2 != 0) return not_constant(node);
  Constant out;
  out.is_map = true;
  for (size_t i = 0; i < node.children.size(); i += 2) {
    LAKEBED_ASSIGN(Constant key, fold_constant(session, node.children[i]));
    LAKEBED_ASSIGN(Constant text, fold_constant(session, node.children[i + 1]));
    if (key.is_map || text.is_map || key.is_null) return not_constant(node);
    out.entries.emplace_back(key.text, text.text);
  }
  return out;
}

Result<Constant> fold_concat(Session& session, const Expression& node) {
  Constant out;
  for (const ExpressionPtr& child : node.children) {
    LAKEBED_ASSIGN(Constant part, fold_constant(session, child));
    if (part.is_map) return not_constant(node);
    out.is_null |= part.is_null;
    out.text += part.text;
  }
  return out;
}

// a + b, a - b, a * b of whole numbers.
Result<Constant> fold_arithmetic(Session& session, const Expression& node) {
  std::array<int64_t, 2> sides{};
  for (size_t i = 0; i < 2; ++i) {
    LAKEBED_ASSIGN(Constant side, fold_constant(session, node.children[i]));
    const char* end = side.text.data() + side.text.size();
    const auto [at, error] = std::from_chars(side.text.data(), end, sides[i]);
    if (error != std::errc() || at != end) return not_constant(node);
  }
  int64_t result = 0;
  const bool overflow = node.name == "+"   ? __builtin_add_overflow(sides[0], sides[1], &result)
                        : node.name == "-" ? __builtin_sub_overflow(sides[0], sides[1], &result)
                                           : __builtin_mul_overflow(sides[0], sides[1], &result);
  if (overflow) return not_constant(node);
  Constant out;
  out.text = std::to_string(result);
  return out;
}

Result<Constant> fold_call(Session& session, const Expression& node) {
  const std::string name = fold_case(node.name);
  if (name == "map") return fold_map(session, node);
  if (name == "concat" || name == "||") return fold_concat(session, node);
  if ((name == "+" || name == "-" || name == "*") && node.children.size() == 2) {
    return fold_arithmetic(session, node);
  }
  if (name == "negative" && node.children.size() == 1) {
    LAKEBED_ASSIGN(Constant out, fold_constant(session, node.children[0]));
    const bool negative = out.text.starts_with('-');
    out.text = negative ? out.text.substr(1) : "-" + out.text;
    return out;
  }
  if (auto clock = clock_call(name, node.children.size(), session.options, node.span)) {
    LAKEBED_ASSIGN(ExpressionPtr literal, *std::move(clock));
    Constant out;
    out.text = literal->text;
    return out;
  }
  return not_constant(node);
}

}  // namespace

Result<Constant> fold_constant(Session& session, const ExpressionPtr& node) {
  switch (node->kind) {
    case ExpressionKind::kLiteral: {
      LAKEBED_ASSIGN(ExpressionPtr literal, resolve_literal(session, node));
      Constant out;
      out.text = literal->text;
      out.is_null = literal->is_null;
      return out;
    }
    case ExpressionKind::kCast:
    case ExpressionKind::kAlias: return fold_constant(session, node->children[0]);
    case ExpressionKind::kCall: return fold_call(session, *node);
    case ExpressionKind::kInterval: {
      Constant out;
      out.text = node->text;
      return out;
    }
    default: return not_constant(*node);
  }
}

}  // namespace lakebed::plan
