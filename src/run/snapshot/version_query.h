// WITH VERSION (query): which version a snapshot flow takes next (rule S4).
//
// The query yields one orderable column and zero or one row. It may ask for the version taken last
// by last_snapshot_version(), a table of the same column: so its column is found from the query
// itself, first without that table, then with it until both agree.
#pragma once

#include <optional>

#include "plan/resolve.h"
#include "run/pipeline/catalog.h"
#include "run/snapshot/snapshot_version.h"

namespace lakebed::run {

// The column of the versions of a flow, without a look at data. Requires: the flow has WITH
// VERSION. Errors, blame kProject: INVALID_AUTO_CDC_FROM_SNAPSHOT_VERSION_QUERY (not one column, no
// order, a stream, a type that depends on itself), those of resolution.
Result<value::Field> plan_version(const Flow& flow, QueryCatalog& catalog,
                                  const plan::ResolveOptions& options);

// Runs the query: the next version, or nothing. `last`: the version taken last (null: none yet);
// `column`: of plan_version. Errors: INVALID_AUTO_CDC_FROM_SNAPSHOT_VERSION_QUERY (several rows,
// NULL), those of sources and engine.
Result<std::optional<SnapshotVersion>> next_version(Session& session, const Flow& flow,
                                                    const value::Field& column,
                                                    const SnapshotVersion* last,
                                                    QueryCatalog& catalog,
                                                    const plan::ResolveOptions& options);

// Error AUTO_CDC_FROM_SNAPSHOT_VERSION_SCHEMA_CHANGED where the versions of a flow now have another
// name or type than the one that its target remembers (rule S2).
Status check_version_column(const Flow& flow, const Dataset& target, const value::Field& column,
                            const SnapshotVersion& last);

}  // namespace lakebed::run
