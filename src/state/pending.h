// Who is writing: `_lakebed/pending/<id>` is locked as long as a program writes files whose names
// contain <id>. Files of an entry that nobody holds locked belong to a dead program and may be
// removed where no commit made them live; nothing else is ever removed here.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "store/store.h"

namespace lakebed::state {

class Pending {
 public:
  // Creates and locks the entry. Requires: every file that the program writes in this table has
  // `id` (a UUID's text) in its name. Error PENDING_LOCKED when another holds an entry of that id.
  static Result<Pending> create(store::Store& store, const std::string& id);
  // Removes the entry; files that are not live yet must be gone or committed by now.
  Status close();
  const std::string& id() const { return id_; }

 private:
  store::Store* store_ = nullptr;
  std::string id_;
  std::unique_ptr<store::Lock> lock_;
};

// Removes files of dead programs: in each folder of `folders` ("" is the table's own), the files
// whose names contain the id of an unlocked entry and for which `is_live(path)` is false. Returns
// the paths removed. Requires: `is_live` knows the files of the newest version of the table, read
// after this call began: pass a function that reads it when first asked.
Result<std::vector<std::string>> sweep(
    store::Store& store, const std::vector<std::string>& folders,
    const std::function<Result<bool>(const std::string&)>& is_live);

}  // namespace lakebed::state
