// Expressions: operators by precedence, postfix forms, and the pieces that queries are made of.
// From loose to tight: OR, AND, NOT, predicates (IN, LIKE, BETWEEN, IS), comparisons, |, ^, &,
// shifts, + - ||, * / % DIV, signs and ~, then :: . [] : and calls.
#pragma once

#include "sql/cursor.h"

namespace lakebed::sql {

plan::ExpressionPtr parse_expression(Cursor& cursor);
std::vector<plan::ExpressionPtr> parse_expressions(Cursor& cursor);

// `expression [[AS] name | AS (names)]`, as a select list has it.
plan::ExpressionPtr parse_named_expression(Cursor& cursor);
std::vector<plan::ExpressionPtr> parse_named_expressions(Cursor& cursor);

// `expression [ASC | DESC] [NULLS FIRST | LAST]`, apart by commas, as kSort nodes.
std::vector<plan::ExpressionPtr> parse_sort_items(Cursor& cursor);

// An atom with its postfix forms. `first` is where the expression begins.
plan::ExpressionPtr parse_primary(Cursor& cursor);
plan::ExpressionPtr parse_postfix(Cursor& cursor, size_t first, plan::ExpressionPtr base);

// `* [EXCEPT (names)]` behind a qualifier that was taken from token `first` on.
plan::ExpressionPtr parse_star(Cursor& cursor, size_t first, std::vector<std::string> qualifier);

// `(arguments) ...` of a call to `name`, with FILTER and OVER.
plan::ExpressionPtr parse_call(Cursor& cursor, size_t first, const std::string& name);
// A form with a grammar of its own (CAST, EXTRACT, TRIM ... FROM, ...), or null where none begins.
plan::ExpressionPtr parse_special_form(Cursor& cursor);
// Arguments in brackets, after `(` was taken, up to and without `)`.
void parse_arguments(Cursor& cursor, std::vector<plan::ExpressionPtr>& arguments,
                     std::vector<std::string>& names);

// OVER was taken; or the body of WINDOW w AS (...).
plan::WindowSpec parse_over(Cursor& cursor);
plan::WindowSpec parse_window_body(Cursor& cursor);

// Nodes.
plan::ExpressionPtr call(std::string name, std::vector<plan::ExpressionPtr> children,
                         SourceSpan span);
plan::ExpressionPtr column(std::vector<std::string> parts, SourceSpan span);
plan::ExpressionPtr alias(plan::ExpressionPtr child, std::vector<std::string> names,
                          SourceSpan span);

}  // namespace lakebed::sql
