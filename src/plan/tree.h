// The plan tree: what a query means before and after resolution, for SQL and Python alike.
//
// The parser builds an unresolved tree: names, no types. Resolution (resolve.h) is a separate
// pass that returns a new tree in which every expression has a type, every column reference an
// attribute id, every implicit cast is a node, and every relation an output. The engine takes
// resolved trees only. The shape follows Spark Connect's relations and expressions. One JSON form
// (json.h) with file:line:column a node. Nodes are immutable once shared: build, then freeze.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "value/type.h"

namespace lakebed::plan {

struct Expression;
struct Relation;
using ExpressionPtr = std::shared_ptr<const Expression>;  // shared: views are used in many plans
using RelationPtr = std::shared_ptr<const Relation>;
using AttributeId = uint32_t;  // unique in one resolved tree; 0 = none

enum class ExpressionKind : uint8_t {
  kLiteral,         // type, text or null
  kColumn,          // name_parts as written; resolved: attribute
  kStar,            // name_parts = qualifier; except / replace in children and names
  kCall,            // name(children), with distinct, filter, named arguments
  kCast,            // children[0] to type; try_cast
  kAlias,           // children[0] AS names[0], or AS (names...)
  kCase,            // children: when, then, when, then, ..., [else]; CASE x WHEN: has_operand first
  kLambda,          // names -> children[0]
  kLambdaVariable,  // name, only after resolution
  kWindow,          // children[0] OVER window
  kSort,            // children[0] with ascending, nulls_first (inside ORDER BY)
  kSubquery,        // scalar: relation
  kExists,          // EXISTS (relation)
  kInSubquery,      // children IN (relation); several children: a row
  kIndex,           // children[0][children[1]]
  kField,           // children[0].name
  kJsonPath,        // children[0]:text — Databricks JSON path
  kInterval,        // INTERVAL literal: text = canonical months / microseconds, type set
  kOuterColumn,     // after resolution: a column of an enclosing query (correlation)
};

// Operators are calls with these names: + - * / div % unary - (name "negative") and or not
// = <=> <> < <= > >= is null (name "isnull") isnotnull in like ilike rlike between || (concat)
// & | ^ ~ is_distinct_from is_true is_false is_unknown.

struct WindowFrame {
  enum class Unit : uint8_t { kRows, kRange } unit = Unit::kRange;
  enum class Bound : uint8_t {
    kUnboundedPreceding, kPreceding, kCurrentRow, kFollowing, kUnboundedFollowing
  };
  Bound start = Bound::kUnboundedPreceding;
  Bound end = Bound::kCurrentRow;
  ExpressionPtr start_offset;
  ExpressionPtr end_offset;
};

struct WindowSpec {
  std::string name;  // OVER w, WINDOW w AS (...); empty for an inline specification
  std::vector<ExpressionPtr> partition;
  std::vector<ExpressionPtr> order;  // kSort
  std::optional<WindowFrame> frame;
};

struct Expression {
  ExpressionKind kind = ExpressionKind::kLiteral;
  SourceSpan span;

  std::string name;                      // kCall, kField, kLambdaVariable: see above
  std::vector<std::string> name_parts;   // kColumn, kStar
  std::vector<std::string> names;        // kAlias, kLambda; kStar: EXCEPT names, dotted
  std::string text;                      // kLiteral (canonical, see below), kJsonPath, kInterval
  bool is_null = false;                  // kLiteral NULL
  std::vector<ExpressionPtr> children;
  std::vector<std::string> argument_names;  // kCall: "" or the name of f(name => value)
  ExpressionPtr filter;                  // kCall: FILTER (WHERE ...)
  bool distinct = false;                 // kCall: f(DISTINCT ...)
  bool ignore_nulls = false;             // kCall: IGNORE NULLS
  bool try_cast = false;                 // kCast
  bool has_operand = false;              // kCase
  bool negated = false;                  // kInSubquery, kExists are never negated: use "not"
  bool ascending = true;                 // kSort
  bool nulls_first = true;               // kSort; the parser fills in Spark's default
  std::optional<WindowSpec> window;      // kWindow
  RelationPtr relation;                  // subqueries

  value::Type type;                      // literal and cast: as written; resolved: always set
  bool resolved = false;
  bool nullable = true;                  // resolved
  AttributeId attribute = 0;             // resolved kColumn, kOuterColumn, kLambdaVariable,
                                         // and kAlias: the id of the column that it makes
};
// Canonical text of a literal: integers and decimals as digits, doubles as the shortest text that
// reads back, strings and binaries as their bytes, booleans true/false, DATE yyyy-MM-dd,
// TIMESTAMP(_NTZ) yyyy-MM-dd HH:mm:ss[.ffffff] (TIMESTAMP in UTC once resolved; before that as
// written, in the session time zone).

enum class RelationKind : uint8_t {
  kRead,           // a named table, view or stream: name_parts, streaming, options
  kTableFunction,  // name(arguments), streaming, options
  kValues,         // rows of expressions
  kOneRow,         // SELECT without FROM
  kProject,        // expressions over inputs[0]
  kFilter,         // condition
  kHaving,         // condition over an aggregate (unresolved tree only)
  kQualify,        // condition over window results (unresolved tree only)
  kJoin,           // inputs[0], inputs[1], join, condition or using_names
  kAggregate,      // grouping, expressions (the outputs)
  kSort,           // order
  kLimit,          // limit, offset
  kDistinct,
  kSetOperation,   // set_operation over inputs
  kAlias,          // AS name (names...)
  kWith,           // CTEs: names[i] = inputs[i + 1], body inputs[0]
  kGenerate,       // LATERAL VIEW [OUTER] call name AS names; or LATERAL f(..) AS name(names)
  kLeaf,           // after resolution: data of the scan `leaf`
};

enum class JoinKind : uint8_t { kInner, kLeft, kRight, kFull, kCross, kLeftSemi, kLeftAnti };
enum class SetOperationKind : uint8_t { kUnion, kIntersect, kExcept };
enum class GroupingKind : uint8_t { kPlain, kAll, kSets, kRollup, kCube };

struct Attribute {
  AttributeId id = 0;
  std::string name;
  value::Type type;
  bool nullable = true;
  std::vector<std::string> qualifier;  // names that may stand before it
  bool hidden = false;                 // found by name, but not by * (e.g. _metadata)
};

struct Relation {
  RelationKind kind = RelationKind::kOneRow;
  SourceSpan span;
  std::vector<RelationPtr> inputs;

  std::vector<std::string> name_parts;          // kRead
  std::string name;                             // kTableFunction, kAlias, kGenerate (table alias)
  std::vector<std::string> names;               // kAlias, kWith, kGenerate
  std::vector<ExpressionPtr> arguments;         // kTableFunction
  std::vector<std::string> argument_names;      // kTableFunction: "" or the name
  bool streaming = false;                       // STREAM ...; resolved: data comes in slices
  std::map<std::string, std::string> options;   // WITH (key = value); keys folded
  std::vector<std::vector<ExpressionPtr>> rows;  // kValues
  std::vector<ExpressionPtr> expressions;       // kProject, kAggregate; kGenerate: [0]
  ExpressionPtr condition;                      // kFilter, kHaving, kQualify, kJoin
  JoinKind join = JoinKind::kInner;
  bool natural = false;
  bool lateral = false;                         // kJoin: the right side sees the left side
  std::vector<std::string> using_names;
  std::vector<ExpressionPtr> grouping;          // kAggregate
  GroupingKind grouping_kind = GroupingKind::kPlain;
  std::vector<std::vector<ExpressionPtr>> grouping_sets;  // kSets
  std::map<std::string, WindowSpec> windows;    // kProject: WINDOW w AS (...)
  std::vector<ExpressionPtr> order;             // kSort: kSort expressions
  ExpressionPtr limit;
  ExpressionPtr offset;
  SetOperationKind set_operation = SetOperationKind::kUnion;
  bool all = false;                             // UNION ALL ...
  bool by_name = false;                         // UNION BY NAME
  bool outer = false;                           // kGenerate: LATERAL VIEW OUTER

  uint32_t leaf = 0;                            // kLeaf: which scan; see ResolvedQuery
  std::vector<Attribute> output;                // resolved: the columns, hidden ones included
};

// Copies of a node that can be changed before they are frozen again.
inline std::shared_ptr<Expression> edit(const Expression& node) {
  return std::make_shared<Expression>(node);
}
inline std::shared_ptr<Relation> edit(const Relation& node) {
  return std::make_shared<Relation>(node);
}

}  // namespace lakebed::plan
