// Java's regular expressions: a backtracking matcher over code points, so that look-around, back
// references and possessive quantifiers mean what they mean in Spark. What Java has and this does
// not is refused when the pattern is compiled.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace lakebed::engine::duck {

// A set of characters: ranges and further sets in it, then cut with others, then turned round.
struct CharSet {
  bool negated = false;
  bool fold = false;  // ASCII letters in any case
  std::vector<std::pair<char32_t, char32_t>> ranges;
  std::vector<CharSet> inner;
  std::vector<CharSet> intersected;
  bool contains(char32_t code) const;
};

struct RegexStep {
  enum class Op : uint8_t {
    kChar,
    kAny,
    kSet,
    kSplit,
    kJump,
    kSave,
    kLineStart,
    kLineEnd,
    kTextStart,
    kTextEnd,
    kTextEndBeforeNewline,
    kWordBoundary,
    kNoWordBoundary,
    kBackReference,
    kLookAhead,
    kLookBehind,
    kAtomic,
    kMark,
    kAdvanced,
    kMatch
  };
  Op op = Op::kMatch;
  char32_t code = 0;
  bool flag = false;  // kAny: newlines, too; kLook...: negative; kChar, kBackReference: fold
  size_t first =
      0;  // kSplit: preferred; kJump: target; kSave, kMark: slot; kSet: which; sub-program
  size_t second = 0;  // kSplit: the other; kLook..., kAtomic: where to go on
};

class Regex {
 public:
  // Errors: INVALID_PARAMETER_VALUE.PATTERN, FUNCTION_NOT_SUPPORTED.regexp.
  static Result<Regex> compile(std::string_view pattern);

  size_t group_count() const { return groups_; }
  const std::map<std::string, size_t>& names() const { return names_; }

  // Byte positions of groups, two for each; SIZE_MAX: not part of the match.
  using Match = std::vector<size_t>;
  // The first match at or after a byte position. Error REGEX_TOO_COMPLEX beyond a step limit.
  Result<std::optional<Match>> find(std::string_view text, size_t from) const;

 private:
  friend class RegexCompiler;
  std::vector<RegexStep> steps_;
  std::vector<CharSet> sets_;
  size_t groups_ = 0;
  size_t marks_ = 0;
  std::map<std::string, size_t> names_;
};

}  // namespace lakebed::engine::duck
