// Statements in JSON: one list of members for each, by the names of the C++ members.
#include "plan/json_archive.h"

namespace lakebed::plan {

template <>
struct EnumNames<ViolationAction> {
  static constexpr std::array<const char*, 3> names = {"warn", "drop_row", "fail_update"};
};
template <>
struct EnumNames<StoredAs> {
  static constexpr std::array<const char*, 3> names = {"scd1", "scd2", "bitemporal"};
};
template <>
struct EnumNames<DatasetKind> {
  static constexpr std::array<const char*, 5> names = {
      "streaming_table", "materialized_view", "managed_table", "temporary_view", "persisted_view"};
};

template <typename Archive, Of<NameAt> Node>
void members(Archive& archive, Node& node) {
  archive.field("name", node.name);
  archive.field("at", node.span);
}
template <typename Archive, Of<Property> Node>
void members(Archive& archive, Node& node) {
  archive.field("key", node.key);
  archive.field("value", node.value);
  archive.field("at", node.span);
}
template <typename Archive, Of<ColumnDefinition> Node>
void members(Archive& archive, Node& node) {
  archive.field("field", node.field);
  place(archive, node.span);
  archive.field("default", node.default_value);
  archive.field("generated", node.generated);
  archive.field("generated_text", node.generated_text);
  archive.flag("identity", node.identity, false);
  archive.flag("primary_key", node.primary_key, false);
}
template <typename Archive, Of<Expectation> Node>
void members(Archive& archive, Node& node) {
  archive.field("name", node.name);
  archive.field("condition", node.condition);
  archive.field("condition_text", node.condition_text);
  archive.field("action", node.action);
}
template <typename Archive, Of<ColumnChoice> Node>
void members(Archive& archive, Node& node) {
  place(archive, node.span);
  archive.flag("all_except", node.all_except, false);
  archive.field("names", node.names);
  archive.field("spans", node.spans);
}
template <typename Archive, Of<FeedSpec> Node>
void members(Archive& archive, Node& node) {
  archive.field("source", node.source);
  archive.field("keys", node.keys);
  archive.field("ignore_null_updates", node.ignore_null_updates);
  archive.field("delete_when", node.delete_when);
  archive.field("truncate_when", node.truncate_when);
  archive.field("sequence_by", node.sequence_by);
  archive.field("system_sequence_by", node.system_sequence_by);
  archive.field("columns", node.columns);
  archive.field("stored_as", node.stored_as);
  archive.flag("stored_as_written", node.stored_as_written, false);
  archive.field("track_history", node.track_history);
  archive.field("columns_to_update", node.columns_to_update);
  archive.field("clauses", node.clauses);
}
template <typename Archive, Of<SnapshotSpec> Node>
void members(Archive& archive, Node& node) {
  archive.field("source", node.source);
  archive.field("version", node.version);
  archive.field("keys", node.keys);
  archive.field("stored_as", node.stored_as);
  archive.field("track_history", node.track_history);
  archive.field("clauses", node.clauses);
}
template <typename Archive, Of<InsertSpec> Node>
void members(Archive& archive, Node& node) {
  archive.field("query", node.query);
  archive.field("replace_kind", node.replace_kind);
}

// Of the specs of a flow, the one that is there is a member by its name.
template <typename Archive, typename Spec, typename Node>
void spec_member(Archive& archive, const char* key, Node& node) {
  if constexpr (Archive::kReads) {
    std::optional<Spec> spec;
    archive.field(key, spec);
    if (spec.has_value()) node.spec = std::move(*spec);
  } else if (const Spec* spec = std::get_if<Spec>(&node.spec)) {
    archive.out[key] = write_struct(*spec);
  }
}
template <typename Archive, Of<FlowBody> Node>
void members(Archive& archive, Node& node) {
  place(archive, node.span);
  archive.flag("once", node.once, false);
  archive.field("once_span", node.once_span);
  spec_member<Archive, FeedSpec>(archive, "feed", node);
  spec_member<Archive, SnapshotSpec>(archive, "snapshot", node);
  spec_member<Archive, InsertSpec>(archive, "insert", node);
}

template <typename Archive, Of<CreateDataset> Node>
void members(Archive& archive, Node& node) {
  place(archive, node.span);
  archive.field("kind", node.kind);
  archive.field("name", node.name);
  archive.flag("or_refresh", node.or_refresh, false);
  archive.flag("if_not_exists", node.if_not_exists, false);
  archive.flag("private", node.is_private, false);
  archive.flag("temporary", node.temporary, false);
  archive.field("columns", node.columns);
  archive.field("expectations", node.expectations);
  archive.field("partitioned_by", node.partitioned_by);
  archive.field("cluster_by", node.cluster_by);
  archive.field("comment", node.comment);
  archive.field("location", node.location);
  archive.field("properties", node.properties);
  archive.field("clauses", node.clauses);
  archive.field("query", node.query);
  archive.field("query_text", node.query_text);
  archive.field("flow", node.flow);
}
template <typename Archive, Of<CreateFlow> Node>
void members(Archive& archive, Node& node) {
  place(archive, node.span);
  archive.field("name", node.name);
  archive.flag("implicit_name", node.implicit_name, false);
  archive.field("target", node.target);
  archive.field("comment", node.comment);
  archive.flag("or_refresh", node.or_refresh, false);
  archive.flag("if_not_exists", node.if_not_exists, false);
  archive.field("body", node.body);
}
template <typename Archive, Of<SetStatement> Node>
void members(Archive& archive, Node& node) {
  place(archive, node.span);
  archive.field("key", node.key);
  archive.field("value", node.value);
}
template <typename Archive, Of<UseStatement> Node>
void members(Archive& archive, Node& node) {
  place(archive, node.span);
  archive.field("what", node.what);
  archive.field("name", node.name);
}
template <typename Archive, Of<QueryStatement> Node>
void members(Archive& archive, Node& node) {
  place(archive, node.span);
  archive.field("query", node.query);
}
template <typename Archive, Of<CreateTable> Node>
void members(Archive& archive, Node& node) {
  place(archive, node.span);
  archive.field("name", node.name);
  archive.flag("or_replace", node.or_replace, false);
  archive.flag("if_not_exists", node.if_not_exists, false);
  archive.field("columns", node.columns);
  archive.field("partitioned_by", node.partitioned_by);
  archive.field("comment", node.comment);
  archive.field("location", node.location);
  archive.field("properties", node.properties);
  archive.field("query", node.query);
}
template <typename Archive, Of<CreateSchema> Node>
void members(Archive& archive, Node& node) {
  place(archive, node.span);
  archive.field("what", node.what);
  archive.field("name", node.name);
  archive.flag("if_not_exists", node.if_not_exists, false);
}
template <typename Archive, Of<CreateVolume> Node>
void members(Archive& archive, Node& node) {
  place(archive, node.span);
  archive.field("name", node.name);
  archive.flag("if_not_exists", node.if_not_exists, false);
}
template <typename Archive, Of<InsertStatement> Node>
void members(Archive& archive, Node& node) {
  place(archive, node.span);
  archive.field("table", node.table);
  archive.flag("overwrite", node.overwrite, false);
  archive.flag("by_name", node.by_name, false);
  archive.field("columns", node.columns);
  archive.field("query", node.query);
}
template <typename Archive, Of<DropStatement> Node>
void members(Archive& archive, Node& node) {
  place(archive, node.span);
  archive.field("what", node.what);
  archive.field("name", node.name);
  archive.flag("if_exists", node.if_exists, false);
  archive.flag("cascade", node.cascade, false);
}
template <typename Archive, Of<ShowStatement> Node>
void members(Archive& archive, Node& node) {
  place(archive, node.span);
  archive.field("what", node.what);
  archive.field("name", node.name);
  archive.field("pattern", node.pattern);
}
template <typename Archive, Of<DescribeStatement> Node>
void members(Archive& archive, Node& node) {
  place(archive, node.span);
  archive.field("name", node.name);
  archive.flag("extended", node.extended, false);
  archive.flag("history", node.history, false);
  archive.flag("detail", node.detail, false);
}
template <typename Archive, Of<UnsupportedStatement> Node>
void members(Archive& archive, Node& node) {
  place(archive, node.span);
  archive.field("what", node.what);
}

// The structs that are members of others.
template <typename Node>
concept Part = Of<Node, NameAt> || Of<Node, Property> || Of<Node, ColumnDefinition> ||
               Of<Node, Expectation> || Of<Node, ColumnChoice> || Of<Node, FeedSpec> ||
               Of<Node, SnapshotSpec> || Of<Node, InsertSpec> || Of<Node, FlowBody>;
template <Part Node>
Json write(const Node& node) {
  return write_struct(node);
}
template <Part Node>
void read(const Json& json, Node& node, Trouble& trouble) {
  read_struct(json, node, trouble);
}

namespace {

// In the order of the variant's alternatives.
constexpr std::array<const char*, std::variant_size_v<Statement>> kNames = {
    "create_dataset", "create_flow", "set",  "use",  "query",    "create_table", "create_schema",
    "create_volume",  "insert",      "drop", "show", "describe", "unsupported"};

template <size_t Index = 0>
void read_alternative(size_t index, Reader& reader, Statement& out) {
  if constexpr (Index < std::variant_size_v<Statement>) {
    if (index != Index) return read_alternative<Index + 1>(index, reader, out);
    std::variant_alternative_t<Index, Statement> node;
    members(reader, node);
    out = std::move(node);
  }
}

}  // namespace

Json to_json(const Statement& statement) {
  Writer writer;
  writer.out["statement"] = kNames[statement.index()];
  std::visit([&writer](const auto& node) { members(writer, node); }, statement);
  return std::move(writer.out);
}

Result<Statement> statement_from_json(const Json& json) {
  Trouble trouble;
  Reader reader(json, trouble);
  std::string name;
  reader.field("statement", name);
  size_t index = 0;
  while (index < kNames.size() && name != kNames[index]) ++index;
  if (index == kNames.size()) trouble.report("unknown statement '" + name + "'");
  Statement out;
  read_alternative(index, reader, out);
  reader.finish();
  if (trouble.error) return std::move(*trouble.error);
  return out;
}

}  // namespace lakebed::plan
