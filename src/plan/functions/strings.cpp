// Text and bytes: parts, search, case, padding, regular expressions, encodings, digests.
#include "plan/functions/typing.h"

namespace lakebed::plan::functions {

using value::Kind;
using value::Type;

namespace {

// elt(n, a, b, ...): BINARY when all are, else STRING.
Result<Signature> type_elt(const CallShape& call) {
  bool all_binary = true;
  for (size_t i = 1; i < call.arguments.size(); ++i) {
    all_binary = all_binary && type_of(call, i).kind == Kind::kBinary;
  }
  const Type item(all_binary ? Kind::kBinary : Kind::kString);
  Signature out{{Type(Kind::kInt)}, item, true};
  out.arguments.resize(call.arguments.size(), item);
  return out;
}

// concat_ws(separator, strings and arrays of strings...).
Result<Signature> type_concat_ws(const CallShape& call) {
  Signature out{{Type(Kind::kString)}, Type(Kind::kString), true};
  for (size_t i = 1; i < call.arguments.size(); ++i) {
    const Type& own = type_of(call, i);
    const Type text(Kind::kString);
    if (own.kind == Kind::kArray)
      out.arguments.push_back(Type::array(text));
    else if (can_cast_implicitly(own, text))
      out.arguments.push_back(text);
    else
      return unexpected_type(call, i, "a STRING or an ARRAY of them");
  }
  return out;
}

// Any values, as they are.
Result<Signature> type_format(const CallShape& call) {
  Signature out{{Type(Kind::kString)}, Type(Kind::kString), true};
  for (size_t i = 1; i < call.arguments.size(); ++i) out.arguments.push_back(type_of(call, i));
  return out;
}

Entry rule(const char* name, TypeRule typing, int min, int max) {
  Entry out{name};
  out.rule = typing;
  out.min = min;
  out.max = max;
  return out;
}

// Encodings, digests and checks.
void append_encodings(std::vector<Function>& out) {
  append_family(out, FunctionKind::kScalar,
                {
                    {"base64", "binary -> string"},
                    {"unbase64", "string -> binary"},
                    {"encode", "string, string -> binary"},
                    {"to_binary", "string, string? -> binary"},
                    {"try_to_binary", "string, string? -> binary"},
                    {"md5", "binary -> string"},
                    {"sha sha1", "binary -> string"},
                    {"sha2", "binary, int -> string"},
                    {"crc32", "binary -> bigint"},
                    {"url_encode", "string -> string"},
                    {"url_decode", "string -> string"},
                    {"try_url_decode", "string -> string"},
                    {"parse_url", "string, string, string? -> string"},
                    {"try_parse_url", "string, string, string? -> string"},
                    {"luhn_check", "string -> boolean"},
                    {"quote", "string -> string"},
                    {"is_valid_utf8", "string -> boolean"},
                    {"validate_utf8", "string -> string"},
                    {"try_validate_utf8", "string -> string"},
                    {"collate", nullptr, "Strings are compared by their bytes (UTF8_BINARY) only.",
                     FunctionSupport::kRefused},
                });
}

}  // namespace

void append_strings(std::vector<Function>& out) {
  append_family(
      out, FunctionKind::kScalar,
      {
          {"upper ucase", "string -> string"},
          {"lower lcase", "string -> string"},
          {"initcap", "string -> string"},
          {"length len char_length character_length", "string -> int | binary -> int"},
          {"octet_length", "string -> int | binary -> int"},
          {"bit_length", "string -> int | binary -> int"},
          {"trim", "string, string? -> string"},
          {"btrim", "string, string? -> string"},
          {"ltrim", "string, string? -> string"},
          {"rtrim", "string, string? -> string"},
          {"lpad", "string, int, string? -> string | binary, int, binary? -> binary"},
          {"rpad", "string, int, string? -> string | binary, int, binary? -> binary"},
          {"substring substr", "string, int, int? -> string | binary, int, int? -> binary"},
          {"left", "string, int -> string | binary, int -> binary"},
          {"right", "string, int -> string"},
          {"substring_index", "string, string, int -> string"},
          {"split_part", "string, string, int -> string"},
          {"split", "string, string, int? -> array<string>"},
          rule("concat_ws", type_concat_ws, 1, -1),
          {"repeat", "string, int -> string"},
          {"reverse", "string -> string | array<T> -> array<T>"},
          {"replace", "string, string, string? -> string"},
          {"translate", "string, string, string -> string"},
          {"overlay", "string, string, int, int? -> string | binary, binary, int, int? -> binary"},
          {"instr", "string, string -> int"},
          {"locate position charindex", "string, string, int? -> int"},
          {"contains", "string, string -> boolean | binary, binary -> boolean"},
          {"startswith", "string, string -> boolean | binary, binary -> boolean"},
          {"endswith", "string, string -> boolean | binary, binary -> boolean"},
          {"ascii", "string -> int"},
          {"chr char", "bigint -> string"},
          {"space", "int -> string"},
          {"soundex", "string -> string"},
          {"levenshtein", "string, string, int? -> int"},
          {"find_in_set", "string, string -> int"},
          rule("elt", type_elt, 2, -1),
          {"sentences", nullptr, "Splitting into sentences depends on a locale's rules.",
           FunctionSupport::kRefused},
          {"format_number", "num, int -> string | num, string -> string"},
          rule("format_string printf", type_format, 1, -1),
          {"mask", "string, string?, string?, string?, string? -> string"},
          {"regexp_replace", "string, string, string, int? -> string"},
          {"regexp_extract", "string, string, int? -> string"},
          {"regexp_extract_all", "string, string, int? -> array<string>"},
          {"regexp_count", "string, string -> int"},
          {"regexp_instr", "string, string, int? -> int"},
          {"regexp_substr", "string, string -> string"},
          {"like_any", nullptr, "LIKE ANY is written with OR.", FunctionSupport::kRefused},
          {"like_all", nullptr, "LIKE ALL is written with AND.", FunctionSupport::kRefused},
      });
  append_encodings(out);
}

}  // namespace lakebed::plan::functions
