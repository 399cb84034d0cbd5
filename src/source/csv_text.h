// Records and fields of CSV text. Memory: one record.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "source/byte_stream.h"

namespace lakebed::source {

struct CsvSyntax {
  std::string separator = ",";
  char quote = '"';         // 0: none
  char escape = '\\';       // inside quotes; the quote itself works as well
  char comment = 0;         // records that begin with it are passed over; 0: none
  bool multi_line = false;  // quoted fields may hold line ends
};

struct CsvField {
  std::string_view text;
  bool quoted = false;
};

struct CsvRecord {
  std::vector<CsvField> fields;   // valid until the next record
  std::string_view raw;           // the record as it stands in the file
  uint64_t line = 0;              // where it begins
  const char* problem = nullptr;  // what is wrong with it; null: nothing
};

// Reads the records of one file, blank lines and comments passed over.
class CsvRecords {
 public:
  CsvRecords(std::unique_ptr<ByteStream> stream, CsvSyntax syntax);
  // False at the end. Errors of the stream.
  Result<bool> next(CsvRecord& out);

 private:
  Result<bool> next_raw(std::string_view& raw, bool& open_quote);
  Status fill();
  size_t record_end(size_t from, bool& open_quote) const;
  void split(std::string_view raw, CsvRecord& out);
  size_t quoted_field(std::string_view raw, size_t at, CsvRecord& out);
  std::string_view keep(const std::string& text);

  std::unique_ptr<ByteStream> stream_;
  CsvSyntax syntax_;
  std::vector<char> buffer_;
  size_t begin_ = 0;
  size_t end_ = 0;
  bool at_start_ = true;
  bool at_end_ = false;
  uint64_t line_ = 0;
  std::vector<std::unique_ptr<std::string>> kept_;  // fields that had escapes
};

}  // namespace lakebed::source
