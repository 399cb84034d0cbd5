#include <roaring/roaring.hh>

#include <cstring>
#include <map>

#include "delta/bytes.h"
#include "delta/deletion_vector.h"

namespace lakebed::delta {
namespace {

constexpr uint32_t kPortableMagic = 1681511377;
constexpr uint32_t kNativeMagic = 1681511376;

Error damaged(const char* problem) {
  return update_error("DELTA_DELETION_VECTOR.DAMAGED",
                      std::string("The deletion vector's bitmap is damaged: ") + problem + ".");
}

}  // namespace

// One 32-bit bitmap for each value of the upper half of the row number.
struct Bitmap::Impl {
  std::map<uint32_t, Roaring> parts;
};

Bitmap::Bitmap() : impl_(std::make_unique<Impl>()) {}
Bitmap::Bitmap(const Bitmap& other) : impl_(std::make_unique<Impl>(*other.impl_)) {}
Bitmap::Bitmap(Bitmap&& other) noexcept = default;
Bitmap& Bitmap::operator=(Bitmap other) noexcept {
  impl_.swap(other.impl_);
  return *this;
}
Bitmap::~Bitmap() = default;

void Bitmap::add(uint64_t row) {
  impl_->parts[static_cast<uint32_t>(row >> 32)].add(static_cast<uint32_t>(row));
}

void Bitmap::add_many(const std::vector<uint64_t>& rows) {
  std::vector<uint32_t> low;
  for (size_t at = 0; at < rows.size();) {
    const uint64_t high = rows[at] >> 32;
    low.clear();
    for (; at < rows.size() && rows[at] >> 32 == high; ++at) {
      low.push_back(static_cast<uint32_t>(rows[at]));
    }
    impl_->parts[static_cast<uint32_t>(high)].addMany(low.size(), low.data());
  }
}

void Bitmap::merge(const Bitmap& other) {
  for (const auto& [high, part] : other.impl_->parts) impl_->parts[high] |= part;
}

bool Bitmap::contains(uint64_t row) const {
  const auto part = impl_->parts.find(static_cast<uint32_t>(row >> 32));
  return part != impl_->parts.end() && part->second.contains(static_cast<uint32_t>(row));
}

uint64_t Bitmap::cardinality() const {
  uint64_t sum = 0;
  for (const auto& [high, part] : impl_->parts) sum += part.cardinality();
  return sum;
}

std::vector<uint64_t> Bitmap::rows() const {
  std::vector<uint64_t> out;
  out.reserve(cardinality());
  std::vector<uint32_t> low;
  for (const auto& [high, part] : impl_->parts) {
    low.resize(part.cardinality());
    part.toUint32Array(low.data());
    for (const uint32_t row : low) out.push_back(uint64_t{high} << 32 | row);
  }
  return out;
}

bool Bitmap::operator==(const Bitmap& other) const {
  return impl_->parts == other.impl_->parts;
}

std::string Bitmap::serialize() const {
  std::string out;
  append_little(out, kPortableMagic, 4);
  append_little(out, impl_->parts.size(), 8);
  for (const auto& [high, part] : impl_->parts) {
    Roaring compact = part;
    compact.runOptimize();
    append_little(out, high, 4);
    const size_t at = out.size();
    out.resize(at + compact.getSizeInBytes(true));
    compact.write(out.data() + at, true);
  }
  return out;
}

namespace {

// Reads one 32-bit bitmap from the front of `bytes` and drops it from there.
Result<Roaring> take_part(std::string_view& bytes) {
  const size_t size = roaring_bitmap_portable_deserialize_size(bytes.data(), bytes.size());
  if (size == 0 || size > bytes.size()) return damaged("it ends too early");
  roaring_bitmap_t* raw = roaring_bitmap_portable_deserialize_safe(bytes.data(), size);
  if (raw == nullptr) return damaged("a part cannot be read");
  bytes.remove_prefix(size);
  return Roaring(raw);  // takes ownership
}

Status parse_portable(std::string_view bytes, std::map<uint32_t, Roaring>& parts) {
  if (bytes.size() < 8) return damaged("it ends too early");
  const uint64_t count = read_little(bytes, 8);
  bytes.remove_prefix(8);
  for (uint64_t i = 0; i < count; ++i) {
    if (bytes.size() < 4) return damaged("it ends too early");
    const auto high = static_cast<uint32_t>(read_little(bytes, 4));
    bytes.remove_prefix(4);
    LAKEBED_ASSIGN(parts[high], take_part(bytes));
  }
  return {};
}

Status parse_native(std::string_view bytes, std::map<uint32_t, Roaring>& parts) {
  if (bytes.size() < 4) return damaged("it ends too early");
  const uint64_t count = read_big(bytes, 4);
  bytes.remove_prefix(4);
  for (uint64_t i = 0; i < count; ++i) {
    if (bytes.size() < 4) return damaged("it ends too early");
    const uint64_t size = read_big(bytes, 4);
    bytes.remove_prefix(4);
    if (size > bytes.size()) return damaged("it ends too early");
    std::string_view part = bytes.substr(0, size);
    LAKEBED_ASSIGN(parts[static_cast<uint32_t>(i)], take_part(part));
    bytes.remove_prefix(size);
  }
  return {};
}

}  // namespace

Result<Bitmap> Bitmap::parse(std::string_view bytes) {
  if (bytes.size() < 4) return damaged("it ends too early");
  Bitmap bitmap;
  if (read_little(bytes, 4) == kPortableMagic) {
    LAKEBED_TRY(parse_portable(bytes.substr(4), bitmap.impl_->parts));
  } else if (read_big(bytes, 4) == kNativeMagic) {
    LAKEBED_TRY(parse_native(bytes.substr(4), bitmap.impl_->parts));
  } else {
    return damaged("its magic number is unknown");
  }
  std::erase_if(bitmap.impl_->parts, [](const auto& part) { return part.second.isEmpty(); });
  return bitmap;
}

}  // namespace lakebed::delta
