// Literals: numbers, strings, dates, timestamps, binaries and intervals, in canonical text.
#pragma once

#include "sql/cursor.h"

namespace lakebed::sql {

// Whether a literal that is more than a bare string or number begins here: DATE 'x', X'1F',
// INTERVAL '1' DAY, TRUE, NULL, ...
bool at_word_literal(const Cursor& cursor);
// Requires: at_word_literal.
plan::ExpressionPtr parse_word_literal(Cursor& cursor);

// A number token; `first` is the position of its sign where it has one.
plan::ExpressionPtr parse_number(Cursor& cursor, size_t first, bool negative);
plan::ExpressionPtr parse_string_literal(Cursor& cursor);
// INTERVAL and what follows. Requires: at INTERVAL, a literal behind it.
plan::ExpressionPtr parse_interval(Cursor& cursor);

// A literal node.
plan::ExpressionPtr literal(value::Type type, std::string text, SourceSpan span);

// The canonical form of a date or timestamp, or nothing where it is none.
std::optional<std::string> canonical_date(std::string_view text);
// "yyyy-MM-dd HH:mm:ss[.ffffff]"; a zone that was written goes to `zone` as it stands.
std::optional<std::string> canonical_timestamp(std::string_view text, std::string& zone);

}  // namespace lakebed::sql
