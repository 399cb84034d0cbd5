// Table properties and protocol features: what we know, what we honour, what we refuse by name.
//
// A `delta.*` property is never ignored: it is honoured, or the table is refused. `pipelines.*`,
// `delta.autoOptimize.*` and users' own keys are stored and mean nothing here. A reader feature
// that we do not know is fatal for reading, a writer feature for writing. Pure functions.
#pragma once

#include <set>
#include <string>

#include "delta/actions.h"

namespace lakebed::delta {

// Checks properties that a user wrote for a table of ours. Returns those to store, in their exact
// spelling. Errors (blame kProject): NOT_BUILT_YET.<PROPERTY> (delta.enableChangeDataFeed=true,
// UniForm, icebergCompat, row tracking, ...), DELTA_UNKNOWN_PROPERTY with the
// nearest name, DELTA_INVALID_PROPERTY_VALUE.
Result<TextMap> check_properties(const TextMap& properties);

// Error DELTA_UNSUPPORTED_READER_FEATURE naming the features, DELTA_UNSUPPORTED_PROTOCOL.
Status check_readable(const Protocol& protocol, const Metadata& metadata);
// Error DELTA_UNSUPPORTED_WRITER_FEATURE: features in use that we do not write (check constraints,
// generated columns, change data feed, row tracking, ...), each named.
Status check_writable(const Protocol& protocol, const Metadata& metadata);

bool has_feature(const Protocol& protocol, const std::string& name);
// A boolean property; absent is `otherwise`.
bool flag(const Metadata& metadata, const std::string& property, bool otherwise = false);
// A duration such as "interval 30 days" or "7 days 3 hours", in milliseconds.
Result<int64_t> parse_interval_ms(const std::string& text);
bool has_column_mapping(const Metadata& metadata);

}  // namespace lakebed::delta
