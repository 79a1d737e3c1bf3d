// IEEE binary16 as float.
#pragma once

#include <cstdint>
#include <cstring>

namespace popscope::summary {

// Exactly, NaN and infinity included. Without branches, so that a loop of it
// becomes vector code. The bits of a half moved into the place of a float's are
// a number that is too small by 2^112, subnormals included.
inline float floatOfHalf(std::uint16_t half) {
  const std::uint32_t magnitude = half & 0x7fffu;
  const std::uint32_t moved = magnitude << 13;
  float value;
  std::memcpy(&value, &moved, sizeof value);
  value *= 0x1p112F;
  std::uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  bits = magnitude < 0x7c00u ? bits : moved | 0x7f800000u;
  bits |= static_cast<std::uint32_t>(half & 0x8000u) << 16;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

} // namespace popscope::summary
