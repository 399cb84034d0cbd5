// UNION, INTERSECT, EXCEPT by position or by name; VALUES.
#include <fmt/core.h>

#include <algorithm>

#include "base/names.h"
#include "plan/coercion.h"
#include "plan/resolver.h"

namespace lakebed::plan {
namespace {

// VALUES does not cast between strings and other types, unlike the rest of the language.
bool mixes_strings(const std::vector<ExpressionPtr>& cells) {
  const auto is = [](bool string) {
    return [string](const ExpressionPtr& cell) {
      const value::Kind kind = cell->type.kind;
      return kind != value::Kind::kVoid && (kind == value::Kind::kString) == string;
    };
  };
  return std::any_of(cells.begin(), cells.end(), is(true)) &&
         std::any_of(cells.begin(), cells.end(), is(false));
}

std::string operation_name(SetOperationKind kind) {
  switch (kind) {
    case SetOperationKind::kUnion: return "UNION";
    case SetOperationKind::kIntersect: return "INTERSECT";
    case SetOperationKind::kExcept: return "EXCEPT";
  }
  return {};
}

// `input` with its columns cast to `types`; the same relation when nothing changes.
RelationPtr aligned(Session& session, RelationPtr input, const std::vector<value::Type>& types) {
  std::vector<ExpressionPtr> columns;
  bool changed = false;
  for (size_t i = 0; i < types.size(); ++i) {
    const Attribute& attribute = input->output[i];
    ExpressionPtr column = column_of(attribute, input->span);
    if (attribute.type != types[i]) {
      changed = true;
      column = alias_of(cast_to(column, types[i]), attribute.name, session.next_id());
    }
    columns.push_back(std::move(column));
  }
  const SourceSpan span = input->span;
  return changed ? project_of(std::move(input), std::move(columns), span) : input;
}

// The right side's columns in the order of the left side's names.
Result<RelationPtr> ordered_by_name(const RelationPtr& left, RelationPtr right,
                                    const SourceSpan& span) {
  std::vector<ExpressionPtr> columns;
  for (const Attribute& wanted : left->output) {
    const auto found = std::find_if(
        right->output.begin(), right->output.end(),
        [&](const Attribute& attribute) { return same_name(attribute.name, wanted.name); });
    if (found == right->output.end()) {
      return project_error("UNRESOLVED_COLUMN.WITH_SUGGESTION",
                           fmt::format("UNION BY NAME: the right side has no column {}.",
                                       quote_name(wanted.name)),
                           span);
    }
    columns.push_back(column_of(*found, span));
  }
  return project_of(std::move(right), std::move(columns), span);
}

Result<std::vector<value::Type>> common_types(const Relation& left, const Relation& right,
                                              const std::string& operation,
                                              const SourceSpan& span) {
  if (left.output.size() != right.output.size()) {
    return project_error("NUM_COLUMNS_MISMATCH",
                         fmt::format("{} needs inputs with the same number of columns, but the "
                                     "first has {} and the second {}.",
                                     operation, left.output.size(), right.output.size()),
                         span);
  }
  std::vector<value::Type> types;
  for (size_t i = 0; i < left.output.size(); ++i) {
    const value::Type& own = left.output[i].type;
    auto common = common_type(own, right.output[i].type);
    // Structs meet by position, whatever their fields are called.
    if (!common && own.is_nested() && can_cast_implicitly(right.output[i].type, own)) common = own;
    if (!common) {
      return project_error("INCOMPATIBLE_COLUMN_TYPE",
                           fmt::format("{}: column {} ({}) has the type {} in the first input and "
                                       "{} in the second.",
                                       operation, i + 1, quote_name(left.output[i].name),
                                       left.output[i].type.text(), right.output[i].type.text()),
                           span);
    }
    types.push_back(*common);
  }
  return types;
}

Status check_set_streams(const Session& session, const Relation& node, const Relation& left,
                         const Relation& right) {
  const bool plain_union = node.set_operation == SetOperationKind::kUnion && node.all;
  if (plain_union) {
    if (left.streaming == right.streaming) return {};
    if (session.options.allow_stateful_streams) return {};
    return project_error("STREAMING_OPERATION_NOT_SUPPORTED.UNION_WITH_STATIC",
                         "UNION ALL of a stream with static data would deliver the static rows in "
                         "every batch.",
                         node.span);
  }
  const std::string operation = operation_name(node.set_operation);
  LAKEBED_TRY(check_stream(session, left, operation, node.span));
  return check_stream(session, right, operation, node.span);
}

Result<RelationPtr> combine(Session& session, const Relation& node, RelationPtr left,
                            RelationPtr right) {
  left = visible_only(std::move(left));
  right = visible_only(std::move(right));
  if (node.by_name) {
    LAKEBED_ASSIGN(right, ordered_by_name(left, std::move(right), node.span));
  }
  LAKEBED_TRY(check_set_streams(session, node, *left, *right));
  if (node.set_operation != SetOperationKind::kUnion || !node.all) {
    LAKEBED_TRY(check_comparable(*left, operation_name(node.set_operation), node.span));
  }
  LAKEBED_ASSIGN(std::vector<value::Type> types,
                 common_types(*left, *right, operation_name(node.set_operation), node.span));
  auto out = edit(node);
  out->by_name = false;
  out->streaming = left->streaming || right->streaming;
  out->output.clear();
  for (size_t i = 0; i < types.size(); ++i) {
    Attribute attribute;
    attribute.id = session.next_id();
    attribute.name = left->output[i].name;
    attribute.type = types[i];
    attribute.nullable = left->output[i].nullable || right->output[i].nullable;
    out->output.push_back(std::move(attribute));
  }
  out->inputs = {aligned(session, std::move(left), types),
                 aligned(session, std::move(right), types)};
  return RelationPtr(out);
}

}  // namespace

Result<RelationPtr> resolve_set_operation(Session& session, const Environment& environment,
                                          const Relation& node) {
  LAKEBED_ASSIGN(RelationPtr out, resolve_relation(session, environment, node.inputs[0]));
  for (size_t i = 1; i < node.inputs.size(); ++i) {
    LAKEBED_ASSIGN(RelationPtr right, resolve_relation(session, environment, node.inputs[i]));
    LAKEBED_ASSIGN(out, combine(session, node, std::move(out), std::move(right)));
  }
  return out;
}

Result<RelationPtr> resolve_values(Session& session, const Environment& environment,
                                   const Relation& node) {
  auto out = edit(node);
  Scope scope;
  scope.environment = &environment;
  const size_t width = node.rows.empty() ? 0 : node.rows.front().size();
  for (auto& row : out->rows) {
    if (row.size() != width) {
      return project_error("INVALID_INLINE_TABLE.NUM_COLUMNS_MISMATCH",
                           fmt::format("The rows of VALUES differ in length: {} and {}.", width,
                                       row.size()),
                           row.empty() ? node.span : row.front()->span);
    }
    for (ExpressionPtr& cell : row) {
      LAKEBED_ASSIGN(cell, resolve_expression(session, scope, cell));
    }
  }
  for (size_t column = 0; column < width; ++column) {
    std::vector<ExpressionPtr> cells;
    for (const auto& row : out->rows) cells.push_back(row[column]);
    const auto type = common_type_of(cells);
    if (!type || mixes_strings(cells)) {
      return project_error("INVALID_INLINE_TABLE.INCOMPATIBLE_TYPES_IN_INLINE_TABLE",
                           fmt::format("The values of column {} have types that do not meet.",
                                       column + 1),
                           cells.front()->span);
    }
    Attribute attribute;
    attribute.id = session.next_id();
    attribute.name = "col" + std::to_string(column + 1);
    attribute.type = *type;
    attribute.nullable = false;
    for (auto& row : out->rows) {
      attribute.nullable |= row[column]->nullable;
      row[column] = cast_to(row[column], *type);
    }
    out->output.push_back(std::move(attribute));
  }
  return RelationPtr(out);
}

}  // namespace lakebed::plan
