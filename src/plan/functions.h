// The function table: every Spark function is exact, rewritten or refused by name; what is not in
// the table does not exist. Typing lives here, for both front doors; how a function is computed
// lives in engine/duck/functions. Operators are functions of the names listed in tree.h.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "plan/tree.h"

namespace lakebed::plan {

enum class FunctionKind : uint8_t { kScalar, kAggregate, kWindow, kGenerator };
enum class FunctionSupport : uint8_t {
  kExact,      // the engine's own function gives Spark's answer
  kRewritten,  // computed by another expression or by our own code
  kRefused,    // known in Spark, not here: refused by name, with the reason
};

// What a typing rule sees: the resolved arguments. A lambda argument is still unresolved while
// `lambda_parameters` is asked, and resolved when `type` is.
struct CallShape {
  std::string_view name;  // folded
  std::vector<const Expression*> arguments;
  SourceSpan span;
};

// Conventions between the resolver, the table and the engine:
// - count(*) is a call of "count" without arguments; lambdas are kLambda arguments; an argument
//   of struct() may be a kAlias, which names the field.
// - A generator's result is the STRUCT of the columns it makes, named as Spark names them ("col",
//   "pos", "key", "value", "col0"...); the _outer variants are entries of their own.
// - x IN (a, b) is "in"(x, a, b); LIKE ... ESCAPE c is "like"(x, pattern, c); x BETWEEN a AND b
//   is "between"(x, a, b); EXTRACT(f FROM x) is "extract"('f', x); POSITION(a IN b) is
//   "position"(a, b); TRIM(BOTH a FROM b) is "trim"(b, a), but LEADING is "ltrim"(a, b), TRAILING
//   "rtrim"(a, b); units of timestampadd, timestampdiff, dateadd, datediff arrive as a STRING
//   literal in front.

// A generator's result type is a STRUCT with one field for each column that it makes, named as
// Spark names them (explode: col, or key and value; posexplode: pos first; inline: the fields).
// The outcome: the type that each argument must be cast to (implicit casts are inserted by the
// resolver; a lambda's type is its body's) and the type of the result.
struct Signature {
  std::vector<value::Type> arguments;
  value::Type result;
  bool nullable = true;
};

struct Function {
  std::string name;  // folded; synonyms are entries of their own that name `canonical`
  std::string canonical;
  FunctionKind kind = FunctionKind::kScalar;
  FunctionSupport support = FunctionSupport::kExact;
  std::string note;  // kRefused: the reason; kRewritten: what it becomes; for docs/sql.md
  size_t arguments_min = 0;
  size_t arguments_max = 0;
  bool deterministic = true;
  // Null only for refused functions. Errors: DATATYPE_MISMATCH.*, WRONG_NUM_ARGS.
  std::function<Result<Signature>(const CallShape& call)> type;
  // Types of the parameters of the lambda at argument `index`; null: takes no lambda.
  std::function<Result<std::vector<value::Type>>(const CallShape& call, size_t index)>
      lambda_parameters;
};

// The entry of that name in any letter case, or null.
const Function* find_function(std::string_view name);
// All entries by name, for hints and for the generated documentation.
const std::vector<Function>& all_functions();

// Spark's implicit casts (ANSI). The least common type of two, or nothing.
std::optional<value::Type> common_type(const value::Type& left, const value::Type& right);
// True where Spark casts `from` to `to` by itself in an argument or assignment position.
bool can_cast_implicitly(const value::Type& from, const value::Type& to);
// True where CAST(from AS to) is allowed at all under ANSI.
bool can_cast(const value::Type& from, const value::Type& to);
// How Spark names the refusal of a cast: "CAST_WITHOUT_SUGGESTION", or, where a function or a
// setting of Spark would do it, "CAST_WITH_FUNC_SUGGESTION", "CAST_WITH_CONF_SUGGESTION".
std::string cast_refusal(const value::Type& from, const value::Type& to);

}  // namespace lakebed::plan
