// Types as users write them in a string: the schema argument of from_json and from_csv.
#pragma once

#include <string_view>

#include "base/result.h"
#include "value/type.h"

namespace lakebed::plan {

// "a INT, b STRUCT<c: STRING>" (a STRUCT), or one type alone: "ARRAY<INT>".
// Errors: PARSE_SYNTAX_ERROR, INVALID_SCHEMA.
Result<value::Type> parse_schema_text(std::string_view text);

}  // namespace lakebed::plan
