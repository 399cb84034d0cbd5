// MD5, SHA-1 and SHA-2 as their standards define them (RFC 1321, FIPS 180-4).
#include <fmt/format.h>

#include <array>
#include <bit>
#include <cmath>
#include <vector>

#include "engine/duck/functions/encoding.h"

namespace lakebed::engine::duck {

namespace {

template <typename Word>
std::string hex_words(const Word* words, size_t count, bool big) {
  std::string out;
  for (size_t i = 0; i < count; ++i) {
    for (size_t b = 0; b < sizeof(Word); ++b) {
      const size_t shift = 8 * (big ? sizeof(Word) - 1 - b : b);
      out += fmt::format("{:02x}", static_cast<unsigned>((words[i] >> shift) & 0xFF));
    }
  }
  return out;
}

// The message with 0x80, zeros and its length in bits, in blocks.
std::string padded(std::string_view bytes, size_t block, bool big) {
  std::string out(bytes);
  out += static_cast<char>(0x80);
  const size_t tail = block / 8;
  while (out.size() % block != block - tail) out += '\0';
  const uint64_t bits = static_cast<uint64_t>(bytes.size()) * 8;
  for (size_t i = 0; i < tail; ++i) {
    const size_t place = big ? tail - 1 - i : i;
    out += place < 8 ? static_cast<char>(static_cast<unsigned char>(bits >> (8 * place))) : '\0';
  }
  return out;
}

template <typename Word>
Word load(std::string_view text, size_t at, bool big) {
  Word out = 0;
  for (size_t i = 0; i < sizeof(Word); ++i) {
    const size_t from = big ? i : sizeof(Word) - 1 - i;
    out = static_cast<Word>((out << 8) | static_cast<unsigned char>(text[at + from]));
  }
  return out;
}

void md5_block(std::string_view block, std::array<uint32_t, 4>& state) {
  static constexpr std::array<int, 16> kShifts = {7, 12, 17, 22, 5, 9,  14, 20,
                                                  4, 11, 16, 23, 6, 10, 15, 21};
  auto [a, b, c, d] = state;
  for (uint32_t i = 0; i < 64; ++i) {
    uint32_t f = 0, g = 0;
    if (i < 16) {
      f = (b & c) | (~b & d);
      g = i;
    } else if (i < 32) {
      f = (d & b) | (~d & c);
      g = (5 * i + 1) % 16;
    } else if (i < 48) {
      f = b ^ c ^ d;
      g = (3 * i + 5) % 16;
    } else {
      f = c ^ (b | ~d);
      g = (7 * i) % 16;
    }
    const auto k = static_cast<uint32_t>(std::floor(std::fabs(std::sin(i + 1.0)) * 4294967296.0));
    const uint32_t next =
        b + std::rotl(a + f + k + load<uint32_t>(block, g * 4, false), kShifts[i / 16 * 4 + i % 4]);
    a = d;
    d = c;
    c = b;
    b = next;
  }
  state[0] += a;
  state[1] += b;
  state[2] += c;
  state[3] += d;
}

void sha1_block(std::string_view block, std::array<uint32_t, 5>& state) {
  std::array<uint32_t, 80> w{};
  for (size_t i = 0; i < 16; ++i) w[i] = load<uint32_t>(block, i * 4, true);
  for (size_t i = 16; i < 80; ++i) w[i] = std::rotl(w[i - 3] ^ w[i - 8] ^ w[i - 14] ^ w[i - 16], 1);
  auto [a, b, c, d, e] = state;
  for (size_t i = 0; i < 80; ++i) {
    uint32_t f = 0, k = 0;
    if (i < 20) {
      f = (b & c) | (~b & d);
      k = 0x5A827999;
    } else if (i < 40) {
      f = b ^ c ^ d;
      k = 0x6ED9EBA1;
    } else if (i < 60) {
      f = (b & c) | (b & d) | (c & d);
      k = 0x8F1BBCDC;
    } else {
      f = b ^ c ^ d;
      k = 0xCA62C1D6;
    }
    const uint32_t next = std::rotl(a, 5) + f + e + k + w[i];
    e = d;
    d = c;
    c = std::rotl(b, 30);
    b = a;
    a = next;
  }
  state[0] += a;
  state[1] += b;
  state[2] += c;
  state[3] += d;
  state[4] += e;
}

// The first bits of the fractions of roots of primes: the constants of SHA-2.
std::vector<uint64_t> primes(size_t count) {
  std::vector<uint64_t> out;
  for (uint64_t n = 2; out.size() < count; ++n) {
    bool prime = true;
    for (const uint64_t p : out) prime = prime && n % p != 0;
    if (prime) out.push_back(n);
  }
  return out;
}

__extension__ typedef unsigned __int128 Big;

// floor(p^(1/3) * 2^64) mod 2^64, by binary search on x^3 <= p * 2^192.
uint64_t cube_root_fraction(uint64_t p) {
  uint64_t whole = 1;
  while ((whole + 1) * (whole + 1) * (whole + 1) <= p) ++whole;
  // (whole + f / 2^64)^3 <= p, with exact integers: split in 32-bit halves of a 67-bit number.
  Big x = static_cast<Big>(whole) << 64;
  for (int bit = 63; bit >= 0; --bit) {
    const Big candidate = x | (static_cast<Big>(1) << bit);
    // candidate^3 as five 64-bit words.
    std::array<uint64_t, 5> cube{};
    const uint64_t hi = static_cast<uint64_t>(candidate >> 64),
                   lo = static_cast<uint64_t>(candidate);
    std::array<uint64_t, 4> square{};
    const auto accumulate = [](auto& words, size_t at, Big item) {
      Big carry = item;
      for (size_t i = at; i < words.size() && carry != 0; ++i) {
        const Big sum = static_cast<Big>(words[i]) + static_cast<uint64_t>(carry);
        words[i] = static_cast<uint64_t>(sum);
        carry = (carry >> 64) + (sum >> 64);
      }
    };
    accumulate(square, 0, static_cast<Big>(lo) * lo);
    accumulate(square, 1, static_cast<Big>(hi) * lo);
    accumulate(square, 1, static_cast<Big>(hi) * lo);
    accumulate(square, 2, static_cast<Big>(hi) * hi);
    for (size_t i = 0; i < 4; ++i) {
      accumulate(cube, i, static_cast<Big>(square[i]) * lo);
      accumulate(cube, i + 1, static_cast<Big>(square[i]) * hi);
    }
    const bool less = cube[4] == 0 && cube[3] < p;
    if (less) x = candidate;
  }
  return static_cast<uint64_t>(x);
}

// floor(sqrt(p) * 2^64) mod 2^64.
uint64_t square_root_fraction(uint64_t p) {
  uint64_t whole = 1;
  while ((whole + 1) * (whole + 1) <= p) ++whole;
  Big x = static_cast<Big>(whole) << 64;
  for (int bit = 63; bit >= 0; --bit) {
    const Big candidate = x | (static_cast<Big>(1) << bit);
    const uint64_t hi = static_cast<uint64_t>(candidate >> 64),
                   lo = static_cast<uint64_t>(candidate);
    Big upper = static_cast<Big>(hi) * hi;
    const Big cross = static_cast<Big>(hi) * lo * 2 + ((static_cast<Big>(lo) * lo) >> 64);
    upper += cross >> 64;
    if (upper < p) x = candidate;
  }
  return static_cast<uint64_t>(x);
}

template <typename Word>
struct Sha2 {
  static constexpr bool kLong = sizeof(Word) == 8;
  static constexpr size_t kRounds = kLong ? 80 : 64;

  static const std::array<Word, kRounds>& constants() {
    static const std::array<Word, kRounds> all = [] {
      std::array<Word, kRounds> out{};
      const auto p = primes(kRounds);
      for (size_t i = 0; i < kRounds; ++i) {
        out[i] = static_cast<Word>(cube_root_fraction(p[i]) >> (kLong ? 0 : 32));
      }
      return out;
    }();
    return all;
  }

  static void block(std::string_view text, std::array<Word, 8>& state) {
    std::array<Word, kRounds> w{};
    for (size_t i = 0; i < 16; ++i) w[i] = load<Word>(text, i * sizeof(Word), true);
    for (size_t i = 16; i < kRounds; ++i) {
      const Word x = w[i - 15], y = w[i - 2];
      const Word s0 = kLong ? std::rotr(x, 1) ^ std::rotr(x, 8) ^ (x >> 7)
                            : std::rotr(x, 7) ^ std::rotr(x, 18) ^ (x >> 3);
      const Word s1 = kLong ? std::rotr(y, 19) ^ std::rotr(y, 61) ^ (y >> 6)
                            : std::rotr(y, 17) ^ std::rotr(y, 19) ^ (y >> 10);
      w[i] = w[i - 16] + s0 + w[i - 7] + s1;
    }
    std::array<Word, 8> v = state;
    for (size_t i = 0; i < kRounds; ++i) round(v, w[i] + constants()[i]);
    for (size_t i = 0; i < 8; ++i) state[i] += v[i];
  }

  static void round(std::array<Word, 8>& v, Word input) {
    const Word a = v[0], e = v[4];
    const Word s1 = kLong ? std::rotr(e, 14) ^ std::rotr(e, 18) ^ std::rotr(e, 41)
                          : std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25);
    const Word s0 = kLong ? std::rotr(a, 28) ^ std::rotr(a, 34) ^ std::rotr(a, 39)
                          : std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22);
    const Word t1 = v[7] + s1 + ((e & v[5]) ^ (~e & v[6])) + input;
    const Word t2 = s0 + ((a & v[1]) ^ (a & v[2]) ^ (v[1] & v[2]));
    v = {t1 + t2, v[0], v[1], v[2], v[3] + t1, v[4], v[5], v[6]};
  }

  static std::string digest(std::string_view bytes, std::array<Word, 8> state, int bits) {
    const size_t size = kLong ? 128 : 64;
    const std::string text = padded(bytes, size, true);
    for (size_t at = 0; at < text.size(); at += size) {
      block(std::string_view(text).substr(at, size), state);
    }
    return hex_words(state.data(), 8, true).substr(0, static_cast<size_t>(bits / 4));
  }
};

}  // namespace

std::string md5_hex(std::string_view bytes) {
  std::array<uint32_t, 4> state = {0x67452301, 0xEFCDAB89, 0x98BADCFE, 0x10325476};
  const std::string text = padded(bytes, 64, false);
  for (size_t at = 0; at < text.size(); at += 64) {
    md5_block(std::string_view(text).substr(at, 64), state);
  }
  return hex_words(state.data(), 4, false);
}

std::string sha1_hex(std::string_view bytes) {
  std::array<uint32_t, 5> state = {0x67452301, 0xEFCDAB89, 0x98BADCFE, 0x10325476, 0xC3D2E1F0};
  const std::string text = padded(bytes, 64, true);
  for (size_t at = 0; at < text.size(); at += 64) {
    sha1_block(std::string_view(text).substr(at, 64), state);
  }
  return hex_words(state.data(), 5, true);
}

std::string sha2_hex(std::string_view bytes, int bits) {
  // SHA-256 and 512 start from the first eight primes, SHA-384 (and the low halves of it, SHA-224)
  // from the ninth to the sixteenth.
  const auto p = primes(16);
  const size_t first = bits == 224 || bits == 384 ? 8 : 0;
  std::array<uint64_t, 8> start{};
  for (size_t i = 0; i < 8; ++i) start[i] = square_root_fraction(p[first + i]);
  if (bits >= 384) return Sha2<uint64_t>::digest(bytes, start, bits);
  std::array<uint32_t, 8> half{};
  for (size_t i = 0; i < 8; ++i) {
    half[i] = static_cast<uint32_t>(bits == 224 ? start[i] : start[i] >> 32);
  }
  return Sha2<uint32_t>::digest(bytes, half, bits);
}

}  // namespace lakebed::engine::duck
