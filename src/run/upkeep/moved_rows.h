// Rows that moved from one data file to another: what the memory knows of them must follow.
//
// The memory's entries say in which file and row a visible row lies. After a merge of files each
// such entry gets its new place, in the same commit. The entries are found by the keys of the rows
// that moved, or, where most of the memory moves, by one pass over it.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "run/target/table.h"
#include "run/target/target_commit.h"

namespace lakebed::run {

inline constexpr uint32_t kNowhere = UINT32_MAX;

// The live rows of the merged files, with all columns of the table, and where each came from.
struct MovedRows {
  std::vector<value::ColumnBatch> parts;
  // moves[file][row]: the number of that row among all of `parts`, counted on; kNowhere for a row
  // that does not live. Files by their index among the merged ones.
  std::vector<std::vector<uint32_t>> moves;
  uint32_t rows = 0;
};

// Number of a data file in the memory -> index among the merged files.
using MovedFiles = std::unordered_map<uint32_t, size_t>;

// Gives the entries of moved rows their new places: places[i] is where row i of `rows.parts`,
// counted on, lies now. Error STATE_MISMATCH where memory and files don't know the same rows.
Status replace_places(Table& table, TargetCommit& commit, const MovedRows& rows,
                      const MovedFiles& merged, const std::vector<cdc::Place>& places);

}  // namespace lakebed::run
