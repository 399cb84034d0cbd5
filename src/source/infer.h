// Schema inference: what the files say about their columns, merged over files.
//
// An InferredSchema can be written as JSON and kept with a position, and grows by the new files
// alone: columns are added and types generalised, never taken away.
#pragma once

#include <string>
#include <vector>

#include "source/json_reader.h"
#include "source/listing.h"
#include "source/options.h"

namespace lakebed::source {

// Spark's inference of JSON: LONG, DOUBLE (DECIMAL where prefers_decimal or beyond 64 bits),
// BOOLEAN, STRING, structs, arrays; what conflicts is STRING; fields by name order. VOID marks a
// field that was only ever null. Damaged records count as the options' mode says. Errors as
// read_json.
Result<value::Type> infer_json(const std::vector<ListedFile>& files, const ReadOptions& options);

// The type that holds both (Spark's compatibleType); VOID gives way. Fields that are new come
// after the ones that `left` has, by name.
value::Type merge_inferred(const value::Type& left, const value::Type& right);

// The columns a user sees: VOID becomes STRING, fields that cannot be (empty structs) go.
value::Schema finish_inferred(const value::Type& inferred);

// The schema that reads both Parquet files: fields of both, the wider type where one widens into
// the other. Error: CANNOT_MERGE_SCHEMAS with the column and `file`.
Result<value::Schema> merge_parquet(const value::Schema& left, const value::Schema& right,
                                    const std::string& file);

// A type as JSON, Spark's schema form, and back. Error: SCHEMA_JSON.DAMAGED.
std::string schema_json(const value::Schema& schema);
Result<value::Schema> parse_schema_json(const std::string& text);

// Types of partition folders: INT, BIGINT, DOUBLE, DATE, TIMESTAMP or STRING, over all files.
Result<value::Schema> infer_partitions(const std::vector<ListedFile>& files, bool infer_types);

}  // namespace lakebed::source
