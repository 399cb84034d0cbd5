// From a pattern's text to the steps of the matcher.
#include <fmt/format.h>

#include <memory>

#include "engine/duck/functions/regex.h"
#include "engine/duck/functions/utf8.h"

namespace lakebed::engine::duck {

namespace {

using Op = RegexStep::Op;
constexpr size_t kUnlimited = SIZE_MAX;

struct Node;
using NodePtr = std::unique_ptr<Node>;

struct Node {
  enum class Kind : uint8_t { kEmpty, kStep, kSequence, kChoice, kRepeat, kGroup, kLook, kAtomic };
  Kind kind = Kind::kEmpty;
  RegexStep step;
  CharSet set;
  std::vector<NodePtr> parts;
  size_t least = 0, most = 0;
  bool lazy = false;
  size_t group = 0;
};

NodePtr make(Node::Kind kind) {
  auto out = std::make_unique<Node>();
  out->kind = kind;
  return out;
}

CharSet range_set(std::vector<std::pair<char32_t, char32_t>> ranges, bool negated = false) {
  CharSet out;
  out.ranges = std::move(ranges);
  out.negated = negated;
  return out;
}

CharSet digit_set(bool negated) { return range_set({{'0', '9'}}, negated); }
CharSet word_set(bool negated) {
  return range_set({{'a', 'z'}, {'A', 'Z'}, {'0', '9'}, {'_', '_'}}, negated);
}
CharSet space_set(bool negated) { return range_set({{'\t', '\r'}, {' ', ' '}}, negated); }

std::optional<CharSet> named_set(std::string_view name, bool negated) {
  static const std::map<std::string_view, std::vector<std::pair<char32_t, char32_t>>> sets = {
      {"Lower", {{'a', 'z'}}},
      {"Upper", {{'A', 'Z'}}},
      {"ASCII", {{0, 0x7F}}},
      {"Alpha", {{'a', 'z'}, {'A', 'Z'}}},
      {"Digit", {{'0', '9'}}},
      {"Alnum", {{'a', 'z'}, {'A', 'Z'}, {'0', '9'}}},
      {"Punct", {{'!', '/'}, {':', '@'}, {'[', '`'}, {'{', '~'}}},
      {"Graph", {{'!', '~'}}},
      {"Print", {{' ', '~'}}},
      {"Blank", {{' ', ' '}, {'\t', '\t'}}},
      {"Cntrl", {{0, 0x1F}, {0x7F, 0x7F}}},
      {"XDigit", {{'0', '9'}, {'a', 'f'}, {'A', 'F'}}},
      {"Space", {{'\t', '\r'}, {' ', ' '}}}};
  const auto found = sets.find(name);
  if (found == sets.end()) return std::nullopt;
  return range_set(found->second, negated);
}

}  // namespace

class RegexCompiler {
 public:
  explicit RegexCompiler(std::string_view pattern) : pattern_(pattern) {}

  Result<Regex> compile() {
    LAKEBED_ASSIGN(NodePtr root, choice());
    if (at_ < pattern_.size()) return broken("an unmatched ')'");
    if (back_reference_ > out_.groups_) return broken("a reference to no group");
    save(0, [&] { emit(*root); });
    add(Op::kMatch);
    if (out_.steps_.size() > 20'000) return refused("a pattern this large");
    return std::move(out_);
  }

 private:
  Error broken(std::string_view what) const {
    return update_error("INVALID_PARAMETER_VALUE.PATTERN",
                        fmt::format("'{}' is no regular expression: {}.", pattern_, what));
  }
  Error refused(std::string_view what) const {
    return update_error("FUNCTION_NOT_SUPPORTED.regexp",
                        fmt::format("The regular expression '{}' needs {}.", pattern_, what));
  }
  bool more() const { return at_ < pattern_.size(); }
  char peek() const { return more() ? pattern_[at_] : '\0'; }
  bool eat(std::string_view text) {
    if (pattern_.substr(at_, text.size()) != text) return false;
    at_ += text.size();
    return true;
  }

  // --- parsing ---

  Result<NodePtr> choice() {
    const bool fold = fold_, dot_all = dot_all_, multiline = multiline_;
    NodePtr out = make(Node::Kind::kChoice);
    do {
      LAKEBED_ASSIGN(NodePtr part, sequence());
      out->parts.push_back(std::move(part));
    } while (eat("|"));
    fold_ = fold;
    dot_all_ = dot_all;
    multiline_ = multiline;
    if (out->parts.size() == 1) return std::move(out->parts[0]);
    return out;
  }

  Result<NodePtr> sequence() {
    NodePtr out = make(Node::Kind::kSequence);
    while (more() && peek() != '|' && peek() != ')') {
      LAKEBED_ASSIGN(NodePtr part, atom());
      LAKEBED_ASSIGN(part, quantified(std::move(part)));
      out->parts.push_back(std::move(part));
    }
    return out;
  }

  Result<size_t> number() {
    size_t out = 0;
    if (peek() < '0' || peek() > '9') return broken("a repetition without a number");
    while (peek() >= '0' && peek() <= '9') {
      out = out * 10 + static_cast<size_t>(pattern_[at_++] - '0');
      if (out > 10'000) return refused("that many repetitions");
    }
    return out;
  }

  Result<NodePtr> quantified(NodePtr part) {
    size_t least = 0, most = kUnlimited;
    if (eat("*")) {
    } else if (eat("+")) {
      least = 1;
    } else if (eat("?")) {
      most = 1;
    } else if (eat("{")) {
      LAKEBED_ASSIGN(least, number());
      most = least;
      if (eat(",")) {
        most = kUnlimited;
        if (peek() != '}') {
          LAKEBED_ASSIGN(most, number());
        }
      }
      if (!eat("}") || most < least) return broken("an unclosed repetition");
    } else {
      return part;
    }
    NodePtr out = make(Node::Kind::kRepeat);
    out->least = least;
    out->most = most;
    out->parts.push_back(std::move(part));
    if (eat("?")) {
      out->lazy = true;
    } else if (eat("+")) {
      NodePtr atomic = make(Node::Kind::kAtomic);
      atomic->parts.push_back(std::move(out));
      return atomic;
    }
    // A quantifier of a quantifier is allowed in Java only in groups.
    if (peek() == '*' || peek() == '+' || peek() == '?') return broken("a dangling quantifier");
    return out;
  }

  NodePtr step(Op op, char32_t code = 0, bool flag = false) {
    NodePtr out = make(Node::Kind::kStep);
    out->step.op = op;
    out->step.code = code;
    out->step.flag = flag;
    return out;
  }
  NodePtr set_node(CharSet set) {
    NodePtr out = step(Op::kSet);
    set.fold = fold_;
    out->set = std::move(set);
    return out;
  }

  Result<NodePtr> atom() {
    const char c = peek();
    if (c == '(') return group();
    if (c == '[') {
      ++at_;
      LAKEBED_ASSIGN(CharSet set, char_class());
      return set_node(std::move(set));
    }
    if (c == '\\') return escape();
    if (c == '*' || c == '+' || c == '?' || c == '{') return broken("a quantifier of nothing");
    const char32_t code = utf8_next(pattern_, at_);
    if (c == '.') return step(Op::kAny, 0, dot_all_);
    if (c == '^') return step(multiline_ ? Op::kLineStart : Op::kTextStart);
    if (c == '$') return step(multiline_ ? Op::kLineEnd : Op::kTextEndBeforeNewline);
    return step(Op::kChar, code, fold_);
  }

  Result<NodePtr> group() {
    ++at_;
    NodePtr out;
    if (!eat("?")) {
      out = make(Node::Kind::kGroup);
      out->group = ++out_.groups_;
    } else if (eat(":")) {
      out = make(Node::Kind::kSequence);
    } else if (eat(">")) {
      out = make(Node::Kind::kAtomic);
    } else if (pattern_.substr(at_, 1) == "=" || pattern_.substr(at_, 1) == "!" ||
               pattern_.substr(at_, 2) == "<=" || pattern_.substr(at_, 2) == "<!") {
      out = make(Node::Kind::kLook);
      out->step.op = eat("<") ? Op::kLookBehind : Op::kLookAhead;
      out->step.flag = pattern_[at_++] == '!';
    } else if (eat("<")) {
      const size_t end = pattern_.find('>', at_);
      if (end == std::string_view::npos || end == at_) return broken("an unclosed name");
      out = make(Node::Kind::kGroup);
      out->group = ++out_.groups_;
      out_.names_[std::string(pattern_.substr(at_, end - at_))] = out->group;
      at_ = end + 1;
    } else {
      return flags();
    }
    LAKEBED_ASSIGN(NodePtr inner, choice());
    out->parts.push_back(std::move(inner));
    if (!eat(")")) return broken("an unclosed group");
    return out;
  }

  // (?i), (?s-i), (?i:...).
  Result<NodePtr> flags() {
    const bool fold = fold_, dot_all = dot_all_, multiline = multiline_;
    bool on = true;
    for (; more() && peek() != ')' && peek() != ':'; ++at_) {
      switch (peek()) {
        case '-': on = false; break;
        case 'i': fold_ = on; break;
        case 's': dot_all_ = on; break;
        case 'm': multiline_ = on; break;
        case 'u': break;
        default: return refused(fmt::format("the flag '{}'", peek()));
      }
    }
    if (eat(")")) return make(Node::Kind::kEmpty);
    if (!eat(":")) return broken("an unclosed group");
    LAKEBED_ASSIGN(NodePtr inner, choice());
    if (!eat(")")) return broken("an unclosed group");
    fold_ = fold;
    dot_all_ = dot_all;
    multiline_ = multiline;
    return inner;
  }

  // A predefined set after a backslash, which is eaten with it.
  Result<std::optional<CharSet>> escaped_set() {
    const char c = peek();
    switch (c) {
      case 'd':
      case 'D': ++at_; return std::optional(digit_set(c == 'D'));
      case 'w':
      case 'W': ++at_; return std::optional(word_set(c == 'W'));
      case 's':
      case 'S': ++at_; return std::optional(space_set(c == 'S'));
      case 'h':
      case 'H':
        ++at_;
        return std::optional(range_set({{' ', ' '}, {'\t', '\t'}, {0xA0, 0xA0}}, c == 'H'));
      case 'v':
      case 'V': ++at_; return std::optional(range_set({{'\n', '\r'}, {0x85, 0x85}}, c == 'V'));
      case 'p':
      case 'P': break;
      default: return std::optional<CharSet>();
    }
    ++at_;
    std::string_view name = pattern_.substr(at_, 1);
    if (eat("{")) {
      const size_t end = pattern_.find('}', at_);
      if (end == std::string_view::npos) return broken("an unclosed property");
      name = pattern_.substr(at_, end - at_);
      at_ = end + 1;
    } else {
      ++at_;
    }
    if (name.starts_with("Is")) name.remove_prefix(2);
    auto set = named_set(name, c == 'P');
    if (!set) return refused(fmt::format("the property '{}'", name));
    return set;
  }

  Result<char32_t> hex(size_t digits) {
    char32_t out = 0;
    for (size_t i = 0; i < digits; ++i, ++at_) {
      const char c = peek();
      out *= 16;
      if (c >= '0' && c <= '9')
        out += static_cast<char32_t>(c - '0');
      else if (c >= 'a' && c <= 'f')
        out += static_cast<char32_t>(c - 'a' + 10);
      else if (c >= 'A' && c <= 'F')
        out += static_cast<char32_t>(c - 'A' + 10);
      else
        return broken("a bad escape");
    }
    return out;
  }

  // The character that an escape stands for; the backslash is behind.
  Result<char32_t> escaped_code() {
    if (!more()) return broken("a backslash at the end");
    const char c = pattern_[at_];
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    const char32_t code = utf8_next(pattern_, at_);
    switch (c) {
      case 't': return U'\t';
      case 'n': return U'\n';
      case 'r': return U'\r';
      case 'f': return U'\f';
      case 'a': return char32_t{7};
      case 'e': return char32_t{27};
      case 'x': return hex(2);
      case 'u': return hex(4);
      default: break;
    }
    if (letter) return broken(fmt::format("the escape '\\{}'", c));
    return code;
  }

  Result<NodePtr> escape() {
    ++at_;
    LAKEBED_ASSIGN(auto set, escaped_set());
    if (set) return set_node(std::move(*set));
    const char c = peek();
    if (c >= '1' && c <= '9') {
      size_t group = static_cast<size_t>(c - '0');
      ++at_;
      // A further digit belongs to it while there is such a group.
      while (peek() >= '0' && peek() <= '9' &&
             group * 10 + static_cast<size_t>(peek() - '0') <= out_.groups_) {
        group = group * 10 + static_cast<size_t>(pattern_[at_++] - '0');
      }
      back_reference_ = std::max(back_reference_, group);
      NodePtr out = step(Op::kBackReference, 0, fold_);
      out->step.first = group;
      return out;
    }
    switch (c) {
      case 'b': ++at_; return step(Op::kWordBoundary);
      case 'B': ++at_; return step(Op::kNoWordBoundary);
      case 'A': ++at_; return step(Op::kTextStart);
      case 'z': ++at_; return step(Op::kTextEnd);
      case 'Z': ++at_; return step(Op::kTextEndBeforeNewline);
      case 'Q': ++at_; return quotation();
      case 'G':
      case 'R':
      case 'X':
      case 'k':
      case '0': return refused(fmt::format("the escape '\\{}'", c));
      default: break;
    }
    LAKEBED_ASSIGN(char32_t code, escaped_code());
    return step(Op::kChar, code, fold_);
  }

  Result<NodePtr> quotation() {
    NodePtr out = make(Node::Kind::kSequence);
    while (more() && !eat("\\E"))
      out->parts.push_back(step(Op::kChar, utf8_next(pattern_, at_), fold_));
    return out;
  }

  // After the opening bracket.
  Result<CharSet> char_class() {
    CharSet out;
    out.fold = fold_;
    out.negated = eat("^");
    bool first = true;
    while (more()) {
      if (peek() == ']' && !first) {
        ++at_;
        return out;
      }
      first = false;
      if (eat("&&")) {
        LAKEBED_ASSIGN(CharSet rest, intersection());
        out.intersected.push_back(std::move(rest));
        continue;
      }
      if (eat("[")) {
        LAKEBED_ASSIGN(CharSet inner, char_class());
        out.inner.push_back(std::move(inner));
        continue;
      }
      LAKEBED_TRY(class_item(out));
    }
    return broken("an unclosed class");
  }

  // What follows "&&", up to the bracket that closes the class.
  Result<CharSet> intersection() {
    CharSet out;
    out.fold = fold_;
    while (more() && peek() != ']' && pattern_.substr(at_, 2) != "&&") {
      if (eat("[")) {
        LAKEBED_ASSIGN(CharSet inner, char_class());
        out.inner.push_back(std::move(inner));
      } else {
        LAKEBED_TRY(class_item(out));
      }
    }
    return out;
  }

  Result<char32_t> class_code() {
    if (eat("\\")) return escaped_code();
    return utf8_next(pattern_, at_);
  }

  Status class_item(CharSet& out) {
    if (pattern_.substr(at_, 1) == "\\") {
      ++at_;
      LAKEBED_ASSIGN(auto set, escaped_set());
      if (set) {
        out.inner.push_back(std::move(*set));
        return {};
      }
      --at_;
    }
    LAKEBED_ASSIGN(const char32_t low, class_code());
    char32_t high = low;
    if (peek() == '-' && at_ + 1 < pattern_.size() && pattern_[at_ + 1] != ']' &&
        pattern_[at_ + 1] != '[') {
      ++at_;
      LAKEBED_ASSIGN(high, class_code());
      if (high < low) return broken("a range that goes backwards");
    }
    out.ranges.emplace_back(low, high);
    return {};
  }

  // --- emitting ---

  size_t add(Op op, size_t first = 0, size_t second = 0) {
    RegexStep one;
    one.op = op;
    one.first = first;
    one.second = second;
    out_.steps_.push_back(one);
    return out_.steps_.size() - 1;
  }
  size_t here() const { return out_.steps_.size(); }

  template <typename Inside>
  void save(size_t group, Inside inside) {
    add(Op::kSave, group * 2);
    inside();
    add(Op::kSave, group * 2 + 1);
  }

  void emit(const Node& node) {
    if (here() > 20'000) return;
    switch (node.kind) {
      case Node::Kind::kEmpty: return;
      case Node::Kind::kStep: emit_step(node); return;
      case Node::Kind::kSequence:
        for (const NodePtr& part : node.parts) emit(*part);
        return;
      case Node::Kind::kChoice: emit_choice(node); return;
      case Node::Kind::kRepeat: emit_repeat(node); return;
      case Node::Kind::kGroup: save(node.group, [&] { emit(*node.parts[0]); }); return;
      case Node::Kind::kLook: emit_inside(node, node.step.op, node.step.flag); return;
      case Node::Kind::kAtomic: emit_inside(node, Op::kAtomic, false); return;
    }
  }

  void emit_step(const Node& node) {
    RegexStep one = node.step;
    if (one.op == Op::kSet) {
      one.first = out_.sets_.size();
      out_.sets_.push_back(node.set);
    }
    out_.steps_.push_back(one);
  }

  void emit_inside(const Node& node, Op op, bool negative) {
    const size_t at = add(op);
    out_.steps_[at].flag = negative;
    out_.steps_[at].first = here();
    emit(*node.parts[0]);
    add(Op::kMatch);
    out_.steps_[at].second = here();
  }

  void emit_choice(const Node& node) {
    std::vector<size_t> jumps;
    for (size_t i = 0; i < node.parts.size(); ++i) {
      const bool last = i + 1 == node.parts.size();
      const size_t split = last ? 0 : add(Op::kSplit);
      if (!last) out_.steps_[split].first = here();
      emit(*node.parts[i]);
      if (last) break;
      jumps.push_back(add(Op::kJump));
      out_.steps_[split].second = here();
    }
    for (const size_t jump : jumps) out_.steps_[jump].first = here();
  }

  void point_split(size_t split, bool lazy, size_t inside, size_t after) {
    out_.steps_[split].first = lazy ? after : inside;
    out_.steps_[split].second = lazy ? inside : after;
  }

  void emit_repeat(const Node& node) {
    const Node& inner = *node.parts[0];
    for (size_t i = 0; i < node.least; ++i) emit(inner);
    if (node.most == kUnlimited) {
      // A round that consumed nothing ends the loop.
      const size_t mark = out_.marks_++;
      const size_t split = add(Op::kSplit);
      add(Op::kMark, mark);
      emit(inner);
      add(Op::kAdvanced, mark);
      add(Op::kJump, split);
      point_split(split, node.lazy, split + 1, here());
      return;
    }
    std::vector<size_t> splits;
    for (size_t i = node.least; i < node.most; ++i) {
      splits.push_back(add(Op::kSplit));
      emit(inner);
    }
    for (const size_t split : splits) point_split(split, node.lazy, split + 1, here());
  }

  std::string_view pattern_;
  size_t at_ = 0;
  bool fold_ = false, dot_all_ = false, multiline_ = false;
  size_t back_reference_ = 0;
  Regex out_;
};

Result<Regex> Regex::compile(std::string_view pattern) { return RegexCompiler(pattern).compile(); }

}  // namespace lakebed::engine::duck
