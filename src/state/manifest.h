// The manifest: which runs and heap files are live, and all small facts that belong to a version
// of the table. A chain of small files in `_lakebed/state/`: a base, then deltas that name their
// parent and its hash; every 64th is a base again. The Delta commit holds name and hash of the
// head, so a manifest that does not fit is found before anything of it is used.
//
// One file: "LBMAN001", format version, place and length of the JSON part; then embedded sections
// (small runs, payloads of small batches), each aligned to 64 bytes; then the JSON part. All of it
// is covered by the hash (128-bit XXH3 of the bytes, 32 hexadecimal digits).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/hash.h"
#include "state/entry.h"
#include "store/store.h"

namespace lakebed::state {

// What the commit's domain metadata holds.
struct ManifestRef {
  std::string name;  // file name in _lakebed/state/
  std::string hash;  // 32 hexadecimal digits
  bool operator==(const ManifestRef&) const = default;
};

// A live run: a file or a part of one, and the window of keys in which it still counts.
struct RunRef {
  std::string file;          // name in _lakebed/state/
  uint64_t offset = 0;       // of the run in the file
  uint64_t length = 0;       // bytes of the run
  uint64_t header_hash = 0;  // of the run's header, which holds the checksums of the rest
  uint64_t age = 0;          // greater is newer; where windows overlap, the greater age wins
  uint64_t entries = 0;      // in the window
  uint64_t low = 0;          // the window: key.high from low to high, both included
  uint64_t high = UINT64_MAX;
  bool base = false;         // nothing older lies in its window
  std::vector<uint32_t> heaps;  // heap files that its payloads lie in
  bool operator==(const RunRef&) const = default;
};

// Newest first; runs of one age by window.
void sort_runs(std::vector<RunRef>& runs);

// A heap file, or the part of a manifest that stands for one.
struct HeapRef {
  std::string file;
  uint64_t offset = 0;
  uint64_t length = 0;
  uint64_t hash = 0;  // of its header and checksums
  bool operator==(const HeapRef&) const = default;
};

// Small facts by section and key; values are JSON texts that only their writer understands.
enum class FactSection : uint8_t { kPosition, kDefinition, kOnce, kSnapshot, kTable };

struct ManifestData {
  int64_t table_version = -1;     // the Delta version that this manifest describes
  std::string file_set_hash;      // of the live file set of that version
  uint64_t next_age = 1;
  uint32_t next_heap = 1;
  uint32_t next_schema = 1;
  Identity identity = Identity::kKey;
  std::map<std::string, std::vector<RunRef>> runs;  // by set: "" the entries, "seen:..."
  std::map<uint32_t, HeapRef> heaps;
  std::map<uint32_t, std::string> schemas;          // schema_to_json
  std::map<FactSection, std::map<std::string, std::string>> facts;
  bool operator==(const ManifestData&) const = default;
};

// A manifest read with its chain.
struct LoadedManifest {
  ManifestData data;
  std::vector<ManifestRef> chain;  // head first, down to the base
};

// Sets of seen files are named by this and their source.
inline const std::string kSeenPrefix = "seen:";

// The folder of all state files, relative to the table.
inline constexpr std::string_view kStateFolder = "_lakebed/state/";
// Deltas follow a base until the chain has this many files.
constexpr size_t kChainLimit = 64;

// Reads the chain. Error STATE_DAMAGED with the file where one is missing, cut short, or is not
// what its child or the commit says; STATE_FORMAT_UNKNOWN where a newer program wrote it.
Result<LoadedManifest> load_manifest(store::Store& store, const ManifestRef& head);

// Where each section begins in a manifest file that embeds them, in order.
std::vector<uint64_t> section_offsets(const std::vector<std::string>& sections);

// The bytes of a manifest file: a base (before and parent null), or what `data` changes in
// `before`, the data of `parent`.
std::string encode_manifest(const ManifestData& data, const std::vector<std::string>& sections,
                            const ManifestData* before, const ManifestRef* parent);

// The hash of a manifest's bytes as ManifestRef holds it.
std::string manifest_hash(std::string_view bytes);

}  // namespace lakebed::state
