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
  refuse(out, kScalar,
         "parse_json try_parse_json variant_get try_variant_get is_variant_null schema_of_variant "
         "to_variant_object variant_explode variant_explode_outer is_valid_variant",
         "The VARIANT type is not built; use from_json or get_json_object.");
  refuse(out, kScalar, "from_csv to_csv schema_of_csv", "CSV in strings is not built; use split.");
  refuse(out, kScalar,
         "from_xml to_xml schema_of_xml xpath xpath_boolean xpath_double xpath_float xpath_int "
         "xpath_long xpath_number xpath_short xpath_string",
         "XML is not built.");
  refuse(out, kScalar, "from_avro to_avro schema_of_avro from_protobuf to_protobuf",
         "Avro and Protobuf are not built.");
  refuse(out, kScalar, "aes_encrypt aes_decrypt try_aes_decrypt hmac",
         "Encryption is not built; what it yields differs from run to run.");
  refuse(out, kScalar, "input_file_name", "Take _metadata.file_path.");
  refuse(out, kScalar, "input_file_block_start input_file_block_length",
         "How a file is cut for reading is not visible here.");
  refuse(out, kScalar,
         "current_user session_user user current_catalog current_database current_schema version "
         "is_account_group_member is_member",
         "It depends on who runs the pipeline, and where.");
  refuse(out, kScalar, "to_char to_varchar to_number try_to_number",
         "Number formats of that kind are not built; use format_number or CAST.");
  refuse(out, kScalar, "make_valid_utf8", "Strings are valid UTF-8 here.");
  refuse(out, kScalar,
         "make_time to_time try_to_time time_diff time_trunc time_from_seconds time_to_seconds "
         "current_time localtime",
         "The TIME type is not built.");
  refuse(out, kScalar,
         "make_interval try_make_interval try_make_timestamp_ltz try_make_timestamp_ntz",
         "Use try_make_timestamp, make_ym_interval or make_dt_interval.");
  refuse(out, FunctionKind::kAggregate,
         "approx_top_k count_min_sketch hll_sketch_agg hll_union_agg hll_sketch_estimate hll_union "
         "histogram_numeric bitmap_construct_agg bitmap_or_agg bitmap_count bitmap_bit_position "
         "bitmap_bucket_number schema_of_variant_agg",
         "Sketches and histograms are not built.");
  refuse(out, FunctionKind::kAggregate, "percentile_cont percentile_disc",
         "WITHIN GROUP is not built; use percentile.");
  refuse(out, kScalar, "java_method reflect try_reflect", "It calls into a Java virtual machine.");
}

}  // namespace lakebed::plan::functions
