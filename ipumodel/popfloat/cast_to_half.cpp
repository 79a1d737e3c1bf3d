#include "poplar/values/half.hpp"

#include <popfloat/experimental/CastToHalf.hpp>

#include <cmath>

namespace popfloat {
namespace experimental {

std::uint16_t singleToHalf(float value, bool enNanoo) {
  const std::uint16_t half = ipumodel::floatToHalf(value);
  const bool overflows = (half & 0x7fff) == 0x7c00 && !std::isinf(value);
  return overflows && enNanoo ? static_cast<std::uint16_t>(half - 1) : half;
}

float halfToSingle(std::uint16_t ihalf) { return ipumodel::halfToFloat(ihalf); }

} // namespace experimental
} // namespace popfloat
