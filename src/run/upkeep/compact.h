// Merging small data files of a target: what a feed of many small batches leaves behind.
//
// Live rows of the small files move into new files, in the order in which readers met them, and
// rows that vectors hide are left behind. The memory learns the new places in the same commit, so
// that late events find the rows. Nothing changes for readers: the commit says dataChange false,
// and streams pass it over (rule F10).
#pragma once

#include <cstdint>
#include <vector>

#include "run/target/table.h"

namespace lakebed::run {

// Small data files of a target are merged beyond this number.
inline constexpr size_t kSmallFilesMax = 32;
// Files below this size are small.
inline constexpr int64_t kSmallFileBytes = 32 << 20;

// The small files that one merge would take, in the order in which a stream reads them: of each
// partition the smallest ones, of which none outweighs the rest (so that a row moves seldom).
// Empty where nothing is due.
std::vector<delta::AddFilePtr> small_files(const Table& table);

// True where the memory says where rows lie: such a table is left alone once others changed it.
bool places_rows(const Table& table);

// Merges small files by one commit ("OPTIMIZE"), where that is due. True where the table moved; a
// race that was lost leaves the table reloaded. Requires: the table is ours. Error
// TARGET_CHANGED_BY_OTHERS.
Result<bool> compact(Session& session, Table& table);

}  // namespace lakebed::run
