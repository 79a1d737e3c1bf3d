// Elements of any type as floats, and the magnitudes that matter in their
// format, all as float32 bits without the sign. For codelets only: hosts may
// have no type half.
#pragma once

#include "codelets/float_bits.hpp"

#include <poplar/HalfFloat.hpp>

namespace popscope {

template <typename T> struct ElementFormat;

template <> struct ElementFormat<float> {
  static constexpr unsigned kNormal = 0x00800000u;  // smallest normal
  static constexpr unsigned kTop = 0x7f000000u;     // smallest of top binade
  static constexpr unsigned kLargest = 0x7f7fffffu; // largest finite
  static constexpr unsigned kInfinity = 0x7f800000u;
  static float toFloat(float value) { return value; }
  static unsigned bits(float value) { return bitsOf(value); }
};

// Unlike an IEEE conversion, toFloat gives 2^16 for infinity and more for a
// NaN: the loops on the device then never compare with a NaN.
template <> struct ElementFormat<half> {
  static constexpr unsigned kNormal = 0x38800000u;  // 2^-14
  static constexpr unsigned kTop = 0x47000000u;     // 2^15
  static constexpr unsigned kLargest = 0x477fe000u; // 65504
  static constexpr unsigned kInfinity = 0x47800000u;
  static unsigned bits(const half &value) {
    unsigned short bits;
    __builtin_memcpy(&bits, &value, sizeof bits);
    return bits;
  }
  static float toFloat(const half &value) {
    const unsigned h = bits(value);
    const unsigned magnitude = (h & 0x7fffu) << 13;
    const unsigned normal = magnitude + (112u << 23);
    const float subnormal = floatOf(magnitude + (113u << 23)) - 0x1p-14f;
    const unsigned chosen = magnitude < (1u << 23) ? bitsOf(subnormal) : normal;
    return floatOf(chosen | (h & 0x8000u) << 16);
  }
};

// No integer is subnormal, saturated or infinite.
template <typename T> struct IntegerFormat {
  static constexpr unsigned kNormal = 1;
  static constexpr unsigned kTop = 0xffffffffu;
  static constexpr unsigned kLargest = 0xffffffffu;
  static constexpr unsigned kInfinity = 0xffffffffu;
  static float toFloat(T value) { return float(value); }
  static unsigned bits(T value) { return unsigned(value); }
};
template <> struct ElementFormat<int> : IntegerFormat<int> {};
template <> struct ElementFormat<unsigned> : IntegerFormat<unsigned> {};

} // namespace popscope
