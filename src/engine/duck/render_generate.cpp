// Generators: rows out of arrays, maps and lists of values. UNNEST in a SELECT keeps the order of
// the input's rows, and several in one SELECT go in step.
#include <fmt/format.h>

#include <cstdlib>

#include "engine/duck/render_relation.h"

namespace lakebed::engine::duck {

using plan::Expression;
using plan::Relation;
using value::Kind;
using value::Type;

namespace {

// One list a column of the generator, as long as each other; `columns` over helper names.
struct Unnested {
  std::vector<std::string> lists;
  std::string length;  // of the lists; 0 or NULL: no row, or with `outer` one row of NULLs
};

// `source` is the name of a column that holds the array or map.
Unnested exploded(const std::string& source, const Type& type, bool positions) {
  Unnested out;
  if (type.kind == Kind::kMap) {
    out.length = "len(map_keys(" + source + "))";
    out.lists = {"map_keys(" + source + ")", "map_values(" + source + ")"};
  } else {
    out.length = "len(" + source + ")";
    out.lists = {source};
  }
  if (positions) {
    out.lists.insert(out.lists.begin(), "CAST(range(" + out.length + ") AS INTEGER[])");
  }
  return out;
}

std::string null_of(const Type& type) { return "CAST(NULL AS " + duck_type(type) + ")"; }

}  // namespace

// SELECT *, unnest(list) AS c7 FROM (SELECT *, argument AS g1 FROM input)
Result<RenderedRelation> QueryRenderer::generate(const Relation& node) {
  LAKEBED_ASSIGN(auto input, relation(*node.inputs[0]));
  const Expression& call = *node.expressions[0];
  const size_t before = node.inputs[0]->output.size();
  if (call.name == "json_tuple") return json_tuple(node, std::move(input));
  if (call.name == "stack") return stack(node, std::move(input));
  LAKEBED_ASSIGN(auto argument, expression(*call.children[0]));
  const auto source = context_.fresh_name("g");
  const Type& type = call.children[0]->type;
  const auto parts = exploded(source, type, call.name == "posexplode");
  std::string columns;
  const bool structs = call.name == "inline";
  for (size_t i = 0; i < parts.lists.size(); ++i) {
    const Type& column = structs ? type.element() : node.output[before + i].type;
    std::string list = parts.lists[i];
    if (node.outer) {
      list = fmt::format("CASE WHEN coalesce({}, 0) = 0 THEN [{}] ELSE {} END", parts.length,
                         null_of(column), list);
    }
    const auto name = structs ? source + "s" : column_name(node.output[before + i].id);
    columns += fmt::format(", unnest({}) AS {}", list, name);
  }
  input.sql = fmt::format("SELECT *, {} AS {} FROM {}", argument, source, from(input.sql));
  input.sql = fmt::format("SELECT *{} FROM {}", columns, from(input.sql));
  if (!structs) return input;
  std::string fields;
  for (size_t i = 0; i < type.element().fields.size(); ++i) {
    fields += fmt::format(", struct_extract({}s, {}) AS {}", source,
                          quote_text(type.element().fields[i].name),
                          column_name(node.output[before + i].id));
  }
  input.sql = fmt::format("SELECT *{} FROM {}", fields, from(input.sql));
  return input;
}

Result<RenderedRelation> QueryRenderer::stack(const Relation& node, RenderedRelation input) {
  const Expression& call = *node.expressions[0];
  const size_t before = node.inputs[0]->output.size();
  const size_t width = node.output.size() - before;
  const size_t count = call.children.size() - 1;
  const size_t rows = std::strtoull(call.children[0]->text.c_str(), nullptr, 10);
  std::vector<std::string> lists(width);
  for (size_t i = 0; i < rows * width; ++i) {
    std::string item = null_of(node.output[before + i % width].type);
    if (i < count) {
      LAKEBED_ASSIGN(item, expression(*call.children[i + 1]));
    }
    lists[i % width] += (lists[i % width].empty() ? "" : ", ") + item;
  }
  std::string columns;
  for (size_t i = 0; i < width; ++i) {
    columns += fmt::format(", unnest([{}]) AS {}", lists[i],
                           column_name(node.output[before + i].id));
  }
  input.sql = fmt::format("SELECT *{} FROM {}", columns, from(input.sql));
  return input;
}

// One row a row: each named field of the JSON object.
Result<RenderedRelation> QueryRenderer::json_tuple(const Relation& node, RenderedRelation input) {
  const Expression& call = *node.expressions[0];
  const size_t before = node.inputs[0]->output.size();
  std::string columns;
  for (size_t i = 1; i < call.children.size(); ++i) {
    const auto& name = call.children[i];
    if (name->kind != plan::ExpressionKind::kLiteral || name->is_null) {
      return project_error("FUNCTION_NOT_SUPPORTED.json_tuple",
                           "json_tuple takes names of fields as string literals only", name->span);
    }
    auto path = plan::edit(*name);
    path->text = "$['" + name->text + "']";
    Expression field;
    field.kind = plan::ExpressionKind::kCall;
    field.name = "get_json_object";
    field.children = {call.children[0], path};
    field.type = Kind::kString;
    field.resolved = true;
    field.span = call.span;
    LAKEBED_ASSIGN(auto item, expression(field));
    columns += fmt::format(", {} AS {}", item, column_name(node.output[before + i - 1].id));
  }
  input.sql = fmt::format("SELECT *{} FROM {}", columns, from(input.sql));
  return input;
}

}  // namespace lakebed::engine::duck
