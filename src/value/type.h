// Types of columns: Spark's, and nothing else. A Type is a small value: copy it freely.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace lakebed::value {

__extension__ typedef __int128 Int128;
__extension__ typedef unsigned __int128 UInt128;

enum class Kind : uint8_t {
  kVoid,  // the type of a bare NULL
  kBoolean,
  kByte,   // TINYINT
  kShort,  // SMALLINT
  kInt,
  kLong,  // BIGINT
  kFloat,
  kDouble,
  kDecimal,
  kString,
  kBinary,
  kDate,          // days since 1970-01-01
  kTimestamp,     // microseconds since 1970-01-01 UTC, an instant
  kTimestampNtz,  // microseconds since 1970-01-01, wall clock without a zone
  kArray,
  kMap,
  kStruct,
  kIntervalYearMonth,  // months; lives in expressions only, no table holds it
  kIntervalDayTime,    // microseconds; likewise
};

struct Field;

struct Type {
  Kind kind = Kind::kVoid;
  uint8_t precision = 0;  // kDecimal only: 1 to 38
  uint8_t scale = 0;      // kDecimal only: 0 to precision
  // kStruct: its fields. kArray: one, "element". kMap: two, "key" and "value".
  std::vector<Field> fields;

  Type() = default;
  Type(Kind k) : kind(k) {}  // NOLINT: implicit on purpose
  static Type decimal(int precision, int scale);
  static Type array(Type element, bool contains_null = true);
  static Type map(Type key, Type element, bool contains_null = true);
  static Type structure(std::vector<Field> fields);

  // Requires: kArray.
  const Type& element() const;
  // Requires: kMap.
  const Type& map_key() const;
  const Type& map_value() const;

  bool is_integer() const;  // kByte to kLong
  bool is_numeric() const;  // integers, floating point and decimal
  bool is_nested() const;   // array, map, struct
  // Spark's spelling: "BIGINT", "DECIMAL(10,2)", "ARRAY<INT>", "STRUCT<a: INT, b: STRING>".
  std::string text() const;
  // Same kinds, precisions, field names (case as written) and nesting; nullability is ignored.
  bool operator==(const Type& other) const;
};

struct Field {
  std::string name;
  Type type;
  bool nullable = true;
  std::string comment;
  // Further metadata of the field as the table format stores it (e.g. column mapping), opaque here.
  std::map<std::string, std::string> metadata;

  bool operator==(const Field& other) const { return name == other.name && type == other.type; }
};

using Schema = std::vector<Field>;

// Index of the field of that name, compared without case.
std::optional<size_t> find_field(const Schema& schema, std::string_view name);

// True where values of the type have an order (MAP and VOID have none, nor what contains them).
bool is_orderable(const Type& type);

// True where every value of `from` fits in `to` and Delta's type widening allows the change:
// integers upwards, FLOAT to DOUBLE, integers to wide enough DECIMAL or to DOUBLE (up to INT),
// DECIMAL with more digits on both sides, DATE to TIMESTAMP_NTZ.
bool can_widen(const Type& from, const Type& to);

}  // namespace lakebed::value
