// The payload heap: rows by (heap file, offset), append-only.
//
//   header   "LBROW001", format version, number of the heap, bytes of data (32 bytes in all)
//   data     records: schema id (varint), length (varint), the row (row_codec.h)
//   sums     one 64-bit checksum for each 4 KiB of data; a hash of header and sums
//
// A heap is a `.rows` file of its own or an embedded section of a manifest.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>

#include "state/bytes.h"
#include "state/table_state.h"

namespace lakebed::state {

// Writes one heap in memory.
class HeapBuilder {
 public:
  explicit HeapBuilder(uint32_t number);
  PayloadRef append(uint32_t schema_id, std::string_view row);
  uint32_t number() const { return number_; }
  size_t bytes() const { return data_.size(); }
  // The heap's bytes; `hash` is what its HeapRef must hold. Call once.
  std::string finish(uint64_t& hash);

 private:
  uint32_t number_;
  std::string data_;
};

// All live heaps of a state, mapped when first asked for. Thread-safe but for set_refs.
class Heap {
 public:
  explicit Heap(store::Store& store) : store_(&store) {}
  // Heaps that are gone are unmapped; others stay open.
  void set_refs(const std::map<uint32_t, HeapRef>& refs);
  const std::map<uint32_t, HeapRef>& refs() const { return refs_; }
  Result<TableState::Payload> read(PayloadRef ref) const;
  Status check_all() const;

 private:
  struct OpenHeap {
    std::unique_ptr<store::Mapping> mapping;
    std::string_view data;
    CheckedBlocks blocks;
    std::string file;
  };
  Result<const OpenHeap*> heap(uint32_t number) const;
  Result<std::unique_ptr<OpenHeap>> open_heap(uint32_t number, const HeapRef& ref) const;

  store::Store* store_;
  std::map<uint32_t, HeapRef> refs_;
  mutable std::mutex mutex_;
  mutable std::map<uint32_t, std::unique_ptr<OpenHeap>> open_;
};

}  // namespace lakebed::state
