// The clock and the source of randomness, as interfaces: kernels and planners never see them,
// everything else gets them passed in, so that tests can hold time still.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>

namespace lakebed {

class Clock {
 public:
  virtual ~Clock() = default;
  // Microseconds since 1970-01-01 UTC.
  virtual int64_t now_us() = 0;
};

class Random {
 public:
  virtual ~Random() = default;
  virtual uint64_t next() = 0;
};

using Uuid = std::array<uint8_t, 16>;

// A version 4 UUID.
Uuid make_uuid(Random& random);
// "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx", lower case.
std::string uuid_text(const Uuid& uuid);

std::unique_ptr<Clock> system_clock();
// The system's clock with this many seconds added: for tests of what depends on time passing.
std::unique_ptr<Clock> shifted_clock(int64_t seconds);
std::unique_ptr<Random> system_random();
// A generator that always yields the same numbers for a seed (splitmix64).
std::unique_ptr<Random> seeded_random(uint64_t seed);

}  // namespace lakebed
