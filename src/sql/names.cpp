#include "sql/names.h"

#include <algorithm>
#include <array>

#include "base/names.h"

namespace lakebed::sql {

namespace {

// Words that always go on with a query where an alias could stand.
constexpr std::array<std::string_view, 34> kNoAlias = {
    "AND",    "ANTI",   "AS",      "BETWEEN", "CROSS", "ELSE",      "EXCEPT", "FROM",  "FULL",
    "GROUP",  "HAVING", "ILIKE",   "IN",      "INNER", "INTERSECT", "IS",     "JOIN",  "LEFT",
    "LIKE",   "MINUS",  "NATURAL", "NOT",     "ON",    "OR",        "ORDER",  "RIGHT", "RLIKE",
    "SELECT", "SEMI",   "THEN",    "UNION",   "USING", "WHEN",      "WHERE"};
// Words that do so unless the item ends right behind them.
constexpr std::array<std::string_view, 19> kSeldomAlias = {
    "APPLY", "CREATE",  "INSERT", "ASC",    "CLUSTER", "DESC",    "DISTRIBUTE",
    "DIV",   "LATERAL", "LIMIT",  "NULLS",  "OFFSET",  "QUALIFY", "REGEXP",
    "SORT",  "WINDOW",  "OVER",   "FILTER", "END"};
constexpr std::array<std::string_view, 5> kNoTableAlias = {"TABLESAMPLE", "PIVOT", "UNPIVOT",
                                                           "WATERMARK", "STREAM"};

template <size_t N>
bool contains(const std::array<std::string_view, N>& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

bool item_ends(const Cursor& cursor, size_t ahead) {
  return cursor.at_any({",", ")", "FROM"}, ahead);
}

}  // namespace

std::string parse_identifier(Cursor& cursor, std::string_view what) {
  if (cursor.at_name()) {
    if (cursor.peek().text.empty()) cursor.fail("an empty name");
    return cursor.next().text;
  }
  std::string hint;
  if (cursor.at_string()) hint = "quotes make strings; write a name plain or in backticks";
  cursor.fail_expected(what, std::move(hint));
}

plan::NameAt parse_name_at(Cursor& cursor, std::string_view what) {
  const size_t first = cursor.position();
  plan::NameAt out;
  out.name = parse_identifier(cursor, what);
  out.span = cursor.span_from(first);
  return out;
}

std::vector<std::string> parse_parts(Cursor& cursor, std::string_view what) {
  std::vector<std::string> parts;
  parts.push_back(parse_identifier(cursor, what));
  while (cursor.accept(".")) parts.push_back(parse_identifier(cursor, "a name after the point"));
  return parts;
}

plan::ObjectName parse_object_name(Cursor& cursor, std::string_view what) {
  if (cursor.at_all({"IDENTIFIER", "("})) return parse_identifier_clause(cursor);
  const size_t first = cursor.position();
  const bool live = cursor.at_all({"LIVE", "."});
  plan::ObjectName out;
  out.parts = parse_parts(cursor, what);
  if (live) out.parts.erase(out.parts.begin());
  out.span = cursor.span_from(first);
  if (cursor.at("-") && cursor.adjacent(0) && cursor.at_name(1) && cursor.adjacent(1)) {
    cursor.fail("a name with a hyphen needs backticks",
                "write `" + out.parts.back() + "-" + cursor.peek(1).text + "`");
  }
  return out;
}

std::vector<std::string> parse_name_list(Cursor& cursor, std::string_view what) {
  const size_t opened = cursor.position();
  cursor.expect("(");
  std::vector<std::string> names;
  parse_commas(cursor, [&] { names.push_back(parse_identifier(cursor, what)); });
  cursor.expect_close(opened);
  return names;
}

std::string parse_string(Cursor& cursor, std::string_view what) {
  if (!cursor.at_string()) cursor.fail_expected(what);
  std::string out;
  while (cursor.at_string()) out += cursor.next().text;
  return out;
}

plan::ObjectName parse_identifier_clause(Cursor& cursor) {
  const size_t begin = cursor.peek().begin;
  const size_t first = cursor.position();
  cursor.expect("IDENTIFIER");
  const size_t opened = cursor.position();
  cursor.expect("(");
  std::string text = parse_string(cursor, "a string with the name");
  while (cursor.accept("||")) text += parse_string(cursor, "a string with the name");
  const size_t end = cursor.peek().end;
  cursor.expect_close(opened);
  const MappedText inner = cursor.text().stand_in(text, begin, end);
  Cursor names(inner);
  plan::ObjectName out = parse_object_name(names, "a name");
  if (!names.at_end()) names.fail_expected("the end of the name");
  out.span = cursor.span_from(first);
  return out;
}

std::string suggest(const Cursor& cursor, const std::vector<std::string>& known) {
  if (cursor.peek().kind != TokenKind::kWord) return "";
  const std::string& word = cursor.peek().upper;
  std::string near = nearest_name(word, known);
  for (const std::string& candidate : known) {
    const bool letters = candidate.size() == word.size() &&
                         std::is_permutation(word.begin(), word.end(), candidate.begin());
    if (near.empty() && letters) near = candidate;
  }
  return near.empty() ? "" : "did you mean " + near + "?";
}

bool at_bare_alias(const Cursor& cursor) {
  const Token& token = cursor.peek();
  if (token.kind == TokenKind::kQuoted) return true;
  if (token.kind != TokenKind::kWord || contains(kNoAlias, token.upper)) return false;
  return !contains(kSeldomAlias, token.upper) || item_ends(cursor, 1);
}

bool at_bare_table_alias(const Cursor& cursor) {
  const Token& token = cursor.peek();
  if (token.kind == TokenKind::kWord &&
      (contains(kNoTableAlias, token.upper) || contains(kSeldomAlias, token.upper))) {
    return false;
  }
  return at_bare_alias(cursor);
}

}  // namespace lakebed::sql
