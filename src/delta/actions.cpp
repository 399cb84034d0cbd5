#include "delta/actions.h"

#include <fmt/format.h>

#include "delta/json_text.h"
#include "delta/statistics.h"

namespace lakebed::delta {
namespace {

void write_vector(JsonObject& owner, std::string& out, const DeletionVector& vector) {
  owner.name("deletionVector");
  JsonObject object(out);
  object.text("storageType", std::string_view(&vector.storage, 1));
  object.text("pathOrInlineDv", vector.path_or_inline);
  if (vector.offset) object.number("offset", *vector.offset);
  object.number("sizeInBytes", vector.size_bytes);
  object.number("cardinality", vector.cardinality);
  object.close();
}

void write_texts(std::string& out, const std::vector<std::string>& texts) {
  out += '[';
  for (size_t i = 0; i < texts.size(); ++i) {
    if (i > 0) out += ',';
    append_json_string(out, texts[i]);
  }
  out += ']';
}

void write_info(std::string& out, const CommitInfo& info) {
  JsonObject line(out);
  line.name("commitInfo");
  JsonObject object(out);
  if (info.in_commit_ms) object.number("inCommitTimestamp", *info.in_commit_ms);
  if (info.timestamp_ms) object.number("timestamp", *info.timestamp_ms);
  object.text("operation", info.operation);
  object.texts("operationParameters", info.parameters);
  if (!info.metrics.empty()) object.texts("operationMetrics", info.metrics);
  if (info.blind_append) object.flag("isBlindAppend", *info.blind_append);
  if (!info.engine.empty()) object.text("engineInfo", info.engine);
  if (!info.transaction_id.empty()) object.text("txnId", info.transaction_id);
  for (const auto& [name, json] : info.other) object.raw(name, json);
  object.close();
  line.close();
  out += '\n';
}

void write_protocol(std::string& out, const Protocol& protocol) {
  JsonObject line(out);
  line.name("protocol");
  JsonObject object(out);
  object.number("minReaderVersion", protocol.reader_version);
  object.number("minWriterVersion", protocol.writer_version);
  if (protocol.reader_version >= 3) {
    write_texts(object.name("readerFeatures"), protocol.reader_features);
  }
  if (protocol.writer_version >= 7) {
    write_texts(object.name("writerFeatures"), protocol.writer_features);
  }
  object.close();
  line.close();
  out += '\n';
}

void write_metadata(std::string& out, const Metadata& metadata) {
  JsonObject line(out);
  line.name("metaData");
  JsonObject object(out);
  object.text("id", metadata.id);
  if (!metadata.name.empty()) object.text("name", metadata.name);
  if (!metadata.description.empty()) object.text("description", metadata.description);
  object.raw("format", R"({"provider":"parquet","options":{}})");
  object.text("schemaString", metadata.schema_string);
  write_texts(object.name("partitionColumns"), metadata.partition_columns);
  object.texts("configuration", metadata.configuration);
  object.number("createdTime", metadata.created_ms);
  object.close();
  line.close();
  out += '\n';
}

void write_add(std::string& out, const AddFile& file) {
  JsonObject line(out);
  line.name("add");
  JsonObject object(out);
  object.text("path", file.path);
  object.nullable_texts("partitionValues", file.partition_values);
  object.number("size", file.size);
  object.number("modificationTime", file.modified_ms);
  object.flag("dataChange", file.data_change);
  if (!file.stats.empty()) object.text("stats", file.stats);
  if (!file.tags.empty()) object.texts("tags", file.tags);
  if (file.vector) write_vector(object, out, *file.vector);
  if (file.base_row_id) object.number("baseRowId", *file.base_row_id);
  if (file.default_row_commit_version) {
    object.number("defaultRowCommitVersion", *file.default_row_commit_version);
  }
  if (!file.clustering_provider.empty()) {
    object.text("clusteringProvider", file.clustering_provider);
  }
  object.close();
  line.close();
  out += '\n';
}

void write_remove(std::string& out, const RemoveFile& file) {
  JsonObject line(out);
  line.name("remove");
  JsonObject object(out);
  object.text("path", file.path);
  if (file.deletion_ms) object.number("deletionTimestamp", *file.deletion_ms);
  object.flag("dataChange", file.data_change);
  object.flag("extendedFileMetadata", file.extended);
  if (file.extended) object.nullable_texts("partitionValues", file.partition_values);
  if (file.size) object.number("size", *file.size);
  if (!file.stats.empty()) object.text("stats", file.stats);
  if (!file.tags.empty()) object.texts("tags", file.tags);
  if (file.vector) write_vector(object, out, *file.vector);
  if (file.base_row_id) object.number("baseRowId", *file.base_row_id);
  if (file.default_row_commit_version) {
    object.number("defaultRowCommitVersion", *file.default_row_commit_version);
  }
  object.close();
  line.close();
  out += '\n';
}

void write_domain(std::string& out, const DomainMetadata& domain) {
  JsonObject line(out);
  line.name("domainMetadata");
  JsonObject object(out);
  object.text("domain", domain.domain);
  object.text("configuration", domain.configuration);
  object.flag("removed", domain.removed);
  object.close();
  line.close();
  out += '\n';
}

void write_transaction(std::string& out, const SetTransaction& transaction) {
  JsonObject line(out);
  line.name("txn");
  JsonObject object(out);
  object.text("appId", transaction.app_id);
  object.number("version", transaction.version);
  if (transaction.updated_ms) object.number("lastUpdated", *transaction.updated_ms);
  object.close();
  line.close();
  out += '\n';
}

}  // namespace

std::string DeletionVector::unique_id() const {
  std::string id(1, storage);
  id += path_or_inline;
  if (offset) id += fmt::format("@{}", *offset);
  return id;
}

std::string file_key(std::string_view path, const std::optional<DeletionVector>& vector) {
  std::string key(path);
  key += '\0';  // no path holds it: keys of one path stand together
  if (vector) key += vector->unique_id();
  return key;
}

std::string AddFile::key() const { return file_key(path, vector); }
std::string RemoveFile::key() const { return file_key(path, vector); }

std::optional<int64_t> AddFile::physical_rows() const { return statistics_rows(stats); }

std::optional<int64_t> AddFile::live_rows() const {
  const std::optional<int64_t> physical = physical_rows();
  if (!physical || !vector) return physical;
  return *physical - vector->cardinality;
}

std::string render_commit(const CommitActions& actions) {
  LAKEBED_ASSERT(actions.info.has_value());
  std::string out;
  write_info(out, *actions.info);
  if (actions.protocol) write_protocol(out, *actions.protocol);
  if (actions.metadata) write_metadata(out, *actions.metadata);
  for (const SetTransaction& transaction : actions.transactions) {
    write_transaction(out, transaction);
  }
  for (const DomainMetadata& domain : actions.domains) write_domain(out, domain);
  for (const RemoveFile& file : actions.removes) write_remove(out, file);
  for (const AddFile& file : actions.adds) write_add(out, file);
  return out;
}

RemoveFile remove_of(const AddFile& file, int64_t now_ms, bool data_change) {
  RemoveFile remove;
  remove.path = file.path;
  remove.deletion_ms = now_ms;
  remove.data_change = data_change;
  remove.partition_values = file.partition_values;
  remove.size = file.size;
  remove.tags = file.tags;
  remove.vector = file.vector;
  remove.base_row_id = file.base_row_id;
  remove.default_row_commit_version = file.default_row_commit_version;
  return remove;
}

}  // namespace lakebed::delta
