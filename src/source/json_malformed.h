// The error of a damaged JSON record, alike for reading and for inference.
#pragma once

#include <string>

#include "source/record_source.h"

namespace lakebed::source {

// MALFORMED_RECORD_IN_PARSING with file, line and column of `offset` in the record, the reason,
// and the field (dotted; "" = none).
Error malformed_json(const Record& record, const std::string& file, const std::string& field,
                     const std::string& reason, size_t offset);

}  // namespace lakebed::source
