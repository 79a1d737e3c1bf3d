#include "poplar/base/sha256.hpp"

#include <array>
#include <cstdint>
#include <cstdio>

// The names are those of the standard.

namespace ipumodel {
namespace {

constexpr std::size_t kBlock = 64;  // bytes
constexpr std::size_t kLength = 56; // where a last block has the message's

// The fractional parts of the cube roots of the first 64 primes.
constexpr std::array<std::uint32_t, 64> kK{
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

// At first those of the square roots of the first 8.
using Hash = std::array<std::uint32_t, 8>;
constexpr Hash kFirst{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};

std::uint32_t rotr(std::uint32_t x, unsigned n) {
  return x >> n | x << (32 - n);
}

void take(Hash &hash, const unsigned char *block) {
  std::uint32_t w[64];
  for (unsigned t = 0; t < 16; ++t)
    w[t] = std::uint32_t(block[4 * t]) << 24 |
           std::uint32_t(block[4 * t + 1]) << 16 |
           std::uint32_t(block[4 * t + 2]) << 8 | block[4 * t + 3];
  for (unsigned t = 16; t < 64; ++t) {
    const std::uint32_t x = w[t - 15], y = w[t - 2];
    w[t] = (rotr(y, 17) ^ rotr(y, 19) ^ y >> 10) + w[t - 7] +
           (rotr(x, 7) ^ rotr(x, 18) ^ x >> 3) + w[t - 16];
  }
  auto [a, b, c, d, e, f, g, h] = hash;
  for (unsigned t = 0; t < 64; ++t) {
    const std::uint32_t t1 = h + (rotr(e, 6) ^ rotr(e, 11) ^ rotr(e, 25)) +
                             ((e & f) ^ (~e & g)) + kK[t] + w[t];
    const std::uint32_t t2 = (rotr(a, 2) ^ rotr(a, 13) ^ rotr(a, 22)) +
                             ((a & b) ^ (a & c) ^ (b & c));
    h = g;
    g = f;
    f = e;
    e = d + t1;
    d = c;
    c = b;
    b = a;
    a = t1 + t2;
  }
  const Hash added{a, b, c, d, e, f, g, h};
  for (std::size_t i = 0; i < hash.size(); ++i)
    hash[i] += added[i];
}

} // namespace

std::string sha256(std::string_view bytes) {
  Hash hash = kFirst;
  const auto *at = reinterpret_cast<const unsigned char *>(bytes.data());
  std::size_t left = bytes.size();
  for (; left >= kBlock; left -= kBlock, at += kBlock)
    take(hash, at);
  unsigned char last[2 * kBlock] = {};
  for (std::size_t i = 0; i < left; ++i)
    last[i] = at[i];
  last[left] = 0x80;
  unsigned char *const second = left < kLength ? last : last + kBlock;
  for (unsigned i = 0; i < 8; ++i)
    second[kLength + i] = static_cast<unsigned char>(
        std::uint64_t(bytes.size()) * 8 >> (56 - 8 * i));
  take(hash, last);
  if (second != last)
    take(hash, second);
  std::string text;
  for (const std::uint32_t word : hash) {
    char digits[9];
    std::snprintf(digits, sizeof digits, "%08x", word);
    text += digits;
  }
  return text;
}

} // namespace ipumodel
