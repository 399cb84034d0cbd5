#include "plan/functions/ddl.h"

#include <fmt/core.h>

#include <cctype>
#include <map>

#include "base/names.h"

namespace lakebed::plan {

using value::Field;
using value::Kind;
using value::Type;

namespace {

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  Result<Type> schema() {
    const size_t start = at_;
    auto single = type();
    if (single.ok() && done()) return single;
    at_ = start;
    LAKEBED_ASSIGN(auto fields, field_list('\0'));
    if (!done()) return broken();
    return Type::structure(std::move(fields));
  }

 private:
  void skip() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
  }
  bool done() {
    skip();
    return at_ == text_.size();
  }
  bool eat(char c) {
    skip();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  Error broken() const {
    return project_error("INVALID_SCHEMA.PARSE_ERROR",
                         fmt::format("\"{}\" is not a schema (at character {}).", text_, at_ + 1));
  }
  std::string word() {
    skip();
    const size_t start = at_;
    while (at_ < text_.size() &&
           (std::isalnum(static_cast<unsigned char>(text_[at_])) != 0 || text_[at_] == '_')) {
      ++at_;
    }
    return std::string(text_.substr(start, at_ - start));
  }
  bool eat_word(std::string_view wanted) {
    const size_t start = at_;
    if (same_name(word(), wanted)) return true;
    at_ = start;
    return false;
  }
  Result<std::string> name() {
    skip();
    if (!eat('`')) {
      std::string plain = word();
      if (plain.empty()) return broken();
      return plain;
    }
    std::string out;
    while (at_ < text_.size()) {
      if (text_[at_] != '`') {
        out += text_[at_++];
      } else if (text_.substr(at_, 2) == "``") {
        out += '`';
        at_ += 2;
      } else {
        ++at_;
        return out;
      }
    }
    return broken();
  }

  Result<Type> type();
  Result<Type> decimal();
  Result<std::vector<Field>> field_list(char close);
  Result<Field> field();

  std::string_view text_;
  size_t at_ = 0;
};

const std::map<std::string, Kind>& simple_kinds() {
  static const std::map<std::string, Kind> kinds = {{"void", Kind::kVoid},
                                                    {"boolean", Kind::kBoolean},
                                                    {"tinyint", Kind::kByte},
                                                    {"byte", Kind::kByte},
                                                    {"smallint", Kind::kShort},
                                                    {"short", Kind::kShort},
                                                    {"int", Kind::kInt},
                                                    {"integer", Kind::kInt},
                                                    {"bigint", Kind::kLong},
                                                    {"long", Kind::kLong},
                                                    {"float", Kind::kFloat},
                                                    {"real", Kind::kFloat},
                                                    {"double", Kind::kDouble},
                                                    {"string", Kind::kString},
                                                    {"binary", Kind::kBinary},
                                                    {"date", Kind::kDate},
                                                    {"timestamp", Kind::kTimestamp},
                                                    {"timestamp_ltz", Kind::kTimestamp},
                                                    {"timestamp_ntz", Kind::kTimestampNtz}};
  return kinds;
}

Result<Type> Reader::decimal() {
  if (!eat('(')) return Type::decimal(10, 0);
  const std::string precision = word();
  std::string scale = "0";
  if (eat(',')) scale = word();
  if (!eat(')') || precision.empty() || precision.size() > 3 || scale.empty()) return broken();
  const int p = std::atoi(precision.c_str());
  const int s = std::atoi(scale.c_str());
  if (p < 1 || p > 38 || s > p) return broken();
  return Type::decimal(p, s);
}

Result<Type> Reader::type() {
  const std::string name = fold_case(word());
  const auto simple = simple_kinds().find(name);
  if (simple != simple_kinds().end()) return Type(simple->second);
  if (name == "decimal" || name == "dec" || name == "numeric") return decimal();
  if (name == "array" && eat('<')) {
    LAKEBED_ASSIGN(Type element, type());
    if (!eat('>')) return broken();
    return Type::array(std::move(element));
  }
  if (name == "map" && eat('<')) {
    LAKEBED_ASSIGN(Type key, type());
    if (!eat(',')) return broken();
    LAKEBED_ASSIGN(Type item, type());
    if (!eat('>')) return broken();
    return Type::map(std::move(key), std::move(item));
  }
  if (name == "struct" && eat('<')) {
    LAKEBED_ASSIGN(auto fields, field_list('>'));
    if (!eat('>')) return broken();
    return Type::structure(std::move(fields));
  }
  return broken();
}

Result<Field> Reader::field() {
  Field out;
  LAKEBED_ASSIGN(out.name, name());
  eat(':');
  LAKEBED_ASSIGN(out.type, type());
  if (eat_word("not") && !eat_word("null")) return broken();
  if (eat_word("comment")) {
    skip();
    const char quote = at_ < text_.size() ? text_[at_++] : '\0';
    const size_t end = text_.find(quote, at_);
    if ((quote != '\'' && quote != '"') || end == std::string_view::npos) return broken();
    out.comment = std::string(text_.substr(at_, end - at_));
    at_ = end + 1;
  }
  return out;
}

Result<std::vector<Field>> Reader::field_list(char close) {
  std::vector<Field> out;
  skip();
  if (close != '\0' && at_ < text_.size() && text_[at_] == close) return out;
  do {
    LAKEBED_ASSIGN(Field one, field());
    out.push_back(std::move(one));
  } while (eat(','));
  return out;
}

}  // namespace

Result<Type> parse_schema_text(std::string_view text) { return Reader(text).schema(); }

}  // namespace lakebed::plan
