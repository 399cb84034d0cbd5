// Where a transaction's runs and heaps go: small ones become sections of its manifest, others
// files of their own. References to sections have file "" and the index as offset until the
// manifest's name is known.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "state/heap.h"
#include "state/run.h"
#include "state/table_state.h"
#include "store/store.h"

namespace lakebed::state {

class Output {
 public:
  Output(store::Store& store, std::string txn, const Tuning& tuning);
  Status place_run(RunBuilder::Built built, uint64_t age, bool base, RunRef& ref);
  Status place_heap(HeapBuilder heap, HeapRef& ref);
  const std::string& txn() const { return txn_; }
  const Tuning& tuning() const { return tuning_; }
  std::vector<std::string>& sections() { return sections_; }
  std::vector<std::string>& files() { return files_; }  // paths written
  uint64_t embedded_bytes() const;

 private:
  // Sets file and offset of a reference.
  Status place(std::string bytes, const char* extension, std::string& file, uint64_t& offset);

  store::Store* store_;
  std::string txn_;
  Tuning tuning_;
  std::vector<std::string> sections_;
  std::vector<std::string> files_;
};

// Takes entries in order and cuts them into runs of bounded size, at a change of key.high.
class RunSink {
 public:
  RunSink(Output& output, const FileNames& files, uint64_t age, bool payloads_in_heap);
  Status add(const Entry& entry);
  Status close();
  std::vector<RunRef>& runs() { return runs_; }

 private:
  Output* output_;
  uint64_t age_;
  RunBuilder builder_;
  std::vector<RunRef> runs_;
};

// Takes payloads and cuts them into heaps of bounded size. Numbers come from `next`.
class HeapSink {
 public:
  HeapSink(Output& output, std::atomic<uint32_t>& next) : output_(&output), next_(&next) {}
  Result<PayloadRef> append(uint32_t schema_id, std::string_view row);
  Status close();
  std::map<uint32_t, HeapRef>& heaps() { return heaps_; }

 private:
  Output* output_;
  std::atomic<uint32_t>* next_;
  std::optional<HeapBuilder> builder_;
  std::map<uint32_t, HeapRef> heaps_;
};

// Points references to sections at the manifest that holds them.
template <typename Ref>
void resolve_section(Ref& ref, const std::string& manifest, const std::vector<uint64_t>& offsets) {
  if (!ref.file.empty()) return;
  ref.file = manifest;
  ref.offset = offsets[ref.offset];
}

}  // namespace lakebed::state
