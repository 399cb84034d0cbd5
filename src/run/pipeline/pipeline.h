// What a project's files declare, put together: datasets, flows, and who fills whom. Checks here
// need no data and no types; what needs the source's columns is checked by flow_plan.h.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "plan/statement.h"
#include "run/project/names.h"
#include "run/project/project.h"

namespace lakebed::run {

struct Flow {
  std::string name;   // identity (rule F3)
  size_t target = 0;  // index into Pipeline::datasets
  plan::FlowBody body;
  NameScope scope;
  SourceSpan span;

  const plan::FeedSpec* feed() const { return std::get_if<plan::FeedSpec>(&body.spec); }
  const plan::SnapshotSpec* snapshot() const { return std::get_if<plan::SnapshotSpec>(&body.spec); }
  const plan::InsertSpec* insert() const { return std::get_if<plan::InsertSpec>(&body.spec); }
};

struct Dataset {
  TableName name;
  plan::CreateDataset declaration;
  NameScope scope;
  std::vector<size_t> flows;  // indexes into Pipeline::flows, by flow name

  bool is_view() const;
  bool is_private() const { return declaration.is_private || declaration.temporary; }
  // The property's value, keys compared without case; aliases are the caller's business.
  std::optional<std::string> property(const std::string& key) const;
};

struct Pipeline {
  std::vector<Dataset> datasets;
  std::vector<Flow> flows;
  std::map<std::string, size_t> by_name;  // TableName::key() -> dataset

  // A dataset by its name as written somewhere: temporary views go by their last part, too.
  const Dataset* find(const std::vector<std::string>& parts, const NameScope& scope) const;
};

// Reads, parses and puts together all files of the project. Every error has its place in a file.
// Errors: PIPELINE_DUPLICATE_IDENTIFIERS.{DATASET, FLOW}, TABLE_OR_VIEW_NOT_FOUND,
// INVALID_FLOW_QUERY_TYPE, MANAGED_TABLE_DOES_NOT_SUPPORT_CDC, MULTIPART_FLOW_NAME_NOT_SUPPORTED,
// PIPELINE_DATASET_WITHOUT_FLOW, AUTOCDC_*, NOT_BUILT_YET.<CLAUSE>, and the parser's.
Result<Pipeline> read_pipeline(const Project& project);

// The same for texts that are at hand: file name -> text. For tests and for `lakebed sql`.
Result<Pipeline> assemble_pipeline(const Project& project,
                                   const std::vector<std::pair<std::string, std::string>>& files);

}  // namespace lakebed::run
