// Arrays, maps and structs, lambdas aside.
#include <fmt/core.h>

#include "base/names.h"
#include "plan/functions/typing.h"

namespace lakebed::plan::functions {

using value::Kind;
using value::Type;

namespace {

Result<Type> least_common(const CallShape& call, size_t from, size_t step) {
  Type out;
  for (size_t i = from; i < call.arguments.size(); i += step) {
    auto common = common_type(out, type_of(call, i));
    if (!common) {
      return mismatch(call, "DATA_DIFF_TYPES",
                      fmt::format("The elements of `{}` have types that do not meet: {} and {}.",
                                  call.name, out.text(), type_of(call, i).text()));
    }
    out = *common;
  }
  return out;
}

Result<Signature> type_array(const CallShape& call) {
  LAKEBED_ASSIGN(Type element, least_common(call, 0, 1));
  return Signature{std::vector<Type>(call.arguments.size(), element), Type::array(element), false};
}

Result<Signature> type_map(const CallShape& call) {
  const size_t count = call.arguments.size();
  if (count % 2 != 0) return wrong_count(call, count + 1, count + 1);
  LAKEBED_ASSIGN(Type key, least_common(call, 0, 2));
  LAKEBED_ASSIGN(Type item, least_common(call, 1, 2));
  Signature out{{}, Type::map(key, item), false};
  for (size_t i = 0; i < count; ++i) out.arguments.push_back(i % 2 == 0 ? key : item);
  return out;
}

std::string field_name(const Expression& argument, size_t index) {
  switch (argument.kind) {
    case ExpressionKind::kAlias:
      if (argument.names.size() == 1) return argument.names[0];
      break;
    case ExpressionKind::kColumn:
    case ExpressionKind::kOuterColumn:
      if (!argument.name_parts.empty()) return argument.name_parts.back();
      break;
    case ExpressionKind::kField:
    case ExpressionKind::kLambdaVariable:
      if (!argument.name.empty()) return argument.name;
      break;
    default: break;
  }
  return fmt::format("col{}", index + 1);
}

Result<Signature> type_struct(const CallShape& call) {
  Signature out;
  out.nullable = false;
  std::vector<value::Field> fields;
  for (size_t i = 0; i < call.arguments.size(); ++i) {
    out.arguments.push_back(type_of(call, i));
    fields.push_back(
        {field_name(*call.arguments[i], i), type_of(call, i), call.arguments[i]->nullable, "", {}});
  }
  out.result = Type::structure(std::move(fields));
  return out;
}

Result<Signature> type_named_struct(const CallShape& call) {
  if (call.arguments.size() % 2 != 0) {
    return wrong_count(call, call.arguments.size() + 1, call.arguments.size() + 1);
  }
  Signature out;
  out.nullable = false;
  std::vector<value::Field> fields;
  for (size_t i = 0; i < call.arguments.size(); i += 2) {
    auto name = literal_text(call, i);
    if (!name) return mismatch(call, "NON_FOLDABLE_INPUT", "Field names must be literal strings.");
    out.arguments.push_back(Type(Kind::kString));
    out.arguments.push_back(type_of(call, i + 1));
    fields.push_back({*name, type_of(call, i + 1), call.arguments[i + 1]->nullable, "", {}});
  }
  out.result = Type::structure(std::move(fields));
  return out;
}

// element_at(array, n) and element_at(map, key).
Result<Signature> type_element_at(const CallShape& call) {
  const Type& own = type_of(call, 0);
  if (own.kind == Kind::kMap) {
    auto key = common_type(own.map_key(), type_of(call, 1));
    if (!key) return unexpected_type(call, 1, own.map_key().text());
    Type base = own;
    base.fields[0].type = *key;
    return Signature{{base, *key}, own.map_value(), true};
  }
  if (own.kind != Kind::kArray) return unexpected_type(call, 0, "an ARRAY or a MAP");
  if (!type_of(call, 1).is_integer()) return unexpected_type(call, 1, "an INT");
  return Signature{{own, Type(Kind::kInt)}, own.element(), true};
}

bool is_interval(const Type& type) {
  return type.kind == Kind::kIntervalYearMonth || type.kind == Kind::kIntervalDayTime;
}

Result<Signature> type_sequence(const CallShape& call) {
  auto common = common_type(type_of(call, 0), type_of(call, 1));
  if (!common) return unexpected_type(call, 1, type_of(call, 0).text());
  const bool step = call.arguments.size() == 3;
  Signature out{{*common, *common}, Type::array(*common, false), true};
  if (common->is_integer()) {
    if (step) {
      auto wide = common_type(*common, type_of(call, 2));
      if (!wide || !wide->is_integer()) return unexpected_type(call, 2, "an integer");
      out.arguments = {*wide, *wide, *wide};
      out.result = Type::array(*wide, false);
    }
    return out;
  }
  const bool moment = common->kind == Kind::kDate || common->kind == Kind::kTimestamp ||
                      common->kind == Kind::kTimestampNtz;
  if (!moment) return unexpected_type(call, 0, "an integer, a DATE or a TIMESTAMP");
  if (step) {
    if (!is_interval(type_of(call, 2))) return unexpected_type(call, 2, "an interval");
    out.arguments.push_back(type_of(call, 2));
  }
  return out;
}

Result<Signature> type_arrays_zip(const CallShape& call) {
  Signature out;
  std::vector<value::Field> fields;
  for (size_t i = 0; i < call.arguments.size(); ++i) {
    const Type& own = type_of(call, i);
    if (own.kind != Kind::kArray) return unexpected_type(call, i, "an ARRAY");
    out.arguments.push_back(own);
    std::string name = field_name(*call.arguments[i], i);
    if (name == fmt::format("col{}", i + 1)) name = std::to_string(i);
    fields.push_back({std::move(name), own.element(), true, "", {}});
  }
  out.result = Type::array(Type::structure(std::move(fields)), false);
  return out;
}

Result<Signature> type_flatten(const CallShape& call) {
  const Type& own = type_of(call, 0);
  if (own.kind != Kind::kArray || own.element().kind != Kind::kArray) {
    return unexpected_type(call, 0, "an ARRAY of ARRAYs");
  }
  return Signature{{own}, own.element(), true};
}

Result<Signature> type_map_from_entries(const CallShape& call) {
  const Type& own = type_of(call, 0);
  const bool pairs = own.kind == Kind::kArray && own.element().kind == Kind::kStruct &&
                     own.element().fields.size() == 2;
  if (!pairs) return unexpected_type(call, 0, "an ARRAY of STRUCTs of two fields");
  const auto& fields = own.element().fields;
  return Signature{{own}, Type::map(fields[0].type, fields[1].type), true};
}

Result<Signature> ordered_array(const CallShape& call) {
  const Type& own = type_of(call, 0);
  if (own.kind != Kind::kArray) return unexpected_type(call, 0, "an ARRAY");
  if (own.element().kind != Kind::kVoid && !value::is_orderable(own.element())) {
    return mismatch(call, "INVALID_ORDERING_TYPE",
                    fmt::format("{} has no order.", own.element().text()));
  }
  return Signature{{own}, own.element(), true};
}

Result<Signature> type_array_extreme(const CallShape& call) { return ordered_array(call); }

Result<Signature> type_sort_array(const CallShape& call) {
  LAKEBED_ASSIGN(Signature out, ordered_array(call));
  out.result = out.arguments[0];
  if (call.arguments.size() == 2) out.arguments.push_back(Type(Kind::kBoolean));
  return out;
}

// The type both meet in without any change of kind: a DECIMAL meets its own only.
std::optional<Type> tightest(const Type& left, const Type& right) {
  if (left == right || left.kind == Kind::kVoid || right.kind == Kind::kVoid) {
    return common_type(left, right);
  }
  const bool decimal = left.kind == Kind::kDecimal || right.kind == Kind::kDecimal;
  const bool text = left.kind == Kind::kString || right.kind == Kind::kString;
  if (decimal || text) return std::nullopt;
  return common_type(left, right);
}

Error array_mismatch(const CallShape& call, std::string_view kind, size_t index) {
  return mismatch(call, kind,
                  fmt::format("`{}` does not mix {} and {}.", call.name, type_of(call, 0).text(),
                              type_of(call, index).text()));
}

// (array, element), and with an index between them.
Result<Signature> type_array_add(const CallShape& call) {
  const Type& own = type_of(call, 0);
  const size_t last = call.arguments.size() - 1;
  if (own.kind != Kind::kArray) return unexpected_type(call, 0, "an ARRAY");
  auto element = tightest(own.element(), type_of(call, last));
  if (!element) return array_mismatch(call, "ARRAY_FUNCTION_DIFF_TYPES", last);
  Signature out{{Type::array(*element)}, Type::array(*element), true};
  if (last == 2) {
    if (!type_of(call, 1).is_integer()) return unexpected_type(call, 1, "an INT");
    out.arguments.push_back(Type(Kind::kInt));
  }
  out.arguments.push_back(*element);
  return out;
}

Result<Signature> two_arrays(const CallShape& call) {
  for (size_t i : {size_t{0}, size_t{1}}) {
    if (type_of(call, i).kind != Kind::kArray) {
      return mismatch(call, "BINARY_ARRAY_DIFF_TYPES",
                      fmt::format("`{}` takes ARRAYs.", call.name));
    }
  }
  auto element = tightest(type_of(call, 0).element(), type_of(call, 1).element());
  if (!element) return array_mismatch(call, "BINARY_ARRAY_DIFF_TYPES", 1);
  return Signature{{Type::array(*element), Type::array(*element)}, Type::array(*element), true};
}

Result<Signature> type_arrays_overlap(const CallShape& call) {
  LAKEBED_ASSIGN(Signature out, two_arrays(call));
  out.result = Type(Kind::kBoolean);
  return out;
}

Result<Signature> type_array_contains(const CallShape& call) {
  const Type& own = type_of(call, 0);
  if (own.kind == Kind::kVoid || type_of(call, 1).kind == Kind::kVoid) {
    return mismatch(call, "NULL_TYPE", fmt::format("`{}` does not take a bare NULL.", call.name));
  }
  if (own.kind != Kind::kArray) return unexpected_type(call, 0, "an ARRAY");
  auto element = common_type(own.element(), type_of(call, 1));
  if (!element) return array_mismatch(call, "ARRAY_FUNCTION_DIFF_TYPES", 1);
  return Signature{{Type::array(*element), *element}, Type(Kind::kBoolean), true};
}

Entry rule(const char* name, TypeRule typing, int min, int max) {
  Entry out{name};
  out.rule = typing;
  out.min = min;
  out.max = max;
  return out;
}

}  // namespace

void append_collections(std::vector<Function>& out) {
  append_family(
      out, FunctionKind::kScalar,
      {
          rule("array", type_array, 0, -1),
          rule("map create_map", type_map, 0, -1),
          rule("struct", type_struct, 1, -1),
          rule("named_struct", type_named_struct, 2, -1),
          rule("element_at", type_element_at, 2, 2),
          rule("try_element_at", type_element_at, 2, 2),
          {"get", "array<T>, int -> T"},
          {"size cardinality", "array<T> -> int | map<K,V> -> int"},
          {"array_size", "array<T> -> int"},
          rule("array_contains", type_array_contains, 2, 2),
          {"array_position", "array<T>, T -> bigint"},
          rule("array_append", type_array_add, 2, 2),
          rule("array_prepend", type_array_add, 2, 2),
          rule("array_insert", type_array_add, 3, 3),
          {"array_remove", "array<T>, T -> array<T>"},
          {"array_distinct", "array<T> -> array<T>"},
          rule("array_union", two_arrays, 2, 2),
          rule("array_intersect", two_arrays, 2, 2),
          rule("array_except", two_arrays, 2, 2),
          rule("arrays_overlap", type_arrays_overlap, 2, 2),
          {"array_join", "array<string>, string, string? -> string"},
          {"array_compact", "array<T> -> array<T>"},
          {"array_repeat", "T, int -> array<T>"},
          rule("array_min", type_array_extreme, 1, 1),
          rule("array_max", type_array_extreme, 1, 1),
          rule("sort_array", type_sort_array, 1, 2),
          {"slice", "array<T>, int, int -> array<T>"},
          {"shuffle", nullptr, "Its result differs from run to run.", FunctionSupport::kRefused},
          rule("flatten", type_flatten, 1, 1),
          rule("sequence", type_sequence, 2, 3),
          rule("arrays_zip", type_arrays_zip, 1, -1),
          {"map_keys", "map<K,V> -> array<K>"},
          {"map_values", "map<K,V> -> array<V>"},
          {"map_entries", "map<K,V> -> array<struct<key:K,value:V>>"},
          {"map_concat", "map<K,V>* -> map<K,V>"},
          {"map_contains_key", "map<K,V>, K -> boolean"},
          {"map_from_arrays", "array<K>, array<V> -> map<K,V>"},
          rule("map_from_entries", type_map_from_entries, 1, 1),
          {"str_to_map", "string, string?, string? -> map<string,string>"},
      });
}

}  // namespace lakebed::plan::functions
