// Deletion vectors: which rows of a data file are gone.
//
//   data   = magic 1681511377 (little-endian) + 64-bit Roaring in its portable form
//   file   = byte 1, then per vector: size (big-endian, of data) + data + CRC-32 (big-endian)
//   inline = Z85 of data padded to 4 bytes
//
// Live bitmaps belong to the caller, who keeps them between commits: a commit needs no read of an
// old vector. A Bitmap is a value; reading from many threads is fine.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/world.h"
#include "delta/actions.h"
#include "store/store.h"

namespace lakebed::delta {

class Bitmap {
 public:
  Bitmap();
  Bitmap(const Bitmap& other);
  Bitmap(Bitmap&& other) noexcept;
  Bitmap& operator=(Bitmap other) noexcept;
  ~Bitmap();

  void add(uint64_t row);
  // Adds many rows; fast where they ascend.
  void add_many(const std::vector<uint64_t>& rows);
  void merge(const Bitmap& other);  // union
  bool contains(uint64_t row) const;
  uint64_t cardinality() const;
  bool empty() const { return cardinality() == 0; }
  std::vector<uint64_t> rows() const;  // ascending
  bool operator==(const Bitmap& other) const;

  // The portable form with magic, as in `data` above. Run-length encoded where that is smaller.
  std::string serialize() const;
  // Reads `data`; the old native form (magic 1681511376) too. Never reads past the end of `bytes`.
  static Result<Bitmap> parse(std::string_view bytes);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Collects the vectors of one commit into one packed file, `_lakebed/dv/deletion_vector_<uuid>.bin`
// (an underscore folder: foreign vacuums spare it). Write bytes() to path() when it is not empty.
class VectorFile {
 public:
  explicit VectorFile(const Uuid& uuid);
  DeletionVector append(const Bitmap& rows);
  bool empty() const { return bytes_.size() <= 1; }
  const std::string& bytes() const { return bytes_; }
  const std::string& path() const { return path_; }

 private:
  Uuid uuid_;
  std::string path_;
  std::string bytes_;
};

DeletionVector inline_vector(const Bitmap& rows);

// Reads and verifies a vector: framing, size, CRC, cardinality. The store's root is the table's.
// Errors: DELTA_DELETION_VECTOR.DAMAGED naming the file, STORE.*.
Result<Bitmap> read_vector(store::Store& store, const DeletionVector& vector);
// Where a 'u' or 'p' vector lies: relative to the table, or an absolute path. "" when inline.
Result<std::string> vector_path(const DeletionVector& vector);

// Z85 of ZeroMQ: 4 bytes as 5 characters. Requires: whole groups.
std::string z85_encode(std::string_view bytes);
Result<std::string> z85_decode(std::string_view text);

}  // namespace lakebed::delta
