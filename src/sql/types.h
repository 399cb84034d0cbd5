// Types and column lists as DDL writes them.
#pragma once

#include "sql/cursor.h"

namespace lakebed::sql {

// A type: `DECIMAL(10, 2)`, `ARRAY<INT>`, ... VARCHAR(n) and CHAR(n) are STRING; `as_written`, if
// given, gets their own spelling, which a column keeps as metadata.
value::Type parse_type(Cursor& cursor, std::string* as_written = nullptr);

// `name [:] type [NOT NULL] [COMMENT 'text']`.
value::Field parse_field(Cursor& cursor);

// Fields apart by commas up to the end of the text or a closing bracket.
value::Schema parse_fields(Cursor& cursor);

}  // namespace lakebed::sql
