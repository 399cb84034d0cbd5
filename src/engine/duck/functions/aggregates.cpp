// Aggregates and window functions. What DuckDB computes otherwise is gathered in a list and
// computed by a kernel (aggregate_kernels.h).
#include <fmt/format.h>

#include "engine/duck/functions/aggregate_kernels.h"
#include "engine/duck/functions/arithmetic.h"
#include "engine/duck/functions/kernel.h"

namespace lakebed::engine::duck {

using value::Kind;
using value::Type;

namespace {

// function([DISTINCT] arguments) with FILTER and OVER.
std::string aggregate(const RenderedCall& call, std::string_view function,
                      std::string_view arguments) {
  return fmt::format("{}({}{}){}", function, call.node->distinct ? "DISTINCT " : "", arguments,
                     call.suffix);
}

std::string cast_to(const std::string& operand, const Type& type) {
  return fmt::format("CAST({} AS {})", operand, duck_type(type));
}

std::string all_present(const RenderedCall& call) {
  std::string out;
  for (const std::string& operand : call.arguments) {
    out += (out.empty() ? "" : " AND ") + operand + " IS NOT NULL";
  }
  return out;
}

Result<std::string> render_count(const RenderedCall& call, RenderContext&) {
  if (call.arguments.empty()) return "count(*)" + call.suffix;
  if (call.arguments.size() == 1) return aggregate(call, "count", call.arguments[0]);
  const std::string item =
      call.node->distinct ? fmt::format("row({})", join_operands(call.arguments)) : "1";
  return aggregate(call, "count", fmt::format("CASE WHEN {} THEN {} END", all_present(call), item));
}

Result<std::string> render_sum(const RenderedCall& call, RenderContext&) {
  return cast_to(aggregate(call, "sum", call.arguments[0]), call.node->type);
}

Result<std::string> render_try_sum(const RenderedCall& call, RenderContext&) {
  return fmt::format("TRY_CAST({} AS {})", aggregate(call, "sum", call.arguments[0]),
                     duck_type(call.node->type));
}

Result<std::string> render_avg(const RenderedCall& call, RenderContext& context) {
  const Type& own = call.node->children[0]->type;
  const std::string count = aggregate(call, "count", call.arguments[0]);
  if (own.kind != Kind::kDecimal) {
    const std::string item = cast_to(call.arguments[0], Type(Kind::kDouble));
    return fmt::format("({} / {})", aggregate(call, "sum", item), count);
  }
  const Type sum = Type::decimal(38, own.scale);
  const Type whole = Type::decimal(20, 0);
  return call_kernel(
      "avg", arithmetic_row("/"), kStrict,
      {cast_to(aggregate(call, "sum", call.arguments[0]), sum), cast_to(count, whole)},
      {sum, whole}, call.node->type, context);
}

bool ignores_nulls(const RenderedCall& call) {
  if (call.node->ignore_nulls) return true;
  return call.node->children.size() > 1 && call.node->children[1]->text == "true";
}

Result<std::string> gathered(const RenderedCall& call, RowFunction kernel, const Type& result,
                             RenderContext& context) {
  return call_kernel(call.node->name, kernel, kStrict, {aggregate(call, "list", call.arguments[0])},
                     {Type::array(call.node->children[0]->type)}, result, context);
}

Result<std::string> render_first(const RenderedCall& call, RenderContext&) {
  const std::string& item = call.arguments[0];
  if (call.windowed) {
    return fmt::format("first_value({}{}){}", item, ignores_nulls(call) ? " IGNORE NULLS" : "",
                       call.suffix);
  }
  return fmt::format("{}({}){}", ignores_nulls(call) ? "any_value" : "first", item, call.suffix);
}

Result<std::string> render_last(const RenderedCall& call, RenderContext& context) {
  const std::string& item = call.arguments[0];
  if (call.windowed) {
    return fmt::format("last_value({}{}){}", item, ignores_nulls(call) ? " IGNORE NULLS" : "",
                       call.suffix);
  }
  if (!ignores_nulls(call)) return fmt::format("last({}){}", item, call.suffix);
  return gathered(call, last_present_row, call.node->type, context);
}

Result<std::string> render_collect(const RenderedCall& call, RenderContext& context) {
  RenderedCall own = call;
  plan::Expression node = *call.node;
  if (node.name == "collect_set") node.distinct = true;
  own.node = &node;
  LAKEBED_ASSIGN(std::string items, gathered(own, compact_row, call.node->type, context));
  return fmt::format("coalesce({}, CAST([] AS {}))", items, duck_type(call.node->type));
}

// A kernel over the list of the first argument and constant further ones.
Result<std::string> over_list(const RenderedCall& call, RowFunction kernel,
                              RenderContext& context) {
  std::vector<std::string> operands{aggregate(call, "list", call.arguments[0])};
  std::vector<Type> types{Type::array(call.node->children[0]->type)};
  for (size_t i = 1; i < call.arguments.size(); ++i) {
    operands.push_back(call.arguments[i]);
    types.push_back(call.node->children[i]->type);
  }
  return call_kernel(call.node->name, kernel, kStrict, operands, types, call.node->type, context);
}

std::string constant(const RenderedCall& call, size_t index) {
  // A kernel over an aggregate takes its other arguments per group: any of them will do.
  return fmt::format("any_value({}){}", call.arguments[index], call.suffix);
}

Result<std::string> render_percentile(const RenderedCall& call, RenderContext& context) {
  RenderedCall own = call;
  own.arguments[1] = constant(call, 1);
  if (call.arguments.size() < 3) return over_list(own, percentile_row, context);
  const std::vector<Type> types{Type::array(Type(Kind::kDouble)), call.node->children[1]->type,
                                Type::array(Type(Kind::kLong))};
  return call_kernel("percentile", percentile_row, kStrict,
                     {aggregate(call, "list", call.arguments[0]), own.arguments[1],
                      aggregate(call, "list", call.arguments[2])},
                     types, call.node->type, context);
}

Result<std::string> render_percentile_approx(const RenderedCall& call, RenderContext& context) {
  RenderedCall own = call;
  for (size_t i = 1; i < call.arguments.size(); ++i) own.arguments[i] = constant(call, i);
  return over_list(own, percentile_approx_row, context);
}

Result<std::string> render_median(const RenderedCall& call, RenderContext& context) {
  return gathered(call, median_row, Type(Kind::kDouble), context);
}
Result<std::string> render_mode(const RenderedCall& call, RenderContext& context) {
  return gathered(call, mode_row, call.node->type, context);
}
Result<std::string> render_skewness(const RenderedCall& call, RenderContext& context) {
  return gathered(call, skewness_row, call.node->type, context);
}
Result<std::string> render_kurtosis(const RenderedCall& call, RenderContext& context) {
  return gathered(call, kurtosis_row, call.node->type, context);
}

Result<std::string> render_corr(const RenderedCall& call, RenderContext& context) {
  const Type list = Type::array(Type(Kind::kDouble));
  const bool plain = call.node->name == "corr";
  return call_kernel(
      call.node->name, plain ? corr_row : regr_r2_row, kStrict,
      {aggregate(call, "list", call.arguments[0]), aggregate(call, "list", call.arguments[1])},
      {list, list}, Type(Kind::kDouble), context);
}

Result<std::string> render_listagg(const RenderedCall& call, RenderContext&) {
  const std::string mark = call.arguments.size() > 1 ? call.arguments[1] : "''";
  return aggregate(call, "string_agg", call.arguments[0] + ", " + mark);
}

// Inside of arrays and structs DuckDB has NULL greatest: those go through a list.
Result<std::string> render_extreme(const RenderedCall& call, RenderContext& context) {
  if (!call.node->type.is_nested()) return aggregate(call, call.node->name, call.arguments[0]);
  auto list = std::make_shared<plan::Expression>();
  list->type = Type::array(call.node->type);
  plan::Expression node = *call.node;
  node.name = "array_" + call.node->name;
  node.children = {list};
  RenderedCall made;
  made.node = &node;
  made.arguments = {aggregate(call, "list", call.arguments[0])};
  return render_call(made, context);
}

// Functions of DuckDB with the same name and meaning.
Result<std::string> render_same(const RenderedCall& call, RenderContext&) {
  return aggregate(call, call.node->name, join_operands(call.arguments));
}
// Where the line has no slope DuckDB says NaN, Spark NULL.
Result<std::string> render_regression(const RenderedCall& call, RenderContext&) {
  const std::string line = aggregate(call, call.node->name, join_operands(call.arguments));
  return fmt::format("(CASE WHEN isnan({0}) THEN NULL ELSE {0} END)", line);
}

Result<std::string> render_same_cast(const RenderedCall& call, RenderContext&) {
  return cast_to(aggregate(call, call.node->name, join_operands(call.arguments)), call.node->type);
}

// --- window functions ----------------------------------------------------------------------------

std::string nulls(const RenderedCall& call) {
  return call.node->ignore_nulls ? " IGNORE NULLS" : "";
}

Result<std::string> render_ranking(const RenderedCall& call, RenderContext&) {
  return fmt::format("CAST({}(){} AS INTEGER)", call.node->name, call.suffix);
}
Result<std::string> render_ntile(const RenderedCall& call, RenderContext&) {
  return fmt::format("CAST(ntile({}){} AS INTEGER)",
                     call.arguments.empty() ? "1" : call.arguments[0], call.suffix);
}
Result<std::string> render_offset(const RenderedCall& call, RenderContext&) {
  return fmt::format("{}({}{}){}", call.node->name, join_operands(call.arguments), nulls(call),
                     call.suffix);
}

}  // namespace

std::vector<Rendering> aggregate_renderings() {
  return {
      {"count", render_count},
      {"sum", render_sum},
      {"try_sum", render_try_sum},
      {"avg mean try_avg", render_avg},
      {"min max", render_extreme},
      {"min_by", "arg_min_null({*}){~}"},
      {"max_by", "arg_max_null({*}){~}"},
      {"first first_value any_value", render_first},
      {"last last_value", render_last},
      {"count_if", "count(CASE WHEN {0} THEN 1 END){~}"},
      {"bool_and every", "bool_and({0}){~}"},
      {"bool_or any some", "bool_or({0}){~}"},
      {"bit_and bit_or bit_xor", render_same_cast},
      {"collect_list array_agg collect_set", render_collect},
      {"approx_count_distinct", "count(DISTINCT {0}){~}"},
      {"stddev stddev_samp std", "stddev_samp({0}){~}"},
      {"stddev_pop", "stddev_pop({0}){~}"},
      {"variance var_samp", "var_samp({0}){~}"},
      {"var_pop", "var_pop({0}){~}"},
      {"skewness", render_skewness},
      {"kurtosis", render_kurtosis},
      {"corr regr_r2", render_corr},
      {"covar_pop covar_samp regr_avgx regr_avgy regr_sxx regr_syy regr_sxy", render_same},
      {"regr_slope regr_intercept", render_regression},
      {"regr_count", render_same_cast},
      {"percentile", render_percentile},
      {"percentile_approx approx_percentile", render_percentile_approx},
      {"median", render_median},
      {"mode", render_mode},
      {"listagg string_agg", render_listagg},
      {"grouping", "CAST(grouping({*}) AS TINYINT)"},
      {"grouping_id", "grouping({*})"},
  };
}

std::vector<Rendering> window_renderings() {
  return {
      {"row_number rank dense_rank", render_ranking},
      {"percent_rank", "percent_rank(){~}"},
      {"cume_dist", "cume_dist(){~}"},
      {"ntile", render_ntile},
      {"lag lead nth_value", render_offset},
  };
}

}  // namespace lakebed::engine::duck
