#include <algorithm>
#include <map>
#include <memory>
#include <utility>

#include "source/infer.h"
#include "source/json_malformed.h"
#include "source/json_text.h"
#include "source/record_source.h"
#include "source/text_value.h"

namespace lakebed::source {

using value::Kind;
using value::Type;

namespace {

constexpr int kMaxPrecision = 38;

// What is known of a value so far. One tree for all records: they are folded in as they come.
struct Guess {
  Type scalar;  // where it is no struct and no array; VOID: nothing but nulls
  std::map<std::string, Guess, std::less<>> fields;
  std::unique_ptr<Guess> element;

  bool settled() const { return scalar.kind == Kind::kString; }
  void merge_scalar(const Type& other);
};

void Guess::merge_scalar(const Type& other) {
  if (other.kind == Kind::kVoid) return;
  scalar = merge_inferred(scalar, other);
  if (!settled()) return;
  fields.clear();
  element.reset();
}

Type to_type(const Guess& guess) {
  if (guess.scalar.kind == Kind::kArray) return Type::array(to_type(*guess.element));
  if (guess.scalar.kind != Kind::kStruct) return guess.scalar;
  std::vector<value::Field> fields;
  for (const auto& [name, field] : guess.fields) {
    value::Field out;
    out.name = name;
    out.type = to_type(field);
    fields.push_back(std::move(out));
  }
  return Type::structure(std::move(fields));
}

// Looks at the values of records.
class Observer {
 public:
  explicit Observer(const ReadOptions& options) : options_(options) {}

  bool value(JsonCursor& cursor, Guess& guess);

 private:
  bool object(JsonCursor& cursor, Guess& guess);
  bool array(JsonCursor& cursor, Guess& guess);
  bool number(JsonCursor& cursor, Guess& guess);
  bool container(JsonCursor& cursor, Guess& guess, Kind kind);

  const ReadOptions& options_;
};

bool Observer::value(JsonCursor& cursor, Guess& guess) {
  const JsonToken token = cursor.peek();
  std::string_view text;
  switch (token) {
    case JsonToken::kObject: return container(cursor, guess, Kind::kStruct);
    case JsonToken::kArray: return container(cursor, guess, Kind::kArray);
    case JsonToken::kNumber: return number(cursor, guess);
    case JsonToken::kString:
      if (!cursor.read_string(text)) return false;
      if (!text.empty()) guess.merge_scalar(Kind::kString);
      return true;
    case JsonToken::kNonNumeric:
      if (!cursor.read_non_numeric(text)) return false;
      guess.merge_scalar(options_.primitives_as_string ? Kind::kString : Kind::kDouble);
      return true;
    case JsonToken::kTrue:
    case JsonToken::kFalse:
      guess.merge_scalar(options_.primitives_as_string ? Kind::kString : Kind::kBoolean);
      return cursor.read_word(token);
    default: return cursor.skip_value();
  }
}

bool Observer::container(JsonCursor& cursor, Guess& guess, Kind kind) {
  if (guess.scalar.kind == Kind::kVoid) {
    guess.scalar.kind = kind;
    if (kind == Kind::kArray) guess.element = std::make_unique<Guess>();
  }
  if (guess.scalar.kind != kind) {
    guess.merge_scalar(Kind::kString);
    return cursor.skip_value();
  }
  return kind == Kind::kStruct ? object(cursor, guess) : array(cursor, guess);
}

bool Observer::object(JsonCursor& cursor, Guess& guess) {
  if (!cursor.enter()) return false;
  while (true) {
    std::string_view name;
    bool at_end;
    if (!cursor.next_name(name, at_end)) return false;
    if (at_end) return true;
    auto field = guess.fields.find(name);
    if (field == guess.fields.end()) field = guess.fields.try_emplace(std::string(name)).first;
    if (!value(cursor, field->second)) return false;
  }
}

bool Observer::array(JsonCursor& cursor, Guess& guess) {
  if (!cursor.enter()) return false;
  while (true) {
    bool at_end;
    if (!cursor.next_element(at_end)) return false;
    if (at_end) return true;
    if (!value(cursor, *guess.element)) return false;
  }
}

bool Observer::number(JsonCursor& cursor, Guess& guess) {
  std::string_view text;
  bool is_integer;
  if (!cursor.read_number(text, is_integer)) return false;
  int64_t small;
  if (options_.primitives_as_string) {
    guess.merge_scalar(Kind::kString);
  } else if (is_integer && parse_integer(text, small)) {
    guess.merge_scalar(Kind::kLong);
  } else {
    int precision;
    int scale;
    const bool exact = (is_integer || options_.prefers_decimal) &&
                       decimal_shape(text, precision, scale) && precision <= kMaxPrecision;
    guess.merge_scalar(exact ? Type::decimal(precision, scale) : Type(Kind::kDouble));
  }
  return true;
}

// One record: an object, or with multi_line also arrays of objects, one after another.
bool observe_record(JsonCursor& cursor, Observer& observer, bool multi_line, Guess& guess) {
  do {
    const JsonToken token = cursor.peek();
    if (token == JsonToken::kObject) {
      if (!observer.value(cursor, guess)) return false;
    } else if (multi_line && token == JsonToken::kArray) {
      Guess rows;
      rows.element = std::make_unique<Guess>(std::move(guess));
      rows.scalar.kind = Kind::kArray;
      const bool ok = observer.value(cursor, rows);
      guess = std::move(*rows.element);
      if (!ok) return false;
    } else {
      return false;
    }
  } while (multi_line && !cursor.at_end());
  return cursor.at_end();
}

}  // namespace

Result<Type> infer_json(const std::vector<ListedFile>& files, const ReadOptions& options) {
  RecordSource records(files, options.multi_line, options.ignore_missing_files);
  const JsonOptions syntax = json_options(options, {}, "UTC");
  JsonCursor cursor(JsonSyntax{syntax.allow_single_quotes, syntax.allow_comments,
                               syntax.allow_unquoted_names, syntax.allow_non_numeric});
  Observer observer(options);
  Guess guess;
  guess.scalar.kind = Kind::kStruct;
  bool damaged = false;
  Record record;
  while (true) {
    LAKEBED_ASSIGN(const bool more, records.next(record));
    if (!more) break;
    cursor.reset(record.text);
    if (record.is_utf8 && observe_record(cursor, observer, options.multi_line, guess)) continue;
    if (syntax.mode == ParseMode::kFailFast) {
      const JsonProblem& problem = cursor.problem();
      const char* what = !record.is_utf8 ? "it is not UTF-8" : "the record is no JSON object";
      return malformed_json(record, files[record.file].path, "",
                            problem.what != nullptr ? problem.what : what, problem.offset);
    }
    damaged = damaged || syntax.mode == ParseMode::kPermissive;
  }
  if (damaged && !options.rescued_column.has_value()) {
    guess.fields[options.corrupt_column].scalar = Kind::kString;
  }
  Type out = to_type(guess);
  if (!options.infer_types) {
    for (value::Field& field : out.fields) field.type = Kind::kString;
  }
  return out;
}

}  // namespace lakebed::source
