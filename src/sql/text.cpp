#include "sql/text.h"

#include <algorithm>

namespace lakebed::sql {

namespace {

constexpr size_t kMarkEvery = 64;

// Characters of a UTF-8 text: bytes that do not continue another.
size_t characters(std::string_view text) {
  size_t count = 0;
  for (const char c : text) count += (static_cast<unsigned char>(c) & 0xC0U) != 0x80U ? 1 : 0;
  return count;
}

}  // namespace

Original::Original(std::string file, std::string text)
    : file_(std::move(file)), text_(std::move(text)) {
  line_starts_.push_back(0);
  for (size_t i = 0; i < text_.size(); ++i) {
    if (text_[i] == '\n') line_starts_.push_back(i + 1);
  }
  size_t count = 0;
  for (size_t at = 0; at <= text_.size(); at += kMarkEvery) {
    marks_.push_back(count);
    count += characters(std::string_view(text_).substr(at, kMarkEvery));
  }
}

size_t Original::characters_before(size_t offset) const {
  const size_t mark = offset / kMarkEvery;
  const size_t at = mark * kMarkEvery;
  return marks_[mark] + characters(std::string_view(text_).substr(at, offset - at));
}

SourceSpan Original::span(size_t begin, size_t end) const {
  begin = std::min(begin, text_.size());
  end = std::min(std::max(begin, end), text_.size());
  const auto after = std::upper_bound(line_starts_.begin(), line_starts_.end(), begin);
  const size_t start = *(after - 1);
  size_t line_end = after == line_starts_.end() ? text_.size() : *after - 1;
  if (line_end > start && text_[line_end - 1] == '\r') --line_end;
  const size_t stop = std::max(begin, std::min(end, line_end));
  SourceSpan span;
  span.file = file_;
  span.line = static_cast<uint32_t>(after - line_starts_.begin());
  const size_t before = characters_before(begin);
  span.column = static_cast<uint32_t>(before - characters_before(start) + 1);
  span.length = static_cast<uint32_t>(std::max<size_t>(1, characters_before(stop) - before));
  return span;
}

MappedText MappedText::whole(std::shared_ptr<const Original> original) {
  MappedText out(original);
  out.append_copy(original->text(), 0);
  return out;
}

void MappedText::append_copy(std::string_view as, size_t begin) {
  stretches_.push_back({text_.size(), begin, begin + as.size(), true});
  text_ += as;
}

void MappedText::append_instead(std::string_view text, size_t begin, size_t end) {
  stretches_.push_back({text_.size(), begin, end, false});
  text_ += text;
}

MappedText MappedText::stand_in(std::string_view text, size_t begin, size_t end) const {
  MappedText out(original_);
  out.append_instead(text, original_begin(begin), original_end(end));
  return out;
}

const MappedText::Stretch& MappedText::stretch_at(size_t offset) const {
  LAKEBED_ASSERT(!stretches_.empty());
  const auto after =
      std::upper_bound(stretches_.begin(), stretches_.end(), offset,
                       [](size_t wanted, const Stretch& stretch) { return wanted < stretch.at; });
  return after == stretches_.begin() ? *after : *(after - 1);
}

size_t MappedText::original_begin(size_t offset) const {
  if (stretches_.empty()) return 0;
  const Stretch& stretch = stretch_at(offset);
  return stretch.copied ? stretch.begin + (offset - stretch.at) : stretch.begin;
}

size_t MappedText::original_end(size_t offset) const {
  if (offset == 0 || stretches_.empty()) return original_begin(offset);
  const Stretch& stretch = stretch_at(offset - 1);
  return stretch.copied ? stretch.begin + (offset - stretch.at) : stretch.end;
}

SourceSpan MappedText::span(size_t begin, size_t end) const {
  return original_->span(original_begin(begin), end > begin ? original_end(end) : 0);
}

std::string MappedText::written(size_t begin, size_t end) const {
  const size_t from = original_begin(begin);
  const size_t to = original_end(end);
  return to > from ? original_->text().substr(from, to - from) : "";
}

}  // namespace lakebed::sql
