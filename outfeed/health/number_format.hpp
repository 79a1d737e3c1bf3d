// Floating-point formats that a tensor may be cast to.
#pragma once

#include <array>
#include <cmath>
#include <string_view>

namespace popscope::outfeed {

struct NumberFormat {
  std::string_view name;
  int fractionBits;
  int leastExponent; // of the normal numbers
  double largest;

  double smallestNormal() const { return std::ldexp(1.0, leastExponent); }
  double smallest() const { // subnormal
    return std::ldexp(1.0, leastExponent - fractionBits);
  }
  double topBinade() const { return std::ldexp(1.0, std::ilogb(largest)); }
};

// The last two are those of 8 bits that an IPU has.
constexpr std::array<NumberFormat, 4> kNumberFormats = {
    {{"half", 10, -14, 65504.0},
     {"bfloat16", 7, -126, 0x1.fep127},
     {"f143", 3, -7, 240.0},
     {"f152", 2, -15, 57344.0}}};

} // namespace popscope::outfeed
