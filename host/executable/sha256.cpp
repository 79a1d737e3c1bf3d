#include "host/executable/sha256.hpp"

#include <algorithm>
#include <cstring>

namespace popscope::host {

namespace {

// The fractional parts of the cube roots of the first 64 primes.
constexpr std::uint32_t kRound[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1,
    0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3,
    0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786,
    0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147,
    0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13,
    0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
    0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a,
    0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208,
    0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

std::uint32_t rotated(std::uint32_t x, unsigned right) {
  return x >> right | x << (32 - right);
}

} // namespace

void Sha256::mix(State &state, const unsigned char *block) {
  std::uint32_t words[64];
  for (unsigned i = 0; i < 16; ++i)
    words[i] = std::uint32_t(block[4 * i]) << 24 |
               std::uint32_t(block[4 * i + 1]) << 16 |
               std::uint32_t(block[4 * i + 2]) << 8 | block[4 * i + 3];
  for (unsigned i = 16; i < 64; ++i) {
    const std::uint32_t early = words[i - 15], late = words[i - 2];
    words[i] = words[i - 16] + words[i - 7] +
               (rotated(early, 7) ^ rotated(early, 18) ^ early >> 3) +
               (rotated(late, 17) ^ rotated(late, 19) ^ late >> 10);
  }
  State s = state;
  for (unsigned i = 0; i < 64; ++i) {
    const std::uint32_t e = s[4], a = s[0];
    const std::uint32_t first =
        s[7] + (rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25)) +
        ((e & s[5]) ^ (~e & s[6])) + kRound[i] + words[i];
    const std::uint32_t second =
        (rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22)) +
        ((a & s[1]) ^ (a & s[2]) ^ (s[1] & s[2]));
    s = {first + second, a, s[1], s[2], s[3] + first, e, s[5], s[6]};
  }
  for (std::size_t i = 0; i < state.size(); ++i)
    state[i] += s[i];
}

void Sha256::add(std::string_view bytes) {
  while (!bytes.empty()) {
    const std::size_t at = bytes_ % kBlock;
    const std::size_t taken = std::min(kBlock - at, bytes.size());
    std::memcpy(begun_.data() + at, bytes.data(), taken);
    bytes_ += taken;
    bytes.remove_prefix(taken);
    if (at + taken == kBlock)
      mix(state_, begun_.data());
  }
}

std::string Sha256::digits() const {
  // A bit, zeros, and the length in bits at the end of a block.
  Sha256 padded = *this;
  std::string end(1, '\x80');
  end.resize(1 + (2 * kBlock - 9 - bytes_ % kBlock) % kBlock);
  for (unsigned shift = 64; shift != 0; shift -= 8)
    end += char(bytes_ * 8 >> (shift - 8));
  padded.add(end);
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (const std::uint32_t word : padded.state_)
    for (unsigned shift = 32; shift != 0; shift -= 4)
      text += kDigits[word >> (shift - 4) & 15];
  return text;
}

std::string sha256(std::string_view bytes) {
  Sha256 hash;
  hash.add(bytes);
  return hash.digits();
}

} // namespace popscope::host
