#include "delta/checkpoint_rows.h"

#include <fmt/format.h>

#include "delta/statistics.h"

namespace lakebed::delta {
namespace {

using value::Column;
using value::ColumnBatch;
using value::Field;
using value::Kind;
using value::Schema;
using value::Type;

Field field(const char* name, Type type) { return {name, std::move(type), true, "", {}}; }

Type text_map() { return Type::map(Type(Kind::kString), Type(Kind::kString)); }
Type text_list() { return Type::array(Type(Kind::kString)); }

Type vector_type() {
  return Type::structure({field("storageType", Kind::kString),
                          field("pathOrInlineDv", Kind::kString), field("offset", Kind::kInt),
                          field("sizeInBytes", Kind::kInt), field("cardinality", Kind::kLong)});
}

// The order of the fields below is the order in which rows are appended and read.
Type transaction_type() {
  return Type::structure({field("appId", Kind::kString), field("version", Kind::kLong),
                          field("lastUpdated", Kind::kLong)});
}

Type add_type() {
  return Type::structure(
      {field("path", Kind::kString), field("partitionValues", text_map()),
       field("size", Kind::kLong), field("modificationTime", Kind::kLong),
       field("dataChange", Kind::kBoolean), field("stats", Kind::kString),
       field("tags", text_map()), field("deletionVector", vector_type()),
       field("baseRowId", Kind::kLong), field("defaultRowCommitVersion", Kind::kLong),
       field("clusteringProvider", Kind::kString)});
}

Type remove_type() {
  return Type::structure(
      {field("path", Kind::kString), field("deletionTimestamp", Kind::kLong),
       field("dataChange", Kind::kBoolean), field("extendedFileMetadata", Kind::kBoolean),
       field("partitionValues", text_map()), field("size", Kind::kLong),
       field("deletionVector", vector_type()), field("baseRowId", Kind::kLong),
       field("defaultRowCommitVersion", Kind::kLong)});
}

Type metadata_type() {
  const Type format = Type::structure({field("provider", Kind::kString),
                                       field("options", text_map())});
  return Type::structure({field("id", Kind::kString), field("name", Kind::kString),
                          field("description", Kind::kString), field("format", format),
                          field("schemaString", Kind::kString),
                          field("partitionColumns", text_list()),
                          field("configuration", text_map()),
                          field("createdTime", Kind::kLong)});
}

Type protocol_type() {
  return Type::structure({field("minReaderVersion", Kind::kInt),
                          field("minWriterVersion", Kind::kInt),
                          field("readerFeatures", text_list()),
                          field("writerFeatures", text_list())});
}

Type domain_type() {
  return Type::structure({field("domain", Kind::kString), field("configuration", Kind::kString),
                          field("removed", Kind::kBoolean)});
}

enum Top : size_t { kTxn, kAdd, kRemove, kMetadata, kProtocol, kDomain, kTops, kSidecar = kTops };

// Appends the fields of one struct in order, then the struct itself.
class StructWriter {
 public:
  explicit StructWriter(Column& column) : column_(column) {}
  StructWriter& text(const std::string& item) { return next().append_bytes(item), *this; }
  StructWriter& optional_text(const std::string& item) {
    if (!item.empty()) return text(item);
    return null();
  }
  StructWriter& number(const std::optional<int64_t>& item) {
    if (!item) return null();
    next().append_integer(*item);
    return *this;
  }
  StructWriter& flag(bool item) { return number(item ? 1 : 0); }
  StructWriter& null() { return next().append_null(), *this; }
  StructWriter& texts(const TextMap& items) {
    Column& map = next();
    for (const auto& [key, item] : items) {
      map.raw_children()[0].append_bytes(key);
      map.raw_children()[1].append_bytes(item);
    }
    map.append_list();
    return *this;
  }
  StructWriter& values(const PartitionValues& items) {
    Column& map = next();
    for (const auto& [key, item] : items) {
      map.raw_children()[0].append_bytes(key);
      if (item) {
        map.raw_children()[1].append_bytes(*item);
      } else {
        map.raw_children()[1].append_null();
      }
    }
    map.append_list();
    return *this;
  }
  StructWriter& list(const std::vector<std::string>& items) {
    Column& column = next();
    for (const std::string& item : items) column.raw_children()[0].append_bytes(item);
    column.append_list();
    return *this;
  }
  StructWriter& vector(const std::optional<DeletionVector>& item) {
    if (!item) return null();
    StructWriter(next())
        .text(std::string(1, item->storage))
        .text(item->path_or_inline)
        .number(item->offset)
        .number(item->size_bytes)
        .number(item->cardinality)
        .end();
    return *this;
  }
  Column& next() { return column_.raw_children()[at_++]; }
  void end() { column_.append_struct(); }

 private:
  Column& column_;
  size_t at_ = 0;
};

void append_add(Column& column, const AddFile& file) {
  StructWriter(column)
      .text(file.path)
      .values(file.partition_values)
      .number(file.size)
      .number(file.modified_ms)
      .flag(false)
      .optional_text(file.stats)
      .texts(file.tags)
      .vector(file.vector)
      .number(file.base_row_id)
      .number(file.default_row_commit_version)
      .optional_text(file.clustering_provider)
      .end();
}

void append_remove(Column& column, const RemoveFile& file) {
  StructWriter(column)
      .text(file.path)
      .number(file.deletion_ms)
      .flag(false)
      .flag(file.extended)
      .values(file.partition_values)
      .number(file.size)
      .vector(file.vector)
      .number(file.base_row_id)
      .number(file.default_row_commit_version)
      .end();
}

void append_metadata(Column& column, const Metadata& metadata) {
  StructWriter writer(column);
  writer.text(metadata.id).optional_text(metadata.name).optional_text(metadata.description);
  StructWriter(writer.next()).text("parquet").texts({}).end();
  writer.text(metadata.schema_string)
      .list(metadata.partition_columns)
      .texts(metadata.configuration)
      .number(metadata.created_ms)
      .end();
}

void append_protocol(Column& column, const Protocol& protocol) {
  StructWriter writer(column);
  writer.number(protocol.reader_version).number(protocol.writer_version);
  if (protocol.reader_version >= 3) {
    writer.list(protocol.reader_features);
  } else {
    writer.null();
  }
  if (protocol.writer_version >= 7) {
    writer.list(protocol.writer_features);
  } else {
    writer.null();
  }
  writer.end();
}

// One row: all columns but one are null.
Column& start_row(ColumnBatch& batch, Top which) {
  for (size_t i = 0; i < batch.columns.size(); ++i) {
    if (i != which) batch.columns[i].append_null();
  }
  ++batch.rows;
  return batch.columns[which];
}

// Reads the fields of one struct in order.
class StructReader {
 public:
  StructReader(const Column& column, size_t row) : column_(column), row_(row) {}

  std::string text() {
    const Column& item = next();
    return item.is_null(row_) ? std::string() : std::string(item.bytes(row_));
  }
  std::optional<int64_t> number() {
    const Column& item = next();
    return item.is_null(row_) ? std::nullopt : std::optional<int64_t>(item.integer(row_));
  }
  bool flag(bool otherwise) { return number().value_or(otherwise ? 1 : 0) != 0; }
  PartitionValues values() {
    PartitionValues out;
    const Column& map = next();
    if (map.is_null(row_)) return out;
    const Column& keys = map.children()[0];
    const Column& items = map.children()[1];
    for (uint64_t i = map.begin(row_); i < map.end(row_); ++i) {
      auto& item = out[std::string(keys.bytes(i))];
      if (!items.is_null(i)) item = std::string(items.bytes(i));
    }
    return out;
  }
  TextMap texts() {
    TextMap out;
    for (auto& [key, item] : values()) out[key] = item.value_or("");
    return out;
  }
  std::vector<std::string> list() {
    std::vector<std::string> out;
    const Column& column = next();
    if (column.is_null(row_)) return out;
    for (uint64_t i = column.begin(row_); i < column.end(row_); ++i) {
      out.emplace_back(column.children()[0].bytes(i));
    }
    return out;
  }
  std::optional<DeletionVector> vector() {
    const Column& column = next();
    if (column.is_null(row_)) return {};
    StructReader inner(column, row_);
    DeletionVector out;
    const std::string storage = inner.text();
    // A reader may give a struct of nulls where the file has none.
    if (storage.empty()) return {};
    out.storage = storage[0];
    out.path_or_inline = inner.text();
    out.offset = inner.number();
    out.size_bytes = inner.number().value_or(0);
    out.cardinality = inner.number().value_or(0);
    return out;
  }
  const Column& next() { return column_.children()[at_++]; }

 private:
  const Column& column_;
  size_t row_;
  size_t at_ = 0;
};

void read_add(const Column& column, size_t row, CommitActions& actions) {
  StructReader reader(column, row);
  AddFile file;
  file.path = reader.text();
  file.partition_values = reader.values();
  file.size = reader.number().value_or(0);
  file.modified_ms = reader.number().value_or(0);
  file.data_change = reader.flag(false);
  file.stats = reader.text();
  file.tags = reader.texts();
  file.vector = reader.vector();
  file.base_row_id = reader.number();
  file.default_row_commit_version = reader.number();
  file.clustering_provider = reader.text();
  const Column& parsed = reader.next();
  if (file.stats.empty() && !parsed.is_null(row)) {
    const auto rows = StructReader(parsed, row).number();
    if (rows) file.stats = loosen_statistics(statistics_of_count(static_cast<uint64_t>(*rows)));
  }
  actions.adds.push_back(std::move(file));
}

void read_remove(const Column& column, size_t row, CommitActions& actions) {
  StructReader reader(column, row);
  RemoveFile file;
  file.path = reader.text();
  file.deletion_ms = reader.number();
  file.data_change = reader.flag(false);
  file.extended = reader.flag(false);
  file.partition_values = reader.values();
  file.size = reader.number();
  file.vector = reader.vector();
  file.base_row_id = reader.number();
  file.default_row_commit_version = reader.number();
  actions.removes.push_back(std::move(file));
}

void read_metadata(const Column& column, size_t row, CommitActions& actions) {
  StructReader reader(column, row);
  Metadata metadata;
  metadata.id = reader.text();
  metadata.name = reader.text();
  metadata.description = reader.text();
  reader.next();  // format: Parquet is the only one
  metadata.schema_string = reader.text();
  metadata.partition_columns = reader.list();
  metadata.configuration = reader.texts();
  metadata.created_ms = reader.number().value_or(0);
  actions.metadata = std::move(metadata);
}

void read_protocol(const Column& column, size_t row, CommitActions& actions) {
  StructReader reader(column, row);
  Protocol protocol;
  protocol.reader_version = static_cast<int>(reader.number().value_or(0));
  protocol.writer_version = static_cast<int>(reader.number().value_or(0));
  protocol.reader_features = reader.list();
  protocol.writer_features = reader.list();
  actions.protocol = std::move(protocol);
}

// Whether the row has this action: a struct of nulls counts as none, too.
bool holds(const Column& column, size_t row) {
  return !column.is_null(row) && !column.children()[0].is_null(row);
}

void read_row(const ColumnBatch& batch, size_t row, CommitActions& actions) {
  const auto& columns = batch.columns;
  if (holds(columns[kAdd], row)) read_add(columns[kAdd], row, actions);
  if (holds(columns[kRemove], row)) read_remove(columns[kRemove], row, actions);
  if (holds(columns[kMetadata], row)) read_metadata(columns[kMetadata], row, actions);
  if (holds(columns[kProtocol], row)) read_protocol(columns[kProtocol], row, actions);
  if (holds(columns[kTxn], row)) {
    StructReader reader(columns[kTxn], row);
    SetTransaction transaction;
    transaction.app_id = reader.text();
    transaction.version = reader.number().value_or(0);
    transaction.updated_ms = reader.number();
    actions.transactions.push_back(std::move(transaction));
  }
  if (holds(columns[kDomain], row)) {
    StructReader reader(columns[kDomain], row);
    DomainMetadata domain;
    domain.domain = reader.text();
    domain.configuration = reader.text();
    domain.removed = reader.flag(false);
    actions.domains.push_back(std::move(domain));
  }
  if (holds(columns[kSidecar], row)) {
    actions.sidecars.push_back(StructReader(columns[kSidecar], row).text());
  }
}

}  // namespace

const value::Schema& checkpoint_schema() {
  static const Schema schema = {
      field("txn", transaction_type()),     field("add", add_type()),
      field("remove", remove_type()),       field("metaData", metadata_type()),
      field("protocol", protocol_type()),   field("domainMetadata", domain_type())};
  return schema;
}

const value::Schema& checkpoint_read_schema() {
  static const Schema schema = [] {
    Schema out = checkpoint_schema();
    out[kAdd].type.fields.push_back(
        field("stats_parsed", Type::structure({field("numRecords", Kind::kLong)})));
    out.push_back(field("sidecar", Type::structure({field("path", Kind::kString)})));
    return out;
  }();
  return schema;
}

value::ColumnBatch checkpoint_rows(const CommitActions& actions) {
  ColumnBatch batch = ColumnBatch::empty(checkpoint_schema());
  if (actions.protocol) append_protocol(start_row(batch, kProtocol), *actions.protocol);
  if (actions.metadata) append_metadata(start_row(batch, kMetadata), *actions.metadata);
  for (const SetTransaction& transaction : actions.transactions) {
    StructWriter(start_row(batch, kTxn))
        .text(transaction.app_id)
        .number(transaction.version)
        .number(transaction.updated_ms)
        .end();
  }
  for (const DomainMetadata& domain : actions.domains) {
    StructWriter(start_row(batch, kDomain))
        .text(domain.domain)
        .text(domain.configuration)
        .flag(false)
        .end();
  }
  for (const AddFile& file : actions.adds) append_add(start_row(batch, kAdd), file);
  for (const RemoveFile& file : actions.removes) append_remove(start_row(batch, kRemove), file);
  return batch;
}

Status read_checkpoint_rows(const value::ColumnBatch& batch, const std::string& file,
                            CommitActions& actions) {
  if (batch.columns.size() != checkpoint_read_schema().size()) {
    return update_error("DELTA_CHECKPOINT.DAMAGED",
                        fmt::format("'{}' does not have the columns of a checkpoint.", file));
  }
  for (size_t row = 0; row < batch.rows; ++row) read_row(batch, row, actions);
  return {};
}

}  // namespace lakebed::delta
