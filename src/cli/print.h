// Printing: rows as a table, JSON lines or CSV; errors with the source line and a caret; events.
// Colours only on a terminal.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "run/event_log/report.h"
#include "run/sql/sql_session.h"

namespace lakebed::cli {

enum class Format { kTable, kJson, kCsv };

// Prints rows to standard output as they come; a table is drawn by finish().
class RowPrinter : public run::RowSink {
 public:
  RowPrinter(Format format, std::string time_zone);
  void begin(const std::string& time_zone) override;
  Status rows(const value::ColumnBatch& batch) override;
  void finish();

 private:
  void draw();
  void print_csv(const value::ColumnBatch& batch);

  Format format_;
  std::string time_zone_;
  bool named_ = false;                    // kCsv: the line of names is out
  std::vector<value::ColumnBatch> kept_;  // kTable: a table's widths need all rows
};

// Prints to standard error: code, message, place, source line with a caret, hint. `folder` is
// where relative file names of spans start; `text` is what a span without a file points into.
void print_error(const Error& error, const std::string& folder, const std::string& text = "");

// Prints events as lines for people, or as JSON, one a line.
class EventPrinter : public run::EventSink {
 public:
  EventPrinter(bool json, Clock& clock) : json_(json), clock_(clock) {}
  void emit(const run::Event& event) override;

 private:
  bool json_;
  Clock& clock_;
};

}  // namespace lakebed::cli
