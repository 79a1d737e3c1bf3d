// Floats as their bits. Shared by device and host.
#pragma once

namespace popscope {

inline unsigned bitsOf(float value) {
  unsigned bits;
  __builtin_memcpy(&bits, &value, sizeof bits);
  return bits;
}

inline float floatOf(unsigned bits) {
  float value;
  __builtin_memcpy(&value, &bits, sizeof value);
  return value;
}

inline unsigned magnitudeOf(float value) { return bitsOf(value) & 0x7fffffffu; }

} // namespace popscope
