#include "cli/print.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "value/text.h"

namespace lakebed::cli {

namespace {

bool coloured(int file) { return isatty(file) != 0; }

std::string paint(const std::string& text, const char* colour, bool on) {
  return on ? std::string("\033[") + colour + "m" + text + "\033[0m" : text;
}

// Characters that a terminal shows: bytes that begin a UTF-8 sequence.
size_t shown_width(const std::string& text) {
  return static_cast<size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  }));
}

std::string cell(const value::Column& column, size_t row, const std::string& zone) {
  std::string text = value::display_text(column, row, zone);
  for (char& c : text) c = (c == '\n' || c == '\r') ? ' ' : c;
  return text;
}

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? "\"\"" : std::string(1, c);
  return out + "\"";
}

std::string source_line(std::istream& in, uint32_t number) {
  std::string line;
  for (uint32_t i = 0; i < number; ++i) {
    if (!std::getline(in, line)) return "";
  }
  if (!line.empty() && line.back() == '\r') line.pop_back();
  return line;
}

void print_source(const SourceSpan& span, const std::string& folder, const std::string& text) {
  std::string line;
  if (span.file.starts_with('<')) {
    std::istringstream in(text);
    line = source_line(in, span.line);
  } else {
    const std::filesystem::path file(span.file);
    std::ifstream in(file.is_absolute() ? span.file : folder + "/" + span.file);
    line = source_line(in, span.line);
  }
  if (line.empty()) return;
  std::replace(line.begin(), line.end(), '\t', ' ');
  const size_t begin = span.column > 0 ? span.column - 1 : 0;
  const size_t rest = line.size() > begin ? line.size() - begin : 1;
  const size_t length = std::max<size_t>(1, std::min<size_t>(span.length, rest));
  std::fprintf(stderr, "   | %s\n   | %s%s\n", line.c_str(), std::string(begin, ' ').c_str(),
               std::string(length, '^').c_str());
}

}  // namespace

RowPrinter::RowPrinter(Format format, std::string time_zone)
    : format_(format), time_zone_(std::move(time_zone)) {}

void RowPrinter::print_csv(const value::ColumnBatch& batch) {
  std::string out;
  for (size_t i = 0; !named_ && i < batch.schema.size(); ++i) {
    out += (i ? "," : "") + csv_field(batch.schema[i].name);
  }
  if (!named_) out += '\n';
  named_ = true;
  for (size_t row = 0; row < batch.rows; ++row) {
    for (size_t i = 0; i < batch.columns.size(); ++i) {
      if (i > 0) out += ',';
      if (batch.columns[i].is_null(row)) continue;
      out += csv_field(value::display_text(batch.columns[i], row, time_zone_));
    }
    out += '\n';
  }
  std::fwrite(out.data(), 1, out.size(), stdout);
}

void RowPrinter::begin(const std::string& time_zone) {
  draw();
  named_ = false;
  time_zone_ = time_zone;
}

Status RowPrinter::rows(const value::ColumnBatch& batch) {
  if (format_ == Format::kJson) {
    std::string out;
    for (size_t row = 0; row < batch.rows; ++row) {
      value::append_json_row(batch, row, time_zone_, out);
      out += '\n';
    }
    std::fwrite(out.data(), 1, out.size(), stdout);
  } else if (format_ == Format::kCsv) {
    print_csv(batch);
  } else {
    kept_.push_back(batch);
  }
  return {};
}

void RowPrinter::draw() {
  if (kept_.empty()) return;
  const value::Schema& schema = kept_[0].schema;
  std::vector<std::vector<std::string>> cells(1);
  for (const value::Field& field : schema) cells[0].push_back(field.name);
  for (const value::ColumnBatch& batch : kept_) {
    for (size_t row = 0; row < batch.rows; ++row) {
      cells.emplace_back();
      for (const value::Column& column : batch.columns) {
        cells.back().push_back(cell(column, row, time_zone_));
      }
    }
  }
  std::vector<size_t> widths(schema.size(), 0);
  for (const auto& line : cells) {
    for (size_t i = 0; i < line.size(); ++i) widths[i] = std::max(widths[i], shown_width(line[i]));
  }
  std::string rule = "+";
  for (const size_t width : widths) rule += std::string(width + 2, '-') + "+";
  std::string out = rule + "\n";
  for (size_t line = 0; line < cells.size(); ++line) {
    out += "|";
    for (size_t i = 0; i < cells[line].size(); ++i) {
      out += " " + cells[line][i];
      out += std::string(widths[i] - shown_width(cells[line][i]) + 1, ' ') + "|";
    }
    out += "\n";
    if (line == 0) out += rule + "\n";
  }
  out += rule + "\n";
  std::fwrite(out.data(), 1, out.size(), stdout);
  kept_.clear();
}

void RowPrinter::finish() { draw(); }

void print_error(const Error& error, const std::string& folder, const std::string& text) {
  std::fflush(stdout);
  const bool colour = coloured(STDERR_FILENO);
  std::string message = error.message;
  if (!error.context.empty()) {
    message += " (";
    for (size_t i = 0; i < error.context.size(); ++i) {
      message += (i ? ", " : "") + error.context[i];
    }
    message += ")";
  }
  std::fprintf(stderr, "%s %s\n", paint(error.code + ":", "1;31", colour).c_str(), message.c_str());
  if (error.span.known()) {
    std::fprintf(stderr, "  --> %s\n", error.span.text().c_str());
    print_source(error.span, folder, text);
  }
  if (!error.hint.empty()) {
    std::fprintf(stderr, "%s %s\n", paint("hint:", "1;36", colour).c_str(), error.hint.c_str());
  }
}

void EventPrinter::emit(const run::Event& event) {
  if (json_) {
    run::Event stamped = event;
    if (stamped.time_us == 0) stamped.time_us = clock_.now_us();  // a dry run has no log
    std::printf("%s\n", run::event_json(stamped).dump().c_str());
    return;
  }
  if (event.only_for_records) return;
  if (event.level == run::Level::kError) return;  // the error itself is printed at the end
  const bool warning = event.level == run::Level::kWarn;
  std::FILE* to = warning ? stderr : stdout;
  const std::string mark =
      warning ? paint("warning: ", "1;33", coloured(STDERR_FILENO)) : std::string();
  std::fprintf(to, "%s%s\n", mark.c_str(), event.message.c_str());
  std::fflush(to);
}

}  // namespace lakebed::cli
