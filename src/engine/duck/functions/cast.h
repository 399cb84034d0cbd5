// CAST of one value, Spark's ANSI meaning. Also what to_date, from_json and others fall back on.
#pragma once

#include <string>

#include "base/result.h"
#include "value/column.h"

namespace lakebed::engine::duck {

// Appends from[row], cast to the type of `to`; NULL stays NULL. On an Error nothing is appended.
// Errors: CAST_INVALID_INPUT, CAST_OVERFLOW, NUMERIC_VALUE_OUT_OF_RANGE.WITH_SUGGESTION.
// `tried` concerns what lies inside of arrays, maps and structs: a part that fails is NULL.
Status cast_value(const value::Column& from, size_t row, value::Column& to, const std::string& zone,
                  bool tried = false);

// A value as Spark's CAST AS STRING prints it.
std::string value_text(const value::Column& column, size_t row, const std::string& zone);

Error cast_invalid(std::string_view value, const value::Type& from, const value::Type& to);

}  // namespace lakebed::engine::duck
