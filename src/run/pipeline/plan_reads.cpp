#include "run/pipeline/plan_reads.h"

#include <set>

#include "base/names.h"

namespace lakebed::run {

namespace {

class ReadCollector {
 public:
  void visit(const plan::RelationPtr& relation) {
    if (!relation) return;
    if (relation->kind == plan::RelationKind::kWith) {
      for (const std::string& name : relation->names) ctes_.insert(fold_case(name));
    }
    if (relation->kind == plan::RelationKind::kRead) add(*relation);
    if (relation->kind == plan::RelationKind::kTableFunction) {
      functions.insert(fold_case(relation->name));
      sources.push_back({{}, function_text(*relation), relation->streaming});
    }
    for (const plan::RelationPtr& input : relation->inputs) visit(input);
    visit_all(relation->arguments);
    for (const auto& row : relation->rows) visit_all(row);
    visit_all(relation->expressions);
    visit(relation->condition);
    visit_all(relation->grouping);
    visit_all(relation->order);
  }

  std::vector<std::vector<std::string>> found;
  std::set<std::string> functions;  // folded
  std::vector<ReadSource> sources;

 private:
  void add(const plan::Relation& read) {
    const std::vector<std::string>& name = read.name_parts;
    if (name.size() == 1 && ctes_.count(fold_case(name[0]))) return;
    found.push_back(name);
    sources.push_back({name, "", read.streaming});
  }
  // The function with its first argument, where that is written out: a path.
  static std::string function_text(const plan::Relation& call) {
    std::string text = fold_case(call.name) + "(";
    if (!call.arguments.empty() && call.arguments[0]->kind == plan::ExpressionKind::kLiteral) {
      text += call.arguments[0]->text;
    }
    return text + ")";
  }
  void visit(const plan::ExpressionPtr& expression) {
    if (!expression) return;
    visit(expression->relation);
    visit(expression->filter);
    visit_all(expression->children);
  }
  void visit_all(const std::vector<plan::ExpressionPtr>& expressions) {
    for (const plan::ExpressionPtr& expression : expressions) visit(expression);
  }

  std::set<std::string> ctes_;
};

}  // namespace

std::vector<std::vector<std::string>> names_read(const plan::RelationPtr& query) {
  ReadCollector collector;
  collector.visit(query);
  return std::move(collector.found);
}

std::vector<ReadSource> sources_read(const plan::RelationPtr& query) {
  ReadCollector collector;
  collector.visit(query);
  return std::move(collector.sources);
}

bool calls_table_function(const plan::RelationPtr& query, const std::string& name) {
  ReadCollector collector;
  collector.visit(query);
  return collector.functions.count(fold_case(name)) > 0;
}

}  // namespace lakebed::run
