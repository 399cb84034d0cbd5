// Data files of one transaction: rows in, Parquet files and their add actions out.
//
// A file holds rows of one partition. Names are plain ASCII and carry the transaction's id. Nothing
// is synced or published here.
#pragma once

#include <string>
#include <vector>

#include "delta/commit.h"
#include "run/project/session.h"
#include "value/column.h"

namespace lakebed::run {

inline constexpr size_t kRowsPerFile = 4'000'000;

// A row's file, as an index into RowFiles::written(), and its number in the file.
struct RowPlace {
  uint32_t file = 0;
  uint32_t row = 0;
};

class RowFiles {
 public:
  // Requires: all outlive this.
  RowFiles(Session& session, store::Store& store, delta::Transaction& transaction)
      : session_(session), store_(store), transaction_(transaction) {}

  // Writes rows (all columns of `schema`, the table's) into new files and adds them to the
  // transaction. Generated columns are filled here, whatever the rows hold for them; rows that are
  // only moved have them already. places[i] is where row i of the batches, counted on, lies; may be
  // null.
  Status write(const std::vector<const value::ColumnBatch*>& batches, const value::Schema& schema,
               const std::vector<std::string>& partitions, std::vector<RowPlace>* places);
  void data_change(bool on) { data_change_ = on; }

  const std::vector<std::string>& written() const { return written_; }  // paths in the table
  uint64_t rows() const { return rows_; }
  uint64_t bytes() const { return bytes_; }
  // Deletes what was written, after a lost or broken transaction.
  void remove_all();

 private:
  Status write_filled(const std::vector<const value::ColumnBatch*>& batches,
                      const value::Schema& schema, const std::vector<std::string>& partitions,
                      std::vector<RowPlace>* places);
  Status write_file(const std::vector<const value::ColumnBatch*>& batches,
                    const value::Schema& schema, const delta::PartitionValues& values,
                    const std::vector<std::string>& partitions);

  Session& session_;
  store::Store& store_;
  delta::Transaction& transaction_;
  std::vector<std::string> written_;
  uint64_t rows_ = 0;
  uint64_t bytes_ = 0;
  bool data_change_ = true;
};

}  // namespace lakebed::run
