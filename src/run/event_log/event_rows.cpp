#include "run/event_log/event_rows.h"

#include "source/text_time.h"
#include "sql/parse.h"

namespace lakebed::run {

namespace {

using value::Column;
using value::Kind;

constexpr const char* kSchema =
    "id STRING, "
    "sequence STRUCT<data_plane_id: STRUCT<instance: STRING, seq_no: BIGINT>, "
    "control_plane_seq_no: BIGINT>, "
    "origin STRUCT<cloud: STRING, region: STRING, org_id: STRING, pipeline_id: STRING, "
    "pipeline_type: STRING, pipeline_name: STRING, cluster_id: STRING, update_id: STRING, "
    "table_name: STRING, dataset_name: STRING, sink_name: STRING, flow_id: STRING, "
    "flow_name: STRING, batch_id: BIGINT, request_id: STRING>, "
    "timestamp TIMESTAMP, message STRING, level STRING, maturity_level STRING, "
    "error STRUCT<fatal: BOOLEAN, code: STRING, message: STRING, "
    "exceptions: ARRAY<STRUCT<class_name: STRING, message: STRING>>>, "
    "details STRING, event_type STRING";

void append_json(const Json& json, Column& column);

void append_struct(const Json& json, Column& column) {
  std::vector<Column>& children = column.raw_children();
  const auto& fields = column.type().fields;
  static const Json nothing;
  for (size_t i = 0; i < children.size(); ++i) {
    const auto member = json.find(fields[i].name);
    append_json(member == json.end() ? nothing : *member, children[i]);
  }
  column.append_struct();
}

void append_timestamp(const std::string& text, Column& column) {
  static const source::Zone utc = source::Zone::find("UTC").value();
  int64_t micros = 0;
  if (source::parse_timestamp(text, utc, micros)) {
    column.append_integer(micros);
  } else {
    column.append_null();
  }
}

// A value of another shape than the column's is NULL: a record is never lost for it.
void append_json(const Json& json, Column& column) {
  const Kind kind = column.type().kind;
  if (kind == Kind::kString && !json.is_null()) {
    column.append_bytes(json.is_string() ? json.get_ref<const std::string&>() : json.dump());
  } else if (kind == Kind::kLong && json.is_number_integer()) {
    column.append_integer(json.get<int64_t>());
  } else if (kind == Kind::kBoolean && json.is_boolean()) {
    column.append_integer(json.get<bool>() ? 1 : 0);
  } else if (kind == Kind::kTimestamp && json.is_string()) {
    append_timestamp(json.get_ref<const std::string&>(), column);
  } else if (kind == Kind::kStruct && json.is_object()) {
    append_struct(json, column);
  } else if (kind == Kind::kArray && json.is_array()) {
    for (const Json& item : json) append_json(item, column.raw_children()[0]);
    column.append_list();
  } else {
    column.append_null();
  }
}

}  // namespace

const value::Schema& event_schema() {
  static const value::Schema schema = sql::parse_schema(kSchema).value();
  return schema;
}

value::ColumnBatch event_rows(std::string_view lines) {
  value::ColumnBatch rows = value::ColumnBatch::empty(event_schema());
  while (!lines.empty()) {
    const size_t end = std::min(lines.find('\n'), lines.size());
    const auto record = parse_json(lines.substr(0, end));
    lines.remove_prefix(std::min(end + 1, lines.size()));
    if (!record.ok() || !record->is_object() || !record->contains("id")) continue;
    static const Json nothing;
    for (size_t i = 0; i < rows.columns.size(); ++i) {
      const auto member = record->find(rows.schema[i].name);
      append_json(member == record->end() ? nothing : *member, rows.columns[i]);
    }
    ++rows.rows;
  }
  return rows;
}

}  // namespace lakebed::run
