// Arrays, maps and structs, lambdas aside.
#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

#include "engine/duck/functions/kernel.h"
#include "value/order.h"

namespace lakebed::engine::duck {

using value::Column;
using value::Kind;
using value::same_value;
using value::Type;

namespace {

// --- constructors --------------------------------------------------------------------------------

Result<std::string> render_array(const RenderedCall& call, RenderContext&) {
  return fmt::format("CAST([{}] AS {})", join_operands(call.arguments), duck_type(call.node->type));
}

// A DuckDB STRUCT of the exact type: names from the type, so that equal names in other spelling
// cannot meet.
std::string struct_of(const Type& type, const std::vector<std::string>& operands) {
  std::string out;
  for (size_t i = 0; i < operands.size(); ++i) {
    out += (i > 0 ? ", " : "") + quote_identifier(type.fields[i].name) + " := " + operands[i];
  }
  return "struct_pack(" + out + ")";
}

Result<std::string> render_struct(const RenderedCall& call, RenderContext&) {
  return struct_of(call.node->type, call.arguments);
}

Result<std::string> render_named_struct(const RenderedCall& call, RenderContext&) {
  std::vector<std::string> operands;
  for (size_t i = 1; i < call.arguments.size(); i += 2) operands.push_back(call.arguments[i]);
  return struct_of(call.node->type, operands);
}

// --- maps ----------------------------------------------------------------------------------------

// Appends entries one by one; a key twice or NULL is an error, as in Spark.
class MapBuilder {
 public:
  explicit MapBuilder(Column& out) : out_(out) {}

  Status add(const Column& keys, uint64_t key, const Column& items, uint64_t item) {
    if (keys.is_null(key)) return update_error("NULL_MAP_KEY", "A key of a map cannot be NULL.");
    std::string code;
    append_key_code(keys, key, code);
    if (!seen_.insert(code).second) {
      return update_error("DUPLICATED_MAP_KEY", "A key is in the map twice.");
    }
    out_.raw_children()[0].append_from(keys, key);
    out_.raw_children()[1].append_from(items, item);
    return {};
  }
  void finish() { out_.append_list(); }

 private:
  static void append_key_code(const Column& keys, uint64_t row, std::string& code) {
    value::append_order_code(keys, row, code);
  }

  Column& out_;
  std::unordered_set<std::string> seen_;
};

Status map_row(const Row& row, Column& out, const KernelContext&) {
  MapBuilder builder(out);
  for (size_t k = 0; k + 1 < row.count(); k += 2) {
    LAKEBED_TRY(builder.add(row.column(k), row.row(), row.column(k + 1), row.row()));
  }
  builder.finish();
  return {};
}

Result<std::string> render_map(const RenderedCall& call, RenderContext& context) {
  if (call.arguments.empty())
    return fmt::format("CAST(MAP {{}} AS {})", duck_type(call.node->type));
  return render_kernel(call, map_row, kSeesNulls, context);
}

Status map_concat_row(const Row& row, Column& out, const KernelContext&) {
  MapBuilder builder(out);
  for (size_t k = 0; k < row.count(); ++k) {
    const auto& children = row.column(k).children();
    for (uint64_t i = row.begin(k); i < row.end(k); ++i) {
      LAKEBED_TRY(builder.add(children[0], i, children[1], i));
    }
  }
  builder.finish();
  return {};
}

Status map_from_arrays_row(const Row& row, Column& out, const KernelContext&) {
  const uint64_t count = row.end(0) - row.begin(0);
  if (count != row.end(1) - row.begin(1)) {
    return update_error("DIFFERENT_MAP_KEY_VALUE_LENGTHS", "As many keys as values are needed.");
  }
  MapBuilder builder(out);
  for (uint64_t i = 0; i < count; ++i) {
    LAKEBED_TRY(builder.add(row.elements(0), row.begin(0) + i, row.elements(1), row.begin(1) + i));
  }
  builder.finish();
  return {};
}

Status map_from_entries_row(const Row& row, Column& out, const KernelContext&) {
  const Column& entries = row.elements(0);
  for (uint64_t i = row.begin(0); i < row.end(0); ++i) {
    if (!entries.is_null(i)) continue;
    out.append_null();
    return {};
  }
  MapBuilder builder(out);
  for (uint64_t i = row.begin(0); i < row.end(0); ++i) {
    LAKEBED_TRY(builder.add(entries.children()[0], i, entries.children()[1], i));
  }
  builder.finish();
  return {};
}

template <size_t child>
Status map_part_row(const Row& row, Column& out, const KernelContext&) {
  out.raw_children()[0].append_range(row.column(0).children()[child], row.begin(0),
                                     row.end(0) - row.begin(0));
  out.append_list();
  return {};
}

Status map_entries_row(const Row& row, Column& out, const KernelContext&) {
  Column& entries = out.raw_children()[0];
  for (uint64_t i = row.begin(0); i < row.end(0); ++i) {
    for (size_t child : {size_t{0}, size_t{1}}) {
      entries.raw_children()[child].append_from(row.column(0).children()[child], i);
    }
    entries.append_struct();
  }
  out.append_list();
  return {};
}

std::optional<uint64_t> find_key(const Row& row, size_t map, size_t key) {
  const Column& keys = row.column(map).children()[0];
  for (uint64_t i = row.begin(map); i < row.end(map); ++i) {
    if (same_value(keys, i, row.column(key), row.row())) return i;
  }
  return std::nullopt;
}

Status map_contains_key_row(const Row& row, Column& out, const KernelContext&) {
  append_boolean(out, find_key(row, 0, 1).has_value());
  return {};
}

void append_piece(Column& out, const std::optional<std::string>& piece) {
  if (piece)
    out.append_bytes(*piece);
  else
    out.append_null();
}

Status str_to_map_row(const Row& row, Column& out, const KernelContext&) {
  const std::string_view pairs = row.count() > 1 ? row.text(1) : ",";
  const std::string_view inside = row.count() > 2 ? row.text(2) : ":";
  const std::string_view text = row.text(0);
  std::unordered_set<std::string> seen;
  size_t at = 0;
  while (at <= text.size()) {
    const size_t end = pairs.empty() ? text.size() : std::min(text.find(pairs, at), text.size());
    const std::string_view pair = text.substr(at, end - at);
    const size_t mark = inside.empty() ? std::string_view::npos : pair.find(inside);
    const std::string key(pair.substr(0, mark));
    std::optional<std::string> item;
    if (mark != std::string_view::npos) item = std::string(pair.substr(mark + inside.size()));
    if (!seen.insert(key).second) {
      return update_error("DUPLICATED_MAP_KEY", fmt::format("The key '{}' is there twice.", key));
    }
    out.raw_children()[0].append_bytes(key);
    append_piece(out.raw_children()[1], item);
    at = end + std::max<size_t>(pairs.size(), 1);
    if (end == text.size()) break;
  }
  out.append_list();
  return {};
}

// --- elements ------------------------------------------------------------------------------------

template <bool tried>
Status element_at_row(const Row& row, Column& out, const KernelContext&) {
  if (row.column(0).type().kind == Kind::kMap) {
    const auto found = find_key(row, 0, 1);
    if (found)
      out.append_from(row.column(0).children()[1], *found);
    else
      out.append_null();
    return {};
  }
  const auto size = static_cast<int64_t>(row.end(0) - row.begin(0));
  int64_t at = row.integer(1);
  if (at == 0) return update_error("INVALID_INDEX_OF_ZERO", "Elements are numbered from 1.");
  if (at < 0) at += size + 1;
  if (at >= 1 && at <= size) {
    out.append_from(row.elements(0), row.begin(0) + static_cast<uint64_t>(at - 1));
  } else if (tried) {
    out.append_null();
  } else {
    return update_error("INVALID_ARRAY_INDEX_IN_ELEMENT_AT",
                        fmt::format("The index {} is out of bounds: the array has {} elements.",
                                    row.integer(1), size));
  }
  return {};
}

Status get_row(const Row& row, Column& out, const KernelContext&) {
  const auto size = static_cast<int64_t>(row.end(0) - row.begin(0));
  const int64_t at = row.integer(1);
  if (at < 0 || at >= size)
    out.append_null();
  else
    out.append_from(row.elements(0), row.begin(0) + static_cast<uint64_t>(at));
  return {};
}

Status size_row(const Row& row, Column& out, const KernelContext&) {
  out.append_integer(static_cast<int64_t>(row.end(0) - row.begin(0)));
  return {};
}

// TRUE, FALSE, or NULL where a NULL element might be it.
Status array_contains_row(const Row& row, Column& out, const KernelContext&) {
  bool null = false;
  for (uint64_t i = row.begin(0); i < row.end(0); ++i) {
    if (row.elements(0).is_null(i)) {
      null = true;
    } else if (same_value(row.elements(0), i, row.column(1), row.row())) {
      append_boolean(out, true);
      return {};
    }
  }
  if (null)
    out.append_null();
  else
    append_boolean(out, false);
  return {};
}

Status array_position_row(const Row& row, Column& out, const KernelContext&) {
  for (uint64_t i = row.begin(0); i < row.end(0); ++i) {
    if (row.elements(0).is_null(i)) continue;
    if (!same_value(row.elements(0), i, row.column(1), row.row())) continue;
    out.append_integer(static_cast<int64_t>(i - row.begin(0)) + 1);
    return {};
  }
  out.append_integer(0);
  return {};
}

template <bool front>
Status array_add_row(const Row& row, Column& out, const KernelContext&) {
  if (row.null(0)) {
    out.append_null();
    return {};
  }
  Column& items = out.raw_children()[0];
  if (front) items.append_from(row.column(1), row.row());
  items.append_range(row.elements(0), row.begin(0), row.end(0) - row.begin(0));
  if (!front) items.append_from(row.column(1), row.row());
  out.append_list();
  return {};
}

Status array_insert_row(const Row& row, Column& out, const KernelContext&) {
  if (row.null(0) || row.null(1)) {
    out.append_null();
    return {};
  }
  const int64_t at = row.integer(1);
  if (at == 0) return update_error("INVALID_INDEX_OF_ZERO", "Elements are numbered from 1.");
  const auto size = static_cast<int64_t>(row.end(0) - row.begin(0));
  Column& items = out.raw_children()[0];
  // Where the new element stands, from 0; below 0: NULLs follow it.
  const int64_t place = at > 0 ? at - 1 : size + at + 1;
  const auto own = [&](int64_t i) {
    items.append_from(row.elements(0), row.begin(0) + static_cast<uint64_t>(i));
  };
  if (place < 0) {
    items.append_from(row.column(2), row.row());
    for (int64_t i = place; i < 0; ++i) items.append_null();
    for (int64_t i = 0; i < size; ++i) own(i);
  } else {
    for (int64_t i = 0; i < std::min(place, size); ++i) own(i);
    for (int64_t i = size; i < place; ++i) items.append_null();
    items.append_from(row.column(2), row.row());
    for (int64_t i = place; i < size; ++i) own(i);
  }
  out.append_list();
  return {};
}

Status array_remove_row(const Row& row, Column& out, const KernelContext&) {
  for (uint64_t i = row.begin(0); i < row.end(0); ++i) {
    const bool same =
        !row.elements(0).is_null(i) && same_value(row.elements(0), i, row.column(1), row.row());
    if (!same) out.raw_children()[0].append_from(row.elements(0), i);
  }
  out.append_list();
  return {};
}

// --- sets ----------------------------------------------------------------------------------------

std::string code_of(const Column& column, uint64_t row) {
  std::string code;
  value::append_order_code(column, row, code);
  return code;
}

std::unordered_set<std::string> codes_of(const Row& row, size_t k) {
  std::unordered_set<std::string> out;
  for (uint64_t i = row.begin(k); i < row.end(k); ++i) out.insert(code_of(row.elements(k), i));
  return out;
}

Status array_distinct_row(const Row& row, Column& out, const KernelContext&) {
  std::unordered_set<std::string> seen;
  for (uint64_t i = row.begin(0); i < row.end(0); ++i) {
    if (seen.insert(code_of(row.elements(0), i)).second) {
      out.raw_children()[0].append_from(row.elements(0), i);
    }
  }
  out.append_list();
  return {};
}

Status array_union_row(const Row& row, Column& out, const KernelContext&) {
  std::unordered_set<std::string> seen;
  for (size_t k : {size_t{0}, size_t{1}}) {
    for (uint64_t i = row.begin(k); i < row.end(k); ++i) {
      if (seen.insert(code_of(row.elements(k), i)).second) {
        out.raw_children()[0].append_from(row.elements(k), i);
      }
    }
  }
  out.append_list();
  return {};
}

template <bool wanted>
Status array_select_row(const Row& row, Column& out, const KernelContext&) {
  const auto other = codes_of(row, 1);
  std::unordered_set<std::string> seen;
  for (uint64_t i = row.begin(0); i < row.end(0); ++i) {
    const std::string code = code_of(row.elements(0), i);
    if (other.contains(code) == wanted && seen.insert(code).second) {
      out.raw_children()[0].append_from(row.elements(0), i);
    }
  }
  out.append_list();
  return {};
}

bool has_null(const Row& row, size_t k) {
  for (uint64_t i = row.begin(k); i < row.end(k); ++i) {
    if (row.elements(k).is_null(i)) return true;
  }
  return false;
}

Status arrays_overlap_row(const Row& row, Column& out, const KernelContext&) {
  const auto other = codes_of(row, 1);
  for (uint64_t i = row.begin(0); i < row.end(0); ++i) {
    if (row.elements(0).is_null(i) || !other.contains(code_of(row.elements(0), i))) continue;
    append_boolean(out, true);
    return {};
  }
  const bool both = row.begin(0) < row.end(0) && row.begin(1) < row.end(1);
  if (both && (has_null(row, 0) || has_null(row, 1)))
    out.append_null();
  else
    append_boolean(out, false);
  return {};
}

Status array_join_row(const Row& row, Column& out, const KernelContext&) {
  std::string text;
  bool first = true;
  for (uint64_t i = row.begin(0); i < row.end(0); ++i) {
    const bool null = row.elements(0).is_null(i);
    if (null && row.count() < 3) continue;
    if (!first) text += row.text(1);
    first = false;
    text += null ? row.text(2) : row.elements(0).bytes(i);
  }
  out.append_bytes(text);
  return {};
}

Status array_compact_row(const Row& row, Column& out, const KernelContext&) {
  for (uint64_t i = row.begin(0); i < row.end(0); ++i) {
    if (!row.elements(0).is_null(i)) out.raw_children()[0].append_from(row.elements(0), i);
  }
  out.append_list();
  return {};
}

Status array_repeat_row(const Row& row, Column& out, const KernelContext&) {
  if (row.null(1)) {
    out.append_null();
    return {};
  }
  for (int64_t i = 0; i < row.integer(1); ++i) {
    out.raw_children()[0].append_from(row.column(0), row.row());
  }
  out.append_list();
  return {};
}

// --- order ---------------------------------------------------------------------------------------

template <bool largest>
Status array_extreme_row(const Row& row, Column& out, const KernelContext&) {
  std::string best;
  uint64_t best_at = 0;
  for (uint64_t i = row.begin(0); i < row.end(0); ++i) {
    if (row.elements(0).is_null(i)) continue;
    std::string code = code_of(row.elements(0), i);
    if (!best.empty() && (largest ? code <= best : code >= best)) continue;
    best = std::move(code);
    best_at = i;
  }
  if (best.empty())
    out.append_null();
  else
    out.append_from(row.elements(0), best_at);
  return {};
}

Status sort_array_row(const Row& row, Column& out, const KernelContext&) {
  // NULLs come first in ascending order and last in descending order: as codes do.
  const bool ascending = row.count() < 2 || row.boolean(1);
  std::vector<std::pair<std::string, uint64_t>> coded;
  for (uint64_t i = row.begin(0); i < row.end(0); ++i) {
    coded.emplace_back(code_of(row.elements(0), i), i);
  }
  std::stable_sort(coded.begin(), coded.end(), [ascending](const auto& a, const auto& b) {
    return ascending ? a.first < b.first : b.first < a.first;
  });
  for (const auto& [code, at] : coded) out.raw_children()[0].append_from(row.elements(0), at);
  out.append_list();
  return {};
}

// --- shapes --------------------------------------------------------------------------------------

Status slice_row(const Row& row, Column& out, const KernelContext&) {
  const auto size = static_cast<int64_t>(row.end(0) - row.begin(0));
  int64_t start = row.integer(1);
  const int64_t length = row.integer(2);
  if (start == 0) {
    return update_error("INVALID_PARAMETER_VALUE.START",
                        "slice counts from 1, or from -1 backwards.");
  }
  if (length < 0) {
    return update_error("INVALID_PARAMETER_VALUE.LENGTH",
                        "The length of slice cannot be negative.");
  }
  start = start > 0 ? start - 1 : start + size;
  if (start >= 0 && start < size) {
    out.raw_children()[0].append_range(row.elements(0), row.begin(0) + static_cast<uint64_t>(start),
                                       static_cast<size_t>(std::min(length, size - start)));
  }
  out.append_list();
  return {};
}

Status flatten_row(const Row& row, Column& out, const KernelContext&) {
  const Column& inner = row.elements(0);
  if (has_null(row, 0)) {
    out.append_null();
    return {};
  }
  for (uint64_t i = row.begin(0); i < row.end(0); ++i) {
    out.raw_children()[0].append_range(inner.children()[0], inner.begin(i),
                                       inner.end(i) - inner.begin(i));
  }
  out.append_list();
  return {};
}

Status arrays_zip_row(const Row& row, Column& out, const KernelContext&) {
  uint64_t longest = 0;
  for (size_t k = 0; k < row.count(); ++k) longest = std::max(longest, row.end(k) - row.begin(k));
  Column& structs = out.raw_children()[0];
  for (uint64_t i = 0; i < longest; ++i) {
    for (size_t k = 0; k < row.count(); ++k) {
      Column& field = structs.raw_children()[k];
      if (row.begin(k) + i < row.end(k))
        field.append_from(row.elements(k), row.begin(k) + i);
      else
        field.append_null();
    }
    structs.append_struct();
  }
  out.append_list();
  return {};
}

}  // namespace

std::vector<Rendering> collection_renderings() {
  return {
      {"array", render_array},
      {"map create_map", render_map},
      {"struct", render_struct},
      {"named_struct", render_named_struct},
      {"element_at", element_at_row<false>},
      {"try_element_at", element_at_row<true>},
      {"get", get_row},
      {"size cardinality array_size", size_row},
      {"array_contains", array_contains_row},
      {"array_position", array_position_row},
      {"array_append", array_add_row<false>, kSeesNulls},
      {"array_prepend", array_add_row<true>, kSeesNulls},
      {"array_insert", array_insert_row, kSeesNulls},
      {"array_remove", array_remove_row},
      {"array_distinct", array_distinct_row},
      {"array_union", array_union_row},
      {"array_intersect", array_select_row<true>},
      {"array_except", array_select_row<false>},
      {"arrays_overlap", arrays_overlap_row},
      {"array_join", array_join_row},
      {"array_compact", array_compact_row},
      {"array_repeat", array_repeat_row, kSeesNulls},
      {"array_min", array_extreme_row<false>},
      {"array_max", array_extreme_row<true>},
      {"sort_array", sort_array_row},
      {"slice", slice_row},
      {"flatten", flatten_row},
      {"arrays_zip", arrays_zip_row},
      {"map_keys", map_part_row<0>},
      {"map_values", map_part_row<1>},
      {"map_entries", map_entries_row},
      {"map_concat", map_concat_row},
      {"map_contains_key", map_contains_key_row},
      {"map_from_arrays", map_from_arrays_row},
      {"map_from_entries", map_from_entries_row},
      {"str_to_map", str_to_map_row},
  };
}

}  // namespace lakebed::engine::duck
