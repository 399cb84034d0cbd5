#include "cli/print_events.h"

#include <fmt/format.h>

#include <cstdio>

#include "base/json.h"
#include "cli/print.h"
#include "run/sql/sql_session.h"
#include "value/text.h"

namespace lakebed::cli {

namespace {

constexpr const char* kLast =
    "(SELECT max_by(origin.update_id, timestamp) FROM event_log() "
    "WHERE event_type = 'create_update')";

std::string query_of(const std::string& update) {
  std::string text = "SELECT * FROM event_log()";
  if (update == "last") text += fmt::format(" WHERE origin.update_id = {}", kLast);
  if (!update.empty() && update != "last") {
    std::string literal;
    for (const char c : update) {
      if (c == '\'' || c == '\\') literal += '\\';
      literal += c;
    }
    text += " WHERE origin.update_id = '" + literal + "'";
  }
  return text + " ORDER BY timestamp, sequence.data_plane_id.seq_no";
}

// A row of the log as the record that it was: details are an object again, what is NULL is left
// out of structs.
Json without_nulls(const Json& json) {
  if (!json.is_object()) return json;
  Json out = Json::object();
  for (const auto& [name, item] : json.items()) {
    if (!item.is_null()) out[name] = without_nulls(item);
  }
  return out;
}

Json record_of(const std::string& row) {
  auto parsed = parse_json(row);
  if (!parsed.ok()) return Json::object();
  Json record = std::move(parsed).value();
  for (const char* name : {"sequence", "origin", "error"}) {
    if (record.contains(name)) record[name] = without_nulls(record[name]);
  }
  if (!record.contains("error")) record["error"] = nullptr;
  if (record.contains("details") && record["details"].is_string()) {
    auto details = parse_json(record["details"].get<std::string>());
    if (details.ok()) record["details"] = std::move(details).value();
  }
  return record;
}

class RecordPrinter : public run::RowSink {
 public:
  RecordPrinter(bool json, std::string time_zone) : json_(json), time_zone_(std::move(time_zone)) {}

  Status rows(const value::ColumnBatch& batch) override {
    for (size_t row = 0; row < batch.rows; ++row) {
      std::string text;
      value::append_json_row(batch, row, time_zone_, text);
      print(record_of(text));
    }
    return {};
  }

 private:
  void print(const Json& record) const {
    const std::string type = record.value("event_type", "");
    if (json_) {
      std::printf("%s\n", record.dump().c_str());
    } else if (type != "flow_definition" && type != "dataset_definition") {
      std::printf("%s  %-7s  %s\n", record.value("timestamp", "").c_str(),
                  record.value("level", "").c_str(), record.value("message", "").c_str());
    }
  }

  bool json_;
  std::string time_zone_;
};

}  // namespace

int print_events(run::Session& session, const std::string& update, bool json) {
  RecordPrinter printer(json, session.project().time_zone);
  run::SqlSession sql(session);
  const Status done = sql.run(query_of(update), "<events>", printer);
  if (done.ok()) return 0;
  print_error(done.error(), session.project().root.string());
  return done.error().blame == Blame::kProject ? 2 : 1;
}

}  // namespace lakebed::cli
