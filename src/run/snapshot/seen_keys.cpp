#include "run/snapshot/seen_keys.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace lakebed::run {

namespace {

constexpr size_t kBlockKeys = 4096;

Error spill_failed(const std::filesystem::path& folder, const char* what) {
  return update_error("SPILL_FAILED",
                      fmt::format("{} {} failed: {}", what, folder.string(), std::strerror(errno)));
}

}  // namespace

// A sorted run that is read from front to end: in memory, or block by block from a file.
struct RunReader {
  const Hash128* at = nullptr;
  const Hash128* end = nullptr;
  std::FILE* file = nullptr;
  std::vector<Hash128> block;

  // False at the end of the run.
  Result<bool> fill() {
    if (at != end) return true;
    if (!file) return false;
    block.resize(kBlockKeys);
    const size_t got = std::fread(block.data(), sizeof(Hash128), block.size(), file);
    if (got == 0 && std::ferror(file) != 0) return spill_failed("", "reading spilled keys back");
    at = block.data();
    end = at + got;
    return got > 0;
  }
};

struct SeenKeys::Walk::Parts {
  std::vector<RunReader> readers;
  std::vector<size_t> heap;  // readers, the one with the smallest key on top
  Hash128 key;
  uint64_t count = 0;

  bool after(size_t a, size_t b) const { return *readers[b].at < *readers[a].at; }
  Status push(size_t reader) {
    LAKEBED_ASSIGN(const bool more, readers[reader].fill());
    if (!more) return {};
    heap.push_back(reader);
    std::push_heap(heap.begin(), heap.end(), [this](size_t a, size_t b) { return after(a, b); });
    return {};
  }
  size_t pop() {
    std::pop_heap(heap.begin(), heap.end(), [this](size_t a, size_t b) { return after(a, b); });
    const size_t reader = heap.back();
    heap.pop_back();
    return reader;
  }
};

SeenKeys::SeenKeys(std::filesystem::path folder, size_t bound_bytes)
    : folder_(std::move(folder)), bound_keys_(bound_bytes / sizeof(Hash128)) {}
SeenKeys::~SeenKeys() = default;

Status SeenKeys::add(std::vector<Hash128> keys) {
  if (keys.empty()) return {};
  size_ += keys.size();
  in_memory_ += keys.size();
  runs_.push_back(std::move(keys));
  return in_memory_ > bound_keys_ ? spill() : Status{};
}

Status SeenKeys::spill() {
  std::error_code ignored;
  std::filesystem::create_directories(folder_, ignored);
  std::string path = (folder_ / "keys-XXXXXX").string();
  const int descriptor = ::mkstemp(path.data());
  if (descriptor < 0) return spill_failed(folder_, "making a file in");
  ::unlink(path.c_str());
  File file(::fdopen(descriptor, "w+b"));
  if (!file) return spill_failed(folder_, "opening a file in");
  std::vector<Hash128> all;
  all.reserve(in_memory_);
  for (const auto& run : runs_) all.insert(all.end(), run.begin(), run.end());
  runs_.clear();
  in_memory_ = 0;
  std::sort(all.begin(), all.end());
  const size_t written = std::fwrite(all.data(), sizeof(Hash128), all.size(), file.get());
  if (written != all.size() || std::fflush(file.get()) != 0) {
    return spill_failed(folder_, "writing to a file in");
  }
  files_.push_back(std::move(file));
  return {};
}

Result<SeenKeys::Walk> SeenKeys::walk() {
  auto parts = std::make_unique<Walk::Parts>();
  for (const auto& run : runs_) {
    RunReader reader;
    reader.at = run.data();
    reader.end = run.data() + run.size();
    parts->readers.push_back(std::move(reader));
  }
  for (const File& file : files_) {
    if (std::fseek(file.get(), 0, SEEK_SET) != 0) {
      return spill_failed(folder_, "reading a file in");
    }
    RunReader reader;
    reader.file = file.get();
    parts->readers.push_back(std::move(reader));
  }
  for (size_t i = 0; i < parts->readers.size(); ++i) LAKEBED_TRY(parts->push(i));
  return Walk(std::move(parts));
}

SeenKeys::Walk::Walk(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
SeenKeys::Walk::~Walk() = default;
SeenKeys::Walk::Walk(Walk&&) noexcept = default;

Result<bool> SeenKeys::Walk::next() {
  Parts& parts = *parts_;
  parts.count = 0;
  while (!parts.heap.empty()) {
    const size_t top = parts.heap.front();
    RunReader& reader = parts.readers[top];
    if (parts.count > 0 && *reader.at != parts.key) return true;
    parts.key = *reader.at;
    parts.pop();
    ++parts.count;
    ++reader.at;
    LAKEBED_TRY(parts.push(top));
  }
  return parts.count > 0;
}

const Hash128& SeenKeys::Walk::key() const { return parts_->key; }
uint64_t SeenKeys::Walk::count() const { return parts_->count; }

}  // namespace lakebed::run
