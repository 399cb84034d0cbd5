#include "engine/duck/functions/regex.h"

#include <algorithm>

#include "engine/duck/functions/utf8.h"

namespace lakebed::engine::duck {

namespace {

char32_t folded(char32_t code) { return code >= 'A' && code <= 'Z' ? code + 32 : code; }

bool listed(const CharSet& set, char32_t code) {
  for (const auto& [low, high] : set.ranges) {
    if (code >= low && code <= high) return true;
  }
  return std::any_of(set.inner.begin(), set.inner.end(),
                     [code](const CharSet& inner) { return inner.contains(code); });
}

bool is_newline(char32_t code) {
  return code == '\n' || code == '\r' || code == 0x85 || code == 0x2028 || code == 0x2029;
}

bool is_word(char32_t code) {
  return (code >= 'a' && code <= 'z') || (code >= 'A' && code <= 'Z') ||
         (code >= '0' && code <= '9') || code == '_' || (code >= 0x80 && is_letter(code));
}

constexpr size_t kNowhere = SIZE_MAX;
constexpr uint64_t kMostSteps = 20'000'000;

}  // namespace

bool CharSet::contains(char32_t code) const {
  bool found = listed(*this, code);
  if (!found && fold) {
    const char32_t other = code >= 'a' && code <= 'z'   ? code - 32
                           : code >= 'A' && code <= 'Z' ? code + 32
                                                        : code;
    found = listed(*this, other);
  }
  for (const CharSet& other : intersected) found = found && other.contains(code);
  return found != negated;
}

namespace {

using Op = RegexStep::Op;

// One attempt from one position. What may have to be undone lies on a stack.
class Matcher {
 public:
  Matcher(const std::vector<RegexStep>& steps, const std::vector<CharSet>& sets,
          std::string_view text, size_t slots, size_t marks)
      : steps_(steps), sets_(sets), text_(text), slots_(slots, kNowhere), marks_(marks, kNowhere) {}

  bool too_long() const { return count_ > kMostSteps; }
  const std::vector<size_t>& slots() const { return slots_; }
  void clear() { std::fill(slots_.begin(), slots_.end(), kNowhere); }

  // True where the program from `pc` matches at `at`; `at` becomes the end. With `must_end` only
  // a match that ends there counts.
  bool run(size_t pc, size_t& at, size_t must_end = kNowhere) {
    const size_t bottom = undo_.size();
    while (count_ <= kMostSteps) {
      ++count_;
      const RegexStep& step = steps_[pc];
      if (step.op == Op::kMatch && (must_end == kNowhere || at == must_end)) {
        commit(bottom);
        return true;
      }
      const bool good = step.op != Op::kMatch && take(step, pc, at);
      if (good) continue;
      if (!back(bottom, pc, at)) return false;
    }
    return false;
  }

 private:
  struct Undo {
    enum class What : uint8_t { kBranch, kSlot, kMark } what;
    size_t first;   // pc, slot
    size_t second;  // position, old value
  };

  void set_slot(size_t slot, size_t value) {
    undo_.push_back({Undo::What::kSlot, slot, slots_[slot]});
    slots_[slot] = value;
  }
  void set_mark(size_t mark, size_t value) {
    undo_.push_back({Undo::What::kMark, mark, marks_[mark]});
    marks_[mark] = value;
  }

  // Undoes up to the last branch and takes it.
  bool back(size_t bottom, size_t& pc, size_t& at) {
    while (undo_.size() > bottom) {
      const Undo last = undo_.back();
      undo_.pop_back();
      if (last.what == Undo::What::kSlot)
        slots_[last.first] = last.second;
      else if (last.what == Undo::What::kMark)
        marks_[last.first] = last.second;
      else {
        pc = last.first;
        at = last.second;
        return true;
      }
    }
    return false;
  }

  // Branches above `bottom` are given up, changes of slots stay undoable.
  void commit(size_t bottom) {
    const auto start = undo_.begin() + static_cast<std::ptrdiff_t>(bottom);
    undo_.erase(std::remove_if(start, undo_.end(),
                               [](const Undo& item) { return item.what == Undo::What::kBranch; }),
                undo_.end());
  }

  char32_t before(size_t at) const {
    size_t start = at - 1;
    while (start > 0 && (static_cast<unsigned char>(text_[start]) & 0xC0U) == 0x80U) --start;
    return utf8_next(text_, start);
  }
  char32_t after(size_t at) const { return utf8_next(text_, at); }

  bool word_boundary(size_t at) const {
    const bool left = at > 0 && is_word(before(at));
    const bool right = at < text_.size() && is_word(after(at));
    return left != right;
  }
  bool before_last_newline(size_t at) const {
    if (at == text_.size()) return true;
    const std::string_view rest = text_.substr(at);
    if (rest == "\n" && at > 0 && text_[at - 1] == '\r') return false;
    return rest == "\n" || rest == "\r" || rest == "\r\n";
  }
  bool line_start(size_t at) const {
    return at == 0 || (at < text_.size() && is_newline(before(at)));
  }

  bool back_reference(const RegexStep& step, size_t& at) const {
    const size_t begin = slots_[step.first * 2], end = slots_[step.first * 2 + 1];
    if (begin == kNowhere || end == kNowhere) return false;
    const std::string_view wanted = text_.substr(begin, end - begin);
    const std::string_view found = text_.substr(at, wanted.size());
    const bool same = std::equal(
        wanted.begin(), wanted.end(), found.begin(), found.end(), [&step](char a, char b) {
          if (a == b) return true;
          return step.flag &&
                 folded(static_cast<unsigned char>(a)) == folded(static_cast<unsigned char>(b));
        });
    if (same) at += wanted.size();
    return same;
  }

  bool look(const RegexStep& step, size_t& pc, size_t at) {
    bool found = false;
    if (step.op == Op::kLookAhead) {
      size_t end = at;
      found = run(step.first, end);
    } else {
      for (size_t start = at + 1; start-- > 0 && !found;) {
        size_t end = start;
        found = run(step.first, end, at);
      }
    }
    pc = step.second;
    return found != step.flag;
  }

  bool one_code(const RegexStep& step, size_t& at) const {
    if (at >= text_.size()) return false;
    size_t next = at;
    const char32_t code = utf8_next(text_, next);
    bool good = false;
    if (step.op == Op::kChar) {
      good = code == step.code || (step.flag && folded(code) == folded(step.code));
    } else if (step.op == Op::kAny) {
      good = step.flag || !is_newline(code);
    } else {
      good = sets_[step.first].contains(code);
    }
    if (good) at = next;
    return good;
  }

  bool take(const RegexStep& step, size_t& pc, size_t& at) {
    switch (step.op) {
      case Op::kChar:
      case Op::kAny:
      case Op::kSet: ++pc; return one_code(step, at);
      case Op::kSplit:
        undo_.push_back({Undo::What::kBranch, step.second, at});
        pc = step.first;
        return true;
      case Op::kJump: pc = step.first; return true;
      case Op::kSave:
        set_slot(step.first, at);
        ++pc;
        return true;
      case Op::kLineStart: ++pc; return line_start(at);
      case Op::kLineEnd: ++pc; return at == text_.size() || is_newline(after(at));
      case Op::kTextStart: ++pc; return at == 0;
      case Op::kTextEnd: ++pc; return at == text_.size();
      case Op::kTextEndBeforeNewline: ++pc; return before_last_newline(at);
      case Op::kWordBoundary: ++pc; return word_boundary(at);
      case Op::kNoWordBoundary: ++pc; return !word_boundary(at);
      case Op::kBackReference: ++pc; return back_reference(step, at);
      case Op::kLookAhead:
      case Op::kLookBehind: return look(step, pc, at);
      case Op::kAtomic: pc = step.second; return run(step.first, at);
      case Op::kMark:
        set_mark(step.first, at);
        ++pc;
        return true;
      // Nothing consumed in this round: go on behind the loop (its jump is the next step).
      case Op::kAdvanced: pc += marks_[step.first] == at ? 2 : 1; return true;
      default: return false;
    }
  }

  const std::vector<RegexStep>& steps_;
  const std::vector<CharSet>& sets_;
  std::string_view text_;
  std::vector<size_t> slots_;
  std::vector<size_t> marks_;
  std::vector<Undo> undo_;
  uint64_t count_ = 0;
};

}  // namespace

Result<std::optional<Regex::Match>> Regex::find(std::string_view text, size_t from) const {
  Matcher matcher(steps_, sets_, text, (groups_ + 1) * 2, marks_);
  for (size_t start = from; start <= text.size();) {
    size_t at = start;
    matcher.clear();
    if (matcher.run(0, at)) return std::optional(matcher.slots());
    if (matcher.too_long()) {
      return update_error("REGEX_TOO_COMPLEX", "The regular expression takes too long on a value.");
    }
    start += start < text.size() ? utf8_width(text[start]) : 1;
  }
  return std::optional<Match>();
}

}  // namespace lakebed::engine::duck
