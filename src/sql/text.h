// A text as the user wrote it, and the text that is cut into tokens: the same with parameters put
// in. Every offset of the second leads back to a place in the first, so that an error inside a
// parameter's value points at the `${name}` in the user's file. Immutable; share freely.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace lakebed::sql {

// The user's text. Offsets are bytes; columns are characters, counted from 1.
class Original {
 public:
  Original(std::string file, std::string text);

  const std::string& text() const { return text_; }
  // The place of [begin, end); its length ends with the line that it begins in.
  SourceSpan span(size_t begin, size_t end) const;

 private:
  // Characters before a byte offset, from the next lower mark on.
  size_t characters_before(size_t offset) const;

  std::string file_;
  std::string text_;
  std::vector<size_t> line_starts_;
  std::vector<size_t> marks_;  // characters before every 64th byte: lines may be very long
};

// A text made of stretches that were copied from the original or stand for a part of it.
class MappedText {
 public:
  // The whole original, unchanged.
  static MappedText whole(std::shared_ptr<const Original> original);
  explicit MappedText(std::shared_ptr<const Original> original) : original_(std::move(original)) {}

  // Appends a copy of the original's bytes [begin, end). `as` may differ from them where it is of
  // the same length (masked notebook marks).
  void append_copy(std::string_view as, size_t begin);
  // Appends `text`, which stands for the original's bytes [begin, end).
  void append_instead(std::string_view text, size_t begin, size_t end);
  // A text of its own that stands for the part [begin, end) of this one.
  MappedText stand_in(std::string_view text, size_t begin, size_t end) const;

  const std::string& text() const { return text_; }
  SourceSpan span(size_t begin, size_t end) const;
  // What the user wrote for [begin, end).
  std::string written(size_t begin, size_t end) const;

 private:
  struct Stretch {
    size_t at;     // where it begins in text_
    size_t begin;  // what it is made from
    size_t end;
    bool copied;
  };
  const Stretch& stretch_at(size_t offset) const;
  size_t original_begin(size_t offset) const;
  size_t original_end(size_t offset) const;

  std::shared_ptr<const Original> original_;
  std::string text_;
  std::vector<Stretch> stretches_;
};

}  // namespace lakebed::sql
