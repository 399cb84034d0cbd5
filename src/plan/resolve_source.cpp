// Leaves: tables, views and CTEs by name, and table functions.
#include <fmt/core.h>

#include <algorithm>

#include "base/names.h"
#include "plan/coercion.h"
#include "plan/resolver.h"

namespace lakebed::plan {
namespace {

void add_attributes(Session& session, const value::Schema& schema, bool hidden,
                    const std::vector<std::string>& qualifier, std::vector<Attribute>& out) {
  for (const value::Field& field : schema) {
    Attribute attribute;
    attribute.id = session.next_id();
    attribute.name = field.name;
    attribute.type = field.type;
    attribute.nullable = field.nullable;
    attribute.qualifier = qualifier;
    attribute.hidden = hidden;
    out.push_back(std::move(attribute));
  }
}

RelationPtr leaf_of(Session& session, const Source& source,
                    const std::vector<std::string>& qualifier, const SourceSpan& span) {
  auto leaf = std::make_shared<Relation>();
  leaf->kind = RelationKind::kLeaf;
  leaf->span = span;
  leaf->streaming = source.streaming;
  leaf->leaf = static_cast<uint32_t>(session.scans.size());
  add_attributes(session, source.schema, false, qualifier, leaf->output);
  add_attributes(session, source.hidden, true, qualifier, leaf->output);
  Scan scan;
  scan.leaf = leaf->leaf;
  scan.token = source.token;
  scan.schema = source.schema;
  scan.schema.insert(scan.schema.end(), source.hidden.begin(), source.hidden.end());
  scan.streaming = source.streaming;
  scan.span = span;
  session.scans.push_back(std::move(scan));
  return leaf;
}

// A resolved view or CTE under its own name, with its own column names.
Result<RelationPtr> named(RelationPtr input, const std::vector<std::string>& qualifier,
                          const std::vector<std::string>& names, const SourceSpan& span) {
  auto out = edit(*visible_only(std::move(input)));
  if (!names.empty() && names.size() != out->output.size()) {
    return project_error("CREATE_VIEW_COLUMN_ARITY_MISMATCH",
                         fmt::format("The view has {} column names, but its query {} columns.",
                                     names.size(), out->output.size()),
                         span);
  }
  for (size_t i = 0; i < out->output.size(); ++i) {
    out->output[i].qualifier = qualifier;
    if (!names.empty()) out->output[i].name = names[i];
  }
  return RelationPtr(out);
}

Result<RelationPtr> source_relation(Session& session, const Source& source,
                                    const std::vector<std::string>& qualifier,
                                    const SourceSpan& span) {
  if (source.view == nullptr) return leaf_of(session, source, qualifier, span);
  const Environment nothing;  // a view sees neither CTEs nor columns of who reads it
  session.catalog.enter_view(source);
  auto query = resolve_relation(session, nothing, source.view);
  session.catalog.leave_view();
  if (!query.ok()) {
    Error error = std::move(query).error();
    if (!error.span.known()) error.with_span(span);
    return error.within("view " + quote_name(qualifier.back()));
  }
  return named(std::move(query).value(), qualifier, source.view_columns, span);
}

const CteFrame* find_cte(const Environment& environment, const Relation& node) {
  if (node.name_parts.size() != 1) return nullptr;
  const std::string name = fold_case(node.name_parts.front());
  for (const CteFrame* frame = environment.ctes.get(); frame != nullptr;
       frame = frame->outer.get()) {
    if (frame->name == name) return frame;
  }
  return nullptr;
}

Result<RelationPtr> resolve_read(Session& session, const Environment& environment,
                                 const Relation& node) {
  if (const CteFrame* frame = find_cte(environment, node)) {
    Environment inner;
    inner.ctes = frame->outer;
    inner.outer = environment.outer;
    LAKEBED_ASSIGN(RelationPtr query, resolve_relation(session, inner, frame->query));
    return named(std::move(query), node.name_parts, {}, node.span);
  }
  auto source = session.catalog.find_table(node.name_parts, node.streaming, node.options);
  if (!source.ok()) return std::move(source).error().with_span(node.span);
  return source_relation(session, source.value(), node.name_parts, node.span);
}

struct FoldedArguments {
  std::vector<std::string> positional;
  std::map<std::string, std::string> named;
};

std::string name_text(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : ".") + quote_name(part);
  return text;
}

Result<FoldedArguments> fold_arguments(Session& session, const Relation& node) {
  FoldedArguments out;
  for (size_t i = 0; i < node.arguments.size(); ++i) {
    const Expression& argument = *node.arguments[i];
    if (argument.kind == ExpressionKind::kSubquery &&
        argument.relation->kind == RelationKind::kRead) {  // TABLE(name)
      out.named["table"] = name_text(argument.relation->name_parts);
      continue;
    }
    LAKEBED_ASSIGN(Constant constant, fold_constant(session, node.arguments[i]));
    const std::string name =
        i < node.argument_names.size() ? fold_case(node.argument_names[i]) : std::string();
    if (constant.is_map) {
      for (const auto& [key, text] : constant.entries) out.named[fold_case(key)] = text;
      continue;
    }
    if (constant.is_null) continue;  // NULL stands for "not given"
    if (name.empty()) {
      out.positional.push_back(constant.text);
    } else if (!out.named.emplace(name, constant.text).second) {
      return project_error("DUPLICATE_ROUTINE_PARAMETER_ASSIGNMENT.DOUBLE_NAMED_ARGUMENT_REFERENCE",
                           fmt::format("The argument {} is given twice.", name),
                           node.arguments[i]->span);
    }
  }
  return out;
}

// range(end), range(start, end [, step]): a column "id".
Result<RelationPtr> resolve_range(Session& session, const Relation& node) {
  std::vector<int64_t> numbers;
  for (const ExpressionPtr& argument : node.arguments) {
    LAKEBED_ASSIGN(Constant constant, fold_constant(session, argument));
    try {
      numbers.push_back(std::stoll(constant.text));
    } catch (const std::exception&) {
      return project_error("UNEXPECTED_INPUT_TYPE", "range takes whole numbers.", argument->span);
    }
  }
  if (numbers.empty() || numbers.size() > 4) {
    return project_error("WRONG_NUM_ARGS.WITHOUT_SUGGESTION", "range takes 1 to 4 arguments.",
                         node.span);
  }
  const int64_t start = numbers.size() > 1 ? numbers[0] : 0;
  const int64_t end = numbers.size() > 1 ? numbers[1] : numbers[0];
  const int64_t step = numbers.size() > 2 ? numbers[2] : 1;
  auto row = std::make_shared<Relation>();
  row->kind = RelationKind::kOneRow;
  row->span = node.span;
  if (step == 0) {
    return project_error("INVALID_PARAMETER_VALUE", "The step of range must not be 0.", node.span);
  }
  const bool empty = step > 0 ? start >= end : start <= end;
  const auto number = [&](int64_t value) {
    return cast_to(integer_literal(value, node.span), value::Kind::kLong);
  };
  const int64_t last = empty ? start : (step > 0 ? end - 1 : end + 1);
  LAKEBED_ASSIGN(ExpressionPtr list,
                 typed_call(session, "sequence", {number(start), number(last), number(step)},
                            node.span));
  LAKEBED_ASSIGN(ExpressionPtr call, typed_call(session, "explode", {list}, node.span));
  LAKEBED_ASSIGN(std::vector<Attribute> columns, generator_columns(session, *call, {"id"}));
  LAKEBED_ASSIGN(RelationPtr out, generate_over(session, row, call, columns));
  if (!empty) return out;
  auto never = edit(*string_literal("false", node.span));
  never->type = value::Kind::kBoolean;
  return filter_of(std::move(out), never, node.span);
}

Result<RelationPtr> resolve_function(Session& session, const Environment& environment,
                                     const Relation& node) {
  const std::string name = fold_case(node.name);
  const Function* function = find_function(name);
  if (function != nullptr && function->kind == FunctionKind::kGenerator) {
    auto generate = std::make_shared<Relation>();
    generate->kind = RelationKind::kGenerate;
    generate->span = node.span;
    auto call = std::make_shared<Expression>();
    call->kind = ExpressionKind::kCall;
    call->name = node.name;
    call->span = node.span;
    call->children = node.arguments;
    generate->expressions = {call};
    return resolve_generate(session, environment, *generate);
  }
  if (name == "range") return resolve_range(session, node);
  LAKEBED_ASSIGN(FoldedArguments arguments, fold_arguments(session, node));
  for (const auto& [key, text] : node.options) arguments.named.emplace(fold_case(key), text);
  auto source = session.catalog.call_function(name, arguments.positional, arguments.named,
                                              node.streaming);
  if (!source.ok()) return std::move(source).error().with_span(node.span);
  if (!source.value()) {
    Error error = project_error("UNRESOLVABLE_TABLE_VALUED_FUNCTION",
                                fmt::format("There is no table function `{}`.", node.name),
                                node.span);
    const std::string near =
        nearest_name(name, {"read_files", "cloud_files", "table_changes", "list_files", "range",
                            "event_log", "explode", "posexplode", "inline", "stack"});
    if (!near.empty()) error.with_hint("did you mean `" + near + "`?");
    return error;
  }
  return source_relation(session, *source.value(), {name}, node.span);
}

}  // namespace

Result<RelationPtr> resolve_source(Session& session, const Environment& environment,
                                   const Relation& node) {
  if (node.kind == RelationKind::kRead) return resolve_read(session, environment, node);
  return resolve_function(session, environment, node);
}

}  // namespace lakebed::plan
