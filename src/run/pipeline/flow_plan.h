// Planning of one flow: its query resolved, its columns known, everything checked that can be
// checked without reading data (rules E2, E6, E7, A3, B4, B5, B7, F3, F12).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "plan/resolve.h"
#include "run/pipeline/catalog.h"
#include "run/pipeline/pipeline.h"
#include "run/target/table.h"

namespace lakebed::run {

// Where the columns of our own stand in the output of a flow's query, after the selected ones.
struct EventColumns {
  size_t sequence = 0;                      // any orderable type
  size_t operation = 0;                     // INT: 0 upsert, 1 delete, 2 truncate (rule E1)
  std::optional<size_t> system_sequence;    // STORED AS BITEMPORAL
  std::optional<size_t> columns_to_update;  // ARRAY of STRING (rule P2)
  std::optional<size_t> source_row;         // the whole source row as a STRUCT, for the quarantine
  size_t first_expectation = 0;             // BOOLEAN, one an expectation of the target (rule F6)
  size_t expectations = 0;
};

// Which columns an event of a flow writes, where not all that it delivers (rules P1, P2).
struct PartialUpdates {
  bool by_names = false;                 // COLUMNS TO UPDATE, else IGNORE NULL UPDATES
  std::vector<bool> ignores_null;        // by index into `selected`: a NULL says nothing
  size_t names_at = SIZE_MAX;            // the column of names in `selected`, where it is selected
  std::vector<std::string> known_names;  // what an array may name: the columns of the source
};

// A CDC flow, ready to run. The query yields the selected columns, then those of `own`.
struct CdcPlan {
  std::string flow;
  TargetKind kind = TargetKind::kScd1;
  plan::ResolvedQuery query;
  EventColumns own;
  value::Schema selected;     // output columns of the flow, in the source's order and spelling
  std::vector<size_t> keys;   // into `selected`, in the order of folded names (hash order)
  std::vector<bool> tracked;  // by index into `selected`; keys are never tracked (rule B5)
  bool tracks_all = true;     // every column but the keys
  bool tracks_others = true;  // columns of the target that the flow does not deliver
  bool has_truncate = false;
  bool from_snapshots = false;  // no columns of our own: all rows have the version (rule S1)
  bool streaming = true;        // the source comes in slices; false for ONCE over a batch
  std::optional<PartialUpdates> partial;
  std::vector<plan::Expectation> expectations;  // of the target (rule F6)
  std::string target;                           // its name, for messages
  value::Type sequence_type;
  value::Type system_type;  // of SYSTEM SEQUENCE BY (rule C1)
  std::string definition;   // JSON: what drift is compared with (rule F3)
  std::vector<std::string> warnings;
};

// The kind of target that a clause STORED AS means.
TargetKind kind_of(plan::StoredAs stored_as);

// The columns that a kind of target adds after the selected ones (rules B4, C1), in order.
const std::vector<std::string>& time_columns(TargetKind kind);
value::Schema without_time_columns(value::Schema schema, TargetKind kind);

// Plans a CDC flow. Errors, blame kProject: INVALID_FLOW_QUERY_TYPE,
// AUTOCDC_COLUMNS_NOT_FOUND_IN_SCHEMA, AUTOCDC_KEY_NOT_IN_SELECTED_SCHEMA,
// AUTOCDC_RESERVED_COLUMN_NAME_CONFLICT, AUTOCDC_MICROBATCH_VALIDATION.NON_ORDERABLE_SEQUENCE,
// AUTOCDC_KEY_WITHOUT_EQUALITY, COLUMN_ALREADY_EXISTS, and those of resolution.
Result<CdcPlan> plan_cdc_flow(Session& session, const Flow& flow, QueryCatalog& catalog);

// Plans the query of a snapshot flow, whose versions are of that type. Errors: as above, but the
// source must not stream.
Result<CdcPlan> plan_snapshot_query(const Flow& flow, const value::Type& version,
                                    QueryCatalog& catalog, const plan::ResolveOptions& options);

// The columns that the target must have after this flow: those of the table (if it exists) and
// of the declaration keep their place and spelling, the flow's new ones follow, the time columns
// of SCD type 2 stand at the end. Errors: AUTOCDC_COLUMN_NOT_DECLARED (rule A3),
// CANNOT_MERGE_INCOMPATIBLE_DATA_TYPE, and for time columns that are declared with another type
// than the sequence's (rule B7).
Result<value::Schema> target_schema(const CdcPlan& plan, const Dataset& target,
                                    const value::Schema* existing);

// Compares the definition with those that the target remembers, its own and those of other flows
// (rule F3): a flow of another name may not bring other keys either. Errors: AUTOCDC_INVALID_STATE
// .{KEY_SCHEMA_DRIFT, SEQUENCING_TYPE_DRIFT, SCD_TYPE_DRIFT, TRACK_HISTORY_DRIFT}.
Status check_drift(const CdcPlan& plan, const state::TableState& memory, const Dataset& target);

// Rule F1: two flows of one target have the same keys, SCD type and type of sequence. Errors, at
// `flow`, which `plan` is of: AUTOCDC_FLOWS_DIFFER.{KEYS, SEQUENCE_TYPE, SCD_TYPE}.
Status check_flows_agree(const CdcPlan& first, const CdcPlan& plan, const Flow& flow,
                         const Dataset& target);

// What becomes of a value of a narrower type than its column has.
enum class Narrower : uint8_t {
  kTaken,    // it is widened on its way
  kRefused,  // no type of a flow becomes narrower (rule F3)
};

// What becomes of a column whose values come in a wider type (value::can_widen, rule F3).
enum class Wider : uint8_t {
  kTaken,    // the column takes it over: what a table has
  kRefused,  // the column keeps its type: what a column list declares
};

struct MergeRules {
  Narrower narrower = Narrower::kTaken;
  Wider wider = Wider::kTaken;
};
inline constexpr MergeRules kDeclared{Narrower::kTaken, Wider::kRefused};

// The merge of what exists and what comes: columns by name, existing ones first, new nested fields
// inside. Error CANNOT_MERGE_INCOMPATIBLE_DATA_TYPE naming the column.
Result<value::Schema> merge_schemas(const value::Schema& existing, const value::Schema& incoming,
                                    MergeRules rules = {});

// Refuses columns whose type became narrower than the table's (rule F3). `plans` are all flows of
// the target: where several deliver a column, the widest type counts, and a declared type is what
// a column has whatever comes. Error CANNOT_MERGE_INCOMPATIBLE_DATA_TYPE.
Status check_not_narrowed(const std::vector<CdcPlan>& plans, const Dataset& target,
                          const value::Schema& table);

}  // namespace lakebed::run
