// The parts of resolution and what they share. Internal to this room; the door is resolve.h.
//
// A Session lives for one resolution: it hands out ids, collects scans, asks the catalog. An
// Environment says which CTEs and which enclosing query a relation sees. A Scope says which names
// an expression sees. Everything is passed down explicitly; nothing is shared between threads.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "plan/functions.h"
#include "plan/resolve.h"
#include "plan/tree.h"
#include "plan/tree_tools.h"

namespace lakebed::plan {

struct Session {
  Catalog& catalog;
  const ResolveOptions& options;
  std::vector<Scan> scans;
  AttributeId last_id = 0;
  int depth = 0;  // of nested relations, against views that contain themselves

  AttributeId next_id() { return ++last_id; }
};

struct Scope;

// CTEs, innermost first. A CTE's own query sees the frames that were there where it was written.
struct CteFrame {
  std::string name;  // folded
  RelationPtr query;
  std::shared_ptr<const CteFrame> outer;
};

struct Environment {
  std::shared_ptr<const CteFrame> ctes;
  const Scope* outer = nullptr;  // the query that encloses this subquery
};

// One entry of a SELECT list, or a hidden column for ORDER BY.
struct Item {
  AttributeId id = 0;
  std::string name;
  ExpressionPtr expression;  // over the block's input, or over earlier items (by their ids)
  bool visible = true;
};

struct LambdaVariable {
  std::string name;         // as written, for look-up
  std::string unique_name;  // in the resolved tree
  value::Type type;
  AttributeId id = 0;
};

// How the select list's own names are seen.
enum class ItemUse : uint8_t {
  kNone,
  kAfterInput,   // lateral aliases, GROUP BY, QUALIFY: the input's columns come first
  kBeforeInput,  // HAVING, ORDER BY: the output's names come first (not inside aggregates)
};

struct Scope {
  const Environment* environment = nullptr;
  std::vector<Attribute> attributes;
  const std::vector<Item>* items = nullptr;
  ItemUse item_use = ItemUse::kNone;
  // Item references stay references (to become columns of the projection below), instead of being
  // replaced by the item's expression.
  bool keep_item_references = false;
  const std::map<std::string, WindowSpec>* windows = nullptr;  // WINDOW w AS (...)
  std::vector<LambdaVariable> lambdas;
  int inside_aggregate = 0;  // depth of aggregate calls and windows around the current node
};

// --- expressions ------------------------------------------------------------------------------

// Resolves one expression (not a star, not an alias at the top).
Result<ExpressionPtr> resolve_expression(Session& session, Scope& scope, const ExpressionPtr& node);
// Several; stars among them are spread out.
Result<std::vector<ExpressionPtr>> resolve_arguments(Session& session, Scope& scope,
                                                     const std::vector<ExpressionPtr>& nodes);
// Resolves a condition to BOOLEAN. `clause` names it in messages: "WHERE".
Result<ExpressionPtr> resolve_condition(Session& session, Scope& scope, const ExpressionPtr& node,
                                        const std::string& clause);
Result<ExpressionPtr> resolve_column(Session& session, Scope& scope, const Expression& node);
Result<ExpressionPtr> resolve_call(Session& session, Scope& scope, const Expression& node);
// A call whose arguments are resolved already.
Result<ExpressionPtr> typed_call(Session& session, const std::string& name,
                                 std::vector<ExpressionPtr> arguments, const SourceSpan& span);
Result<ExpressionPtr> resolve_window(Session& session, Scope& scope, const Expression& node);
// `window` with the specification of the named window that it refers to.
Result<WindowSpec> named_window(const Scope& scope, const WindowSpec& window,
                                const SourceSpan& span);
Result<ExpressionPtr> resolve_literal(Session& session, const ExpressionPtr& node);
Result<ExpressionPtr> resolve_case(Session& session, Scope& scope, const Expression& node);
Result<ExpressionPtr> resolve_index(Session& session, Scope& scope, const Expression& node);
// SELECT-list entries; an alias of a generator with several columns gives several.
struct NamedExpression {
  std::string name;
  ExpressionPtr expression;
};
// The columns that a star stands for.
Result<std::vector<NamedExpression>> expand_star(Session& session, Scope& scope,
                                                 const Expression& star);
// The field `name` of a struct (or of each struct of an array).
Result<ExpressionPtr> field_of(ExpressionPtr base, const std::string& name,
                               const SourceSpan& span);
// How many parts of a column reference are its qualifier; 0 where it has none or is unknown.
size_t qualifier_length(const Scope& scope, const Expression& column);
// The output name of a SELECT item: Spark's text with qualifiers taken off and stars spread out.
std::string item_name(Session& session, Scope& scope, const ExpressionPtr& written);
// named_struct(names, values).
ExpressionPtr struct_of(const std::vector<NamedExpression>& fields, const SourceSpan& span);

// Item references inside `node` replaced by the items' own expressions, all the way down.
ExpressionPtr inline_items(const ExpressionPtr& node, const std::vector<Item>& items);

Result<ExpressionPtr> resolve_subquery(Session& session, Scope& scope, const Expression& node);

// --- relations --------------------------------------------------------------------------------

Result<RelationPtr> resolve_relation(Session& session, const Environment& environment,
                                     const RelationPtr& node);
Result<RelationPtr> resolve_source(Session& session, const Environment& environment,
                                   const Relation& node);          // kRead, kTableFunction
Result<RelationPtr> resolve_select(Session& session, const Environment& environment,
                                   const RelationPtr& node);       // kProject ... kSort over it
Result<RelationPtr> resolve_join(Session& session, const Environment& environment,
                                 const Relation& node);
Result<RelationPtr> resolve_set_operation(Session& session, const Environment& environment,
                                          const Relation& node);
Result<RelationPtr> resolve_values(Session& session, const Environment& environment,
                                   const Relation& node);
Result<RelationPtr> resolve_generate(Session& session, const Environment& environment,
                                     const Relation& node);
// The text of a constant argument of a table function; MAP values give their entries.
struct Constant {
  std::string text;
  bool is_null = false;
  bool is_map = false;
  std::vector<std::pair<std::string, std::string>> entries;
};
Result<Constant> fold_constant(Session& session, const ExpressionPtr& node);

// Refuses `operation` over a stream (rule F10).
Status check_stream(const Session& session, const Relation& input, const std::string& operation,
                    const SourceSpan& span);
// DISTINCT and set operations compare rows: no MAP columns.
Status check_comparable(const Relation& input, const std::string& operation,
                        const SourceSpan& span);
// `name`(children) of a generator over `input`; appends attributes named `names`.
Result<RelationPtr> generate_over(Session& session, RelationPtr input, const ExpressionPtr& call,
                                  const std::vector<Attribute>& columns);
// Attributes for the columns that a generator call makes; `names` may be empty.
Result<std::vector<Attribute>> generator_columns(Session& session, const Expression& call,
                                                 const std::vector<std::string>& names);

// A projection that keeps the visible columns only; the same relation when none is hidden.
RelationPtr visible_only(RelationPtr input);

// True for a call of a function of that kind (not for `f(..) OVER ..`: ask about its parts).
bool is_call_of(const Expression& node, FunctionKind kind);
// True where an aggregate call stands in the expression, outside of the function of a window.
bool has_aggregate(const ExpressionPtr& node);
bool has_window(const ExpressionPtr& node);
bool is_deterministic(const ExpressionPtr& node);

}  // namespace lakebed::plan
