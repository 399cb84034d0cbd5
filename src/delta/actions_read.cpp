// Reading commit files: simdjson, one line at a time. Fields and actions that are not known here
// are skipped; a known field of the wrong type makes the file damaged.
#include <fmt/format.h>
#include <simdjson.h>

#include "delta/actions.h"

namespace lakebed::delta {
namespace {

using simdjson::dom::element;
using simdjson::dom::element_type;
using simdjson::dom::object;

// Reads the members of one action and remembers the first that has the wrong type.
class Members {
 public:
  explicit Members(object members) : members_(members) {}

  const std::string& problem() const { return problem_; }

  // The member, unless it is absent or null.
  std::optional<element> find(std::string_view name) {
    element found;
    if (members_.at_key(name).get(found) != simdjson::SUCCESS || found.is_null()) return {};
    return found;
  }

  std::string text(std::string_view name, bool required = false) {
    const auto found = find(name);
    if (!found) return missing(name, required), std::string();
    std::string_view value;
    if (found->get(value) != simdjson::SUCCESS) return wrong(name), std::string();
    return std::string(value);
  }

  std::optional<int64_t> number(std::string_view name, bool required = false) {
    const auto found = find(name);
    if (!found) return missing(name, required), std::nullopt;
    int64_t value = 0;
    if (found->get(value) != simdjson::SUCCESS) return wrong(name), std::nullopt;
    return value;
  }

  std::optional<bool> flag(std::string_view name) {
    const auto found = find(name);
    if (!found) return std::nullopt;
    bool value = false;
    if (found->get(value) != simdjson::SUCCESS) return wrong(name), std::nullopt;
    return value;
  }

  std::vector<std::string> texts(std::string_view name) {
    std::vector<std::string> values;
    const auto found = find(name);
    simdjson::dom::array items;
    if (!found) return values;
    if (found->get(items) != simdjson::SUCCESS) return wrong(name), values;
    for (const element item : items) {
      std::string_view value;
      if (item.get(value) != simdjson::SUCCESS) return wrong(name), values;
      values.emplace_back(value);
    }
    return values;
  }

  PartitionValues nullable_map(std::string_view name) {
    PartitionValues values;
    const auto found = find(name);
    object items;
    if (!found) return values;
    if (found->get(items) != simdjson::SUCCESS) return wrong(name), values;
    for (const auto& [key, item] : items) {
      std::string_view value;
      if (item.is_null()) {
        values[std::string(key)] = std::nullopt;
      } else if (item.get(value) == simdjson::SUCCESS) {
        values[std::string(key)] = std::string(value);
      } else {
        values[std::string(key)] = simdjson::minify(item);  // others write bare numbers, too
      }
    }
    return values;
  }

  TextMap map(std::string_view name) {
    TextMap values;
    for (auto& [key, value] : nullable_map(name)) values[key] = value.value_or("");
    return values;
  }

  object members() const { return members_; }

 private:
  void wrong(std::string_view name) {
    if (problem_.empty()) problem_ = fmt::format("the field '{}' has the wrong type", name);
  }
  void missing(std::string_view name, bool required) {
    if (required && problem_.empty()) problem_ = fmt::format("the field '{}' is missing", name);
  }

  object members_;
  std::string problem_;
};

std::optional<DeletionVector> read_vector_field(Members& owner, std::string& problem) {
  const auto found = owner.find("deletionVector");
  object inner;
  if (!found) return {};
  if (found->get(inner) != simdjson::SUCCESS) {
    problem = "the field 'deletionVector' has the wrong type";
    return {};
  }
  Members members(inner);
  DeletionVector vector;
  const std::string storage = members.text("storageType", true);
  vector.storage = storage.size() == 1 ? storage[0] : '?';
  vector.path_or_inline = members.text("pathOrInlineDv", true);
  vector.offset = members.number("offset");
  vector.size_bytes = members.number("sizeInBytes", true).value_or(0);
  vector.cardinality = members.number("cardinality", true).value_or(0);
  problem = members.problem();
  return vector;
}

std::string read_add(Members& members, CommitActions& actions) {
  AddFile file;
  std::string problem;
  file.path = members.text("path", true);
  file.partition_values = members.nullable_map("partitionValues");
  file.size = members.number("size", true).value_or(0);
  file.modified_ms = members.number("modificationTime").value_or(0);
  file.data_change = members.flag("dataChange").value_or(true);
  file.stats = members.text("stats");
  file.tags = members.map("tags");
  file.vector = read_vector_field(members, problem);
  file.base_row_id = members.number("baseRowId");
  file.default_row_commit_version = members.number("defaultRowCommitVersion");
  file.clustering_provider = members.text("clusteringProvider");
  actions.adds.push_back(std::move(file));
  return members.problem().empty() ? problem : members.problem();
}

std::string read_remove(Members& members, CommitActions& actions) {
  RemoveFile file;
  std::string problem;
  file.path = members.text("path", true);
  file.deletion_ms = members.number("deletionTimestamp");
  file.data_change = members.flag("dataChange").value_or(true);
  file.extended = members.flag("extendedFileMetadata").value_or(false);
  file.partition_values = members.nullable_map("partitionValues");
  file.size = members.number("size");
  file.tags = members.map("tags");
  file.vector = read_vector_field(members, problem);
  file.base_row_id = members.number("baseRowId");
  file.default_row_commit_version = members.number("defaultRowCommitVersion");
  actions.removes.push_back(std::move(file));
  return members.problem().empty() ? problem : members.problem();
}

std::string read_protocol(Members& members, CommitActions& actions) {
  Protocol protocol;
  protocol.reader_version = static_cast<int>(members.number("minReaderVersion", true).value_or(0));
  protocol.writer_version = static_cast<int>(members.number("minWriterVersion", true).value_or(0));
  protocol.reader_features = members.texts("readerFeatures");
  protocol.writer_features = members.texts("writerFeatures");
  actions.protocol = std::move(protocol);
  return members.problem();
}

std::string read_metadata(Members& members, CommitActions& actions) {
  Metadata metadata;
  metadata.id = members.text("id", true);
  metadata.name = members.text("name");
  metadata.description = members.text("description");
  metadata.schema_string = members.text("schemaString", true);
  metadata.partition_columns = members.texts("partitionColumns");
  metadata.configuration = members.map("configuration");
  metadata.created_ms = members.number("createdTime").value_or(0);
  if (const auto format = members.find("format")) {
    std::string_view provider;
    if (format->at_key("provider").get(provider) == simdjson::SUCCESS && provider != "parquet") {
      return fmt::format("the data files are '{}', not Parquet", provider);
    }
  }
  actions.metadata = std::move(metadata);
  return members.problem();
}

bool is_known_info(std::string_view name) {
  for (const std::string_view known :
       {"timestamp", "inCommitTimestamp", "operation", "operationParameters", "operationMetrics",
        "engineInfo", "txnId", "isBlindAppend"}) {
    if (name == known) return true;
  }
  return false;
}

// commitInfo is free form: nothing in it makes a file damaged.
std::string read_info(Members& members, CommitActions& actions) {
  CommitInfo info;
  info.timestamp_ms = members.number("timestamp");
  info.in_commit_ms = members.number("inCommitTimestamp");
  info.operation = members.text("operation");
  info.parameters = members.map("operationParameters");
  info.metrics = members.map("operationMetrics");
  info.engine = members.text("engineInfo");
  info.transaction_id = members.text("txnId");
  info.blind_append = members.flag("isBlindAppend");
  for (const auto& [name, item] : members.members()) {
    if (!is_known_info(name)) info.other[std::string(name)] = simdjson::minify(item);
  }
  actions.info = std::move(info);
  return {};
}

std::string read_domain(Members& members, CommitActions& actions) {
  DomainMetadata domain;
  domain.domain = members.text("domain", true);
  domain.configuration = members.text("configuration");
  domain.removed = members.flag("removed").value_or(false);
  actions.domains.push_back(std::move(domain));
  return members.problem();
}

std::string read_transaction(Members& members, CommitActions& actions) {
  SetTransaction transaction;
  transaction.app_id = members.text("appId", true);
  transaction.version = members.number("version", true).value_or(0);
  transaction.updated_ms = members.number("lastUpdated");
  actions.transactions.push_back(std::move(transaction));
  return members.problem();
}

std::string read_cdc(Members& members, CommitActions& actions) {
  CdcFile file;
  file.path = members.text("path", true);
  file.partition_values = members.nullable_map("partitionValues");
  file.size = members.number("size").value_or(0);
  actions.cdc.push_back(std::move(file));
  return members.problem();
}

// Reads one action; returns what is wrong with it, or nothing.
std::string read_action(std::string_view name, Members& members, CommitActions& actions) {
  if (name == "add") return read_add(members, actions);
  if (name == "remove") return read_remove(members, actions);
  if (name == "commitInfo") return read_info(members, actions);
  if (name == "domainMetadata") return read_domain(members, actions);
  if (name == "txn") return read_transaction(members, actions);
  if (name == "metaData") return read_metadata(members, actions);
  if (name == "protocol") return read_protocol(members, actions);
  if (name == "cdc") return read_cdc(members, actions);
  if (name == "sidecar") actions.sidecars.push_back(members.text("path", true));
  return members.problem();
}

std::string read_line(simdjson::dom::parser& parser, std::string_view line, bool first,
                      CommitActions& actions) {
  element root;
  const auto* bytes = reinterpret_cast<const uint8_t*>(line.data());
  if (const auto code = parser.parse(bytes, line.size(), false).get(root)) {
    return simdjson::error_message(code);
  }
  object members;
  if (root.get(members) != simdjson::SUCCESS) return "not a JSON object";
  for (const auto& [name, item] : members) {
    object inner;
    if (item.is_null()) continue;
    if (item.get(inner) != simdjson::SUCCESS) return fmt::format("'{}' is no object", name);
    Members fields(inner);
    const std::string problem = read_action(name, fields, actions);
    if (!problem.empty()) return fmt::format("{}: {}", name, problem);
    if (name == "commitInfo") actions.info_is_first = first;
  }
  return {};
}

Error damaged(const std::string& file, size_t line, std::string_view problem) {
  return update_error("DELTA_LOG.DAMAGED",
                      fmt::format("'{}', line {}: {}.", file, line, problem))
      .with_hint("Restore the file from a copy; the table cannot be read without it.");
}

}  // namespace

Result<CommitActions> parse_commit(std::string_view text, const std::string& file) {
  const simdjson::padded_string padded(text);
  const std::string_view all(padded.data(), text.size());
  simdjson::dom::parser parser;
  CommitActions actions;
  size_t number = 0;
  bool found = false;
  for (size_t at = 0; at < all.size();) {
    const size_t end = std::min(all.find('\n', at), all.size());
    const std::string_view line = all.substr(at, end - at);
    at = end + 1;
    ++number;
    if (line.find_first_not_of(" \r\t") == std::string_view::npos) continue;
    const std::string problem = read_line(parser, line, !found, actions);
    if (!problem.empty()) return damaged(file, number, problem);
    found = true;
  }
  if (!found) return damaged(file, 1, "the file is empty");
  return actions;
}

}  // namespace lakebed::delta
