// Casts spelled as functions, hashes, and what fits nowhere else.
#include <fmt/core.h>

#include "plan/functions/typing.h"

namespace lakebed::plan::functions {

using value::Kind;
using value::Type;

namespace {

Type named_type(std::string_view name) {
  if (name == "boolean") return Type(Kind::kBoolean);
  if (name == "tinyint") return Type(Kind::kByte);
  if (name == "smallint") return Type(Kind::kShort);
  if (name == "int") return Type(Kind::kInt);
  if (name == "bigint") return Type(Kind::kLong);
  if (name == "float") return Type(Kind::kFloat);
  if (name == "double") return Type(Kind::kDouble);
  if (name == "decimal") return Type::decimal(10, 0);
  if (name == "binary") return Type(Kind::kBinary);
  if (name == "date") return Type(Kind::kDate);
  if (name == "timestamp") return Type(Kind::kTimestamp);
  return Type(Kind::kString);
}

// int(x) is CAST(x AS INT): computed by the engine's cast.
Result<Signature> type_cast_function(const CallShape& call) {
  const Type wanted = named_type(call.name);
  if (!can_cast(type_of(call, 0), wanted)) {
    return mismatch(
        call, cast_refusal(type_of(call, 0), wanted),
        fmt::format("{} cannot be cast to {}.", type_of(call, 0).text(), wanted.text()));
  }
  return Signature{{type_of(call, 0)}, wanted, true};
}

bool has_map(const Type& type) {
  if (type.kind == Kind::kMap) return true;
  for (const value::Field& field : type.fields) {
    if (has_map(field.type)) return true;
  }
  return false;
}

Result<Signature> hash_signature(const CallShape& call, Kind result) {
  Signature out{{}, Type(result), false};
  for (size_t i = 0; i < call.arguments.size(); ++i) {
    if (has_map(type_of(call, i))) {
      return mismatch(call, "HASH_MAP_TYPE", "A MAP has no hash, because its order is not fixed.");
    }
    out.arguments.push_back(type_of(call, i));
  }
  return out;
}

Result<Signature> type_hash(const CallShape& call) { return hash_signature(call, Kind::kInt); }
Result<Signature> type_xxhash64(const CallShape& call) { return hash_signature(call, Kind::kLong); }

// decode(bytes, charset), and decode(x, a, result, ..., [otherwise]): compares null-safe.
Result<Signature> type_decode(const CallShape& call) {
  const size_t count = call.arguments.size();
  if (count == 2) {
    return Signature{{Type(Kind::kBinary), Type(Kind::kString)}, Type(Kind::kString), true};
  }
  Type key = type_of(call, 0);
  Type result;
  for (size_t i = 1; i < count; ++i) {
    const bool is_result = i % 2 == 0 || i + 1 == count;
    Type& bound = is_result ? result : key;
    auto common = common_type(bound, type_of(call, i));
    if (!common) return unexpected_type(call, i, bound.text());
    bound = *common;
  }
  Signature out{{key}, result, true};
  for (size_t i = 1; i < count; ++i) {
    out.arguments.push_back(i % 2 == 0 || i + 1 == count ? result : key);
  }
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

void append_misc(std::vector<Function>& out) {
  append_family(out, FunctionKind::kScalar,
                {
                    rule("boolean", type_cast_function, 1, 1),
                    rule("tinyint", type_cast_function, 1, 1),
                    rule("smallint", type_cast_function, 1, 1),
                    rule("int", type_cast_function, 1, 1),
                    rule("bigint", type_cast_function, 1, 1),
                    rule("float", type_cast_function, 1, 1),
                    rule("double", type_cast_function, 1, 1),
                    rule("decimal", type_cast_function, 1, 1),
                    rule("string", type_cast_function, 1, 1),
                    rule("binary", type_cast_function, 1, 1),
                    rule("date", type_cast_function, 1, 1),
                    rule("timestamp", type_cast_function, 1, 1),
                    rule("hash", type_hash, 1, -1),
                    rule("xxhash64", type_xxhash64, 1, -1),
                    rule("decode", type_decode, 2, -1),
                    {"typeof", "any -> string"},
                    {"assert_true", "boolean, string? -> void"},
                    {"raise_error", "string -> void"},
                });
}

}  // namespace lakebed::plan::functions
