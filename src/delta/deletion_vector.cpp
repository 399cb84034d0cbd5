#include "delta/deletion_vector.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/hash.h"
#include "delta/bytes.h"
#include "delta/partition.h"

namespace lakebed::delta {
namespace {

constexpr std::string_view kFolder = "_lakebed/dv";
constexpr std::string_view kAlphabet =
    "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#";
constexpr size_t kUuidText = 20;  // Z85 of 16 bytes
constexpr char kFileVersion = 1;

Error damaged(const std::string& where, std::string_view problem) {
  return update_error("DELTA_DELETION_VECTOR.DAMAGED",
                      fmt::format("The deletion vector {} is damaged: {}.", where, problem))
      .with_hint("Restore the file from a copy, or the table to an earlier version.");
}

std::string describe(const DeletionVector& vector, const std::string& path) {
  if (vector.storage == 'i') return "inside the log";
  return fmt::format("'{}' at offset {}", path, vector.offset.value_or(1));
}

// The data part of a vector in a file, verified against its frame.
Result<std::string> read_framed(store::Store& store, const std::string& path,
                                const DeletionVector& vector, const std::string& where) {
  const bool absolute = path.starts_with('/');
  const std::unique_ptr<store::Store> root = absolute ? store::local_store("/") : nullptr;
  store::Store& home = absolute ? *root : store;
  const int64_t offset = vector.offset.value_or(1);
  if (offset < 1 || vector.size_bytes < 0) return damaged(where, "its offset or size is negative");
  const auto size = static_cast<uint64_t>(vector.size_bytes);
  LAKEBED_ASSIGN(const std::string frame,
                 home.read_range(absolute ? path.substr(1) : path,
                                 static_cast<uint64_t>(offset), size + 8));
  if (frame.size() != size + 8) return damaged(where, "the file is too short");
  if (read_big(frame, 4) != size) return damaged(where, "its size differs from the log's");
  std::string data = frame.substr(4, size);
  if (read_big(std::string_view(frame).substr(4 + size), 4) != crc32(data)) {
    return damaged(where, "its checksum does not match");
  }
  return data;
}

Result<std::string> read_inline(const DeletionVector& vector, const std::string& where) {
  auto data = z85_decode(vector.path_or_inline);
  if (!data.ok()) return damaged(where, data.error().message);
  if (vector.size_bytes < 0 || static_cast<size_t>(vector.size_bytes) > data->size()) {
    return damaged(where, "it is shorter than the log says");
  }
  data->resize(static_cast<size_t>(vector.size_bytes));
  return data;
}

}  // namespace

std::string z85_encode(std::string_view bytes) {
  LAKEBED_ASSERT(bytes.size() % 4 == 0);
  std::string out;
  for (size_t at = 0; at < bytes.size(); at += 4) {
    uint64_t number = read_big(bytes.substr(at), 4);
    std::array<char, 5> group{};
    for (size_t i = 5; i-- > 0; number /= 85) group[i] = kAlphabet[number % 85];
    out.append(group.data(), group.size());
  }
  return out;
}

Result<std::string> z85_decode(std::string_view text) {
  const Error bad = update_error("DELTA_DELETION_VECTOR.DAMAGED", "its text is no Z85");
  if (text.size() % 5 != 0) return bad;
  std::string out;
  for (size_t at = 0; at < text.size(); at += 5) {
    uint64_t number = 0;
    for (size_t i = 0; i < 5; ++i) {
      const size_t digit = kAlphabet.find(text[at + i]);
      if (digit == std::string_view::npos) return bad;
      number = number * 85 + digit;
    }
    if (number > 0xffffffffULL) return bad;
    append_big(out, number, 4);
  }
  return out;
}

VectorFile::VectorFile(const Uuid& uuid)
    : uuid_(uuid),
      path_(fmt::format("{}/deletion_vector_{}.bin", kFolder, uuid_text(uuid))),
      bytes_(1, kFileVersion) {}

DeletionVector VectorFile::append(const Bitmap& rows) {
  const std::string data = rows.serialize();
  DeletionVector vector;
  vector.storage = 'u';
  vector.path_or_inline = std::string(kFolder);
  vector.path_or_inline +=
      z85_encode({reinterpret_cast<const char*>(uuid_.data()), uuid_.size()});
  vector.offset = static_cast<int64_t>(bytes_.size());
  vector.size_bytes = static_cast<int64_t>(data.size());
  vector.cardinality = static_cast<int64_t>(rows.cardinality());
  append_big(bytes_, data.size(), 4);
  bytes_ += data;
  append_big(bytes_, crc32(data), 4);
  return vector;
}

DeletionVector inline_vector(const Bitmap& rows) {
  std::string data = rows.serialize();
  DeletionVector vector;
  vector.storage = 'i';
  vector.size_bytes = static_cast<int64_t>(data.size());
  vector.cardinality = static_cast<int64_t>(rows.cardinality());
  data.resize((data.size() + 3) / 4 * 4, '\0');
  vector.path_or_inline = z85_encode(data);
  return vector;
}

Result<std::string> vector_path(const DeletionVector& vector) {
  if (vector.storage == 'i') return std::string();
  const std::string& text = vector.path_or_inline;
  if (vector.storage == 'p') return decode_path(text);
  if (vector.storage != 'u' || text.size() < kUuidText) {
    return damaged("'" + text + "'", "the log does not say where it lies");
  }
  const size_t prefix = text.size() - kUuidText;
  auto decoded = z85_decode(std::string_view(text).substr(prefix));
  if (!decoded.ok()) return damaged("'" + text + "'", decoded.error().message);
  Uuid uuid{};
  std::copy(decoded->begin(), decoded->end(), reinterpret_cast<char*>(uuid.data()));
  const std::string folder = prefix == 0 ? "" : text.substr(0, prefix) + "/";
  return fmt::format("{}deletion_vector_{}.bin", folder, uuid_text(uuid));
}

Result<Bitmap> read_vector(store::Store& store, const DeletionVector& vector) {
  LAKEBED_ASSIGN(const std::string path, vector_path(vector));
  const std::string where = describe(vector, path);
  auto data = vector.storage == 'i' ? read_inline(vector, where)
                                    : read_framed(store, path, vector, where);
  if (!data.ok() && data.error().code == "STORE.NOT_FOUND") {
    return damaged(where, "the file is missing");
  }
  if (!data.ok()) return std::move(data).error();
  auto bitmap = Bitmap::parse(*data);
  if (!bitmap.ok()) return std::move(bitmap).error().within(where);
  if (bitmap->cardinality() != static_cast<uint64_t>(vector.cardinality)) {
    return damaged(where, "it holds another number of rows than the log says");
  }
  return bitmap;
}

}  // namespace lakebed::delta
