#include "delta/statistics.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "delta/bounds.h"
#include "delta/json_text.h"
#include "delta/schema.h"

namespace lakebed::delta {
namespace {

using value::Column;
using value::Field;
using value::Kind;

// A column of one batch together with the rows that a NULL struct around it hides.
struct Piece {
  const Column* column;
  std::vector<uint8_t> visible;  // empty: all rows
};

// The three objects that grow while the columns are visited. An object stands open until close().
struct Growing {
  std::string text;
  bool empty = true;
  std::string& member(std::string_view name) {
    text += empty ? '{' : ',';
    empty = false;
    append_json_string(text, name);
    return text += ':';
  }
  void nest(std::string_view name, Growing& inner) {
    if (inner.empty) return;
    member(name) += inner.text;
    text += '}';
  }
};

struct Objects {
  Growing null_count;
  Growing minimum;
  Growing maximum;
};

std::vector<uint8_t> visible_children(const Piece& piece) {
  const std::vector<uint8_t>& own = piece.column->raw_validity();
  if (own.empty()) return piece.visible;
  std::vector<uint8_t> out = own;
  for (size_t i = 0; i < piece.visible.size(); ++i) out[i] &= piece.visible[i];
  return out;
}

void visit(const Field& field, const std::vector<Piece>& pieces, size_t& leaves, Objects& out);

void visit_struct(const Field& field, const std::vector<Piece>& pieces, size_t& leaves,
                  Objects& out) {
  Objects inner;
  for (size_t i = 0; i < field.type.fields.size() && leaves > 0; ++i) {
    std::vector<Piece> children;
    for (const Piece& piece : pieces) {
      children.push_back({&piece.column->children()[i], visible_children(piece)});
    }
    visit(field.type.fields[i], children, leaves, inner);
  }
  const std::string name = physical_name(field);
  out.null_count.nest(name, inner.null_count);
  out.minimum.nest(name, inner.minimum);
  out.maximum.nest(name, inner.maximum);
}

void visit(const Field& field, const std::vector<Piece>& pieces, size_t& leaves, Objects& out) {
  if (leaves == 0 || field.type.kind == Kind::kVoid) return;
  if (field.type.kind == Kind::kStruct) return visit_struct(field, pieces, leaves, out);
  --leaves;
  Bounds bounds(field.type);
  for (const Piece& piece : pieces) bounds.take(*piece.column, piece.visible);
  const std::string name = physical_name(field);
  out.null_count.member(name) += fmt::format_int(bounds.nulls()).c_str();
  if (const auto text = bounds.minimum()) out.minimum.member(name) += *text;
  if (const auto text = bounds.maximum()) out.maximum.member(name) += *text;
}

// Position of the value of a member of the outermost object, as [begin, end) in the text.
struct Place {
  size_t begin = 0;
  size_t end = 0;
};

size_t end_of_string(std::string_view text, size_t at) {
  for (++at; at < text.size() && text[at] != '"'; ++at) {
    if (text[at] == '\\') ++at;
  }
  return std::min(at + 1, text.size());
}

// The end of the value that begins at `at`: the comma or brace after it on its own level.
size_t end_of_value(std::string_view text, size_t at) {
  int depth = 0;
  while (at < text.size()) {
    const char c = text[at];
    if (depth == 0 && (c == ',' || c == '}')) return at;
    if (c == '"') {
      at = end_of_string(text, at);
      continue;
    }
    if (c == '{' || c == '[') ++depth;
    if (c == '}' || c == ']') --depth;
    ++at;
  }
  return at;
}

std::optional<Place> find_member(std::string_view text, std::string_view name) {
  const auto skip = [&](size_t at) {
    return std::min(text.find_first_not_of(" \t\r\n,{:", at), text.size());
  };
  size_t at = text.find('{');
  while (at < text.size()) {
    at = skip(at);
    if (at >= text.size() || text[at] != '"') return {};
    const size_t key_end = end_of_string(text, at);
    const std::string_view key = text.substr(at + 1, key_end - at - 2);
    size_t begin = std::min(text.find(':', key_end), text.size());
    begin = std::min(text.find_first_not_of(" \t\r\n:", begin), text.size());
    const size_t end = end_of_value(text, begin);
    if (key == name) return Place{begin, end};
    at = end;
  }
  return {};
}

}  // namespace

std::string statistics_json(const value::Schema& schema,
                            const std::vector<const value::ColumnBatch*>& batches,
                            const StatisticsOptions& options) {
  size_t rows = 0;
  for (const value::ColumnBatch* batch : batches) rows += batch->rows;
  Objects objects;
  size_t leaves = options.leaf_columns;
  for (size_t i = 0; i < schema.size() && leaves > 0; ++i) {
    const auto& partition = options.partition_columns;
    if (std::find(partition.begin(), partition.end(), schema[i].name) != partition.end()) continue;
    std::vector<Piece> pieces;
    for (const value::ColumnBatch* batch : batches) pieces.push_back({&batch->columns[i], {}});
    visit(schema[i], pieces, leaves, objects);
  }
  Growing all;
  all.member("numRecords") += std::to_string(rows);
  all.nest("minValues", objects.minimum);
  all.nest("maxValues", objects.maximum);
  all.nest("nullCount", objects.null_count);
  all.member("tightBounds") += "true";
  return all.text + "}";
}

std::string statistics_of_count(uint64_t rows) {
  return fmt::format("{{\"numRecords\":{},\"tightBounds\":true}}", rows);
}

std::string loosen_statistics(std::string_view statistics) {
  std::string out(statistics);
  if (const auto place = find_member(statistics, "tightBounds")) {
    out.replace(place->begin, place->end - place->begin, "false");
    return out;
  }
  const size_t brace = out.rfind('}');
  if (brace != std::string::npos) out.insert(brace, ",\"tightBounds\":false");
  return out;
}

std::optional<int64_t> statistics_rows(std::string_view statistics) {
  const auto place = find_member(statistics, "numRecords");
  if (!place) return {};
  int64_t rows = 0;
  const char* begin = statistics.data() + place->begin;
  const auto [end, code] = std::from_chars(begin, statistics.data() + place->end, rows);
  if (code != std::errc() || rows < 0) return {};
  return rows;
}

}  // namespace lakebed::delta
