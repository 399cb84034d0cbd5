#include "base/world.h"

#include <fmt/core.h>

#include <chrono>
#include <random>

namespace lakebed {

namespace {

class SystemClock : public Clock {
 public:
  explicit SystemClock(int64_t shift_us) : shift_us_(shift_us) {}
  int64_t now_us() override {
    const auto since = std::chrono::system_clock::now().time_since_epoch();
    return std::chrono::duration_cast<std::chrono::microseconds>(since).count() + shift_us_;
  }

 private:
  int64_t shift_us_;
};

class SystemRandom : public Random {
 public:
  uint64_t next() override { return (static_cast<uint64_t>(device_()) << 32) | device_(); }

 private:
  std::random_device device_;
};

class SeededRandom : public Random {
 public:
  explicit SeededRandom(uint64_t seed) : state_(seed) {}
  uint64_t next() override {
    uint64_t mixed = (state_ += 0x9E3779B97F4A7C15ULL);
    mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9ULL;
    mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EBULL;
    return mixed ^ (mixed >> 31);
  }

 private:
  uint64_t state_;
};

}  // namespace

Uuid make_uuid(Random& random) {
  Uuid uuid{};
  for (size_t half = 0; half < 2; ++half) {
    const uint64_t bits = random.next();
    for (size_t i = 0; i < 8; ++i) uuid[half * 8 + i] = static_cast<uint8_t>(bits >> (8 * i));
  }
  uuid[6] = static_cast<uint8_t>((uuid[6] & 0x0F) | 0x40);
  uuid[8] = static_cast<uint8_t>((uuid[8] & 0x3F) | 0x80);
  return uuid;
}

std::string uuid_text(const Uuid& uuid) {
  std::string text;
  for (size_t i = 0; i < uuid.size(); ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += fmt::format("{:02x}", uuid[i]);
  }
  return text;
}

std::unique_ptr<Clock> system_clock() { return std::make_unique<SystemClock>(0); }
std::unique_ptr<Clock> shifted_clock(int64_t seconds) {
  return std::make_unique<SystemClock>(seconds * 1'000'000);
}
std::unique_ptr<Random> system_random() { return std::make_unique<SystemRandom>(); }
std::unique_ptr<Random> seeded_random(uint64_t seed) {
  return std::make_unique<SeededRandom>(seed);
}

}  // namespace lakebed
