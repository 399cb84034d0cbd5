// Names, places and types in JSON.
#include <charconv>

#include "plan/json_archive.h"

namespace lakebed::plan {

// Not in an unnamed namespace: the lists are found by argument-dependent lookup.
template <typename Archive, Of<value::Field> Field>
static void members(Archive& archive, Field& field) {
  archive.field("name", field.name);
  archive.field("type", field.type);
  archive.flag("nullable", field.nullable, true);
  archive.field("comment", field.comment);
  archive.field("metadata", field.metadata);
}

namespace {

using value::Kind;
using value::Type;

constexpr std::array<Kind, 16> kPlain = {Kind::kVoid,
                                         Kind::kBoolean,
                                         Kind::kByte,
                                         Kind::kShort,
                                         Kind::kInt,
                                         Kind::kLong,
                                         Kind::kFloat,
                                         Kind::kDouble,
                                         Kind::kString,
                                         Kind::kBinary,
                                         Kind::kDate,
                                         Kind::kTimestamp,
                                         Kind::kTimestampNtz,
                                         Kind::kIntervalYearMonth,
                                         Kind::kIntervalDayTime,
                                         Kind::kDecimal};

uint32_t number_of(std::string_view text) {
  uint32_t out = 0;
  std::from_chars(text.data(), text.data() + text.size(), out);
  return out;
}

void read_decimal(const std::string& text, Type& out, Trouble& trouble) {
  int precision = 0;
  int scale = 0;
  const char* end = text.data() + text.size();
  const auto first = std::from_chars(text.data() + 8, end, precision);
  const bool comma = first.ec == std::errc() && first.ptr != end && *first.ptr == ',';
  const auto second = comma ? std::from_chars(first.ptr + 1, end, scale) : first;
  const bool fits = comma && second.ec == std::errc() && precision >= 1 && precision <= 38 &&
                    scale >= 0 && scale <= precision;
  if (!fits) return trouble.report("a damaged type " + text);
  out = Type::decimal(precision, scale);
}

}  // namespace

void Trouble::report(const std::string& message) {
  if (!error) error = update_error("PLAN_JSON.DAMAGED", message).with_span(where);
}

void Reader::finish() {
  if (!json_.is_object()) return;
  for (const auto& [key, item] : json_.items()) {
    if (seen_.count(key) == 0) trouble_.report("unknown member '" + key + "'");
  }
}

SourceSpan span_from_text(const std::string& text) {
  SourceSpan out;
  const size_t column = text.rfind(':');
  const size_t line =
      column == std::string::npos || column == 0 ? std::string::npos : text.rfind(':', column - 1);
  const size_t start = line == std::string::npos ? 0 : line + 1;
  if (column == std::string::npos) return out;
  out.file = line == std::string::npos ? "" : text.substr(0, line);
  out.line = number_of(std::string_view(text).substr(start, column - start));
  out.column = number_of(std::string_view(text).substr(column + 1));
  return out;
}

Json write(const std::string& item) { return item; }
Json write(bool item) { return item; }
Json write(const SourceSpan& item) { return item.text(); }
Json write(const ObjectName& item) { return Json{{"parts", item.parts}, {"at", item.span.text()}}; }
Json write(const value::Field& item) { return write_struct(item); }

Json write(const Type& item) {
  switch (item.kind) {
    case Kind::kArray: {
      Json out = {{"array", write(item.element())}};
      if (!item.fields[0].nullable) out["contains_null"] = false;
      return out;
    }
    case Kind::kMap: {
      Json out = {{"map", Json::array({write(item.map_key()), write(item.map_value())})}};
      if (!item.fields[1].nullable) out["contains_null"] = false;
      return out;
    }
    case Kind::kStruct: return {{"struct", write(item.fields)}};
    default: return item.text();
  }
}

Json to_json(const Type& type) { return write(type); }

void read(const Json& json, std::string& out, Trouble& trouble) {
  if (!json.is_string()) return trouble.report("a string is expected");
  out = json.get<std::string>();
}

void read(const Json& json, bool& out, Trouble& trouble) {
  if (!json.is_boolean()) return trouble.report("true or false is expected");
  out = json.get<bool>();
}

void read(const Json& json, SourceSpan& out, Trouble& trouble) {
  std::string text;
  read(json, text, trouble);
  out = span_from_text(text);
}

void read(const Json& json, ObjectName& out, Trouble& trouble) {
  Reader reader(json, trouble);
  reader.field("parts", out.parts);
  reader.field("at", out.span);
  reader.finish();
}

void read(const Json& json, value::Field& out, Trouble& trouble) {
  read_struct(json, out, trouble);
}

void read(const Json& json, Type& out, Trouble& trouble) {
  if (json.is_string()) {
    const std::string text = json.get<std::string>();
    if (text.rfind("DECIMAL(", 0) == 0) return read_decimal(text, out, trouble);
    for (const Kind kind : kPlain) {
      if (kind == Kind::kDecimal || Type(kind).text() != text) continue;
      out = kind;
      return;
    }
    return trouble.report("unknown type " + text);
  }
  if (!json.is_object()) return trouble.report("a type is expected");
  bool contains_null = true;
  if (json.contains("contains_null")) read(json["contains_null"], contains_null, trouble);
  if (json.contains("array")) {
    Type element;
    read(json["array"], element, trouble);
    out = Type::array(std::move(element), contains_null);
  } else if (json.contains("map") && json["map"].is_array() && json["map"].size() == 2) {
    Type key;
    Type item;
    read(json["map"][0], key, trouble);
    read(json["map"][1], item, trouble);
    out = Type::map(std::move(key), std::move(item), contains_null);
  } else if (json.contains("struct")) {
    std::vector<value::Field> fields;
    read(json["struct"], fields, trouble);
    out = Type::structure(std::move(fields));
  } else {
    trouble.report("a damaged type");
  }
}

Result<Type> type_from_json(const Json& json) {
  Trouble trouble;
  Type out;
  read(json, out, trouble);
  if (trouble.error) return std::move(*trouble.error);
  return out;
}

}  // namespace lakebed::plan
