#include "engine/duck/functions/kernel.h"

#include <fmt/format.h>

#include <cctype>
#include <sstream>
#include <unordered_map>

#include "base/hash.h"
#include "base/names.h"
#include "engine/duck/connection.h"
#include "engine/duck/functions/names.h"
#include "engine/duck/scalar_udf.h"

namespace lakebed::engine::duck {

using value::Column;
using value::Kind;
using value::Type;

double Row::real(size_t k) const {
  const Column& column = columns_[k];
  if (column.type().kind == Kind::kDouble) return column.fixed<double>(row_);
  if (column.type().kind == Kind::kFloat) return static_cast<double>(column.fixed<float>(row_));
  return static_cast<double>(column.integer(row_));
}

void append_real(Column& out, double item) {
  if (out.type().kind == Kind::kFloat)
    out.append_fixed(static_cast<float>(item));
  else
    out.append_fixed(item);
}

namespace {

Status run_rows(RowFunction function, KernelFlags flags, const KernelContext& context,
                const std::vector<Column>& arguments, size_t rows, Column& result) {
  for (size_t row = 0; row < rows; ++row) {
    bool null = false;
    if (!flags.nulls) {
      for (const Column& argument : arguments) null = null || argument.is_null(row);
    }
    if (null) {
      result.append_null();
      continue;
    }
    Status status = function(Row(arguments, row), result, context);
    if (status.ok()) continue;
    if (!flags.tried) return status;
    result.append_null();
  }
  return {};
}

std::string kernel_name(const std::string& name, KernelFlags flags, const std::vector<Type>& types,
                        const Type& result, const RenderContext& context) {
  std::string all = context.time_zone;
  for (const Type& type : types) all += "," + type.text();
  all += "->" + result.text() + (flags.tried ? "?" : "!");
  std::string plain;
  for (const char c : name) {
    const bool letter = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
    plain += letter ? std::string(1, c) : fmt::format("x{:02x}", static_cast<unsigned>(c));
  }
  return fmt::format("lb_{}_{}", plain, hex64(hash64(all)));
}

}  // namespace

Result<std::string> call_kernel(const std::string& name, RowFunction function, KernelFlags flags,
                                const std::vector<std::string>& operands,
                                const std::vector<Type>& types, const Type& result,
                                RenderContext& context) {
  const std::string full = kernel_name(name, flags, types, result, context);
  if (context.connection->database().note_function(full)) {
    ScalarFunction scalar;
    scalar.name = full;
    scalar.arguments = types;
    scalar.result = result;
    const KernelContext kernel{context.time_zone, types, result};
    scalar.columns = [function, flags, kernel](const std::vector<Column>& arguments, size_t rows,
                                               Column& out) {
      return run_rows(function, flags, kernel, arguments, rows, out);
    };
    LAKEBED_TRY(register_scalar(*context.connection, {std::move(scalar)}));
  }
  return fmt::format("{}({})", full, join_operands(operands));
}

std::vector<Type> types_of(const RenderedCall& call) {
  std::vector<Type> out;
  for (const auto& child : call.node->children) out.push_back(child->type);
  return out;
}

std::string join_operands(const std::vector<std::string>& operands) {
  std::string out;
  for (const std::string& operand : operands) {
    if (!out.empty()) out += ", ";
    out += operand;
  }
  return out;
}

std::string fill_format(std::string_view format, const RenderedCall& call) {
  std::string out;
  for (size_t i = 0; i < format.size(); ++i) {
    if (format[i] != '{' || i + 2 >= format.size() || format[i + 2] != '}') {
      out += format[i];
      continue;
    }
    const char what = format[i + 1];
    if (what == '*')
      out += join_operands(call.arguments);
    else if (what == '~')
      out += call.suffix;
    else
      out += call.arguments[static_cast<size_t>(what - '0')];
    i += 2;
  }
  return out;
}

Result<std::string> render_kernel(const RenderedCall& call, RowFunction function, KernelFlags flags,
                                  RenderContext& context) {
  return call_kernel(call.node->name, function, flags, call.arguments, types_of(call),
                     call.node->type, context);
}

namespace {

using Table = std::unordered_map<std::string, Rendering>;

void add(Table& table, std::vector<Rendering> family) {
  for (const Rendering& entry : family) {
    std::istringstream names(entry.names);
    for (std::string name; names >> name;) {
      const bool fresh = table.emplace(name, entry).second;
      LAKEBED_ASSERT(fresh);
    }
  }
}

const Table& table() {
  static const Table all = [] {
    Table out;
    add(out, operator_renderings());
    add(out, math_renderings());
    add(out, string_renderings());
    add(out, regexp_renderings());
    add(out, encoding_renderings());
    add(out, date_renderings());
    add(out, zone_renderings());
    add(out, date_pattern_renderings());
    add(out, collection_renderings());
    add(out, sequence_renderings());
    add(out, format_renderings());
    add(out, lambda_renderings());
    add(out, json_renderings());
    add(out, misc_renderings());
    add(out, aggregate_renderings());
    add(out, window_renderings());
    return out;
  }();
  return all;
}

}  // namespace

std::vector<std::string> rendered_names() {
  std::vector<std::string> out;
  for (const auto& [name, entry] : table()) out.push_back(name);
  return out;
}

Result<std::string> render_call(const RenderedCall& call, RenderContext& context) {
  const std::string name = fold_case(call.node->name);
  const auto found = table().find(name);
  if (found == table().end()) {
    return project_error(fmt::format("FUNCTION_NOT_SUPPORTED.{}", name),
                         fmt::format("`{}` is not supported here.", name), call.node->span);
  }
  const Rendering& entry = found->second;
  if (entry.render != nullptr) return entry.render(call, context);
  if (entry.format != nullptr) return fill_format(entry.format, call);
  return render_kernel(call, entry.row, entry.flags, context);
}

Status register_functions(Connection&) { return {}; }

}  // namespace lakebed::engine::duck
