// Joins: ON, USING, NATURAL, LATERAL; which ones work over streams (rule F10).
#include <fmt/core.h>

#include <algorithm>

#include "base/names.h"
#include "plan/coercion.h"
#include "plan/resolver.h"

namespace lakebed::plan {
namespace {

Error stream_join(const std::string& code, std::string message, const SourceSpan& span) {
  return project_error("STREAMING_OPERATION_NOT_SUPPORTED." + code, std::move(message), span);
}

// A stream may be joined with static data where each of its rows is answered at once and for ever.
Status check_join_streams(const Session& session, const Relation& node, const Relation& left,
                          const Relation& right) {
  if (session.options.allow_stateful_streams) return {};
  if (left.streaming && right.streaming) {
    return stream_join("STREAM_STREAM_JOIN", "A join of two streams is not supported.", node.span)
        .with_hint("read one of the two sides without STREAM");
  }
  const bool right_bad = right.streaming && node.join != JoinKind::kInner &&
                         node.join != JoinKind::kCross && node.join != JoinKind::kRight;
  const bool left_bad = left.streaming &&
                        (node.join == JoinKind::kRight || node.join == JoinKind::kFull);
  if (!right_bad && !left_bad) return {};
  return stream_join("OUTER_JOIN",
                     "The stream must be the preserved side of an outer join with static data.",
                     node.span);
}

void set_nullable(std::vector<Attribute>& attributes, size_t from, size_t to) {
  for (size_t i = from; i < to; ++i) attributes[i].nullable = true;
}

std::vector<Attribute> join_output(JoinKind kind, const Relation& left, const Relation& right) {
  std::vector<Attribute> out = left.output;
  if (kind == JoinKind::kLeftSemi || kind == JoinKind::kLeftAnti) return out;
  out.insert(out.end(), right.output.begin(), right.output.end());
  const size_t middle = left.output.size();
  if (kind == JoinKind::kRight || kind == JoinKind::kFull) set_nullable(out, 0, middle);
  if (kind == JoinKind::kLeft || kind == JoinKind::kFull) set_nullable(out, middle, out.size());
  return out;
}

// The columns that NATURAL compares: visible names that both sides have.
std::vector<std::string> natural_names(const Relation& left, const Relation& right) {
  std::vector<std::string> names;
  for (const Attribute& attribute : left.output) {
    if (attribute.hidden) continue;
    const bool shared = std::any_of(
        right.output.begin(), right.output.end(), [&](const Attribute& other) {
          return !other.hidden && same_name(other.name, attribute.name);
        });
    if (shared) names.push_back(attribute.name);
  }
  return names;
}

Result<Attribute> using_column(const Relation& side, const std::string& name,
                               const std::string& which, const SourceSpan& span) {
  const Attribute* found = nullptr;
  std::vector<std::string> names;
  for (const Attribute& attribute : side.output) {
    if (attribute.hidden) continue;
    names.push_back(attribute.name);
    if (!same_name(attribute.name, name)) continue;
    if (found != nullptr) {
      return project_error("AMBIGUOUS_REFERENCE",
                           fmt::format("USING column {} stands twice on the {} side.",
                                       quote_name(name), which),
                           span);
    }
    found = &attribute;
  }
  if (found != nullptr) return *found;
  Error error = project_error("UNRESOLVED_USING_COLUMN_FOR_JOIN",
                              fmt::format("USING column {} is not on the {} side of the join.",
                                          quote_name(name), which),
                              span);
  const std::string near = nearest_name(name, names);
  if (!near.empty()) error.with_hint("did you mean `" + near + "`?");
  return error;
}

struct UsingPair {
  Attribute left;
  Attribute right;
};

Result<ExpressionPtr> using_condition(Session& session, const std::vector<UsingPair>& pairs,
                                      const SourceSpan& span) {
  ExpressionPtr condition;
  for (const UsingPair& pair : pairs) {
    LAKEBED_ASSIGN(ExpressionPtr equal,
                   typed_call(session, "=",
                              {column_of(pair.left, span), column_of(pair.right, span)}, span));
    condition = condition == nullptr ? equal : boolean_call("and", {condition, equal}, span);
  }
  return condition;
}

// The joined key: the side that is never missing, or the first that is there.
Result<ExpressionPtr> using_key(Session& session, JoinKind kind, const UsingPair& pair,
                                const SourceSpan& span) {
  if (kind == JoinKind::kRight) return column_of(pair.right, span);
  if (kind != JoinKind::kFull) return column_of(pair.left, span);
  LAKEBED_ASSIGN(ExpressionPtr key,
                 typed_call(session, "coalesce",
                            {column_of(pair.left, span), column_of(pair.right, span)}, span));
  return alias_of(std::move(key), pair.left.name, session.next_id());
}

const Attribute* find_attribute(const std::vector<Attribute>& attributes, AttributeId id) {
  for (const Attribute& attribute : attributes) {
    if (attribute.id == id) return &attribute;
  }
  return nullptr;
}

// Keys first, then the other columns; the sides' own keys stay, hidden, for qualified names.
Result<RelationPtr> using_projection(Session& session, RelationPtr join,
                                     const std::vector<UsingPair>& pairs) {
  std::vector<ExpressionPtr> columns;
  std::vector<Attribute> output;
  std::vector<AttributeId> shown;
  for (UsingPair pair : pairs) {
    pair.left = *find_attribute(join->output, pair.left.id);
    if (const Attribute* right = find_attribute(join->output, pair.right.id)) pair.right = *right;
    LAKEBED_ASSIGN(ExpressionPtr key, using_key(session, join->join, pair, join->span));
    Attribute attribute = attribute_of(*key);
    attribute.name = pair.left.name;
    if (const Attribute* own = find_attribute(join->output, attribute.id)) {
      attribute.qualifier = own->qualifier;
    }
    shown.push_back(attribute.id);
    columns.push_back(std::move(key));
    output.push_back(std::move(attribute));
  }
  for (const Attribute& attribute : join->output) {
    if (std::find(shown.begin(), shown.end(), attribute.id) != shown.end()) continue;
    Attribute kept = attribute;
    kept.hidden |= std::any_of(pairs.begin(), pairs.end(), [&](const UsingPair& pair) {
      return pair.left.id == attribute.id || pair.right.id == attribute.id;
    });
    columns.push_back(column_of(attribute, join->span));
    output.push_back(std::move(kept));
  }
  const SourceSpan span = join->span;
  auto node = edit(*project_of(std::move(join), std::move(columns), span));
  node->output = std::move(output);
  return RelationPtr(node);
}

Result<RelationPtr> resolve_right(Session& session, const Environment& environment,
                                  const Relation& node, const Scope& left_scope) {
  if (!node.lateral) return resolve_relation(session, environment, node.inputs[1]);
  Environment inner = environment;
  inner.outer = &left_scope;
  return resolve_relation(session, inner, node.inputs[1]);
}

Result<RelationPtr> with_using(Session& session, std::shared_ptr<Relation> join,
                               const std::vector<std::string>& names) {
  std::vector<UsingPair> pairs;
  for (const std::string& name : names) {
    LAKEBED_ASSIGN(Attribute left, using_column(*join->inputs[0], name, "left", join->span));
    LAKEBED_ASSIGN(Attribute right, using_column(*join->inputs[1], name, "right", join->span));
    pairs.push_back({std::move(left), std::move(right)});
  }
  LAKEBED_ASSIGN(join->condition, using_condition(session, pairs, join->span));
  return using_projection(session, join, pairs);
}

}  // namespace

Result<RelationPtr> resolve_join(Session& session, const Environment& environment,
                                 const Relation& node) {
  LAKEBED_ASSIGN(RelationPtr left, resolve_relation(session, environment, node.inputs[0]));
  Scope left_scope;
  left_scope.environment = &environment;
  left_scope.attributes = left->output;
  LAKEBED_ASSIGN(RelationPtr right, resolve_right(session, environment, node, left_scope));
  LAKEBED_TRY(check_join_streams(session, node, *left, *right));
  auto join = edit(node);
  join->natural = false;
  join->using_names.clear();
  join->output = join_output(node.join, *left, *right);
  join->streaming = left->streaming || right->streaming;
  join->inputs = {left, right};
  if (node.natural || !node.using_names.empty()) {
    const auto names = node.natural ? natural_names(*left, *right) : node.using_names;
    if (names.empty()) return RelationPtr(join);
    return with_using(session, join, names);
  }
  if (node.condition == nullptr) return RelationPtr(join);
  Scope scope = left_scope;
  scope.attributes.insert(scope.attributes.end(), right->output.begin(), right->output.end());
  LAKEBED_ASSIGN(join->condition, resolve_condition(session, scope, node.condition, "ON"));
  if (has_window(join->condition) || has_aggregate(join->condition)) {
    return project_error("INVALID_JOIN_CONDITION",
                         "ON takes no aggregate and no window functions.", node.condition->span);
  }
  return RelationPtr(join);
}

}  // namespace lakebed::plan
