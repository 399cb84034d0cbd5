#include "sql/parse.h"

#include "sql/expressions.h"
#include "sql/names.h"
#include "sql/queries.h"
#include "sql/script.h"
#include "sql/statements.h"
#include "sql/types.h"

namespace lakebed::sql {

namespace {

// Runs `parse` over the whole text, and turns a Failure into an error.
template <typename Parse>
auto whole(std::string_view text, const std::string& file, Parse parse)
    -> Result<decltype(parse(std::declval<Cursor&>()))> {
  const MappedText mapped = MappedText::whole(std::make_shared<Original>(file, std::string(text)));
  try {
    Cursor cursor(mapped);
    auto out = parse(cursor);
    while (cursor.accept(";")) {
    }
    if (!cursor.at_end()) cursor.fail_expected("the end");
    return out;
  } catch (Failure& failure) {
    return std::move(failure.error);
  }
}

}  // namespace

Result<std::vector<plan::Statement>> parse_script(const SourceText& source,
                                                  const Parameters& parameters) {
  try {
    return parse_file(source, parameters);
  } catch (Failure& failure) {
    return std::move(failure.error);
  }
}

Result<plan::ExpressionPtr> parse_expression(std::string_view text, const std::string& file) {
  return whole(text, file, [](Cursor& cursor) { return parse_expression(cursor); });
}

Result<plan::RelationPtr> parse_query(std::string_view text, const std::string& file) {
  return whole(text, file, [](Cursor& cursor) { return parse_query(cursor); });
}

Result<value::Schema> parse_schema(std::string_view text, const std::string& file) {
  return whole(text, file, [](Cursor& cursor) {
    // `struct INT` is a column, `STRUCT<...>` is the whole schema.
    if (!cursor.at("STRUCT") || !cursor.at_any({"<", "<>"}, 1)) return parse_fields(cursor);
    return parse_type(cursor).fields;
  });
}

Result<value::Type> parse_type(std::string_view text, const std::string& file) {
  return whole(text, file, [](Cursor& cursor) { return parse_type(cursor); });
}

Result<plan::ObjectName> parse_name(std::string_view text, const std::string& file) {
  return whole(text, file, [](Cursor& cursor) { return parse_object_name(cursor, "a name"); });
}

}  // namespace lakebed::sql
