// Philox 4x32-10, the counter-based generator of Salmon and others ("Parallel
// random numbers: as easy as 1, 2, 3", 2011): a block of four words is a
// function of a key and a counter, so any block can be computed directly.
#pragma once

#include <array>
#include <cstdint>

namespace ipumodel {

// Selects the numbers of one operation: the key, and the half of the counter
// that does not count blocks.
struct RandomStream {
  std::uint32_t key[2];
  std::uint32_t nonce[2];
};

constexpr int kPhiloxRounds = 10;
constexpr std::uint32_t kPhiloxFactors[2] = {0xd2511f53, 0xcd9e8d57};
constexpr std::uint32_t kPhiloxKeySteps[2] = {0x9e3779b9, 0xbb67ae85};

inline std::array<std::uint32_t, 4> philox(const RandomStream &stream,
                                           std::uint64_t block) {
  std::uint32_t a = static_cast<std::uint32_t>(block);
  std::uint32_t b = static_cast<std::uint32_t>(block >> 32);
  std::uint32_t c = stream.nonce[0], d = stream.nonce[1];
  for (int round = 0; round < kPhiloxRounds; ++round) {
    const std::uint32_t step = static_cast<std::uint32_t>(round);
    const std::uint64_t p = std::uint64_t(kPhiloxFactors[0]) * a;
    const std::uint64_t q = std::uint64_t(kPhiloxFactors[1]) * c;
    a = static_cast<std::uint32_t>(q >> 32) ^ b ^
        (stream.key[0] + step * kPhiloxKeySteps[0]);
    c = static_cast<std::uint32_t>(p >> 32) ^ d ^
        (stream.key[1] + step * kPhiloxKeySteps[1]);
    b = static_cast<std::uint32_t>(q);
    d = static_cast<std::uint32_t>(p);
  }
  return {a, b, c, d};
}

} // namespace ipumodel
