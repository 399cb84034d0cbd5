#include "source/infer.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "base/names.h"
#include "source/text_time.h"
#include "source/text_value.h"

namespace lakebed::source {

using value::Field;
using value::Kind;
using value::Schema;
using value::Type;

namespace {

constexpr int kMaxPrecision = 38;

Type merge_decimals(const Type& left, const Type& right) {
  const int scale = std::max(left.scale, right.scale);
  const int whole = std::max(left.precision - left.scale, right.precision - right.scale);
  if (whole + scale > kMaxPrecision) return Kind::kDouble;
  return Type::decimal(whole + scale, scale);
}

// Digits that an integer type needs, as a decimal.
Type as_decimal(const Type& type) {
  switch (type.kind) {
    case Kind::kByte: return Type::decimal(3, 0);
    case Kind::kShort: return Type::decimal(5, 0);
    case Kind::kInt: return Type::decimal(10, 0);
    case Kind::kLong: return Type::decimal(20, 0);
    default: return type;
  }
}

std::optional<Type> merge_numbers(const Type& left, const Type& right) {
  if (!left.is_numeric() || !right.is_numeric()) return std::nullopt;
  const auto floating = [](const Type& type) {
    return type.kind == Kind::kFloat || type.kind == Kind::kDouble;
  };
  if (floating(left) || floating(right)) return Type(Kind::kDouble);
  if (left.kind == Kind::kDecimal || right.kind == Kind::kDecimal) {
    return merge_decimals(as_decimal(left), as_decimal(right));
  }
  return left.kind > right.kind ? left : right;
}

Type merge_structs(const Type& left, const Type& right) {
  std::vector<Field> fields = left.fields;
  for (const Field& field : right.fields) {
    const auto same = [&field](const Field& other) { return other.name == field.name; };
    const auto found = std::find_if(fields.begin(), fields.end(), same);
    if (found == fields.end())
      fields.push_back(field);
    else
      found->type = merge_inferred(found->type, field.type);
  }
  return Type::structure(std::move(fields));
}

// False where nothing is left of the type: a struct without fields.
bool finish(Type& type) {
  if (type.kind == Kind::kVoid) type = Kind::kString;
  std::vector<Field> kept;
  for (Field& field : type.fields) {
    if (finish(field.type)) kept.push_back(std::move(field));
  }
  const bool lost = kept.size() != type.fields.size();
  type.fields = std::move(kept);
  if (type.kind == Kind::kStruct) return !type.fields.empty();
  return !lost;
}

std::optional<Type> merge_parquet_types(const Type& left, const Type& right) {
  if (left == right || value::can_widen(right, left)) return left;
  if (value::can_widen(left, right)) return right;
  if (left.kind != right.kind || left.fields.empty()) return std::nullopt;
  if (left.kind == Kind::kStruct) {
    auto fields = merge_parquet(left.fields, right.fields, "");
    if (!fields.ok()) return std::nullopt;
    return Type::structure(std::move(*fields));
  }
  Type out = left;
  for (size_t i = 0; i < out.fields.size(); ++i) {
    auto part = merge_parquet_types(left.fields[i].type, right.fields[i].type);
    if (!part) return std::nullopt;
    out.fields[i].type = std::move(*part);
  }
  return out;
}

Type partition_type(const std::string& text, const Zone& utc) {
  int64_t integer;
  double floating;
  int32_t days;
  int64_t micros;
  if (parse_integer(text, integer)) {
    return fits_integer(Kind::kInt, integer) ? Kind::kInt : Kind::kLong;
  }
  if (parse_double(text, floating)) return Kind::kDouble;
  if (text.size() == 10 && parse_date(text, days)) return Kind::kDate;
  if (text.size() >= 19 && parse_timestamp(text, utc, micros)) return Kind::kTimestamp;
  return Kind::kString;
}

}  // namespace

Type merge_inferred(const Type& left, const Type& right) {
  if (left.kind == Kind::kVoid || left == right) return right;
  if (right.kind == Kind::kVoid) return left;
  if (const auto number = merge_numbers(left, right)) return *number;
  const auto is_time = [](const Type& type) {
    return type.kind == Kind::kDate || type.kind == Kind::kTimestamp;
  };
  if (is_time(left) && is_time(right)) return Kind::kTimestamp;
  if (left.kind != right.kind) return Kind::kString;
  if (left.kind == Kind::kStruct) return merge_structs(left, right);
  if (left.kind == Kind::kArray) {
    return Type::array(merge_inferred(left.element(), right.element()));
  }
  if (left.kind == Kind::kMap) {
    return Type::map(merge_inferred(left.map_key(), right.map_key()),
                     merge_inferred(left.map_value(), right.map_value()));
  }
  return Kind::kString;
}

Schema finish_inferred(const Type& inferred) {
  Type type = inferred;
  finish(type);
  return type.fields;
}

Result<Schema> merge_parquet(const Schema& left, const Schema& right, const std::string& file) {
  Schema out = left;
  for (const Field& field : right) {
    const auto found = value::find_field(out, field.name);
    if (!found) {
      out.push_back(field);
      continue;
    }
    auto type = merge_parquet_types(out[*found].type, field.type);
    if (!type) {
      return update_error(
          "CANNOT_MERGE_SCHEMAS",
          fmt::format("the column {} is {} in {}, and {} in the files before it",
                      quote_name(field.name), field.type.text(), file, out[*found].type.text()));
    }
    out[*found].type = std::move(*type);
  }
  return out;
}

Result<Schema> infer_partitions(const std::vector<ListedFile>& files, bool infer_types) {
  LAKEBED_ASSIGN(const Zone utc, Zone::find("UTC"));
  Schema out;
  for (const ListedFile& file : files) {
    for (const auto& [name, text] : file.partitions) {
      auto found = value::find_field(out, name);
      if (!found) {
        found = out.size();
        Field field;
        field.name = name;
        out.push_back(std::move(field));
      }
      Type& type = out[*found].type;
      if (text.has_value()) type = merge_inferred(type, partition_type(*text, utc));
    }
  }
  for (Field& field : out) {
    if (!infer_types || field.type.kind == Kind::kVoid) field.type = Kind::kString;
  }
  return out;
}

}  // namespace lakebed::source
