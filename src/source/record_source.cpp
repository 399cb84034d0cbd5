#include "source/record_source.h"

#include <simdjson.h>

#include <cstring>
#include <utility>

namespace lakebed::source {

namespace {

constexpr size_t kBlock = 1u << 20;
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

bool is_blank(std::string_view text) {
  return text.find_first_not_of(" \t\r\n") == std::string_view::npos;
}

}  // namespace

RecordSource::RecordSource(std::vector<ListedFile> files, bool whole_files, bool ignore_missing)
    : files_(std::move(files)), whole_files_(whole_files), ignore_missing_(ignore_missing) {}

Result<bool> RecordSource::open_next() {
  while (next_file_ < files_.size()) {
    auto stream = open_bytes(files_[next_file_++]);
    if (!stream.ok()) {
      if (ignore_missing_ && stream.error().code == "SOURCE_FILE_VANISHED") continue;
      return std::move(stream).error();
    }
    stream_ = std::move(*stream);
    begin_ = end_ = checked_ = 0;
    line_ = 0;
    at_start_ = true;
    at_file_end_ = false;
    return true;
  }
  return false;
}

Result<bool> RecordSource::next(Record& out) {
  while (true) {
    if (stream_ == nullptr) {
      LAKEBED_ASSIGN(const bool opened, open_next());
      if (!opened) return false;
    }
    LAKEBED_ASSIGN(const bool found, whole_files_ ? next_file(out) : next_line(out));
    if (found) {
      out.file = next_file_ - 1;
      return true;
    }
    stream_ = nullptr;
  }
}

// Makes room at the end of the buffer and reads one block more.
Status RecordSource::fill() {
  if (begin_ > 0) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    checked_ = checked_ > begin_ ? checked_ - begin_ : 0;
    begin_ = 0;
  }
  if (buffer_.size() - end_ < kBlock) buffer_.resize(std::max(buffer_.size() * 2, end_ + kBlock));
  LAKEBED_ASSIGN(const size_t count, stream_->read(buffer_.data() + end_, kBlock));
  end_ += count;
  at_file_end_ = count == 0;
  if (at_start_ && end_ >= kByteOrderMark.size()) {
    if (std::string_view(buffer_.data(), kByteOrderMark.size()) == kByteOrderMark) {
      begin_ = kByteOrderMark.size();
    }
    at_start_ = false;
  }
  return {};
}

// One check for many lines; only where it fails is each line checked on its own.
void RecordSource::check_utf8(size_t upto) {
  if (upto > checked_ && simdjson::validate_utf8(buffer_.data() + begin_, upto - begin_)) {
    checked_ = upto;
  }
}

// Cuts the next line off, without its end. Requires: begin_ < end_, and a whole line.
std::string_view RecordSource::cut_line() {
  const char* from = buffer_.data() + begin_;
  const size_t left = end_ - begin_;
  const void* found = std::memchr(from, '\n', left);
  const size_t length =
      found != nullptr ? static_cast<size_t>(static_cast<const char*>(found) - from) : left;
  const void* lone = std::memchr(from, '\r', length);
  if (lone != nullptr) {
    const auto at = static_cast<size_t>(static_cast<const char*>(lone) - from);
    const bool pair = at + 1 == length && found != nullptr;
    begin_ += at + (pair ? 2 : 1);
    return {from, at};
  }
  begin_ += length + (found != nullptr ? 1 : 0);
  return {from, length};
}

bool RecordSource::take_line(Record& out) {
  while (begin_ < end_) {
    const char* from = buffer_.data() + begin_;
    if (!at_file_end_ && std::memchr(from, '\n', end_ - begin_) == nullptr) return false;
    const std::string_view line = cut_line();
    ++line_;
    if (is_blank(line)) continue;
    out.text = line;
    out.line = line_;
    out.closed = begin_ < end_ || buffer_[end_ - 1] == '\n' || buffer_[end_ - 1] == '\r';
    const auto end_of_line = static_cast<size_t>(line.data() + line.size() - buffer_.data());
    out.is_utf8 = end_of_line <= checked_ || simdjson::validate_utf8(line.data(), line.size());
    return true;
  }
  return false;
}

Result<bool> RecordSource::next_line(Record& out) {
  while (!take_line(out)) {
    if (at_file_end_) return false;
    LAKEBED_TRY(fill());
    size_t upto = end_;
    while (!at_file_end_ && upto > begin_ && buffer_[upto - 1] != '\n') --upto;
    check_utf8(upto);
  }
  return true;
}

Result<bool> RecordSource::next_file(Record& out) {
  if (at_file_end_) return false;
  while (!at_file_end_) LAKEBED_TRY(fill());
  out.text = {buffer_.data() + begin_, end_ - begin_};
  out.line = 1;
  out.closed = true;
  out.is_utf8 = simdjson::validate_utf8(out.text.data(), out.text.size());
  return !is_blank(out.text);
}

}  // namespace lakebed::source
