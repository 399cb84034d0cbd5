// Functions with a lambda: DuckDB's list_transform computes the lambda for each element, kernels
// do what is special in Spark. Arguments come as "lambda v7, v8: body".
#include <fmt/format.h>

#include <algorithm>

#include "engine/duck/functions/kernel.h"

namespace lakebed::engine::duck {

using value::Column;
using value::Kind;
using value::Type;

namespace {

struct LambdaText {
  std::vector<std::string> parameters;
  std::string body;
};

LambdaText lambda_of(const std::string& rendered) {
  LambdaText out;
  const size_t colon = rendered.find(':');
  std::string names = rendered.substr(7, colon - 7);
  for (size_t at = 0; at < names.size();) {
    const size_t comma = std::min(names.find(", ", at), names.size());
    out.parameters.push_back(names.substr(at, comma - at));
    at = comma + 2;
  }
  out.body = rendered.substr(colon + 2);
  return out;
}

const Type& type_of(const RenderedCall& call, size_t index) {
  return call.node->children[index]->type;
}

// list_transform over `list` of STRUCTs: each parameter of the lambda is bound to an expression
// over the one variable `item`, by a lambda of one element inside.
std::string bound(const LambdaText& lambda, const std::vector<std::string>& items) {
  // A parameter is bound by transforming a list of one: nested once for each parameter.
  std::string out = lambda.body;
  for (size_t i = lambda.parameters.size(); i-- > 0;) {
    out = fmt::format("list_extract(list_transform([{}], lambda {}: {}), 1)", items[i],
                      lambda.parameters[i], out);
  }
  return out;
}

// The lambda over elements and their positions from 0, with DuckDB's positions from 1.
std::string transformed(const std::string& list, const std::string& rendered,
                        RenderContext& context) {
  const LambdaText lambda = lambda_of(rendered);
  if (lambda.parameters.size() == 1) return fmt::format("list_transform({}, {})", list, rendered);
  const std::string item = context.fresh_name("v"), position = context.fresh_name("v");
  return fmt::format("list_transform({}, lambda {}, {}: {})", list, item, position,
                     bound(lambda, {item, fmt::format("CAST({} - 1 AS INTEGER)", position)}));
}

Result<std::string> render_transform(const RenderedCall& call, RenderContext& context) {
  return transformed(call.arguments[0], call.arguments[1], context);
}

// Keeps the elements whose test is TRUE.
Status keep_row(const Row& row, Column& out, const KernelContext&) {
  for (uint64_t i = 0; i < row.end(0) - row.begin(0); ++i) {
    const uint64_t test = row.begin(1) + i;
    if (row.elements(1).is_null(test) || row.elements(1).integer(test) == 0) continue;
    for (size_t child = 0; child < out.children().size(); ++child) {
      out.raw_children()[child].append_from(row.column(0).children()[child], row.begin(0) + i);
    }
  }
  out.append_list();
  return {};
}

Result<std::string> render_filter(const RenderedCall& call, RenderContext& context) {
  const Type tests = Type::array(Type(Kind::kBoolean));
  return call_kernel(
      "filter", keep_row, kStrict,
      {call.arguments[0], transformed(call.arguments[0], call.arguments[1], context)},
      {type_of(call, 0), tests}, call.node->type, context);
}

// TRUE where a test is `wanted`; else NULL where one is NULL; else FALSE (and the reverse).
template <bool wanted>
Status test_row(const Row& row, Column& out, const KernelContext&) {
  bool null = false;
  for (uint64_t i = row.begin(0); i < row.end(0); ++i) {
    if (row.elements(0).is_null(i)) {
      null = true;
    } else if ((row.elements(0).integer(i) != 0) == wanted) {
      append_boolean(out, wanted);
      return {};
    }
  }
  if (null)
    out.append_null();
  else
    append_boolean(out, !wanted);
  return {};
}

template <bool wanted>
Result<std::string> render_test(const RenderedCall& call, RenderContext& context) {
  return call_kernel(call.node->name, test_row<wanted>, kStrict,
                     {transformed(call.arguments[0], call.arguments[1], context)},
                     {Type::array(Type(Kind::kBoolean))}, call.node->type, context);
}

// Folds over STRUCTs of accumulator and element, because list_reduce keeps one type: the first
// one carries the start value, each next one an element.
Result<std::string> render_aggregate(const RenderedCall& call, RenderContext& context) {
  const std::string zero_type = duck_type(type_of(call, 1));
  const Type& own = type_of(call, 0);
  const std::string element_type =
      duck_type(own.kind == Kind::kArray ? own.element() : Type(Kind::kVoid));
  const auto pair = [&](const std::string& accumulator, const std::string& element) {
    return fmt::format("struct_pack(a := CAST({} AS {}), e := CAST({} AS {}))", accumulator,
                       zero_type, element, element_type);
  };
  const std::string item = context.fresh_name("v");
  const std::string left = context.fresh_name("v"), right = context.fresh_name("v");
  const std::string pairs =
      fmt::format("list_concat([{}], list_transform({}, lambda {}: {}))",
                  pair(call.arguments[1], "NULL"), call.arguments[0], item, pair("NULL", item));
  const LambdaText merge = lambda_of(call.arguments[2]);
  const std::string step = bound(merge, {fmt::format("struct_extract({}, 'a')", left),
                                         fmt::format("struct_extract({}, 'e')", right)});
  std::string out = fmt::format("struct_extract(list_reduce({}, lambda {}, {}: {}), 'a')", pairs,
                                left, right, pair(step, "NULL"));
  if (call.arguments.size() == 4) out = bound(lambda_of(call.arguments[3]), {out});
  return fmt::format("(CASE WHEN {} IS NOT NULL THEN {} END)", call.arguments[0], out);
}

// --- several lists in step -----------------------------------------------------------------------

Status zip_row(const Row& row, Column& out, const KernelContext&) {
  const uint64_t left = row.end(0) - row.begin(0), right = row.end(1) - row.begin(1);
  Column& structs = out.raw_children()[0];
  for (uint64_t i = 0; i < std::max(left, right); ++i) {
    for (size_t k : {size_t{0}, size_t{1}}) {
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

Type pair_type(const Type& left, const Type& right) {
  return Type::array(Type::structure({{"a", left, true, "", {}}, {"b", right, true, "", {}}}));
}

std::string over_pairs(const std::string& pairs, const LambdaText& lambda, RenderContext& context) {
  const std::string item = context.fresh_name("v");
  return fmt::format("list_transform({}, lambda {}: {})", pairs, item,
                     bound(lambda, {fmt::format("struct_extract({}, 'a')", item),
                                    fmt::format("struct_extract({}, 'b')", item)}));
}

Result<std::string> render_zip_with(const RenderedCall& call, RenderContext& context) {
  const Type pairs = pair_type(type_of(call, 0).element(), type_of(call, 1).element());
  LAKEBED_ASSIGN(std::string zipped,
                 call_kernel("zip_with", zip_row, kStrict, {call.arguments[0], call.arguments[1]},
                             {type_of(call, 0), type_of(call, 1)}, pairs, context));
  return over_pairs(zipped, lambda_of(call.arguments[2]), context);
}

Status entries_row(const Row& row, Column& out, const KernelContext&) {
  Column& structs = out.raw_children()[0];
  for (uint64_t i = row.begin(0); i < row.end(0); ++i) {
    for (size_t k : {size_t{0}, size_t{1}}) {
      structs.raw_children()[k].append_from(row.column(0).children()[k], i);
    }
    structs.append_struct();
  }
  out.append_list();
  return {};
}

Result<std::string> entries_transformed(const RenderedCall& call, RenderContext& context) {
  const Type& own = type_of(call, 0);
  LAKEBED_ASSIGN(std::string entries,
                 call_kernel("entries", entries_row, kStrict, {call.arguments[0]}, {own},
                             pair_type(own.map_key(), own.map_value()), context));
  return over_pairs(entries, lambda_of(call.arguments[1]), context);
}

Result<std::string> render_map_filter(const RenderedCall& call, RenderContext& context) {
  LAKEBED_ASSIGN(std::string tests, entries_transformed(call, context));
  return call_kernel("map_filter", keep_row, kStrict, {call.arguments[0], tests},
                     {type_of(call, 0), Type::array(Type(Kind::kBoolean))}, call.node->type,
                     context);
}

// A map with its keys (or values) replaced by those of a list; checks the new keys.
Result<std::string> rebuilt(const RenderedCall& call, const std::string& keys,
                            const std::string& items, RenderContext& context) {
  plan::Expression node = *call.node;
  node.name = "map_from_arrays";
  const auto list = [](const Type& element) {
    auto out = std::make_shared<plan::Expression>();
    out->type = Type::array(element);
    return out;
  };
  node.children = {list(call.node->type.map_key()), list(call.node->type.map_value())};
  RenderedCall made;
  made.node = &node;
  made.arguments = {keys, items};
  return render_call(made, context);
}

Result<std::string> map_part(const RenderedCall& call, const char* function, const Type& element,
                             RenderContext& context) {
  plan::Expression node = *call.node;
  node.name = function;
  node.children = {call.node->children[0]};
  node.type = Type::array(element);
  RenderedCall made;
  made.node = &node;
  made.arguments = {call.arguments[0]};
  return render_call(made, context);
}

Result<std::string> render_transform_keys(const RenderedCall& call, RenderContext& context) {
  LAKEBED_ASSIGN(std::string keys, entries_transformed(call, context));
  LAKEBED_ASSIGN(std::string items,
                 map_part(call, "map_values", type_of(call, 0).map_value(), context));
  return rebuilt(call, keys, items, context);
}

Result<std::string> render_transform_values(const RenderedCall& call, RenderContext& context) {
  LAKEBED_ASSIGN(std::string items, entries_transformed(call, context));
  LAKEBED_ASSIGN(std::string keys, map_part(call, "map_keys", type_of(call, 0).map_key(), context));
  return rebuilt(call, keys, items, context);
}

// --- array_sort with a comparator ----------------------------------------------------------------

// Argument 1 holds, for each pair of elements, what the comparator says.
Status sort_by_row(const Row& row, Column& out, const KernelContext&) {
  const uint64_t count = row.end(0) - row.begin(0);
  const Column& lines = row.elements(1);
  std::vector<uint64_t> order(count);
  for (uint64_t i = 0; i < count; ++i) order[i] = i;
  bool null = false;
  std::stable_sort(order.begin(), order.end(), [&](uint64_t a, uint64_t b) {
    const uint64_t line = row.begin(1) + a;
    const uint64_t at = lines.begin(line) + b;
    if (lines.children()[0].is_null(at)) {
      null = true;
      return a < b;
    }
    return lines.children()[0].integer(at) < 0;
  });
  if (null) {
    return update_error("COMPARATOR_RETURNS_NULL", "The comparator of array_sort yields NULL.");
  }
  for (const uint64_t i : order) {
    out.raw_children()[0].append_from(row.elements(0), row.begin(0) + i);
  }
  out.append_list();
  return {};
}

// Ascending, NULLs last.
Result<std::string> render_array_sort(const RenderedCall& call, RenderContext& context) {
  if (call.arguments.size() == 1) {
    return fmt::format("list_sort({}, 'ASC', 'NULLS LAST')", call.arguments[0]);
  }
  const LambdaText lambda = lambda_of(call.arguments[1]);
  const std::string& list = call.arguments[0];
  const std::string matrix =
      fmt::format("list_transform({}, lambda {}: list_transform({}, lambda {}: {}))", list,
                  lambda.parameters[0], list, lambda.parameters[1], lambda.body);
  return call_kernel("array_sort", sort_by_row, kStrict, {list, matrix},
                     {type_of(call, 0), Type::array(Type::array(Type(Kind::kInt)))},
                     call.node->type, context);
}

}  // namespace

std::vector<Rendering> lambda_renderings() {
  return {
      {"transform", render_transform},
      {"filter", render_filter},
      {"exists", render_test<true>},
      {"forall", render_test<false>},
      {"aggregate reduce", render_aggregate},
      {"zip_with", render_zip_with},
      {"map_filter", render_map_filter},
      {"transform_keys", render_transform_keys},
      {"transform_values", render_transform_values},
      {"array_sort", render_array_sort},
  };
}

}  // namespace lakebed::engine::duck
