// Columns whose value is a fact of the file a row comes from: `_metadata`, and the values of
// name=value folders.
#pragma once

#include <string>
#include <string_view>

#include "source/listing.h"
#include "source/text_time.h"
#include "value/column.h"

namespace lakebed::source {

// The URI of a local path as Spark shows it: file:///folder/name, escaped with %.
std::string file_uri(std::string_view path);
// The last part of a path.
std::string_view file_name(std::string_view path);

// Appends `rows` times the facts of `file` to a column of metadata_field()'s type, or of a part
// of its fields.
void append_metadata(const ListedFile& file, size_t rows, value::Column& out);

// Appends `rows` times the value of the folder name `name`= of `file`, cast to the column's type.
// Error: INVALID_PARTITION_VALUE with file, column and value.
Status append_partition(const ListedFile& file, const std::string& name, const Zone& zone,
                        size_t rows, value::Column& out);

}  // namespace lakebed::source
