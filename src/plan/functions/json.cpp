// JSON and CSV in strings.
#include <fmt/core.h>

#include "plan/functions/ddl.h"
#include "plan/functions/typing.h"

namespace lakebed::plan::functions {

using value::Kind;
using value::Type;

namespace {

Type options_type() { return Type::map(Type(Kind::kString), Type(Kind::kString)); }

// from_json(text, schema [, options]): the schema is a literal, or schema_of_json of a literal.
Result<Signature> type_from_json(const CallShape& call) {
  auto text = literal_text(call, 1);
  if (!text) {
    return project_error("INVALID_SCHEMA.NON_STRING_LITERAL",
                         fmt::format("The schema of `{}` must be a string literal.", call.name),
                         call.arguments[1]->span);
  }
  auto schema = parse_schema_text(*text);
  if (!schema.ok()) {
    schema.error().with_span(call.arguments[1]->span);
    return std::move(schema).error();
  }
  Signature out{{Type(Kind::kString), Type(Kind::kString)}, std::move(*schema), true};
  if (call.arguments.size() == 3) out.arguments.push_back(options_type());
  return out;
}

Result<Signature> type_to_json(const CallShape& call) {
  const Type& own = type_of(call, 0);
  if (!own.is_nested() && own.kind != Kind::kVoid) {
    return unexpected_type(call, 0, "a STRUCT, an ARRAY or a MAP");
  }
  Signature out{{own}, Type(Kind::kString), true};
  if (call.arguments.size() == 2) out.arguments.push_back(options_type());
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

void append_json(std::vector<Function>& out) {
  append_family(out, FunctionKind::kScalar,
                {
                    rule("from_json", type_from_json, 2, 3),
                    rule("to_json", type_to_json, 1, 2),
                    {"get_json_object", "string, string -> string"},
                    {"json_array_length", "string -> int"},
                    {"json_object_keys", "string -> array<string>"},
                    {"schema_of_json", "string, map<string,string>? -> string"},
                });
}

}  // namespace lakebed::plan::functions
