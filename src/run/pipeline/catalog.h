// The names that a query of this project may use: datasets of the project, tables of the
// warehouse, files through table functions. Implements plan::Catalog over rooms source and delta.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "plan/resolve.h"
#include "run/pipeline/pipeline.h"
#include "run/project/session.h"
#include "source/source.h"

namespace lakebed::run {

// How far a flow has read: the catalog asks for it by the scan's id, so that a schema that was
// inferred earlier is kept. An id names what is read ("files:/data/in", "table:main.default.t"),
// with "#2" and so on where a query reads the same twice.
class Progress {
 public:
  virtual ~Progress() = default;
  virtual std::string position(const std::string& scan_id) = 0;     // "" = nothing read yet
  virtual source::SeenFiles* seen(const std::string& scan_id) = 0;  // null: nothing seen
};

// A scan that resolution asked for, with the source behind it (null where only a schema is known).
struct OpenScan {
  std::string id;
  std::unique_ptr<source::Source> source;
  bool streaming = false;
};

class QueryCatalog : public plan::Catalog {
 public:
  // `pipeline` may be null (plain SQL). `progress` may be null (batch reads only).
  QueryCatalog(Session& session, const Pipeline* pipeline, Progress* progress);

  // Schemas of datasets that have been planned in this update: they stand for tables that do not
  // exist yet or will change. With planning_only(true) no table of a dataset is opened at all.
  void set_planned_schema(const TableName& name, value::Schema schema);
  void planning_only(bool on) { planning_only_ = on; }
  // Rule S4: which of last_snapshot_version() and current_snapshot_version() may be used from now
  // on, and the row (or none) that it gives. Without a word neither may.
  void offer_version(const std::string& function, value::ColumnBatch rows);
  // What short names mean; the project's defaults unless said otherwise.
  void set_scope(NameScope scope) { scope_ = std::move(scope); }

  void enter_view(const plan::Source& view) override;
  void leave_view() override;
  Result<plan::Source> find_table(const std::vector<std::string>& name, bool streaming,
                                  const std::map<std::string, std::string>& options) override;
  Result<std::optional<plan::Source>> call_function(const std::string& name,
                                                    const std::vector<std::string>& positional,
                                                    const std::map<std::string, std::string>& named,
                                                    bool streaming) override;

  Session& session() { return session_; }
  const Pipeline* pipeline() const { return pipeline_; }
  // The scan of a token in a plan.
  OpenScan& scan(const std::string& token);
  // Names of the datasets that the last resolutions asked for, keys of TableName: for the graph.
  const std::vector<std::string>& used_datasets() const { return used_; }
  void clear_used() { used_.clear(); }

 private:
  Result<plan::Source> open_table(const TableName& name, bool streaming,
                                  const std::map<std::string, std::string>& options);
  Result<plan::Source> open_path(const std::string& format, const std::string& path, bool streaming,
                                 const std::map<std::string, std::string>& options);
  Result<plan::Source> open_file_source(source::FilesRequest request);
  Result<plan::Source> open_delta_path(const std::string& shown, const std::string& path,
                                       const std::string& id, bool streaming,
                                       const std::map<std::string, std::string>& options);
  Result<plan::Source> call_version(const std::string& name, bool arguments, bool streaming);
  Result<plan::Source> call_list_files(const std::vector<std::string>& positional,
                                       const std::map<std::string, std::string>& named,
                                       bool streaming);
  Result<plan::Source> call_event_log(const std::vector<std::string>& positional,
                                      const std::map<std::string, std::string>& named,
                                      bool streaming);
  Result<plan::Source> describe(OpenScan scan);
  std::string unique_id(std::string id) const;
  Error unknown_table(const TableName& name) const;

  Session& session_;
  const Pipeline* pipeline_;
  Progress* progress_;
  NameScope scope_;
  std::vector<NameScope> outside_;  // of the views that are being resolved, outermost first
  bool planning_only_ = false;
  std::map<std::string, value::Schema> planned_;
  std::map<std::string, value::ColumnBatch> versions_;  // by function, at most one
  std::vector<OpenScan> scans_;
  std::vector<std::string> used_;
};

inline constexpr const char* kLastVersion = "last_snapshot_version";
inline constexpr const char* kCurrentVersion = "current_snapshot_version";

// All tables that lie in a schema of the warehouse, by name.
std::vector<TableName> tables_in(const Project& project, const std::string& catalog,
                                 const std::string& schema);

}  // namespace lakebed::run
