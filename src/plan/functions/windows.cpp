// Window functions: only with OVER.
#include "plan/functions/typing.h"

namespace lakebed::plan::functions {

void append_windows(std::vector<Function>& out) {
  append_family(out, FunctionKind::kWindow,
                {
                    {"row_number", "-> int"},
                    {"rank", "-> int"},
                    {"dense_rank", "-> int"},
                    {"percent_rank", "-> double"},
                    {"cume_dist", "-> double"},
                    {"ntile", "int? -> int"},
                    {"lag", "T, int?, T? -> T"},
                    {"lead", "T, int?, T? -> T"},
                    {"nth_value", "any, int -> =0"},
                });
}

}  // namespace lakebed::plan::functions
