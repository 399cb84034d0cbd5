#include "run/snapshot/snapshot_version.h"

#include "base/hash.h"
#include "state/row_codec.h"
#include "value/text.h"

namespace lakebed::run {

namespace {

std::string to_hex(std::string_view bytes) {
  static const char kDigits[] = "0123456789abcdef";
  std::string out;
  for (const char c : bytes) {
    out += kDigits[static_cast<uint8_t>(c) >> 4];
    out += kDigits[static_cast<uint8_t>(c) & 15];
  }
  return out;
}

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return -1;
}

Error damaged(const std::string& fact) {
  return update_error("STATE_DAMAGED", "the memory holds a fact that can't be read: " + fact);
}

Result<std::string> from_hex(const Json& json, const std::string& fact) {
  if (!json.is_string()) return damaged(fact);
  const auto text = json.get<std::string>();
  std::string out;
  for (size_t i = 0; i + 1 < text.size(); i += 2) {
    const int high = hex_digit(text[i]);
    const int low = hex_digit(text[i + 1]);
    if (high < 0 || low < 0) return damaged(fact);
    out += static_cast<char>(high * 16 + low);
  }
  if (text.size() % 2 != 0) return damaged(fact);
  return out;
}

}  // namespace

std::string SnapshotVersion::text(const std::string& zone) const {
  return value::display_text(column(), 0, zone);
}

std::string SnapshotVersion::to_fact(const std::string& zone) const {
  std::string bytes;
  state::append_row(row.columns, 0, bytes);
  const Json json = {
      {"column", state::schema_to_json(row.schema)}, {"row", to_hex(bytes)}, {"text", text(zone)}};
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Result<SnapshotVersion> SnapshotVersion::from_fact(const std::string& fact) {
  LAKEBED_ASSIGN(const Json json, parse_json(fact, "STATE_DAMAGED"));
  if (!json.is_object() || !json.contains("row") || !json.contains("column")) return damaged(fact);
  LAKEBED_ASSIGN(const value::Schema schema,
                 state::schema_from_json(json["column"].get<std::string>()));
  if (schema.size() != 1) return damaged(fact);
  LAKEBED_ASSIGN(const std::string bytes, from_hex(json["row"], fact));
  LAKEBED_ASSIGN(const state::RowReader reader, state::RowReader::make(schema, schema));
  SnapshotVersion version;
  version.row = value::ColumnBatch::empty(schema);
  LAKEBED_TRY(reader.append(bytes, version.row.columns));
  version.row.rows = 1;
  if (version.column().is_null(0)) return damaged(fact);
  return version;
}

Json sequence_to_json(const value::SequenceCode& code) {
  return {{"head", hex64(code.head)}, {"tail", to_hex(code.tail)}};
}

Result<value::SequenceCode> sequence_from_json(const std::string& fact) {
  LAKEBED_ASSIGN(const Json json, parse_json(fact, "STATE_DAMAGED"));
  if (!json.is_object() || !json.contains("head") || !json.contains("tail")) return damaged(fact);
  LAKEBED_ASSIGN(const std::string head, from_hex(json["head"], fact));
  value::SequenceCode code;
  if (head.size() != sizeof(code.head)) return damaged(fact);
  for (const char c : head) code.head = code.head << 8 | static_cast<uint8_t>(c);
  LAKEBED_ASSIGN(code.tail, from_hex(json["tail"], fact));
  return code;
}

}  // namespace lakebed::run
