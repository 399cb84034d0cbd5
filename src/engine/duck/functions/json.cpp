// JSON in strings.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/names.h"
#include "engine/duck/functions/calendar.h"
#include "engine/duck/functions/cast.h"
#include "engine/duck/functions/decimal.h"
#include "engine/duck/functions/encoding.h"
#include "engine/duck/functions/json_value.h"
#include "engine/duck/functions/json_write.h"
#include "engine/duck/functions/kernel.h"
#include "engine/duck/functions/number_text.h"

namespace lakebed::engine::duck {

using value::Column;
using value::Kind;
using value::Type;
using Json = JsonValue::Kind;

namespace {

Error bad_option(std::string_view function, std::string_view option) {
  return update_error(fmt::format("FUNCTION_NOT_SUPPORTED.{}", function),
                      fmt::format("The option '{}' of `{}` is not built.", option, function));
}

Status to_json_row(const Row& row, Column& out, const KernelContext& context) {
  if (row.count() > 1 && row.end(1) > row.begin(1)) {
    return bad_option("to_json", row.column(1).children()[0].bytes(row.begin(1)));
  }
  std::string text;
  append_json(row.column(0), row.row(), {context.zone, false}, text);
  out.append_bytes(text);
  return {};
}

// --- from_json -----------------------------------------------------------------------------------

// What failed is NULL and noted; what is around it is kept.
class JsonConverter {
 public:
  explicit JsonConverter(const std::string& zone) : zone_(zone) {}
  bool failed() const { return failed_; }

  void convert(const JsonValue* json, Column& out) {
    if (json == nullptr || json->kind == Json::kNull) {
      out.append_null();
      return;
    }
    if (put(*json, out)) return;
    failed_ = true;
    out.append_null();
  }

 private:
  bool put(const JsonValue& json, Column& out) {
    switch (out.type().kind) {
      case Kind::kStruct: return put_struct(json, out);
      case Kind::kArray: return put_array(json, out);
      case Kind::kMap: return put_map(json, out);
      case Kind::kString:
        out.append_bytes(json.kind == Json::kString ? json.text : json.json());
        return true;
      case Kind::kBoolean:
        if (json.kind != Json::kTrue && json.kind != Json::kFalse) return false;
        append_boolean(out, json.kind == Json::kTrue);
        return true;
      case Kind::kBinary: return put_binary(json, out);
      case Kind::kFloat:
      case Kind::kDouble: return put_real(json, out);
      default: return put_scalar(json, out);
    }
  }

  bool put_struct(const JsonValue& json, Column& out) {
    if (json.kind != Json::kObject) return false;
    for (size_t i = 0; i < out.type().fields.size(); ++i) {
      convert(json.member(out.type().fields[i].name), out.raw_children()[i]);
    }
    out.append_struct();
    return true;
  }
  bool put_array(const JsonValue& json, Column& out) {
    if (json.kind != Json::kArray) return false;
    for (const JsonValue& item : json.items) convert(&item, out.raw_children()[0]);
    out.append_list();
    return true;
  }
  bool put_map(const JsonValue& json, Column& out) {
    if (json.kind != Json::kObject || out.type().map_key().kind != Kind::kString) return false;
    for (const auto& [name, item] : json.members) {
      out.raw_children()[0].append_bytes(name);
      convert(&item, out.raw_children()[1]);
    }
    out.append_list();
    return true;
  }
  bool put_binary(const JsonValue& json, Column& out) {
    if (json.kind != Json::kString) return false;
    auto bytes = base64_bytes(json.text);
    if (!bytes) return false;
    out.append_bytes(*bytes);
    return true;
  }
  bool put_real(const JsonValue& json, Column& out) {
    if (json.kind == Json::kNumber) {
      append_real(out, parse_double(json.text).value_or(0));
      return true;
    }
    if (json.kind != Json::kString) return false;
    const double infinity = std::numeric_limits<double>::infinity();
    const std::string& text = json.text;
    if (text == "NaN")
      append_real(out, std::numeric_limits<double>::quiet_NaN());
    else if (text == "Infinity" || text == "+Infinity" || text == "+INF" || text == "INF")
      append_real(out, infinity);
    else if (text == "-Infinity" || text == "-INF")
      append_real(out, -infinity);
    else
      return false;
    return true;
  }
  // Integers take integers, DECIMAL numbers and texts of numbers, dates and times texts.
  bool put_scalar(const JsonValue& json, Column& out) {
    const Kind kind = out.type().kind;
    const bool moment =
        kind == Kind::kDate || kind == Kind::kTimestamp || kind == Kind::kTimestampNtz;
    if (out.type().is_integer() && !json.is_integer()) return false;
    if (kind == Kind::kDecimal && json.kind != Json::kNumber && json.kind != Json::kString) {
      return false;
    }
    if (moment && json.kind != Json::kString) {
      if (kind != Kind::kTimestamp || !json.is_integer()) return false;
      const auto seconds = parse_integer(json.text, INT64_MIN / 1'000'000, INT64_MAX / 1'000'000);
      if (!seconds) return false;
      out.append_integer(*seconds * 1'000'000);
      return true;
    }
    Column text{Type(Kind::kString)};
    text.append_bytes(json.text);
    return cast_value(text, 0, out, zone_).ok();
  }

  const std::string& zone_;
  bool failed_ = false;
};

Result<bool> fails_fast(const Row& row) {
  if (row.count() < 3 || row.null(2)) return false;
  bool fast = false;
  const auto& children = row.column(2).children();
  for (uint64_t i = row.begin(2); i < row.end(2); ++i) {
    const std::string name = fold_case(children[0].bytes(i));
    const std::string item = fold_case(children[1].bytes(i));
    if (name != "mode" || (item != "failfast" && item != "permissive")) {
      return bad_option("from_json", children[0].bytes(i));
    }
    fast = item == "failfast";
  }
  return fast;
}

Error malformed(std::string_view text) {
  return update_error("MALFORMED_RECORD_IN_PARSING.WITHOUT_SUGGESTION",
                      fmt::format("'{}' does not fit the schema.", text));
}

Status from_json_row(const Row& row, Column& out, const KernelContext& context) {
  if (row.null(0) || trimmed(row.text(0)).empty()) {
    out.append_null();
    return {};
  }
  LAKEBED_ASSIGN(const bool fast, fails_fast(row));
  const auto json = read_json(row.text(0));
  const bool is_struct = out.type().kind == Kind::kStruct;
  JsonConverter converter(context.zone);
  const bool fits = json && (!is_struct || json->kind == Json::kObject);
  if (fast && !fits) return malformed(row.text(0));
  if (fits) {
    Column one(out.type());
    converter.convert(&*json, one);
    if (fast && converter.failed()) return malformed(row.text(0));
    // A STRUCT keeps the fields that fit; of an ARRAY or MAP nothing is kept.
    if (is_struct || !converter.failed())
      out.append_from(one, 0);
    else
      out.append_null();
  } else if (is_struct) {
    for (Column& child : out.raw_children()) child.append_null();
    out.append_struct();
  } else {
    out.append_null();
  }
  return {};
}

// --- paths ---------------------------------------------------------------------------------------

struct Step {
  std::string name;  // of a member
  std::optional<size_t> index;
  bool every = false;  // [*]
};

// "$.a['b'][0][*]"; nothing where it is no path.
std::optional<std::vector<Step>> read_path(std::string_view path) {
  if (!path.starts_with('$')) return std::nullopt;
  std::vector<Step> out;
  for (size_t at = 1; at < path.size();) {
    Step step;
    if (path[at] == '.') {
      const size_t end = std::min(path.find_first_of(".[", at + 1), path.size());
      step.name = std::string(path.substr(at + 1, end - at - 1));
      if (step.name.empty()) return std::nullopt;
      if (step.name == "*") step.every = true;
      at = end;
    } else if (path.substr(at, 2) == "['") {
      const size_t end = path.find("']", at + 2);
      if (end == std::string_view::npos) return std::nullopt;
      step.name = std::string(path.substr(at + 2, end - at - 2));
      at = end + 2;
    } else if (path[at] == '[') {
      const size_t end = path.find(']', at);
      if (end == std::string_view::npos) return std::nullopt;
      const std::string_view inside = path.substr(at + 1, end - at - 1);
      if (inside == "*") {
        step.every = true;
      } else {
        auto index = parse_integer(inside, 0, INT32_MAX);
        if (!index) return std::nullopt;
        step.index = static_cast<size_t>(*index);
      }
      at = end + 1;
    } else {
      return std::nullopt;
    }
    out.push_back(std::move(step));
  }
  return out;
}

void follow(const JsonValue& json, const std::vector<Step>& steps, size_t at,
            std::vector<const JsonValue*>& found) {
  if (at == steps.size()) {
    found.push_back(&json);
    return;
  }
  const Step& step = steps[at];
  if (step.every) {
    for (const JsonValue& item : json.items) follow(item, steps, at + 1, found);
    return;
  }
  if (step.index) {
    if (*step.index < json.items.size()) follow(json.items[*step.index], steps, at + 1, found);
    return;
  }
  for (const auto& [name, item] : json.members) {
    if (name == step.name) {
      follow(item, steps, at + 1, found);
      return;
    }
  }
}

std::string raw_text(const JsonValue& json) {
  return json.kind == Json::kString ? json.text : json.json();
}

Status get_json_object_row(const Row& row, Column& out, const KernelContext&) {
  const auto steps = read_path(row.text(1));
  const auto json = read_json(row.text(0), true);
  std::vector<const JsonValue*> found;
  if (steps && json) follow(*json, *steps, 0, found);
  const bool every = steps && std::any_of(steps->begin(), steps->end(),
                                          [](const Step& step) { return step.every; });
  if (found.empty() || (found.size() == 1 && found[0]->kind == Json::kNull)) {
    out.append_null();
  } else if (found.size() == 1) {
    out.append_bytes(every ? found[0]->json() : raw_text(*found[0]));
  } else {
    std::string text = "[";
    for (const JsonValue* item : found) text += (text.size() > 1 ? "," : "") + item->json();
    out.append_bytes(text + "]");
  }
  return {};
}

Status json_array_length_row(const Row& row, Column& out, const KernelContext&) {
  const auto json = read_json(row.text(0));
  if (!json || json->kind != Json::kArray)
    out.append_null();
  else
    out.append_integer(static_cast<int64_t>(json->items.size()));
  return {};
}

Status json_object_keys_row(const Row& row, Column& out, const KernelContext&) {
  const auto json = read_json(row.text(0));
  if (!json || json->kind != Json::kObject) {
    out.append_null();
    return {};
  }
  for (const auto& [name, item] : json->members) out.raw_children()[0].append_bytes(name);
  out.append_list();
  return {};
}

// --- schema_of_json ------------------------------------------------------------------------------

Type inferred(const JsonValue& json);

// What holds both; STRING where nothing else does.
Type merged(const Type& left, const Type& right) {
  if (left == right || right.kind == Kind::kVoid) return left;
  if (left.kind == Kind::kVoid) return right;
  if (left.is_numeric() && right.is_numeric()) {
    if (left.kind == Kind::kDouble || right.kind == Kind::kDouble) return Type(Kind::kDouble);
    const auto digits = [](const Type& type) {
      return type.kind == Kind::kLong ? 20 : type.precision;
    };
    return Type::decimal(std::min(38, std::max<int>(digits(left), digits(right))), 0);
  }
  if (left.kind == Kind::kArray && right.kind == Kind::kArray) {
    return Type::array(merged(left.element(), right.element()));
  }
  if (left.kind != Kind::kStruct || right.kind != Kind::kStruct) return Type(Kind::kString);
  Type out = left;
  for (const value::Field& field : right.fields) {
    const auto own = std::find_if(out.fields.begin(), out.fields.end(),
                                  [&](const value::Field& f) { return f.name == field.name; });
    if (own == out.fields.end())
      out.fields.push_back(field);
    else
      own->type = merged(own->type, field.type);
  }
  std::sort(out.fields.begin(), out.fields.end(),
            [](const value::Field& a, const value::Field& b) { return a.name < b.name; });
  return out;
}

Type inferred_number(const JsonValue& json) {
  if (!json.is_integer()) return Type(Kind::kDouble);
  if (parse_integer(json.text, INT64_MIN, INT64_MAX)) return Type(Kind::kLong);
  const size_t digits = json.text.size() - (json.text[0] == '-' ? 1 : 0);
  if (digits > 38) return Type(Kind::kDouble);
  return Type::decimal(static_cast<int>(digits), 0);
}

Type inferred(const JsonValue& json) {
  switch (json.kind) {
    case Json::kNull: return Type(Kind::kVoid);
    case Json::kTrue:
    case Json::kFalse: return Type(Kind::kBoolean);
    case Json::kNumber: return inferred_number(json);
    case Json::kString: return Type(Kind::kString);
    case Json::kArray: {
      Type element;
      for (const JsonValue& item : json.items) element = merged(element, inferred(item));
      return Type::array(element);
    }
    default: break;
  }
  Type out = Type::structure({});
  for (const auto& [name, item] : json.members) {
    out = merged(out, Type::structure({{name, inferred(item), true, "", {}}}));
  }
  return out;
}

// What was NULL everywhere is a STRING.
Type settled(Type type) {
  if (type.kind == Kind::kVoid) return Type(Kind::kString);
  for (value::Field& field : type.fields) field.type = settled(field.type);
  return type;
}

Status schema_of_json_row(const Row& row, Column& out, const KernelContext&) {
  const auto json = read_json(row.text(0));
  if (!json) {
    return update_error("MALFORMED_RECORD_IN_PARSING.WITHOUT_SUGGESTION", "The text is no JSON.");
  }
  out.append_bytes(settled(inferred(*json)).text());
  return {};
}

}  // namespace

std::vector<Rendering> json_renderings() {
  return {
      {"from_json", from_json_row, kSeesNulls},   {"to_json", to_json_row},
      {"get_json_object", get_json_object_row},   {"json_array_length", json_array_length_row},
      {"json_object_keys", json_object_keys_row}, {"schema_of_json", schema_of_json_row},
  };
}

}  // namespace lakebed::engine::duck
