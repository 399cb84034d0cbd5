#include "source/list_source.h"

#include <fmt/core.h>

#include "source/file_columns.h"
#include "source/listing.h"
#include "source/rows.h"

namespace lakebed::source {

namespace {

using value::Column;
using value::Kind;

value::Schema columns_of_listing() {
  return {{"path", Kind::kString, true, "", {}},
          {"size", Kind::kLong, true, "", {}},
          {"modification_time", Kind::kTimestamp, true, "", {}},
          {"file", Kind::kString, true, "", {}}};
}

value::ColumnBatch rows_of(const Listing& listing) {
  value::ColumnBatch rows = value::ColumnBatch::empty(columns_of_listing());
  for (const ListedFile& file : listing.files) {
    const std::string uri = file_uri(file.path) + (file.is_folder ? "/" : "");
    rows.columns[0].append_bytes(uri);
    rows.columns[1].append_fixed(static_cast<int64_t>(file.size));
    rows.columns[2].append_fixed(file.modified_us - file.modified_us % 1000);
    if (file.is_folder) {
      rows.columns[3].append_null();
    } else {
      rows.columns[3].append_bytes(uri);
    }
    ++rows.rows;
  }
  return rows;
}

class ListSource : public Source {
 public:
  ListSource(ListFilesRequest request, std::string local)
      : request_(std::move(request)), local_(std::move(local)), schema_(columns_of_listing()) {}

  const value::Schema& schema() const override { return schema_; }
  const value::Schema& hidden() const override { return hidden_; }
  Status refresh() override;
  Result<Slice> read_all() override { return rows_slice(rows_); }
  Result<std::optional<Slice>> next_slice(const std::string&, SeenFiles&) override {
    return project_error("INVALID_FLOW_QUERY_TYPE", "list_files can't be read as a stream");
  }

 private:
  ListFilesRequest request_;
  std::string local_;
  value::Schema schema_;
  value::Schema hidden_;
  std::shared_ptr<const value::ColumnBatch> rows_;  // shared with readers of slices
};

Status ListSource::refresh() {
  ListRequest list;
  list.path = local_;
  list.recursive = request_.recursive;
  list.folders = !request_.recursive;
  LAKEBED_ASSIGN(const Listing found, list_files(list));
  if (!found.exists) {
    return project_error("LIST_FILES_ERROR.PATH_NOT_EXISTS",
                         fmt::format("list_files: there is nothing at {}", request_.path));
  }
  rows_ = std::make_shared<const value::ColumnBatch>(rows_of(found));
  return {};
}

}  // namespace

Result<std::unique_ptr<Source>> open_listing(const ListFilesRequest& request,
                                             const Surroundings& surroundings) {
  LAKEBED_ASSIGN(std::string local, local_path(request.path, surroundings));
  auto source = std::make_unique<ListSource>(request, std::move(local));
  LAKEBED_TRY(source->refresh());
  return std::unique_ptr<Source>(std::move(source));
}

}  // namespace lakebed::source
