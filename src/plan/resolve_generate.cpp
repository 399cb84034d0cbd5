// Generators: LATERAL VIEW [OUTER], explode(..) in FROM and in a SELECT list.
#include <fmt/core.h>

#include "base/names.h"
#include "plan/resolver.h"

namespace lakebed::plan {

Result<std::vector<Attribute>> generator_columns(Session& session, const Expression& call,
                                                 const std::vector<std::string>& names) {
  LAKEBED_ASSERT(call.type.kind == value::Kind::kStruct);
  const value::Schema& fields = call.type.fields;
  if (!names.empty() && names.size() != fields.size()) {
    return project_error("UDTF_ALIAS_NUMBER_MISMATCH",
                         fmt::format("`{}` makes {} columns, but {} names are given.", call.name,
                                     fields.size(), names.size()),
                         call.span);
  }
  std::vector<Attribute> out;
  for (size_t i = 0; i < fields.size(); ++i) {
    Attribute attribute;
    attribute.id = session.next_id();
    attribute.name = names.empty() ? fields[i].name : names[i];
    attribute.type = fields[i].type;
    out.push_back(std::move(attribute));
  }
  return out;
}

Result<RelationPtr> generate_over(Session& /*session*/, RelationPtr input,
                                  const ExpressionPtr& call,
                                  const std::vector<Attribute>& columns) {
  auto node = std::make_shared<Relation>();
  node->kind = RelationKind::kGenerate;
  node->span = call->span;
  node->streaming = input->streaming;
  node->output = input->output;
  node->output.insert(node->output.end(), columns.begin(), columns.end());
  node->inputs = {std::move(input)};
  auto generator = edit(*call);
  if (generator->name.ends_with("_outer")) {
    generator->name.resize(generator->name.size() - 6);
    node->outer = true;
  }
  node->expressions = {generator};
  return RelationPtr(node);
}

Result<RelationPtr> resolve_generate(Session& session, const Environment& environment,
                                     const Relation& node) {
  RelationPtr input;
  if (node.inputs.empty()) {
    auto row = std::make_shared<Relation>();
    row->kind = RelationKind::kOneRow;
    row->span = node.span;
    input = row;
  } else {
    LAKEBED_ASSIGN(input, resolve_relation(session, environment, node.inputs[0]));
  }
  const ExpressionPtr& written = node.expressions.front();
  Scope scope;
  scope.environment = &environment;
  scope.attributes = input->output;
  LAKEBED_ASSIGN(ExpressionPtr call, resolve_expression(session, scope, written));
  if (!is_call_of(*call, FunctionKind::kGenerator)) {
    return project_error("UNSUPPORTED_GENERATOR.NOT_GENERATOR",
                         fmt::format("LATERAL VIEW takes a generator such as explode, which `{}` "
                                     "is not.",
                                     call->name),
                         written->span);
  }
  LAKEBED_ASSIGN(std::vector<Attribute> columns, generator_columns(session, *call, node.names));
  for (Attribute& column : columns) {
    if (!node.name.empty()) column.qualifier = {node.name};
  }
  LAKEBED_ASSIGN(RelationPtr relation, generate_over(session, std::move(input), call, columns));
  const bool outer = node.outer || fold_case(written->name).ends_with("_outer");
  if (!outer || relation->outer) return relation;
  auto out = edit(*relation);
  out->outer = true;
  return RelationPtr(out);
}

}  // namespace lakebed::plan
