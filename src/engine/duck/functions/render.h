// How expressions become DuckDB SQL text: the border between the renderer of relations
// (duck/render_*.cpp) and the functions (duck/functions/), which know how each Spark function and
// each cast is computed.
//
// Every rendered text is one complete operand: either a name, a literal or a call, or put in
// parentheses, so it may stand anywhere. An operand has exactly the DuckDB type duck_type() of
// its Spark type. Errors raised while a query runs carry Spark's code as "CODE: message": from
// SQL through error('CODE: message'), from C++ through the Error of a scalar function
// (scalar_udf.h); the engine gives them back to the caller as that Error.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "plan/tree.h"
#include "value/type.h"

namespace lakebed::engine::duck {

class Connection;

// What rendering needs to know besides the tree. One a query.
struct RenderContext {
  // Session time zone, an IANA name. DuckDB's own TimeZone setting is the same, so that casts
  // between TIMESTAMPTZ and TIMESTAMP or DATE, and date parts of a TIMESTAMPTZ, are in this zone.
  std::string time_zone = "UTC";
  // Where functions of ours are registered for just the types that a query uses. Never null.
  Connection* connection = nullptr;
  // Makes names of helper columns and lambda parameters unique in the query.
  int next_name = 0;
  std::string fresh_name(const std::string& prefix) { return prefix + std::to_string(++next_name); }
};

// A call with its parts rendered. Lambda arguments come as "lambda v7, v8: body".
struct RenderedCall {
  const plan::Expression* node = nullptr;  // kCall, resolved; node->children are the arguments
  std::vector<std::string> arguments;      // one a child of `node`
  // Aggregates and window functions: what has to follow the closing parenthesis of each DuckDB
  // aggregate or window function of the result: "", " FILTER (WHERE ...)", " OVER (...)", both.
  // node->distinct and node->ignore_nulls are for the function to render, inside its parentheses.
  std::string suffix;
  bool windowed = false;  // there is an OVER
};

// --- written in duck/functions ------------------------------------------------------------------

// The DuckDB expression of a call (operators are calls, too: see tree.h).
// Generators are not calls here: render_generate.cpp does them.
// Error: FUNCTION_NOT_SUPPORTED.<name> with the node's span.
Result<std::string> render_call(const RenderedCall& call, RenderContext& context);

// CAST / TRY_CAST of an operand, Spark's ANSI meaning. Also used for CSV and partition values.
Result<std::string> render_cast(const std::string& operand, const value::Type& from,
                                const value::Type& to, bool try_cast, RenderContext& context);

// What DuckDB sorts by so that rows come in Spark's order (rule E3): the operand itself, or a code
// of it where the type is nested, as DuckDB has a NULL inside greatest and Spark has it least.
Result<std::string> render_sort_key(const std::string& operand, const value::Type& type,
                                    RenderContext& context);

// Registers C++ functions and SQL macros; called once for each connection.
Status register_functions(Connection& connection);

// --- written in duck/ ---------------------------------------------------------------------------

// The DuckDB spelling of a type, as in CAST(x AS ...): TIMESTAMP is TIMESTAMPTZ, TIMESTAMP_NTZ is
// TIMESTAMP, STRING is VARCHAR, BINARY is BLOB, VOID is INTEGER, INTERVAL YEAR is INTEGER (months),
// INTERVAL DAY is BIGINT (microseconds).
std::string duck_type(const value::Type& type);

// 'text' with quotes doubled; "name" with quotes doubled.
std::string quote_text(std::string_view text);
std::string quote_identifier(std::string_view name);

// A resolved literal (kLiteral, kInterval) as an operand of its duck_type.
Result<std::string> render_literal(const plan::Expression& literal);

}  // namespace lakebed::engine::duck
