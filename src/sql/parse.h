// SQL text in, plan out: the one door through which pipeline files and `lakebed sql` texts pass.
//
// The dialect is Spark's, plus the pipeline statements (streaming tables, materialized views,
// flows, AUTO CDC). Almost no word is reserved; double quotes are strings; names are resolved
// later. Every error is a project error whose span points into the text as the user wrote it,
// also where `${parameters}` were put in. Grammar errors have the code PARSE_SYNTAX_ERROR.
// What is grammatical but wrong (an empty KEYS list, a key of two parts, a clause that does not
// fit the SCD type) passes: validation in room plan names it. All functions are pure.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "plan/statement.h"

namespace lakebed::sql {

// A text and the name under which spans report it.
struct SourceText {
  std::string file;
  std::string text;
};

// Values for `${name}`, by name as written.
using Parameters = std::map<std::string, std::string>;

// Parses a file of statements, apart by `;` or, in a notebook export, by the marks of its cells
// (magic cells other than %sql are skipped). Parameters are put in before the text is cut into
// tokens, comments excepted; `SET a.b = value` feeds `${a.b}` further down in the same file.
// Errors: PARSE_SYNTAX_ERROR, UNKNOWN_PARAMETER, INVALID_TYPED_LITERAL, INVALID_ESC,
// UNSUPPORTED_FEATURE.<what> (recognised, refused by name), MISSING_CLAUSES_FOR_OPERATION (a flow
// without KEYS or SEQUENCE BY).
Result<std::vector<plan::Statement>> parse_script(const SourceText& source,
                                                  const Parameters& parameters = {});

// Parses one expression, the whole text. Same errors.
Result<plan::ExpressionPtr> parse_expression(std::string_view text, const std::string& file = "");

// Parses one query, the whole text; a closing `;` is accepted. Same errors.
Result<plan::RelationPtr> parse_query(std::string_view text, const std::string& file = "");

// Parses columns as DDL: `a INT, b STRUCT<x: INT> NOT NULL COMMENT 'x'`, or `STRUCT<...>` text.
Result<value::Schema> parse_schema(std::string_view text, const std::string& file = "");

// Parses the name of a type: `DECIMAL(10, 2)`, `ARRAY<STRUCT<a: INT>>`.
Result<value::Type> parse_type(std::string_view text, const std::string& file = "");

// Parses a dotted name with or without backticks; a leading LIVE. is dropped.
Result<plan::ObjectName> parse_name(std::string_view text, const std::string& file = "");

// The words that mean something somewhere in the grammar, in capitals and sorted: for hints and
// completion. Hardly any of them is reserved.
const std::vector<std::string>& keywords();

}  // namespace lakebed::sql
