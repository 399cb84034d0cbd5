#include "source/json_convert.h"

#include <fmt/core.h>

#include <utility>

#include "base/names.h"
#include "source/text_value.h"
#include "value/order.h"

namespace lakebed::source {

using value::Column;
using value::Kind;
using value::Type;

namespace {

constexpr size_t kLinearSearchMost = 8;
constexpr size_t kShownMost = 60;

// A value's raw text, short enough for a message.
std::string shown(std::string_view raw) {
  if (raw.size() <= kShownMost) return std::string(raw);
  size_t cut = kShownMost;
  while (cut > 0 && (static_cast<uint8_t>(raw[cut]) & 0xC0) == 0x80) --cut;
  return std::string(raw.substr(0, cut)) + "...";
}

}  // namespace

void truncate(Column& column, size_t rows) {
  if (column.size() <= rows) return;
  if (!column.raw_validity().empty()) column.raw_validity().resize(rows);
  const Kind kind = column.type().kind;
  if (kind == Kind::kStruct) {
    for (Column& child : column.raw_children()) truncate(child, rows);
  } else if (kind == Kind::kString || kind == Kind::kBinary) {
    column.raw_data().resize(column.raw_offsets()[rows]);
    column.raw_offsets().resize(rows + 1);
  } else if (kind == Kind::kArray || kind == Kind::kMap) {
    for (Column& child : column.raw_children()) truncate(child, column.raw_offsets()[rows]);
    column.raw_offsets().resize(rows + 1);
  } else {
    column.raw_data().resize(rows * value::fixed_width(column.type()));
  }
  column.raw_set_size(rows);
}

std::unique_ptr<JsonConverter::Node> JsonConverter::make_node(const Type& type, bool fold) {
  auto node = std::make_unique<Node>();
  node->type = type;
  for (const value::Field& field : type.fields) {
    node->names.push_back(fold ? fold_case(field.name) : field.name);
    node->children.push_back(make_node(field.type, fold));
  }
  if (node->names.size() > kLinearSearchMost) {
    for (size_t i = 0; i < node->names.size(); ++i) node->index.emplace(node->names[i], i);
  }
  return node;
}

Result<std::unique_ptr<JsonConverter>> JsonConverter::create(const value::Schema& fields,
                                                             const JsonOptions& options) {
  std::unique_ptr<JsonConverter> out(new JsonConverter());
  out->root_ = make_node(Type::structure(fields), options.fold_names);
  out->fold_names_ = options.fold_names;
  out->rescue_ = options.rescues && !options.rescued_column.empty();
  LAKEBED_ASSIGN(out->zone_, Zone::find(options.time_zone));
  const auto compile = [](const std::string& pattern, auto& slot) -> Status {
    if (pattern.empty()) return {};
    LAKEBED_ASSIGN(slot, TimePattern::compile(pattern));
    return {};
  };
  LAKEBED_TRY(compile(options.date_format, out->date_pattern_));
  LAKEBED_TRY(compile(options.timestamp_format, out->timestamp_pattern_));
  LAKEBED_TRY(compile(options.timestamp_ntz_format, out->ntz_pattern_));
  return out;
}

std::optional<size_t> JsonConverter::find(const Node& node, std::string_view name,
                                          size_t guess) const {
  std::string folded;
  if (fold_names_) {
    folded = fold_case(name);
    name = folded;
  }
  // Records name their fields in the same order, most of the time.
  if (guess < node.names.size() && node.names[guess] == name) return guess;
  if (!node.index.empty()) {
    const auto found = node.index.find(name);
    if (found == node.index.end()) return std::nullopt;
    return found->second;
  }
  for (size_t i = 0; i < node.names.size(); ++i) {
    if (node.names[i] == name) return i;
  }
  return std::nullopt;
}

bool JsonConverter::append_row(JsonCursor& cursor, std::vector<Column*>& columns,
                               Leftovers* leftovers) {
  cursor_ = &cursor;
  leftovers_ = leftovers;
  damage_ = {};
  path_.clear();
  if (cursor.peek() != JsonToken::kObject) {
    damage_ = {"the record is no JSON object", "", cursor.offset()};
    return false;
  }
  const size_t row = columns.empty() ? 0 : columns[0]->size();
  if (!cursor.enter()) return broken();
  size_t guess = 0;
  while (true) {
    std::string_view name;
    bool at_end;
    if (!cursor.next_name(name, at_end)) return broken();
    if (at_end) break;
    const auto field = find(*root_, name, guess);
    if (!field.has_value()) {
      if (!unknown_field(name)) return false;
      continue;
    }
    if (!convert_field(*root_, *field, *columns[*field], row)) return false;
    guess = *field + 1;
  }
  for (Column* column : columns) {
    if (column->size() == row) column->append_null();
  }
  return true;
}

// Of two fields of one name the last counts.
bool JsonConverter::convert_field(const Node& node, size_t field, Column& out, size_t row) {
  if (out.size() > row) truncate(out, row);
  path_.push_back(node.names[field]);
  const bool ok = convert(*node.children[field], out);
  path_.pop_back();
  return ok;
}

bool JsonConverter::unknown_field(std::string_view name) {
  if (!rescue_ || leftovers_ == nullptr) return cursor_->skip_value() || broken();
  std::string full = path();
  full += full.empty() ? "" : ".";
  full += name;
  cursor_->peek();
  const size_t from = cursor_->offset();
  if (!cursor_->skip_value()) return broken();
  leftovers_->rescued.emplace_back(std::move(full),
                                   std::string(cursor_->text(from, cursor_->offset())));
  return true;
}

bool JsonConverter::convert(const Node& node, Column& out) {
  const JsonToken token = cursor_->peek();
  if (token == JsonToken::kNull) {
    if (!cursor_->read_word(token)) return broken();
    out.append_null();
    return true;
  }
  if (token == JsonToken::kEnd || token == JsonToken::kOther) {
    cursor_->skip_value();  // notes what is missing
    return broken();
  }
  return convert_token(node, token, out);
}

bool JsonConverter::convert_token(const Node& node, JsonToken token, Column& out) {
  const Kind kind = node.type.kind;
  if (token == JsonToken::kString) return convert_string(node, out);
  if (kind == Kind::kString) return convert_raw(out);
  const size_t from = cursor_->offset();
  switch (token) {
    case JsonToken::kObject:
      if (kind == Kind::kStruct) return convert_struct(node, out);
      if (kind == Kind::kMap) return convert_map(node, out);
      break;
    case JsonToken::kArray:
      if (kind == Kind::kArray) return convert_array(node, out);
      break;
    case JsonToken::kTrue:
    case JsonToken::kFalse:
      if (kind != Kind::kBoolean) break;
      if (!cursor_->read_word(token)) return broken();
      out.append_fixed<uint8_t>(token == JsonToken::kTrue ? 1 : 0);
      return true;
    case JsonToken::kNumber: return convert_number(node, out);
    case JsonToken::kNonNumeric: {
      std::string_view text;
      if (!cursor_->read_non_numeric(text)) return broken();
      if (kind != Kind::kDouble && kind != Kind::kFloat) break;
      return convert_text(node, text, out);
    }
    default: break;
  }
  return mismatch(node, from, out);
}

bool JsonConverter::convert_struct(const Node& node, Column& out) {
  const size_t row = out.size();
  std::vector<Column>& columns = out.raw_children();
  if (!cursor_->enter()) return broken();
  size_t guess = 0;
  while (true) {
    std::string_view name;
    bool at_end;
    if (!cursor_->next_name(name, at_end)) return broken();
    if (at_end) break;
    const auto field = find(node, name, guess);
    if (!field.has_value()) {
      if (!unknown_field(name)) return false;
      continue;
    }
    if (!convert_field(node, *field, columns[*field], row)) return false;
    guess = *field + 1;
  }
  for (Column& column : columns) {
    if (column.size() == row) column.append_null();
  }
  out.append_struct();
  return true;
}

bool JsonConverter::convert_array(const Node& node, Column& out) {
  if (!cursor_->enter()) return broken();
  Column& elements = out.raw_children()[0];
  while (true) {
    bool at_end;
    if (!cursor_->next_element(at_end)) return broken();
    if (at_end) break;
    if (!convert(*node.children[0], elements)) return false;
  }
  out.append_list();
  return true;
}

// A map's keys are JSON names: a STRING, or text of the key's type. Of equal keys the last counts.
bool JsonConverter::convert_map(const Node& node, Column& out) {
  if (!cursor_->enter()) return broken();
  Column& keys = out.raw_children()[0];
  Column& values = out.raw_children()[1];
  const size_t first = keys.size();
  while (true) {
    std::string_view name;
    bool at_end;
    if (!cursor_->next_name(name, at_end)) return broken();
    if (at_end) break;
    if (!map_key(*node.children[0], name, keys)) return false;
    const size_t at = keys.size() - 1;
    size_t same = first;
    while (same < at && !value::same_value(keys, same, keys, at)) ++same;
    if (!convert(*node.children[1], values)) return false;
    if (same == at) continue;
    // Take the older entry out.
    std::vector<uint32_t> rows;
    for (size_t i = first; i <= at; ++i) {
      if (i != same) rows.push_back(static_cast<uint32_t>(i));
    }
    const Column kept_keys = keys.gather(rows);
    const Column kept_values = values.gather(rows);
    truncate(keys, first);
    truncate(values, first);
    keys.append_range(kept_keys, 0, rows.size());
    values.append_range(kept_values, 0, rows.size());
  }
  out.append_list();
  return true;
}

bool JsonConverter::map_key(const Node& node, std::string_view name, Column& out) {
  if (node.type.kind == Kind::kString) {
    out.append_bytes(name);
    return true;
  }
  if (convert_text(node, name, out)) return true;
  damage_ = {fmt::format("the map key \"{}\" is no {}", shown(name), node.type.text()), path(),
             cursor_->offset()};
  return false;
}

bool JsonConverter::convert_number(const Node& node, Column& out) {
  const size_t from = cursor_->offset();
  std::string_view text;
  bool is_integer;
  if (!cursor_->read_number(text, is_integer)) return broken();
  int64_t number;
  switch (node.type.kind) {
    case Kind::kByte:
    case Kind::kShort:
    case Kind::kInt:
    case Kind::kLong:
      if (!is_integer || !parse_integer(text, number)) break;
      if (!fits_integer(node.type.kind, number)) break;
      out.append_integer(number);
      return true;
    case Kind::kTimestamp:  // seconds
      if (!is_integer || !parse_integer(text, number)) break;
      if (__builtin_mul_overflow(number, int64_t{1'000'000}, &number)) break;
      out.append_integer(number);
      return true;
    case Kind::kFloat:
    case Kind::kDouble:
    case Kind::kDecimal:
      if (convert_text(node, text, out)) return true;
      break;
    default: break;
  }
  return mismatch(node, from, out);
}

bool JsonConverter::convert_string(const Node& node, Column& out) {
  const size_t from = cursor_->offset();
  std::string_view text;
  if (!cursor_->read_string(text)) return broken();
  switch (node.type.kind) {
    case Kind::kString: out.append_bytes(text); return true;
    case Kind::kDouble:
    case Kind::kFloat: {
      double number;
      if (!parse_non_numeric(text, number) || text == "INF") break;
      return convert_text(node, text, out);
    }
    case Kind::kDecimal: {
      // Java's decimal format of the US: commas group digits and are passed over.
      std::string plain;
      for (const char c : text) {
        if (c != ',') plain.push_back(c);
      }
      if (convert_text(node, plain, out)) return true;
      break;
    }
    case Kind::kBinary:
      if (!parse_base64(text, bytes_)) break;
      out.append_bytes(bytes_);
      return true;
    case Kind::kDate:
      if (!text.empty() && date_text(text, out)) return true;
      break;
    case Kind::kTimestamp:
    case Kind::kTimestampNtz:
      if (!text.empty() && timestamp_text(node, text, out)) return true;
      break;
    default: break;
  }
  return mismatch(node, from, out);
}

// Appends a value out of plain text; false, with nothing appended, where it is none.
bool JsonConverter::convert_text(const Node& node, std::string_view text, Column& out) {
  switch (node.type.kind) {
    case Kind::kDouble: {
      double number;
      if (!parse_non_numeric(text, number) && !parse_double(text, number)) return false;
      out.append_fixed(number);
      return true;
    }
    case Kind::kFloat: {
      double special;
      float number;
      if (parse_non_numeric(text, special))
        number = static_cast<float>(special);
      else if (!parse_float(text, number))
        return false;
      out.append_fixed(number);
      return true;
    }
    case Kind::kDecimal: {
      value::Int128 unscaled;
      if (!parse_decimal(text, node.type.precision, node.type.scale, unscaled)) return false;
      out.append_decimal(unscaled);
      return true;
    }
    case Kind::kByte:
    case Kind::kShort:
    case Kind::kInt:
    case Kind::kLong: {
      int64_t number;
      if (!parse_integer(text, number) || !fits_integer(node.type.kind, number)) return false;
      out.append_integer(number);
      return true;
    }
    case Kind::kBoolean:
      if (text != "true" && text != "false") return false;
      out.append_fixed<uint8_t>(text == "true" ? 1 : 0);
      return true;
    case Kind::kDate: return date_text(text, out);
    case Kind::kTimestamp:
    case Kind::kTimestampNtz: return timestamp_text(node, text, out);
    case Kind::kString:
    case Kind::kBinary: out.append_bytes(text); return true;
    default: return false;
  }
}

bool JsonConverter::date_text(std::string_view text, Column& out) {
  int32_t days;
  const bool ok =
      date_pattern_.has_value() ? date_pattern_->parse_date(text, days) : parse_date(text, days);
  if (ok) out.append_fixed(days);
  return ok;
}

bool JsonConverter::timestamp_text(const Node& node, std::string_view text, Column& out) {
  int64_t micros;
  bool ok;
  if (node.type.kind == Kind::kTimestampNtz) {
    ok = ntz_pattern_.has_value() ? ntz_pattern_->parse_timestamp_ntz(text, micros)
                                  : parse_timestamp_ntz(text, micros);
  } else {
    ok = timestamp_pattern_.has_value() ? timestamp_pattern_->parse_timestamp(text, zone_, micros)
                                        : parse_timestamp(text, zone_, micros);
  }
  if (ok) out.append_fixed(micros);
  return ok;
}

// A STRING takes any value as the text it has in the file.
bool JsonConverter::convert_raw(Column& out) {
  const size_t from = cursor_->offset();
  if (!cursor_->skip_value()) return broken();
  out.append_bytes(cursor_->text(from, cursor_->offset()));
  return true;
}

// The value that begins at `from` does not fit its type.
bool JsonConverter::mismatch(const Node& node, size_t from, Column& out) {
  cursor_->rewind(from);
  if (!cursor_->skip_value()) return broken();
  const std::string_view raw = cursor_->text(from, cursor_->offset());
  Damage damage{fmt::format("{} cannot be read as {}", shown(raw), node.type.text()), path(), from};
  if (leftovers_ == nullptr) {
    damage_ = std::move(damage);
    return false;
  }
  if (rescue_) leftovers_->rescued.emplace_back(damage.column, std::string(raw));
  if (!leftovers_->damage.has_value()) leftovers_->damage = std::move(damage);
  out.append_null();
  return true;
}

bool JsonConverter::broken() {
  const JsonProblem& problem = cursor_->problem();
  damage_ = {problem.what != nullptr ? problem.what : "it is no JSON", path(), problem.offset};
  return false;
}

std::string JsonConverter::path() const {
  std::string out;
  for (const std::string_view name : path_) {
    if (!out.empty()) out += '.';
    out += name;
  }
  return out;
}

}  // namespace lakebed::source
