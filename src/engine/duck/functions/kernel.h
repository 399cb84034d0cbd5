// Scalar functions of ours over value::Columns: what a family's table of kernels is made of.
//
// A RowFunction computes one row: it appends exactly one value to `out`, or returns an Error and
// appends nothing. It never sees a NULL argument unless its entry says `nulls`. It is registered
// with DuckDB when a query first uses it with certain types (call_kernel), so that arrays, maps
// and structs keep their exact types. Functions run on many threads: no state of their own.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "engine/duck/functions/render.h"
#include "value/column.h"

namespace lakebed::engine::duck {

// What a row function knows besides its arguments.
struct KernelContext {
  std::string zone;                // session time zone
  std::vector<value::Type> types;  // Spark's types of the arguments
  value::Type result;
};

// One row of the arguments.
class Row {
 public:
  Row(const std::vector<value::Column>& columns, size_t row) : columns_(columns), row_(row) {}

  size_t count() const { return columns_.size(); }
  size_t row() const { return row_; }
  const value::Column& column(size_t k) const { return columns_[k]; }
  bool null(size_t k) const { return columns_[k].is_null(row_); }
  bool has(size_t k) const { return k < columns_.size() && !null(k); }
  std::string_view text(size_t k) const { return columns_[k].bytes(row_); }
  int64_t integer(size_t k) const { return columns_[k].integer(row_); }
  bool boolean(size_t k) const { return columns_[k].integer(row_) != 0; }
  double real(size_t k) const;
  // Elements of an ARRAY: [begin, end) of children()[0]; likewise keys and values of a MAP.
  uint64_t begin(size_t k) const { return columns_[k].begin(row_); }
  uint64_t end(size_t k) const { return columns_[k].end(row_); }
  const value::Column& elements(size_t k) const { return columns_[k].children()[0]; }

 private:
  const std::vector<value::Column>& columns_;
  size_t row_;
};

using RowFunction = Status (*)(const Row& row, value::Column& out, const KernelContext& context);

struct KernelFlags {
  bool nulls = false;  // the function sees NULLs; else a NULL argument gives NULL
  bool tried = false;  // an Error gives NULL
};

// Registers `function` for these types unless done before, and renders a call of it.
Result<std::string> call_kernel(const std::string& name, RowFunction function, KernelFlags flags,
                                const std::vector<std::string>& operands,
                                const std::vector<value::Type>& types, const value::Type& result,
                                RenderContext& context);

// Writes a DOUBLE or a FLOAT, as the type of `out` says.
void append_real(value::Column& out, double item);
// Appends 0 or 1 to a BOOLEAN column.
inline void append_boolean(value::Column& out, bool item) { out.append_integer(item ? 1 : 0); }

using Renderer = Result<std::string> (*)(const RenderedCall& call, RenderContext& context);

// One function: how it is computed. By a kernel, by an expression of DuckDB in which {0}, {1}
// stand for the arguments, {*} for all of them and {~} for the suffix, or by a renderer.
struct Rendering {
  const char* names;  // as in the plan's table: synonyms parted by blanks
  RowFunction row = nullptr;
  KernelFlags flags;
  const char* format = nullptr;
  Renderer render = nullptr;

  Rendering(const char* n, RowFunction r, KernelFlags f = {}) : names(n), row(r), flags(f) {}
  Rendering(const char* n, const char* text) : names(n), format(text) {}
  Rendering(const char* n, Renderer r) : names(n), render(r) {}
};

// Fills {0}, {1}, {*} and {~} of a format.
std::string fill_format(std::string_view format, const RenderedCall& call);

constexpr KernelFlags kStrict{};
constexpr KernelFlags kSeesNulls{true, false};
constexpr KernelFlags kTried{false, true};

// The families.
std::vector<Rendering> operator_renderings();
std::vector<Rendering> math_renderings();
std::vector<Rendering> string_renderings();
std::vector<Rendering> regexp_renderings();
std::vector<Rendering> encoding_renderings();
std::vector<Rendering> date_renderings();
std::vector<Rendering> zone_renderings();
std::vector<Rendering> date_pattern_renderings();
std::vector<Rendering> collection_renderings();
std::vector<Rendering> sequence_renderings();
std::vector<Rendering> format_renderings();
std::vector<Rendering> lambda_renderings();
std::vector<Rendering> json_renderings();
std::vector<Rendering> misc_renderings();
std::vector<Rendering> aggregate_renderings();
std::vector<Rendering> window_renderings();

// Shorthands for renderers. `types_of` are Spark's types of the arguments.
std::vector<value::Type> types_of(const RenderedCall& call);
std::string join_operands(const std::vector<std::string>& operands);
// A call of a kernel with all arguments of the call.
Result<std::string> render_kernel(const RenderedCall& call, RowFunction function, KernelFlags flags,
                                  RenderContext& context);

}  // namespace lakebed::engine::duck
