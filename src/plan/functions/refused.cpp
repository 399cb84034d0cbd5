// Functions of Spark and its platforms that are known and refused by name.
#include "plan/functions/typing.h"

namespace lakebed::plan::functions {

namespace {

void refuse(std::vector<Function>& out, FunctionKind kind, const char* names, const char* reason) {
  append_family(out, kind, {{names, nullptr, reason, FunctionSupport::kRefused}});
}

}  // namespace

void append_refused(std::vector<Function>& out) {
  constexpr auto kScalar = FunctionKind::kScalar;
  refuse(out, kScalar,
         "ai_query ai_classify ai_summarize ai_analyze_sentiment ai_extract ai_gen ai_mask "
         "ai_similarity ai_translate ai_fix_grammar ai_forecast vector_search",
         "It calls a model on a cloud service.");
  refuse(out, kScalar, "secret try_secret", "It reads a cloud's secret store.");
  refuse(out, kScalar, "rand random randn uuid randstr uniform",
         "Its result differs from run to run, and a replayed batch must give the same rows.");
  refuse(out, kScalar, "monotonically_increasing_id spark_partition_id",
         "Its result depends on how the rows are cut into parts.");
  refuse(out, kScalar, "map_zip_with", "Not built; join the entries of the two maps instead.");
  refuse(out, kScalar, "java_method reflect try_reflect", "It calls into a Java virtual machine.");
}

}  // namespace lakebed::plan::functions
