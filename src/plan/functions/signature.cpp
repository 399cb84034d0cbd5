// The language of signatures (typing.h): reading it, and matching calls with it.
#include <fmt/core.h>

#include <cctype>
#include <map>
#include <memory>
#include <sstream>

#include "base/names.h"
#include "plan/functions/typing.h"

namespace lakebed::plan::functions {

using value::Kind;
using value::Type;

namespace {

// A type with variables and classes in it.
struct Pattern {
  enum class What : uint8_t { kType, kVariable, kAny, kNumeric, kIntegral, kLambda, kSame };
  What what = What::kType;
  Type type;                   // kType; for nested ones the kind only
  char variable = 0;           // kVariable
  size_t same = 0;             // kSame
  std::vector<Pattern> inner;  // nested
  std::vector<std::string> names;
};

struct Alternative {
  std::vector<Pattern> parameters;
  size_t required = 0;
  bool variadic = false;
  Pattern result;
};

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  Alternative alternative() {
    Alternative out;
    skip();
    while (!eat("->")) {
      out.parameters.push_back(pattern());
      if (eat("*")) {
        out.variadic = true;
      } else if (!eat("?")) {
        ++out.required;
      }
      eat(",");
    }
    out.result = pattern();
    skip();
    LAKEBED_ASSERT(at_ == text_.size());
    return out;
  }

 private:
  void skip() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }
  bool eat(std::string_view word) {
    skip();
    if (text_.substr(at_, word.size()) != word) return false;
    at_ += word.size();
    return true;
  }
  std::string word() {
    skip();
    const size_t start = at_;
    while (at_ < text_.size() && (std::isalnum(text_[at_]) != 0 || text_[at_] == '_')) ++at_;
    return std::string(text_.substr(start, at_ - start));
  }
  Pattern pattern();
  Pattern nested(Kind kind);
  Pattern structure();

  std::string_view text_;
  size_t at_ = 0;
};

Kind simple_kind(const std::string& name) {
  static const std::map<std::string, Kind> kinds = {{"void", Kind::kVoid},
                                                    {"boolean", Kind::kBoolean},
                                                    {"tinyint", Kind::kByte},
                                                    {"smallint", Kind::kShort},
                                                    {"int", Kind::kInt},
                                                    {"bigint", Kind::kLong},
                                                    {"float", Kind::kFloat},
                                                    {"double", Kind::kDouble},
                                                    {"string", Kind::kString},
                                                    {"binary", Kind::kBinary},
                                                    {"date", Kind::kDate},
                                                    {"timestamp", Kind::kTimestamp},
                                                    {"timestamp_ntz", Kind::kTimestampNtz},
                                                    {"interval_ym", Kind::kIntervalYearMonth},
                                                    {"interval_dt", Kind::kIntervalDayTime}};
  const auto found = kinds.find(name);
  LAKEBED_ASSERT(found != kinds.end());
  return found->second;
}

Pattern Reader::nested(Kind kind) {
  Pattern out;
  out.type = Type(kind);
  LAKEBED_ASSERT(eat("<"));
  do out.inner.push_back(pattern());
  while (eat(","));
  LAKEBED_ASSERT(eat(">"));
  return out;
}

Pattern Reader::structure() {
  Pattern out;
  out.type = Type(Kind::kStruct);
  LAKEBED_ASSERT(eat("<"));
  do {
    out.names.push_back(word());
    LAKEBED_ASSERT(eat(":"));
    out.inner.push_back(pattern());
  } while (eat(","));
  LAKEBED_ASSERT(eat(">"));
  return out;
}

Pattern Reader::pattern() {
  Pattern out;
  if (eat("=")) {
    out.what = Pattern::What::kSame;
    out.same = static_cast<size_t>(std::stoul(word()));
    return out;
  }
  const std::string name = word();
  if (name.size() == 1) {
    out.what = Pattern::What::kVariable;
    out.variable = name[0];
    return out;
  }
  if (name == "array") return nested(Kind::kArray);
  if (name == "map") return nested(Kind::kMap);
  if (name == "struct") return structure();
  if (name == "any")
    out.what = Pattern::What::kAny;
  else if (name == "num")
    out.what = Pattern::What::kNumeric;
  else if (name == "integral")
    out.what = Pattern::What::kIntegral;
  else if (name == "fn")
    out.what = Pattern::What::kLambda;
  else if (name == "decimal") {
    LAKEBED_ASSERT(eat("("));
    const int precision = std::stoi(word());
    LAKEBED_ASSERT(eat(","));
    const int scale = std::stoi(word());
    LAKEBED_ASSERT(eat(")"));
    out.type = Type::decimal(precision, scale);
  } else {
    out.type = Type(simple_kind(name));
  }
  return out;
}

// --- matching ------------------------------------------------------------------------------------

using Bindings = std::map<char, Type>;

// Binds the variables of `pattern` from `actual`; false where the shapes cannot meet.
bool bind(const Pattern& pattern, const Type& actual, Bindings& bindings) {
  if (pattern.what == Pattern::What::kVariable) {
    auto [at, fresh] = bindings.emplace(pattern.variable, actual);
    if (fresh) return true;
    auto common = common_type(at->second, actual);
    if (!common) return false;
    at->second = *common;
    return true;
  }
  if (pattern.inner.empty() || actual.kind == Kind::kVoid) return true;
  if (actual.kind != pattern.type.kind || actual.fields.size() != pattern.inner.size()) {
    return false;
  }
  for (size_t i = 0; i < pattern.inner.size(); ++i) {
    if (!bind(pattern.inner[i], actual.fields[i].type, bindings)) return false;
  }
  return true;
}

Type build(const Pattern& pattern, const Bindings& bindings) {
  if (pattern.what == Pattern::What::kVariable) {
    const auto found = bindings.find(pattern.variable);
    return found == bindings.end() ? Type(Kind::kVoid) : found->second;
  }
  if (pattern.inner.empty()) return pattern.type;
  std::vector<Type> inner;
  for (const Pattern& part : pattern.inner) inner.push_back(build(part, bindings));
  if (pattern.type.kind == Kind::kArray) return Type::array(inner[0]);
  if (pattern.type.kind == Kind::kMap) return Type::map(inner[0], inner[1]);
  std::vector<value::Field> fields;
  for (size_t i = 0; i < inner.size(); ++i) {
    fields.push_back({pattern.names[i], inner[i], true, "", {}});
  }
  return Type::structure(std::move(fields));
}

// The type that `actual` becomes for the pattern, or nothing.
std::optional<Type> target(const Pattern& pattern, const Type& actual, const Bindings& bindings) {
  switch (pattern.what) {
    case Pattern::What::kAny:
    case Pattern::What::kLambda: return actual;
    case Pattern::What::kNumeric:
      if (actual.is_numeric()) return actual;
      if (actual.kind == Kind::kString || actual.kind == Kind::kVoid) return Type(Kind::kDouble);
      return std::nullopt;
    case Pattern::What::kIntegral:
      if (actual.is_integer()) return actual;
      if (actual.kind == Kind::kString) return Type(Kind::kLong);
      if (actual.kind == Kind::kVoid) return Type(Kind::kInt);
      return std::nullopt;
    default: break;
  }
  Type wanted = build(pattern, bindings);
  if (pattern.what == Pattern::What::kVariable && actual == wanted) return wanted;
  if (!can_cast_implicitly(actual, wanted)) return std::nullopt;
  return wanted;
}

struct Match {
  Signature signature;
  bool exact = true;
  size_t failed_at = 0;
  bool ok = false;
};

Match match(const Alternative& alternative, const CallShape& call) {
  Match out;
  const size_t count = call.arguments.size();
  const size_t fixed = alternative.parameters.size();
  if (count < alternative.required || (count > fixed && !alternative.variadic)) return out;
  Bindings bindings;
  const auto parameter = [&](size_t i) -> const Pattern& {
    return alternative.parameters[std::min(i, fixed - 1)];
  };
  for (size_t i = 0; i < count; ++i) {
    out.failed_at = i;
    if (!bind(parameter(i), call.arguments[i]->type, bindings)) return out;
  }
  for (size_t i = 0; i < count; ++i) {
    out.failed_at = i;
    const Type& actual = call.arguments[i]->type;
    auto wanted = target(parameter(i), actual, bindings);
    if (!wanted) return out;
    if (!(*wanted == actual) && actual.kind != Kind::kVoid) out.exact = false;
    out.signature.arguments.push_back(std::move(*wanted));
  }
  out.ok = true;
  const Pattern& result = alternative.result;
  if (result.what == Pattern::What::kSame) {
    out.signature.result =
        result.same < count ? out.signature.arguments[result.same] : Type(Kind::kVoid);
  } else {
    out.signature.result = build(result, bindings);
  }
  return out;
}

std::vector<Alternative> read_signature(std::string_view text) {
  std::vector<Alternative> out;
  size_t start = 0;
  while (start <= text.size()) {
    const size_t end = std::min(text.find('|', start), text.size());
    out.push_back(Reader(text.substr(start, end - start)).alternative());
    start = end + 1;
  }
  return out;
}

Result<Signature> apply(const std::vector<Alternative>& alternatives, const CallShape& call) {
  std::optional<Match> best;
  for (const Alternative& alternative : alternatives) {
    Match found = match(alternative, call);
    if (found.ok && found.exact) return std::move(found.signature);
    const bool better = !best || (!best->ok && (found.ok || found.failed_at > best->failed_at));
    if (better) best = std::move(found);
  }
  if (best->ok) return std::move(best->signature);
  size_t min = SIZE_MAX;
  size_t max = 0;
  bool fits = false;
  const size_t count = call.arguments.size();
  for (const Alternative& one : alternatives) {
    const size_t most = one.variadic ? SIZE_MAX : one.parameters.size();
    min = std::min(min, one.required);
    max = std::max(max, most);
    fits = fits || (count >= one.required && count <= most);
  }
  if (!fits) return wrong_count(call, min, max);
  return unexpected_type(call, best->failed_at, "");
}

void fill_counts(Function& function, const std::vector<Alternative>& alternatives) {
  function.arguments_min = SIZE_MAX;
  for (const Alternative& one : alternatives) {
    function.arguments_min = std::min(function.arguments_min, one.required);
    const size_t most = one.variadic ? SIZE_MAX : one.parameters.size();
    function.arguments_max = std::max(function.arguments_max, most);
  }
}

Function make_function(const Entry& line, FunctionKind kind, const std::string& name,
                       const std::string& canonical) {
  Function out;
  out.name = name;
  out.canonical = canonical;
  out.kind = kind;
  out.support = line.support;
  out.note = line.note;
  out.deterministic = line.deterministic;
  if (line.rule != nullptr) {
    out.arguments_min = static_cast<size_t>(line.min);
    out.arguments_max = line.max < 0 ? SIZE_MAX : static_cast<size_t>(line.max);
    const TypeRule rule = line.rule;
    const size_t min = out.arguments_min;
    const size_t max = out.arguments_max;
    out.type = [rule, min, max](const CallShape& call) -> Result<Signature> {
      const size_t count = call.arguments.size();
      if (count < min || count > max) return wrong_count(call, min, max);
      return rule(call);
    };
  } else if (line.signature != nullptr) {
    auto alternatives =
        std::make_shared<const std::vector<Alternative>>(read_signature(line.signature));
    fill_counts(out, *alternatives);
    out.type = [alternatives](const CallShape& call) { return apply(*alternatives, call); };
  }
  if (line.lambda != nullptr) out.lambda_parameters = line.lambda;
  return out;
}

}  // namespace

void append_family(std::vector<Function>& out, FunctionKind kind, const std::vector<Entry>& lines) {
  for (const Entry& line : lines) {
    std::istringstream names(line.name);
    std::string canonical;
    for (std::string name; names >> name;) {
      if (canonical.empty()) canonical = name;
      out.push_back(make_function(line, kind, name, canonical));
    }
  }
}

Error wrong_count(const CallShape& call, size_t min, size_t max) {
  std::string wanted = std::to_string(min);
  if (max == SIZE_MAX)
    wanted = fmt::format("at least {}", min);
  else if (max != min)
    wanted = fmt::format("{} to {}", min, max);
  return project_error("WRONG_NUM_ARGS.WITHOUT_SUGGESTION",
                       fmt::format("`{}` takes {} arguments, but {} were given.", call.name, wanted,
                                   call.arguments.size()),
                       call.span);
}

Error unexpected_type(const CallShape& call, size_t index, std::string_view wanted) {
  const Expression& argument = *call.arguments[index];
  const SourceSpan& span = argument.span.known() ? argument.span : call.span;
  std::string message = fmt::format("Argument {} of `{}` cannot be of type {}.", index + 1,
                                    call.name, argument.type.text());
  if (!wanted.empty()) message += fmt::format(" It takes {}.", wanted);
  return project_error("DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE", std::move(message), span);
}

Error mismatch(const CallShape& call, std::string_view kind, std::string message) {
  return project_error(fmt::format("DATATYPE_MISMATCH.{}", kind), std::move(message), call.span);
}

const Type& type_of(const CallShape& call, size_t index) { return call.arguments[index]->type; }

std::optional<std::string> literal_text(const CallShape& call, size_t index) {
  if (index >= call.arguments.size()) return std::nullopt;
  const Expression& argument = *call.arguments[index];
  if (argument.kind != ExpressionKind::kLiteral || argument.is_null) return std::nullopt;
  if (argument.type.kind != Kind::kString) return std::nullopt;
  return argument.text;
}

static std::optional<int64_t> integer_of(const Expression& argument) {
  if (argument.kind == ExpressionKind::kCast && argument.type.is_integer()) {
    return integer_of(*argument.children[0]);
  }
  if (argument.kind == ExpressionKind::kCall && argument.name == "negative") {
    auto inner = integer_of(*argument.children[0]);
    if (inner) return -*inner;
    return std::nullopt;
  }
  if (argument.kind != ExpressionKind::kLiteral || argument.is_null ||
      !argument.type.is_integer()) {
    return std::nullopt;
  }
  return std::stoll(argument.text);
}

std::optional<int64_t> literal_integer(const CallShape& call, size_t index) {
  if (index >= call.arguments.size()) return std::nullopt;
  return integer_of(*call.arguments[index]);
}

}  // namespace lakebed::plan::functions
