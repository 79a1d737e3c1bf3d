#include "poplar/values/quarter.hpp"

#include <poplar/exceptions.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <ostream>
#include <string>

namespace ipumodel {
namespace {

using Format = poplar::QuarterMetadata::Format;

constexpr std::uint8_t kNan = 0x80;
constexpr std::uint8_t kF143Bit = 0x80;

struct Layout {
  int mantissaBits;
  int bias;
};

constexpr Layout layoutOf(Format format) {
  return format == Format::F143 ? Layout{3, 8} : Layout{2, 16};
}

} // namespace

std::uint8_t doubleToQuarter(double value,
                             const poplar::QuarterMetadata &metadata,
                             QuarterOverflow overflow) {
  if (!std::isfinite(value))
    return kNan;
  const Layout layout = layoutOf(metadata.getFormat());
  const double magnitude = std::ldexp(std::fabs(value), -metadata.getScale());
  if (magnitude == 0)
    return 0;
  // The bit patterns of non-negative floats are in the order of their values,
  // so adding the exponent field and the rounded mantissa handles carries
  // correctly.
  const int exponent =
      std::max(std::ilogb(magnitude),
               1 - layout.bias); // subnormals have the smallest exponent
  const double units =
      std::nearbyint(std::ldexp(magnitude, layout.mantissaBits - exponent));
  const double pattern =
      std::ldexp(double(exponent + layout.bias - 1), layout.mantissaBits) +
      units;
  if (pattern == 0)
    return 0;
  const std::uint8_t sign = std::signbit(value) ? 0x80 : 0;
  if (pattern > 0x7f)
    return overflow == QuarterOverflow::nan ? kNan : sign | 0x7f;
  return sign | std::uint8_t(pattern);
}

float quarterToFloat(std::uint8_t quarter,
                     const poplar::QuarterMetadata &metadata) {
  if (quarter == kNan)
    return std::numeric_limits<float>::quiet_NaN();
  const Layout layout = layoutOf(metadata.getFormat());
  const int exponent = (quarter & 0x7f) >> layout.mantissaBits;
  const int mantissa = quarter & ((1 << layout.mantissaBits) - 1);
  const int units =
      exponent == 0 ? mantissa : mantissa | 1 << layout.mantissaBits;
  const int unit = std::max(exponent, 1) - layout.bias - layout.mantissaBits;
  const float magnitude = std::ldexp(float(units), unit + metadata.getScale());
  return quarter & 0x80 ? -magnitude : magnitude;
}

poplar::QuarterMetadata quarterMetadataFromBinary(std::uint8_t binary) {
  const int low = binary & 0x3f;
  return {binary & kF143Bit ? Format::F143 : Format::F152,
          low < 32 ? low : low - 64};
}

} // namespace ipumodel

namespace poplar {

QuarterMetadata::QuarterMetadata(Format format, int scale)
    : format_(format), scale_(std::int8_t(scale)) {
  if (scale < -32 || scale > 31)
    throw overflow_error("quarter scale " + std::to_string(scale) +
                         " is not in [-32, 31]");
}

std::uint8_t QuarterMetadata::getBinary() const {
  return (format_ == Format::F143 ? ipumodel::kF143Bit : 0) | (scale_ & 0x3f);
}

std::string QuarterMetadata::toString() const {
  return (format_ == Format::F143 ? "F143 * 2^" : "F152 * 2^") +
         std::to_string(scale_);
}

bool operator==(const QuarterMetadata &a, const QuarterMetadata &b) {
  return a.getFormat() == b.getFormat() && a.getScale() == b.getScale();
}

bool operator!=(const QuarterMetadata &a, const QuarterMetadata &b) {
  return !(a == b);
}

std::ostream &operator<<(std::ostream &os, const QuarterMetadata &metadata) {
  return os << metadata.toString();
}

} // namespace poplar
