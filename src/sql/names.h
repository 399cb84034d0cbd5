// Names, strings and small numbers as the grammar's other parts need them.
#pragma once

#include <string>
#include <vector>

#include "sql/cursor.h"

namespace lakebed::sql {

// One identifier, any word. `what` says what it names, for the error.
std::string parse_identifier(Cursor& cursor, std::string_view what);
plan::NameAt parse_name_at(Cursor& cursor, std::string_view what);

// A dotted name; LIVE. in front of others is dropped; IDENTIFIER('text') stands for its text.
plan::ObjectName parse_object_name(Cursor& cursor, std::string_view what);

// `a.b.c` as parts, at least one.
std::vector<std::string> parse_parts(Cursor& cursor, std::string_view what);

// `( a, b )` with at least one name.
std::vector<std::string> parse_name_list(Cursor& cursor, std::string_view what);

// A string literal; literals that stand side by side are one.
std::string parse_string(Cursor& cursor, std::string_view what);

// Reads IDENTIFIER('text') and returns the name that the text holds. Requires: at IDENTIFIER (.
plan::ObjectName parse_identifier_clause(Cursor& cursor);

// Whether the current word may be an alias without AS: words that go on with the clause may not.
bool at_bare_alias(const Cursor& cursor);
// The same for the alias of a table, where more words may follow.
bool at_bare_table_alias(const Cursor& cursor);

// "did you mean X?" for the known word that is nearest to the current one, two swapped letters
// included; "" where none is near.
std::string suggest(const Cursor& cursor, const std::vector<std::string>& known);

// Runs `item` once and again after every comma.
template <typename Item>
void parse_commas(Cursor& cursor, Item item) {
  do {
    item();
  } while (cursor.accept(","));
}

}  // namespace lakebed::sql
