// Conversions to and from IEEE 754 binary16: single values inline, arrays with
// the CPU's instructions if it has them. All conversions round to nearest, ties
// to even; a signalling NaN becomes quiet and keeps its payload.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace ipumodel {

inline float halfToFloat(std::uint16_t half) {
  constexpr std::uint32_t kQuiet = 0x00400000;
  const std::uint32_t sign = std::uint32_t(half & 0x8000) << 16;
  const std::uint32_t magnitude = half & 0x7fff;
  std::uint32_t bits;
  if (magnitude >= 0x7c00) { // infinity or NaN
    bits = 0x7f800000 | (magnitude & 0x03ff) << 13;
    if (magnitude > 0x7c00)
      bits |= kQuiet;
  } else if (magnitude >= 0x0400) {
    bits = (magnitude << 13) + (112u << 23); // exponent bias 15 -> 127
  } else { // subnormal: an integer multiple of 2^-24, exact as a float
    const float value = float(magnitude) * 0x1p-24f;
    std::memcpy(&bits, &value, sizeof bits);
  }
  bits |= sign;
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

inline std::uint16_t floatToHalf(float value) {
  std::uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  const auto sign = std::uint16_t(bits >> 16 & 0x8000);
  bits &= 0x7fffffff;
  if (bits > 0x7f800000) // NaN
    return sign | 0x7e00 | (bits >> 13 & 0x03ff);
  if (bits >= 0x47800000) // 65536 and above, infinity
    return sign | 0x7c00;
  if (bits >= 0x38800000) { // normal half; a carry goes into the exponent
    bits += 0x0fff + (bits >> 13 & 1);
    return sign | std::uint16_t((bits >> 13) - (112u << 10));
  }
  if (bits < 0x33000000) // less than half of the least subnormal
    return sign;
  const unsigned exponent = bits >> 23;
  const std::uint32_t mantissa = (bits & 0x007fffff) | 0x00800000;
  const unsigned shift = 126 - exponent;
  const std::uint32_t down = mantissa >> shift;
  const std::uint32_t rest = mantissa & ((1u << shift) - 1);
  const std::uint32_t tie = 1u << (shift - 1);
  return sign | std::uint16_t(down + (rest > tie || (rest == tie && down & 1)));
}

// Rounds once; a conversion through float could round twice.
std::uint16_t doubleToHalf(double value);

// The arrays must not overlap.
void floatsToHalves(const float *src, std::uint16_t *dst, std::size_t count);
void halvesToFloats(const std::uint16_t *src, float *dst, std::size_t count);

} // namespace ipumodel
