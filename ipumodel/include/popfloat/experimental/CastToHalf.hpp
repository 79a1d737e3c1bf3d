// Conversions between float and the bits of a half, on the host.
#pragma once

#include <cstdint>

namespace popfloat {
namespace experimental {

// Rounded to the nearest, ties to even. What is too large becomes infinity, or
// with `enNanoo` the largest finite half.
std::uint16_t singleToHalf(float value, bool enNanoo = false);

float halfToSingle(std::uint16_t ihalf);

} // namespace experimental
} // namespace popfloat
