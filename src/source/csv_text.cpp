#include "source/csv_text.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace lakebed::source {

namespace {

constexpr size_t kBlock = 1u << 20;
constexpr size_t kUnfinished = static_cast<size_t>(-1);
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

bool is_blank(std::string_view text) {
  return text.find_first_not_of(" \t\r\n") == std::string_view::npos;
}

}  // namespace

CsvRecords::CsvRecords(std::unique_ptr<ByteStream> stream, CsvSyntax syntax)
    : stream_(std::move(stream)), syntax_(std::move(syntax)) {}

Status CsvRecords::fill() {
  if (begin_ > 0) std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
  end_ -= begin_;
  begin_ = 0;
  if (buffer_.size() - end_ < kBlock) buffer_.resize(std::max(buffer_.size() * 2, end_ + kBlock));
  LAKEBED_ASSIGN(const size_t count, stream_->read(buffer_.data() + end_, kBlock));
  end_ += count;
  at_end_ = count == 0;
  if (at_start_ && end_ >= kByteOrderMark.size()) {
    at_start_ = false;
    if (std::string_view(buffer_.data(), 3) == kByteOrderMark) begin_ = 3;
  }
  return {};
}

// Where the record that begins at `from` ends (its line end excluded); kUnfinished where the
// buffer does not tell. With multi_line a line end inside quotes does not count.
size_t CsvRecords::record_end(size_t from, bool& open_quote) const {
  bool inside = false;
  for (size_t i = from; i < end_; ++i) {
    const char c = buffer_[i];
    if (inside && c == syntax_.escape && c != syntax_.quote && i + 1 < end_) {
      ++i;
    } else if (syntax_.multi_line && syntax_.quote != 0 && c == syntax_.quote) {
      inside = !inside;
    } else if (!inside && (c == '\n' || c == '\r')) {
      open_quote = false;
      return c == '\r' && i + 1 >= end_ && !at_end_ ? kUnfinished : i;
    }
  }
  open_quote = inside;
  return at_end_ ? end_ : kUnfinished;
}

// The next record's text. `line_` is moved past it.
Result<bool> CsvRecords::next_raw(std::string_view& raw, bool& open_quote) {
  while (true) {
    const size_t end = begin_ < end_ || at_end_ ? record_end(begin_, open_quote) : kUnfinished;
    if (end == kUnfinished) {
      LAKEBED_TRY(fill());
      continue;
    }
    if (begin_ >= end_) return false;
    raw = {buffer_.data() + begin_, end - begin_};
    const bool pair = end + 1 < end_ && buffer_[end] == '\r' && buffer_[end + 1] == '\n';
    begin_ = std::min(end_, end + (pair ? 2 : 1));
    return true;
  }
}

Result<bool> CsvRecords::next(CsvRecord& out) {
  while (true) {
    bool open_quote = false;
    LAKEBED_ASSIGN(const bool found, next_raw(out.raw, open_quote));
    if (!found) return false;
    out.line = line_ + 1;
    line_ += 1 + static_cast<uint64_t>(std::count(out.raw.begin(), out.raw.end(), '\n'));
    if (is_blank(out.raw)) continue;
    if (syntax_.comment != 0 && out.raw[0] == syntax_.comment) continue;
    out.problem = open_quote ? "a quoted field without an end" : nullptr;
    split(out.raw, out);
    return true;
  }
}

std::string_view CsvRecords::keep(const std::string& text) {
  kept_.push_back(std::make_unique<std::string>(text));
  return *kept_.back();
}

// Reads a quoted field that begins at `at` (on the quote). Returns where it ends: at a separator
// or the record's end. A closing quote that neither follows makes it a plain field, quotes
// included, up to the separator.
size_t CsvRecords::quoted_field(std::string_view raw, size_t at, CsvRecord& out) {
  const char quote = syntax_.quote;
  const char escape = syntax_.escape;
  std::string text;
  bool changed = false;
  size_t i = at + 1;
  size_t plain = i;
  for (; i < raw.size(); ++i) {
    const char next = i + 1 < raw.size() ? raw[i + 1] : '\0';
    const bool doubled = raw[i] == quote && next == quote;
    const bool escaped = raw[i] == escape && escape != quote && (next == quote || next == escape) &&
                         i + 1 < raw.size();
    if (doubled || escaped) {
      text.append(raw, plain, i - plain);
      text.push_back(next);
      changed = true;
      plain = ++i + 1;
    } else if (raw[i] == quote) {
      break;
    }
  }
  if (i >= raw.size()) {
    if (out.problem == nullptr) out.problem = "a quoted field without an end";
    out.fields.push_back({raw.substr(at), false});
    return raw.size();
  }
  const size_t after = i + 1;
  if (after < raw.size() && raw.compare(after, syntax_.separator.size(), syntax_.separator) != 0) {
    const size_t end = std::min(raw.find(syntax_.separator, after), raw.size());
    out.fields.push_back({raw.substr(at, end - at), false});
    return end;
  }
  if (changed) text.append(raw, plain, i - plain);
  out.fields.push_back({changed ? keep(text) : raw.substr(at + 1, i - at - 1), true});
  return after;
}

void CsvRecords::split(std::string_view raw, CsvRecord& out) {
  out.fields.clear();
  kept_.clear();
  size_t at = 0;
  while (true) {
    if (syntax_.quote != 0 && at < raw.size() && raw[at] == syntax_.quote) {
      at = quoted_field(raw, at, out);
    } else {
      const size_t end = std::min(raw.find(syntax_.separator, at), raw.size());
      out.fields.push_back({raw.substr(at, end - at), false});
      at = end;
    }
    if (at >= raw.size()) return;
    at += syntax_.separator.size();
  }
}

}  // namespace lakebed::source
