// How the elements of a tensor would fare in another format, and at which scale
// they would fare best.
#pragma once

#include "outfeed/health/magnitudes.hpp"
#include "outfeed/health/number_format.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace popscope::outfeed {

// Of a count, all that a histogram tells: a range of magnitudes on which the
// answer changes is in both bounds or in one.
struct CountBounds {
  std::uint64_t atLeast = 0;
  std::uint64_t atMost = 0;

  bool isExact() const { return atLeast == atMost; }
};

// Each element is multiplied by 2^scale and rounded to the nearest number, ties
// to even. The counts exclude each other; zeros are in none.
struct FormatHealth {
  CountBounds saturated; // become the largest number, or lie beyond it
  CountBounds topBinade; // have the largest exponent, but are not saturated
  CountBounds subnormal; // lose precision
  CountBounds flushed;   // become zero
  double headroom = 0; // octaves from the largest element to the largest number
};

FormatHealth formatHealth(const Magnitudes &magnitudes,
                          const NumberFormat &format, int scale);

// The scale at which nothing is saturated and the fewest elements become zero,
// then the fewest subnormal; of several the one nearest to 0. Of elements in
// doubt half count. 0 if all elements are zero.
int bestScale(const Magnitudes &magnitudes, const NumberFormat &format);

// By which power of two to multiply the loss scale so that these gradients fit
// into the format: with an octave to spare, but no further up than it helps.
// Empty if all are zero.
std::optional<int> lossScaleChange(const std::vector<Magnitudes> &gradients,
                                   const NumberFormat &format);

} // namespace popscope::outfeed
