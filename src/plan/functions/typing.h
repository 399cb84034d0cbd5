// Shared helpers of the function tables: a small language of signatures, so that most entries of
// a family are one line, and the pieces from which special typing rules are built.
//
// A signature reads "string, int? -> string"; alternatives are parted by "|" and the first that
// fits without casts wins, else the first that fits with Spark's implicit casts. Words:
//   void boolean tinyint smallint int bigint float double string binary date timestamp
//   timestamp_ntz interval_ym interval_dt decimal(p,s) · T K V U: type variables, bound to the
//   least common type of all their uses · any: taken as it is · num: numeric as it is, a string
//   becomes DOUBLE · integral: an integer as it is, a string becomes BIGINT · map<K,V> array<T>
//   struct<a:int,...> · fn: a lambda · "?" after a parameter: optional · "*": any number more
//   =0: as result, the type that argument 0 got.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "plan/functions.h"

namespace lakebed::plan::functions {

using TypeRule = Result<Signature> (*)(const CallShape& call);
using LambdaRule = Result<std::vector<value::Type>> (*)(const CallShape& call, size_t index);

// One line of a family's table. Either a signature or a rule; neither for refused functions.
struct Entry {
  const char* name;
  const char* signature = nullptr;
  const char* note = "";
  FunctionSupport support = FunctionSupport::kRewritten;
  TypeRule rule = nullptr;
  LambdaRule lambda = nullptr;
  int min = 0;  // number of arguments, where a rule is given
  int max = 0;  // -1: no limit
  bool deterministic = true;
};

// Compiles the lines of a family into functions of `kind` and appends them. A name may list
// synonyms: "substring substr"; the first is canonical.
void append_family(std::vector<Function>& out, FunctionKind kind, const std::vector<Entry>& lines);

// The families, one a file.
void append_operators(std::vector<Function>& out);
void append_math(std::vector<Function>& out);
void append_strings(std::vector<Function>& out);
void append_dates(std::vector<Function>& out);
void append_collections(std::vector<Function>& out);
void append_lambdas(std::vector<Function>& out);
void append_json(std::vector<Function>& out);
void append_misc(std::vector<Function>& out);
void append_aggregates(std::vector<Function>& out);
void append_windows(std::vector<Function>& out);
void append_generators(std::vector<Function>& out);
void append_refused(std::vector<Function>& out);

// DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE for argument `index` of the call.
Error unexpected_type(const CallShape& call, size_t index, std::string_view wanted);
// DATATYPE_MISMATCH.<kind> for the call as a whole.
Error mismatch(const CallShape& call, std::string_view kind, std::string message);
Error wrong_count(const CallShape& call, size_t min, size_t max);

// The type of argument `index`. Requires: it exists.
const value::Type& type_of(const CallShape& call, size_t index);
// The text of a STRING literal argument, or nothing.
std::optional<std::string> literal_text(const CallShape& call, size_t index);
// The value of an integer literal argument (a cast or a minus around it is seen through).
std::optional<int64_t> literal_integer(const CallShape& call, size_t index);

// DECIMAL bounded to 38 digits as Spark does for results of arithmetic: at least 6 digits (or
// all) of the scale survive.
value::Type adjusted_decimal(int precision, int scale);
// DECIMAL cut to at most 38, both sides on their own.
value::Type bounded_decimal(int precision, int scale);
// The DECIMAL that holds every value of an integer type; a literal counts its own digits.
value::Type decimal_of(const Expression& argument);
value::Type decimal_of(const value::Type& type);

}  // namespace lakebed::plan::functions
