// Functions that take a lambda. The parameters' types come from the arguments before it; the
// result from the type of its body.
#include <fmt/core.h>

#include "plan/functions/typing.h"

namespace lakebed::plan::functions {

using value::Kind;
using value::Type;

namespace {

using Types = std::vector<Type>;

size_t lambda_size(const CallShape& call, size_t index) {
  return call.arguments[index]->names.size();
}

Result<Type> element_of(const CallShape& call, size_t index) {
  const Type& own = type_of(call, index);
  if (own.kind == Kind::kVoid) return Type(Kind::kVoid);
  if (own.kind != Kind::kArray) return unexpected_type(call, index, "an ARRAY");
  return own.element();
}

Result<Types> sized(const CallShape& call, size_t index, Types most, size_t least) {
  const size_t count = lambda_size(call, index);
  if (count < least || count > most.size()) {
    return project_error("INVALID_LAMBDA_FUNCTION_CALL.NUM_ARGS_MISMATCH",
                         fmt::format("The lambda of `{}` takes {} parameters, not {}.", call.name,
                                     most.size(), count),
                         call.span);
  }
  most.resize(count);
  return most;
}

// x or (x, i) over the elements of argument 0.
Result<Types> element_and_index(const CallShape& call, size_t index) {
  LAKEBED_ASSIGN(Type element, element_of(call, 0));
  return sized(call, index, {element, Type(Kind::kInt)}, 1);
}

Result<Types> element_only(const CallShape& call, size_t index) {
  LAKEBED_ASSIGN(Type element, element_of(call, 0));
  return sized(call, index, {element}, 1);
}

Result<Types> two_elements(const CallShape& call, size_t index) {
  LAKEBED_ASSIGN(Type element, element_of(call, 0));
  return sized(call, index, {element, element}, 2);
}

// aggregate(array, zero, (accumulator, x) -> ..., accumulator -> ...).
Result<Types> fold_parameters(const CallShape& call, size_t index) {
  LAKEBED_ASSIGN(Type element, element_of(call, 0));
  if (index == 2) return sized(call, index, {type_of(call, 1), element}, 2);
  return sized(call, index, {type_of(call, 1)}, 1);
}

Result<Types> zip_parameters(const CallShape& call, size_t index) {
  LAKEBED_ASSIGN(Type left, element_of(call, 0));
  LAKEBED_ASSIGN(Type right, element_of(call, 1));
  return sized(call, index, {left, right}, 2);
}

Result<Types> entry_parameters(const CallShape& call, size_t index) {
  const Type& own = type_of(call, 0);
  if (own.kind != Kind::kMap) return unexpected_type(call, 0, "a MAP");
  return sized(call, index, {own.map_key(), own.map_value()}, 2);
}

Signature with_types(const CallShape& call, Type result) {
  Signature out;
  for (const Expression* argument : call.arguments) out.arguments.push_back(argument->type);
  out.result = std::move(result);
  return out;
}

Status needs_lambda(const CallShape& call, size_t index) {
  if (call.arguments[index]->kind != ExpressionKind::kLambda) {
    return unexpected_type(call, index, "a lambda");
  }
  return {};
}

Result<Signature> type_transform(const CallShape& call) {
  LAKEBED_TRY(needs_lambda(call, 1));
  return with_types(call, Type::array(type_of(call, 1)));
}

Result<Signature> predicate_signature(const CallShape& call, Type result) {
  LAKEBED_TRY(needs_lambda(call, 1));
  if (!can_cast_implicitly(type_of(call, 1), Type(Kind::kBoolean))) {
    return unexpected_type(call, 1, "a lambda that yields a BOOLEAN");
  }
  Signature out = with_types(call, std::move(result));
  out.arguments[1] = Type(Kind::kBoolean);
  return out;
}

Result<Signature> type_filter(const CallShape& call) {
  return predicate_signature(call, type_of(call, 0));
}
Result<Signature> type_test(const CallShape& call) {
  return predicate_signature(call, Type(Kind::kBoolean));
}

// The lambda's body must have the type of the start value: Spark does not widen it.
Result<Signature> type_aggregate(const CallShape& call) {
  LAKEBED_TRY(needs_lambda(call, 2));
  const Type& zero = type_of(call, 1);
  if (!(type_of(call, 2) == zero) && !can_cast_implicitly(type_of(call, 2), zero)) {
    return unexpected_type(call, 2, fmt::format("a lambda that yields {}", zero.text()));
  }
  Signature out = with_types(call, zero);
  out.arguments[2] = zero;
  if (call.arguments.size() == 4) {
    LAKEBED_TRY(needs_lambda(call, 3));
    out.result = type_of(call, 3);
  }
  return out;
}

Result<Signature> type_zip_with(const CallShape& call) {
  LAKEBED_TRY(needs_lambda(call, 2));
  return with_types(call, Type::array(type_of(call, 2)));
}

Result<Signature> type_transform_keys(const CallShape& call) {
  LAKEBED_TRY(needs_lambda(call, 1));
  return with_types(call, Type::map(type_of(call, 1), type_of(call, 0).map_value()));
}
Result<Signature> type_transform_values(const CallShape& call) {
  LAKEBED_TRY(needs_lambda(call, 1));
  return with_types(call, Type::map(type_of(call, 0).map_key(), type_of(call, 1)));
}

Result<Signature> type_array_sort(const CallShape& call) {
  const Type& own = type_of(call, 0);
  if (own.kind != Kind::kArray && own.kind != Kind::kVoid) {
    return unexpected_type(call, 0, "an ARRAY");
  }
  if (call.arguments.size() == 1) {
    if (own.kind == Kind::kArray && own.element().kind != Kind::kVoid &&
        !value::is_orderable(own.element())) {
      return mismatch(call, "INVALID_ORDERING_TYPE",
                      fmt::format("{} has no order.", own.element().text()));
    }
    return with_types(call, own);
  }
  LAKEBED_TRY(needs_lambda(call, 1));
  if (type_of(call, 1).kind != Kind::kInt) {
    return unexpected_type(call, 1, "a lambda that yields an INT");
  }
  return with_types(call, own);
}

Entry line(const char* name, TypeRule typing, LambdaRule lambda, int min, int max) {
  Entry out{name};
  out.rule = typing;
  out.lambda = lambda;
  out.min = min;
  out.max = max;
  return out;
}

}  // namespace

void append_lambdas(std::vector<Function>& out) {
  append_family(out, FunctionKind::kScalar,
                {
                    line("transform", type_transform, element_and_index, 2, 2),
                    line("filter", type_filter, element_and_index, 2, 2),
                    line("exists", type_test, element_only, 2, 2),
                    line("forall", type_test, element_only, 2, 2),
                    line("aggregate reduce", type_aggregate, fold_parameters, 3, 4),
                    line("zip_with", type_zip_with, zip_parameters, 3, 3),
                    line("map_filter", type_filter, entry_parameters, 2, 2),
                    line("transform_keys", type_transform_keys, entry_parameters, 2, 2),
                    line("transform_values", type_transform_values, entry_parameters, 2, 2),
                    line("array_sort", type_array_sort, two_elements, 1, 2),
                });
}

}  // namespace lakebed::plan::functions
