// Resolution: from names to attributes, types and implicit casts.
//
// Everything outside the query (tables, views, files) is asked of a Catalog, which the caller
// implements. The result says which scans the query reads; the caller binds data to them. Pure:
// no clock, no I/O of its own. Spark 4 semantics with ANSI on (rule F10 for streams).
//
// What a resolved tree may contain (whoever renders plans codes against this):
//
// Relations. `output` is set on each. Attribute ids are unique over the whole tree, but a relation
// that only passes columns on keeps their ids. The names in `output` are what counts for users;
// nothing inside the tree refers to names. `streaming` is set where data comes in slices.
//   kLeaf          no inputs. output = the columns of scans[leaf], one to one. Every use of a
//                  table, view or CTE is a leaf of its own.
//   kValues        rows; each cell has exactly the type of its column, and is constant.
//   kOneRow        one row without columns.
//   kProject       output[i] belongs to expressions[i], which is either a kColumn (the same id,
//                  passed on) or a kAlias (a new id, names = {its name}).
//                  kWindow stands only as the one child of such a kAlias.
//   kFilter        condition, BOOLEAN. output = that of the input.
//   kJoin          two inputs; condition is null (all pairs) or BOOLEAN. Never natural or USING.
//                  output = left then right (semi, anti: left only). lateral: the right side
//                  holds kOuterColumns that refer to the left side.
//   kAggregate     grouping = kColumns of the input, all different; empty: one row in any case.
//                  output[i] belongs to expressions[i], always a kAlias with a new id, of:
//                  a kColumn of `grouping`, or an aggregate kCall over the input (with distinct
//                  and filter), or a kCall "grouping" / "grouping_id" of kColumns of `grouping`.
//                  grouping_kind is kPlain or kSets (then grouping_sets lists kColumns of
//                  `grouping`; ROLLUP and CUBE are spelled out).
//   kSort          order: kSort expressions over the input. output = that of the input.
//   kLimit         limit and / or offset: non-negative kLiteral INT or BIGINT. output likewise.
//   kDistinct      over all columns of the input. output likewise.
//   kSetOperation  two inputs with the same number of columns and the same types by position;
//                  set_operation, all. output has new ids.
//   kGenerate      one input; expressions[0] = a generator kCall; outer. output = that of the
//                  input, then the generator's columns (new ids). The call's name is never
//                  "..._outer": that is `outer`. Its `type` is a STRUCT with a field a column.
// All other kinds are gone. The root's output has visible columns only, in order.
//
// Expressions. type, nullable, resolved are set on each.
//   kLiteral       as in tree.h; TIMESTAMP text in UTC.
//   kInterval      an interval type; text = the number of months or microseconds.
//   kColumn        attribute = an id in the output of the relation's input(s).
//   kOuterColumn   attribute = an id of the relation that encloses the subquery (or of the left
//                  side of a lateral join), one or more levels up.
//   kCall          name = the table's canonical name (functions.h), folded; children have exactly
//                  the types of its Signature. distinct, filter: aggregates only; ignore_nulls.
//                  "named_struct" (name literal, value, ...) stands for struct too; a JSON path
//                  is get_json_object(value, '$...'); count(*) is count(1).
//   kCast          children[0] to type; try_cast. A cast that the resolver inserted looks the same.
//   kCase          when, then, ..., [else] without an operand; conditions BOOLEAN, results all of
//                  `type`.
//   kLambda        names -> children[0]; names are unique in the tree ("x#12"). type = the body's.
//   kLambdaVariable name = one of these.
//   kWindow        children[0] = a kCall (aggregate or window function) OVER window; partition,
//                  order (kSort) and frame are filled in, frame is empty for window functions
//                  that have a fixed one (row_number, rank, dense_rank, percent_rank, cume_dist,
//                  ntile, lead, lag). Offsets of RANGE frames have the type to add to the key.
//   kSort          children[0], ascending, nulls_first.
//   kSubquery      relation of one column; its value or NULL (more than one row is an error).
//   kExists        relation.
//   kInSubquery    children IN (relation): as many columns as children, of equal types. `negated`
//                  is never set: "not" stands around it.
//   kIndex         children[0] ARRAY: [1] INT, from 0, out of range is an error; MAP: [1] has the
//                  key's type, a missing key is NULL.
//   kField         children[0] a STRUCT: its field `name` (the field's own spelling); an ARRAY of
//                  STRUCT: the array of the fields.
// All other kinds are gone. Subqueries may stand in kProject, kFilter, kJoin's condition.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "plan/tree.h"

namespace lakebed::plan {

// What a name or table function stands for.
struct Source {
  // Either a view: its unresolved query, to be resolved in place (with its own default names)...
  RelationPtr view;
  std::vector<std::string> view_columns;  // names from CREATE VIEW v (a, b)
  // ... or a scan: columns of the data, and a token that only the catalog understands.
  value::Schema schema;
  value::Schema hidden;        // columns found by name only: _metadata STRUCT<...>
  bool streaming = false;      // this scan delivers slices
  std::string token;           // of a view: what enter_view needs
};

class Catalog {
 public:
  virtual ~Catalog() = default;
  // Between these two the names of that view's query are asked for: short ones mean what they do
  // where the view was declared. Calls nest.
  virtual void enter_view(const Source& view) { static_cast<void>(view); }
  virtual void leave_view() {}
  // A table, view or dataset. `streaming`: written under STREAM. Errors carry
  // TABLE_OR_VIEW_NOT_FOUND and a hint with the nearest name; the resolver adds the span.
  virtual Result<Source> find_table(const std::vector<std::string>& name, bool streaming,
                                    const std::map<std::string, std::string>& options) = 0;
  // A table function that reads data: read_files, cloud_files, table_changes, list_files. All
  // arguments are constants by now: positional ones first, named ones by folded name, MAP values
  // spread into it. A name that the catalog does not know: nullopt.
  virtual Result<std::optional<Source>> call_function(
      const std::string& name, const std::vector<std::string>& positional,
      const std::map<std::string, std::string>& named, bool streaming) = 0;
};

struct ResolveOptions {
  std::string time_zone = "UTC";        // spark.sql.session.timeZone
  int64_t now_us = 0;                   // current_timestamp(), one value a batch
  bool allow_stateful_streams = false;  // true only for tests
};

struct Scan {
  uint32_t leaf = 0;
  std::string token;      // from Source
  value::Schema schema;   // all columns, hidden ones at the end
  bool streaming = false;
  SourceSpan span;
};

struct ResolvedQuery {
  RelationPtr root;
  std::vector<Scan> scans;
  bool streaming = false;  // some scan is
  // The visible output columns as a schema; all nullable, as Spark makes tables from queries.
  value::Schema schema() const;
};

// Resolves a query. Errors: UNRESOLVED_COLUMN.WITH_SUGGESTION, UNRESOLVED_ROUTINE,
// DATATYPE_MISMATCH.*, FUNCTION_NOT_SUPPORTED.<name>, STREAMING_OPERATION_NOT_SUPPORTED.<op>, ...
// each with the span of the node, blame kProject.
Result<ResolvedQuery> resolve_query(const RelationPtr& query, Catalog& catalog,
                                    const ResolveOptions& options);

// Resolves `query` and puts a projection of `expressions` on top of it; each is resolved over the
// visible columns of the query. This is how a CDC flow evaluates its keys, sequence, conditions
// and output columns on the whole source row (rule E2). `condition` may be null.
Result<ResolvedQuery> resolve_projection(const RelationPtr& query,
                                         const std::vector<ExpressionPtr>& expressions,
                                         const ExpressionPtr& condition, Catalog& catalog,
                                         const ResolveOptions& options);

// COLUMN_ALREADY_EXISTS where two columns differ at most in case (rule F12): for queries whose
// result becomes a table. A query by itself may return such columns.
Status check_unique_columns(const value::Schema& schema, const SourceSpan& span);

}  // namespace lakebed::plan
