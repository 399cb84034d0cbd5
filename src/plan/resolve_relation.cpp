// Relations: the switch over kinds, and the kinds that need little.
#include <fmt/core.h>

#include <algorithm>

#include "base/names.h"
#include "plan/coercion.h"
#include "plan/expression_text.h"
#include "plan/resolver.h"

namespace lakebed::plan {
namespace {

constexpr int kMaxDepth = 200;

Scope scope_over(const Environment& environment, const Relation& input) {
  Scope scope;
  scope.environment = &environment;
  scope.attributes = input.output;
  return scope;
}

Result<RelationPtr> resolve_filter(Session& session, const Environment& environment,
                                   const Relation& node) {
  LAKEBED_ASSIGN(RelationPtr input, resolve_relation(session, environment, node.inputs[0]));
  Scope scope = scope_over(environment, *input);
  LAKEBED_ASSIGN(ExpressionPtr condition,
                 resolve_condition(session, scope, node.condition, "WHERE"));
  if (has_window(condition)) {
    return project_error("WINDOW_FUNCTION_NOT_ALLOWED_IN_CLAUSE",
                         "WHERE takes no window functions.", node.condition->span)
        .with_hint("use QUALIFY");
  }
  if (has_aggregate(condition)) {
    return project_error("INVALID_WHERE_CONDITION", "WHERE takes no aggregate functions.",
                         node.condition->span)
        .with_hint("use HAVING");
  }
  return filter_of(std::move(input), std::move(condition), node.span);
}

Result<RelationPtr> resolve_alias(Session& session, const Environment& environment,
                                  const Relation& node) {
  LAKEBED_ASSIGN(RelationPtr input, resolve_relation(session, environment, node.inputs[0]));
  auto out = edit(*input);
  const auto visible = static_cast<size_t>(
      std::count_if(out->output.begin(), out->output.end(),
                    [](const Attribute& attribute) { return !attribute.hidden; }));
  if (!node.names.empty() && node.names.size() != visible) {
    return project_error("ASSIGNMENT_ARITY_MISMATCH",
                         fmt::format("{} has {} columns, but {} names are given.",
                                     quote_name(node.name), visible, node.names.size()),
                         node.span);
  }
  size_t at = 0;
  for (Attribute& attribute : out->output) {
    if (!node.name.empty()) attribute.qualifier = {node.name};
    if (attribute.hidden || node.names.empty()) continue;
    attribute.name = node.names[at++];
  }
  return RelationPtr(out);
}

Result<RelationPtr> resolve_with(Session& session, const Environment& environment,
                                 const Relation& node) {
  Environment inner = environment;
  for (size_t i = 0; i < node.names.size(); ++i) {
    auto frame = std::make_shared<CteFrame>();
    frame->name = fold_case(node.names[i]);
    frame->query = node.inputs[i + 1];
    frame->outer = inner.ctes;
    inner.ctes = frame;
  }
  return resolve_relation(session, inner, node.inputs[0]);
}

// ORDER BY ALL: every visible column by its number, unless a column has that name.
void expand_all(const Relation& input, std::vector<ExpressionPtr>& order) {
  if (order.size() != 1) return;
  const ExpressionPtr sort = order.front();
  const Expression& key = *sort->children[0];
  const bool all = key.kind == ExpressionKind::kColumn && key.name_parts.size() == 1 &&
                   same_name(key.name_parts.front(), "all");
  int64_t visible = 0;
  for (const Attribute& attribute : input.output) {
    if (!all || same_name(attribute.name, "all")) return;
    visible += attribute.hidden ? 0 : 1;
  }
  order.clear();
  for (int64_t number = 1; number <= visible; ++number) {
    auto one = edit(*sort);
    one->children[0] = integer_literal(number, key.span);
    order.push_back(one);
  }
}

Result<RelationPtr> resolve_plain_sort(Session& session, const Environment& environment,
                                       const Relation& node) {
  LAKEBED_ASSIGN(RelationPtr input, resolve_relation(session, environment, node.inputs[0]));
  LAKEBED_TRY(check_stream(session, *input, "ORDER_BY", node.span));
  Scope scope = scope_over(environment, *input);
  auto out = edit(node);
  out->output = input->output;
  out->streaming = input->streaming;
  expand_all(*input, out->order);
  for (ExpressionPtr& key : out->order) {
    const Expression& inner = *key->children[0];
    const bool ordinal = inner.kind == ExpressionKind::kLiteral && inner.type.is_integer();
    if (!ordinal) {
      LAKEBED_ASSIGN(key, resolve_expression(session, scope, key));
      continue;
    }
    const size_t position = inner.text.size() > 6 ? 0 : static_cast<size_t>(std::stoul(inner.text));
    std::vector<Attribute> visible;
    std::copy_if(input->output.begin(), input->output.end(), std::back_inserter(visible),
                 [](const Attribute& attribute) { return !attribute.hidden; });
    if (position < 1 || position > visible.size()) {
      return project_error("ORDER_BY_POS_OUT_OF_RANGE",
                           fmt::format("Position {} is not among the {} columns.", inner.text,
                                       visible.size()),
                           inner.span);
    }
    auto sort = edit(*key);
    sort->children[0] = column_of(visible[position - 1], inner.span);
    sort->type = sort->children[0]->type;
    sort->resolved = true;
    key = sort;
  }
  out->inputs = {std::move(input)};
  return RelationPtr(out);
}

Result<ExpressionPtr> resolve_count(Session& session, const ExpressionPtr& node,
                                    const std::string& clause) {
  if (node == nullptr) return node;
  auto folded = fold_constant(session, node);
  const auto fail = [&](const std::string& reason) {
    return project_error("INVALID_LIMIT_LIKE_EXPRESSION." + reason,
                         fmt::format("{} takes a constant whole number that is not negative.",
                                     clause),
                         node->span);
  };
  if (!folded.ok()) return fail("IS_UNFOLDABLE");
  if (folded.value().text.starts_with('-')) return fail("IS_NEGATIVE");
  const bool digits = !folded.value().is_null && !folded.value().text.empty() &&
                      folded.value().text.size() < 19 &&
                      std::all_of(folded.value().text.begin(), folded.value().text.end(),
                                  [](char c) { return c >= '0' && c <= '9'; });
  if (digits) return integer_literal(std::stoll(folded.value().text), node->span);
  return fail("DATA_TYPE");
}

Result<RelationPtr> resolve_limit(Session& session, const Environment& environment,
                                  const Relation& node) {
  LAKEBED_ASSIGN(RelationPtr input, resolve_relation(session, environment, node.inputs[0]));
  LAKEBED_TRY(check_stream(session, *input, "LIMIT", node.span));
  auto out = edit(node);
  LAKEBED_ASSIGN(out->limit, resolve_count(session, node.limit, "LIMIT"));
  LAKEBED_ASSIGN(out->offset, resolve_count(session, node.offset, "OFFSET"));
  out->output = input->output;
  out->streaming = input->streaming;
  out->inputs = {std::move(input)};
  return RelationPtr(out);
}

Result<RelationPtr> resolve_distinct(Session& session, const Environment& environment,
                                     const Relation& node) {
  LAKEBED_ASSIGN(RelationPtr input, resolve_relation(session, environment, node.inputs[0]));
  LAKEBED_TRY(check_stream(session, *input, "DISTINCT", node.span));
  input = visible_only(std::move(input));
  LAKEBED_TRY(check_comparable(*input, "DISTINCT", node.span));
  auto out = edit(node);
  out->output = input->output;
  out->streaming = input->streaming;
  out->inputs = {std::move(input)};
  return RelationPtr(out);
}

bool is_select(const RelationPtr& node) {
  RelationPtr at = node;
  for (const RelationKind kind : {RelationKind::kSort, RelationKind::kDistinct,
                                  RelationKind::kQualify, RelationKind::kHaving}) {
    if (at->kind == kind && !at->inputs.empty()) at = at->inputs[0];
  }
  return at->kind == RelationKind::kProject || at->kind == RelationKind::kAggregate;
}

Result<RelationPtr> dispatch(Session& session, const Environment& environment,
                             const RelationPtr& node) {
  if (is_select(node)) return resolve_select(session, environment, node);
  switch (node->kind) {
    case RelationKind::kRead:
    case RelationKind::kTableFunction: return resolve_source(session, environment, *node);
    case RelationKind::kValues: return resolve_values(session, environment, *node);
    case RelationKind::kFilter: return resolve_filter(session, environment, *node);
    case RelationKind::kJoin: return resolve_join(session, environment, *node);
    case RelationKind::kSort: return resolve_plain_sort(session, environment, *node);
    case RelationKind::kLimit: return resolve_limit(session, environment, *node);
    case RelationKind::kDistinct: return resolve_distinct(session, environment, *node);
    case RelationKind::kSetOperation: return resolve_set_operation(session, environment, *node);
    case RelationKind::kAlias: return resolve_alias(session, environment, *node);
    case RelationKind::kWith: return resolve_with(session, environment, *node);
    case RelationKind::kGenerate: return resolve_generate(session, environment, *node);
    case RelationKind::kOneRow:
    case RelationKind::kLeaf: return node;
    case RelationKind::kHaving:
    case RelationKind::kQualify: {
      // Over something that is no SELECT: nothing but a filter.
      return resolve_filter(session, environment, *node);
    }
    case RelationKind::kProject:
    case RelationKind::kAggregate: break;
  }
  return resolve_select(session, environment, node);
}

}  // namespace

Result<RelationPtr> resolve_relation(Session& session, const Environment& environment,
                                     const RelationPtr& node) {
  if (session.depth >= kMaxDepth) {
    return project_error("RECURSIVE_VIEW",
                         "The query is nested too deeply; does a view read itself?", node->span);
  }
  ++session.depth;
  auto out = dispatch(session, environment, node);
  --session.depth;
  return out;
}

RelationPtr visible_only(RelationPtr input) {
  const bool hidden = std::any_of(input->output.begin(), input->output.end(),
                                  [](const Attribute& attribute) { return attribute.hidden; });
  if (!hidden) return input;
  std::vector<ExpressionPtr> columns;
  std::vector<Attribute> output;
  for (const Attribute& attribute : input->output) {
    if (attribute.hidden) continue;
    columns.push_back(column_of(attribute, input->span));
    output.push_back(attribute);
  }
  const SourceSpan span = input->span;
  auto node = edit(*project_of(std::move(input), std::move(columns), span));
  node->output = std::move(output);
  return node;
}

Status check_comparable(const Relation& input, const std::string& operation,
                        const SourceSpan& span) {
  for (const Attribute& attribute : input.output) {
    if (attribute.type.kind != value::Kind::kMap) continue;
    return project_error("UNSUPPORTED_FEATURE.SET_OPERATION_ON_MAP_TYPE",
                         fmt::format("{} compares whole rows, but the column {} has the type {}.",
                                     operation, quote_name(attribute.name), attribute.type.text()),
                         span);
  }
  return {};
}

Status check_stream(const Session& session, const Relation& input, const std::string& operation,
                    const SourceSpan& span) {
  if (!input.streaming || session.options.allow_stateful_streams) return {};
  return project_error("STREAMING_OPERATION_NOT_SUPPORTED." + operation,
                       fmt::format("{} over a stream depends on how the stream is cut into batches "
                                   "and is not supported.",
                                   operation),
                       span)
      .with_hint("read the source without STREAM, e.g. in a materialized view");
}

}  // namespace lakebed::plan
