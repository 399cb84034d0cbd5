// The hashes of the keys that a snapshot had: what finding the absent ones needs, and duplicates
// show in. 16 bytes a key; sorted runs that do not fit the bound lie in files without a name, which
// are gone with the process.
#pragma once

#include <cstdio>
#include <filesystem>
#include <memory>
#include <vector>

#include "base/hash.h"
#include "base/result.h"

namespace lakebed::run {

class SeenKeys {
 public:
  // `folder` is made when the first run is spilled.
  explicit SeenKeys(std::filesystem::path folder, size_t bound_bytes = 64 << 20);
  ~SeenKeys();
  SeenKeys(const SeenKeys&) = delete;
  SeenKeys& operator=(const SeenKeys&) = delete;

  // Requires: ascending (equal ones stay). Error SPILL_FAILED.
  Status add(std::vector<Hash128> keys);
  uint64_t size() const { return size_; }
  size_t spilled_runs() const { return files_.size(); }

  // Walks all keys in ascending order, equal ones once. Requires: nothing is added meanwhile; one
  // walk at a time.
  class Walk {
   public:
    ~Walk();
    Walk(Walk&&) noexcept;
    // Moves to the next key: false at the end.
    Result<bool> next();
    const Hash128& key() const;
    uint64_t count() const;  // how often it was added

   private:
    friend class SeenKeys;
    struct Parts;
    explicit Walk(std::unique_ptr<Parts> parts);
    std::unique_ptr<Parts> parts_;
  };
  Result<Walk> walk();

 private:
  struct CloseFile {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  using File = std::unique_ptr<std::FILE, CloseFile>;
  Status spill();

  std::filesystem::path folder_;
  size_t bound_keys_;
  uint64_t size_ = 0;
  size_t in_memory_ = 0;
  std::vector<std::vector<Hash128>> runs_;
  std::vector<File> files_;
};

}  // namespace lakebed::run
