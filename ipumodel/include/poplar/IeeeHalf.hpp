// A 16-bit float (IEEE 754 binary16) on the host.
#pragma once

#include <cstdint>

namespace poplar {

// Conversion from float rounds to nearest, ties to even; values that are too
// large become infinite.
class IeeeHalf {
public:
  IeeeHalf() = default;
  IeeeHalf(float value);
  static IeeeHalf fromBits(std::uint16_t bits) {
    IeeeHalf half;
    half.bits_ = bits;
    return half;
  }

  operator float() const;
  std::uint16_t bits() const { return bits_; }

private:
  std::uint16_t bits_;
};

} // namespace poplar
