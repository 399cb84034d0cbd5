// From the text of one record to one row of columns of a given type, by Spark's rules.
//
// Rows are appended column by column as fields come by; a row that turns out damaged is taken
// back by truncate(). Not thread-safe: one converter a reader.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "source/json_reader.h"
#include "source/json_text.h"
#include "source/text_time.h"
#include "value/column.h"

namespace lakebed::source {

// Drops the rows of a column from `rows` on.
void truncate(value::Column& column, size_t rows);

// What did not fit in a record.
struct Damage {
  std::string reason;  // "an INT cannot be read from \"x\""
  std::string column;  // dotted; "" where the record as a whole is damaged
  size_t offset = 0;   // in the record's text
};

// What PERMISSIVE keeps beside the row, for the corrupt and the rescued column.
struct Leftovers {
  std::optional<Damage> damage;                              // the first value that did not fit
  std::vector<std::pair<std::string, std::string>> rescued;  // dotted name, raw JSON
};

class JsonConverter {
 public:
  // `fields` are the columns that JSON fills. Errors: INVALID_TIMEZONE, INVALID_DATETIME_PATTERN.
  static Result<std::unique_ptr<JsonConverter>> create(const value::Schema& fields,
                                                       const JsonOptions& options);

  // Appends the object at the cursor as one row to `columns` (those of `fields`, in order). False
  // where the record is damaged: damage() tells how, and the columns may hold a part of the row.
  // `leftovers`: values that do not fit read NULL and are noted there; null: they are damage.
  bool append_row(JsonCursor& cursor, std::vector<value::Column*>& columns, Leftovers* leftovers);
  const Damage& damage() const { return damage_; }

 private:
  struct Node {
    value::Type type;
    std::vector<std::string> names;                      // of a struct's fields
    std::unordered_map<std::string_view, size_t> index;  // where there are many
    std::vector<std::unique_ptr<Node>> children;
  };

  JsonConverter() : zone_() {}
  static std::unique_ptr<Node> make_node(const value::Type& type, bool fold);
  std::optional<size_t> find(const Node& node, std::string_view name, size_t guess) const;
  bool convert(const Node& node, value::Column& out);
  bool convert_token(const Node& node, JsonToken token, value::Column& out);
  bool convert_field(const Node& node, size_t field, value::Column& out, size_t row);
  bool unknown_field(std::string_view name);
  bool convert_struct(const Node& node, value::Column& out);
  bool convert_array(const Node& node, value::Column& out);
  bool convert_map(const Node& node, value::Column& out);
  bool map_key(const Node& node, std::string_view name, value::Column& out);
  bool convert_number(const Node& node, value::Column& out);
  bool convert_string(const Node& node, value::Column& out);
  bool convert_text(const Node& node, std::string_view text, value::Column& out);
  bool date_text(std::string_view text, value::Column& out);
  bool timestamp_text(const Node& node, std::string_view text, value::Column& out);
  bool convert_raw(value::Column& out);
  bool mismatch(const Node& node, size_t from, value::Column& out);
  bool broken();
  std::string path() const;

  std::unique_ptr<Node> root_;
  Zone zone_;
  std::optional<TimePattern> date_pattern_;
  std::optional<TimePattern> timestamp_pattern_;
  std::optional<TimePattern> ntz_pattern_;
  bool fold_names_ = false;
  bool rescue_ = false;

  JsonCursor* cursor_ = nullptr;  // of the record at hand
  Leftovers* leftovers_ = nullptr;
  Damage damage_;
  std::vector<std::string_view> path_;  // names of the fields that are open
  std::string bytes_;
};

}  // namespace lakebed::source
