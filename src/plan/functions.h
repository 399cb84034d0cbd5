// The function table: every Spark function is exact, rewritten or refused by name; what is not in
// the table does not exist. Typing lives here, for both front doors; how a function is computed
// lives in engine/duck/functions. Operators are functions of the names listed in tree.h.
#pragma once

#include <cstdint>
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
  Result<Signature> (*type)(const CallShape& call) = nullptr;
  // Types of the parameters of the lambda at argument `index`; null: takes no lambda.
  Result<std::vector<value::Type>> (*lambda_parameters)(const CallShape& call,
                                                        size_t index) = nullptr;
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

}  // namespace lakebed::plan
