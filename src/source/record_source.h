// Records of text files: the lines of JSON lines, or whole files, one after another.
//
// Blank lines are passed over, a byte order mark at the start of a file too; LF, CR LF and CR end
// a line. A record's text is valid until the next call. Memory: one block, or the longest line;
// with whole files the file.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "source/byte_stream.h"

namespace lakebed::source {

struct Record {
  std::string_view text;
  size_t file = 0;    // index in the list of files
  uint64_t line = 1;  // where the record begins
  bool is_utf8 = true;
  bool closed = true;  // false: the file ended without an end of line after it
};

class RecordSource {
 public:
  RecordSource(std::vector<ListedFile> files, bool whole_files, bool ignore_missing);

  // The next record: false at the end.
  Result<bool> next(Record& out);
  const std::vector<ListedFile>& files() const { return files_; }

 private:
  Result<bool> open_next();
  Result<bool> next_line(Record& out);
  Result<bool> next_file(Record& out);
  Status fill();
  void check_utf8(size_t upto);
  bool take_line(Record& out);
  std::string_view cut_line();

  std::vector<ListedFile> files_;
  bool whole_files_;
  bool ignore_missing_;
  size_t next_file_ = 0;
  std::unique_ptr<ByteStream> stream_;  // null: no file is open
  std::vector<char> buffer_;
  size_t begin_ = 0;    // of the text that was not handed out
  size_t end_ = 0;      // of the bytes that were read
  size_t checked_ = 0;  // text before this is known to be UTF-8
  bool at_start_ = false;
  bool at_file_end_ = false;
  uint64_t line_ = 0;  // lines handed out or passed over in this file
};

}  // namespace lakebed::source
