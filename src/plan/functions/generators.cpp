// Generators: functions that make rows. The result is the STRUCT of the columns of a row.
#include <fmt/core.h>

#include "plan/functions/typing.h"

namespace lakebed::plan::functions {

using value::Field;
using value::Kind;
using value::Type;

namespace {

Field column(std::string name, Type type) {
  return {std::move(name), std::move(type), true, "", {}};
}

Result<std::vector<Field>> exploded(const CallShape& call) {
  const Type& own = type_of(call, 0);
  if (own.kind == Kind::kArray) return std::vector<Field>{column("col", own.element())};
  if (own.kind == Kind::kMap) {
    return std::vector<Field>{column("key", own.map_key()), column("value", own.map_value())};
  }
  return unexpected_type(call, 0, "an ARRAY or a MAP");
}

Result<Signature> type_explode(const CallShape& call) {
  LAKEBED_ASSIGN(auto fields, exploded(call));
  return Signature{{type_of(call, 0)}, Type::structure(std::move(fields)), true};
}

Result<Signature> type_posexplode(const CallShape& call) {
  LAKEBED_ASSIGN(auto fields, exploded(call));
  fields.insert(fields.begin(), column("pos", Type(Kind::kInt)));
  return Signature{{type_of(call, 0)}, Type::structure(std::move(fields)), true};
}

Result<Signature> type_inline(const CallShape& call) {
  const Type& own = type_of(call, 0);
  if (own.kind != Kind::kArray || own.element().kind != Kind::kStruct) {
    return unexpected_type(call, 0, "an ARRAY of STRUCTs");
  }
  return Signature{{own}, own.element(), true};
}

// stack(n, v1, v2, ...): n rows; the columns' types are the least common ones down the rows.
Result<Signature> type_stack(const CallShape& call) {
  auto rows = literal_integer(call, 0);
  if (!rows || *rows < 1) {
    return mismatch(call, "NON_FOLDABLE_INPUT", "The number of rows must be a positive constant.");
  }
  const size_t count = call.arguments.size() - 1;
  const size_t n = static_cast<size_t>(*rows);
  const size_t width = (count + n - 1) / n;
  std::vector<Type> types(width);
  for (size_t i = 0; i < count; ++i) {
    auto common = common_type(types[i % width], type_of(call, i + 1));
    if (!common) {
      return mismatch(call, "STACK_COLUMN_DIFF_TYPES",
                      fmt::format("Column {} of `stack` mixes {} and {}.", i % width,
                                  types[i % width].text(), type_of(call, i + 1).text()));
    }
    types[i % width] = *common;
  }
  Signature out{{Type(Kind::kInt)}, {}, true};
  for (size_t i = 0; i < count; ++i) out.arguments.push_back(types[i % width]);
  std::vector<Field> fields;
  for (size_t i = 0; i < width; ++i) fields.push_back(column(fmt::format("col{}", i), types[i]));
  out.result = Type::structure(std::move(fields));
  return out;
}

Result<Signature> type_json_tuple(const CallShape& call) {
  Signature out;
  std::vector<Field> fields;
  for (size_t i = 0; i < call.arguments.size(); ++i) {
    if (!can_cast_implicitly(type_of(call, i), Type(Kind::kString))) {
      return unexpected_type(call, i, "a STRING");
    }
    out.arguments.push_back(Type(Kind::kString));
    if (i > 0) fields.push_back(column(fmt::format("c{}", i - 1), Type(Kind::kString)));
  }
  out.result = Type::structure(std::move(fields));
  return out;
}

Entry rule(const char* name, TypeRule typing, int min, int max) {
  Entry out{name};
  out.rule = typing;
  out.min = min;
  out.max = max;
  return out;
}

}  // namespace

void append_generators(std::vector<Function>& out) {
  append_family(out, FunctionKind::kGenerator,
                {
                    rule("explode", type_explode, 1, 1),
                    rule("explode_outer", type_explode, 1, 1),
                    rule("posexplode", type_posexplode, 1, 1),
                    rule("posexplode_outer", type_posexplode, 1, 1),
                    rule("inline", type_inline, 1, 1),
                    rule("inline_outer", type_inline, 1, 1),
                    rule("stack", type_stack, 2, -1),
                    rule("json_tuple", type_json_tuple, 2, -1),
                });
}

}  // namespace lakebed::plan::functions
