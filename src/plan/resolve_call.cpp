// Calls: functions and operators through the function table, lambdas, and the few names that need
// more than argument types: struct, count(*), casts written as functions, the clock.
#include <fmt/core.h>

#include <array>

#include "base/names.h"
#include "plan/clock_calls.h"
#include "plan/coercion.h"
#include "plan/expression_text.h"
#include "plan/resolver.h"

namespace lakebed::plan {
namespace {

struct CastName {
  std::string_view name;
  value::Kind kind;
};
constexpr std::array<CastName, 12> kCastNames = {{{"boolean", value::Kind::kBoolean},
                                                  {"tinyint", value::Kind::kByte},
                                                  {"smallint", value::Kind::kShort},
                                                  {"int", value::Kind::kInt},
                                                  {"bigint", value::Kind::kLong},
                                                  {"float", value::Kind::kFloat},
                                                  {"double", value::Kind::kDouble},
                                                  {"decimal", value::Kind::kDecimal},
                                                  {"string", value::Kind::kString},
                                                  {"binary", value::Kind::kBinary},
                                                  {"date", value::Kind::kDate},
                                                  {"timestamp", value::Kind::kTimestamp}}};

// int(x), date(x): the type that such a call casts to.
std::optional<value::Type> cast_function(const std::string& name, size_t arguments) {
  if (arguments != 1) return std::nullopt;
  for (const CastName& known : kCastNames) {
    if (known.name != name) continue;
    if (known.kind == value::Kind::kDecimal) return value::Type::decimal(10, 0);
    return value::Type(known.kind);
  }
  return std::nullopt;
}

Error unknown_function(const std::string& name, const SourceSpan& span) {
  std::vector<std::string> names;
  for (const Function& function : all_functions()) names.push_back(function.name);
  Error error = project_error(
      "UNRESOLVED_ROUTINE", fmt::format("There is no function `{}`.", name), span);
  const std::string near = nearest_name(name, names);
  if (!near.empty()) error.with_hint("did you mean `" + near + "`?");
  return error;
}

Result<const Function*> look_up(const std::string& name, const SourceSpan& span) {
  const Function* function = find_function(name);
  if (function == nullptr) return unknown_function(name, span);
  if (function->support == FunctionSupport::kRefused) {
    return project_error("FUNCTION_NOT_SUPPORTED." + fold_case(name),
                         fmt::format("The function `{}` is not supported: {}", name,
                                     function->note),
                         span);
  }
  return function;
}

Status check_count(const Function& function, const std::string& name, size_t count,
                   const SourceSpan& span) {
  if (count >= function.arguments_min && count <= function.arguments_max) return {};
  std::string wanted = std::to_string(function.arguments_min);
  if (function.arguments_max > 1000) {
    wanted += " or more";
  } else if (function.arguments_max != function.arguments_min) {
    wanted += " to " + std::to_string(function.arguments_max);
  }
  return project_error("WRONG_NUM_ARGS.WITHOUT_SUGGESTION",
                       fmt::format("`{}` takes {} arguments, but {} are given.", name, wanted,
                                   count),
                       span);
}

// The call as a node: arguments cast as the signature says.
Result<ExpressionPtr> finish_call(const Function& function, Expression call) {
  CallShape shape;
  shape.name = function.name;
  shape.span = call.span;
  for (const ExpressionPtr& argument : call.children) shape.arguments.push_back(argument.get());
  auto typed = function.type(shape);
  if (!typed.ok()) return std::move(typed).error().with_span(call.span);
  const Signature& signature = typed.value();
  for (size_t i = 0; i < call.children.size() && i < signature.arguments.size(); ++i) {
    ExpressionPtr& child = call.children[i];
    if (child->kind != ExpressionKind::kLambda) {
      child = cast_to(child, signature.arguments[i]);
    } else if (child->type != signature.arguments[i]) {
      const value::Type& wanted = signature.arguments[i];
      if (common_type(child->type, wanted) != wanted) {
        return type_mismatch("UNEXPECTED_INPUT_TYPE",
                             fmt::format("The lambda function in `{}` must give {}, not {}.",
                                         function.name, wanted.text(), child->type.text()),
                             child->span);
      }
      auto lambda = edit(*child);
      lambda->children[0] = cast_to(lambda->children[0], signature.arguments[i]);
      lambda->type = signature.arguments[i];
      child = lambda;
    }
  }
  call.name = function.canonical.empty() ? function.name : function.canonical;
  call.type = signature.result;
  call.nullable = signature.nullable;
  call.resolved = true;
  return ExpressionPtr(std::make_shared<Expression>(std::move(call)));
}

Result<ExpressionPtr> resolve_lambda(Session& session, Scope& scope, const Expression& lambda,
                                     const std::vector<value::Type>& types) {
  if (lambda.names.size() > types.size()) {
    return project_error("INVALID_LAMBDA_FUNCTION_CALL.NUM_ARGS_MISMATCH",
                         fmt::format("The lambda function has {} parameters, {} are given to it.",
                                     lambda.names.size(), types.size()),
                         lambda.span);
  }
  auto out = edit(lambda);
  out->names.clear();
  for (size_t i = 0; i < lambda.names.size(); ++i) {
    LambdaVariable variable;
    variable.name = lambda.names[i];
    variable.id = session.next_id();
    variable.unique_name = fmt::format("{}#{}", fold_case(variable.name), variable.id);
    variable.type = types[i];
    out->names.push_back(variable.unique_name);
    scope.lambdas.push_back(std::move(variable));
  }
  auto body = resolve_expression(session, scope, lambda.children[0]);
  scope.lambdas.resize(scope.lambdas.size() - lambda.names.size());
  if (!body.ok()) return std::move(body).error();
  out->children[0] = std::move(body).value();
  out->type = out->children[0]->type;
  out->resolved = true;
  return ExpressionPtr(out);
}

// Resolves the lambdas among `arguments`, whose other members are resolved already.
Status resolve_lambdas(Session& session, Scope& scope, const Function& function,
                       const SourceSpan& span, std::vector<ExpressionPtr>& arguments) {
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i]->kind != ExpressionKind::kLambda) continue;
    if (function.lambda_parameters == nullptr) {
      return project_error("INVALID_LAMBDA_FUNCTION_CALL.NON_HIGHER_ORDER_FUNCTION",
                           fmt::format("`{}` takes no lambda function.", function.name),
                           arguments[i]->span);
    }
    CallShape shape;
    shape.name = function.name;
    shape.span = span;
    for (const ExpressionPtr& argument : arguments) shape.arguments.push_back(argument.get());
    auto types = function.lambda_parameters(shape, i);
    if (!types.ok()) return std::move(types).error().with_span(span);
    LAKEBED_ASSIGN(arguments[i], resolve_lambda(session, scope, *arguments[i], types.value()));
  }
  return {};
}

Result<ExpressionPtr> resolve_struct(Session& session, Scope& scope, const Expression& node) {
  std::vector<NamedExpression> fields;
  for (const ExpressionPtr& child : node.children) {
    if (child->kind == ExpressionKind::kStar) {
      LAKEBED_ASSIGN(std::vector<NamedExpression> columns, expand_star(session, scope, *child));
      for (NamedExpression& column : columns) fields.push_back(std::move(column));
      continue;
    }
    NamedExpression field;
    const bool named = child->kind == ExpressionKind::kAlias ||
                       child->kind == ExpressionKind::kColumn ||
                       child->kind == ExpressionKind::kField;
    field.name = named ? output_name(*child) : "col" + std::to_string(fields.size() + 1);
    LAKEBED_ASSIGN(field.expression, resolve_expression(session, scope, child));
    fields.push_back(std::move(field));
  }
  return struct_of(fields, node.span);
}

Result<ExpressionPtr> resolve_named_struct(Session& session, Scope& scope,
                                           const Expression& node) {
  if (node.children.size() % 2 != 0) {
    return project_error("WRONG_NUM_ARGS.WITHOUT_SUGGESTION",
                         "`named_struct` takes pairs of a name and a value.", node.span);
  }
  std::vector<NamedExpression> fields;
  for (size_t i = 0; i < node.children.size(); i += 2) {
    const Expression& name = *node.children[i];
    if (name.kind != ExpressionKind::kLiteral || name.is_null ||
        name.type.kind != value::Kind::kString) {
      return type_mismatch("NON_FOLDABLE_INPUT",
                           "The names in `named_struct` must be STRING literals.", name.span);
    }
    NamedExpression field;
    field.name = name.text;
    LAKEBED_ASSIGN(field.expression, resolve_expression(session, scope, node.children[i + 1]));
    fields.push_back(std::move(field));
  }
  return struct_of(fields, node.span);
}

// grouping(a), grouping_id(a, b): the SELECT block gives them their meaning.
Result<ExpressionPtr> resolve_grouping(Session& session, Scope& scope, const Expression& node) {
  auto call = edit(node);
  call->name = fold_case(node.name);
  LAKEBED_ASSIGN(call->children, resolve_arguments(session, scope, node.children));
  call->type = call->name == "grouping" ? value::Kind::kByte : value::Kind::kLong;
  call->nullable = false;
  call->resolved = true;
  return ExpressionPtr(call);
}

Status check_modifiers(const Expression& node, const Function& function) {
  const bool aggregate = function.kind == FunctionKind::kAggregate;
  if (!aggregate && (node.distinct || node.filter != nullptr)) {
    return project_error("INVALID_SQL_SYNTAX.FUNCTION_WITH_UNSUPPORTED_SYNTAX",
                         fmt::format("`{}` is no aggregate function: it takes no {}.",
                                     function.name, node.distinct ? "DISTINCT" : "FILTER"),
                         node.span);
  }
  for (const std::string& name : node.argument_names) {
    if (name.empty()) continue;
    return project_error("NAMED_PARAMETERS_NOT_SUPPORTED",
                         fmt::format("`{}` takes no named arguments, such as `{} => ...`.",
                                     function.name, name),
                         node.span);
  }
  return {};
}

Result<ExpressionPtr> resolve_table_call(Session& session, Scope& scope, const Expression& node) {
  LAKEBED_ASSIGN(const Function* function, look_up(node.name, node.span));
  LAKEBED_TRY(check_modifiers(node, *function));
  Expression call = node;
  call.argument_names.clear();
  const bool aggregate = function->kind == FunctionKind::kAggregate;
  if (aggregate) ++scope.inside_aggregate;
  auto arguments = resolve_arguments(session, scope, node.children);
  Result<ExpressionPtr> filter = ExpressionPtr();
  if (node.filter != nullptr) filter = resolve_condition(session, scope, node.filter, "FILTER");
  if (aggregate) --scope.inside_aggregate;
  if (!arguments.ok()) return std::move(arguments).error();
  if (!filter.ok()) return std::move(filter).error();
  call.children = std::move(arguments).value();
  call.filter = std::move(filter).value();
  LAKEBED_TRY(check_count(*function, node.name, call.children.size(), node.span));
  LAKEBED_TRY(resolve_lambdas(session, scope, *function, node.span, call.children));
  return finish_call(*function, std::move(call));
}

// input_file_name() over a scan of files is what _metadata says; elsewhere the table refuses it.
std::optional<ExpressionPtr> input_file(Session& session, Scope& scope, const Expression& node) {
  Expression column;
  column.kind = ExpressionKind::kColumn;
  column.span = node.span;
  column.name_parts = {"_metadata", "file_path"};
  auto found = resolve_column(session, scope, column);
  if (!found.ok()) return std::nullopt;
  return std::move(found).value();
}

bool is_count_star(const Expression& node) {
  return node.children.size() == 1 && node.children[0]->kind == ExpressionKind::kStar &&
         node.children[0]->name_parts.empty() && !node.distinct;
}

}  // namespace

Result<std::vector<ExpressionPtr>> resolve_arguments(Session& session, Scope& scope,
                                                     const std::vector<ExpressionPtr>& nodes) {
  std::vector<ExpressionPtr> out;
  for (const ExpressionPtr& node : nodes) {
    if (node->kind == ExpressionKind::kLambda) {
      out.push_back(node);  // resolved once the types of its parameters are known
    } else if (node->kind == ExpressionKind::kStar) {
      LAKEBED_ASSIGN(std::vector<NamedExpression> columns, expand_star(session, scope, *node));
      for (NamedExpression& column : columns) out.push_back(std::move(column.expression));
    } else {
      LAKEBED_ASSIGN(ExpressionPtr argument, resolve_expression(session, scope, node));
      out.push_back(std::move(argument));
    }
  }
  return out;
}

Result<ExpressionPtr> resolve_call(Session& session, Scope& scope, const Expression& node) {
  const std::string name = fold_case(node.name);
  if (name == "struct") return resolve_struct(session, scope, node);
  if (name == "named_struct") return resolve_named_struct(session, scope, node);
  if (name == "grouping" || name == "grouping_id") return resolve_grouping(session, scope, node);
  if (const auto type = cast_function(name, node.children.size())) {
    auto cast = std::make_shared<Expression>();
    cast->kind = ExpressionKind::kCast;
    cast->span = node.span;
    cast->type = *type;
    cast->children = node.children;
    return resolve_expression(session, scope, cast);
  }
  if (auto clock = clock_call(name, node.children.size(), session.options, node.span)) {
    return *clock;
  }
  if (name == "input_file_name" && node.children.empty()) {
    if (auto path = input_file(session, scope, node)) return *path;
  }
  if (name == "count" && node.children.empty()) {
    return project_error("WRONG_NUM_ARGS.WITH_SUGGESTION",
                         "`count` takes at least one argument.", node.span)
        .with_hint("count(*) counts rows");
  }
  if (name == "count" && is_count_star(node)) {
    auto counted = edit(node);
    counted->children = {integer_literal(1, node.span)};
    return resolve_table_call(session, scope, *counted);
  }
  return resolve_table_call(session, scope, node);
}

Result<ExpressionPtr> typed_call(Session& session, const std::string& name,
                                 std::vector<ExpressionPtr> arguments, const SourceSpan& span) {
  if (auto clock = clock_call(name, arguments.size(), session.options, span)) return *clock;
  LAKEBED_ASSIGN(const Function* function, look_up(name, span));
  LAKEBED_TRY(check_count(*function, name, arguments.size(), span));
  Expression call;
  call.kind = ExpressionKind::kCall;
  call.span = span;
  call.children = std::move(arguments);
  return finish_call(*function, std::move(call));
}

}  // namespace lakebed::plan
