// SHA-256 (FIPS 180-4) of bytes that come piece by piece: two contents with the
// same hash are not known.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace popscope::host {

class Sha256 {
public:
  void add(std::string_view bytes);
  // As 64 hexadecimal digits, of all that was added.
  std::string digits() const;

private:
  using State = std::array<std::uint32_t, 8>;
  static constexpr std::size_t kBlock = 64; // bytes

  static void mix(State &state, const unsigned char *block);

  // The fractional parts of the square roots of the first 8 primes.
  State state_{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
               0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<unsigned char, kBlock> begun_{}; // a block that is not whole
  std::uint64_t bytes_ = 0;
};

std::string sha256(std::string_view bytes);

} // namespace popscope::host
