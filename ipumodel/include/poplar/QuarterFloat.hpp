// quarter, an 8-bit float. Its value depends on its metadata, so there is no
// arithmetic: codelets convert to half or float and back.
//
// The metadata of a tensor do not reach the vertex: an edge of quarters has no
// getMetadata() here. Pass them in a separate field.
#pragma once

#include <poplar/HalfFloat.hpp>

#include <cmath>
#include <cstdint>

class quarter {
public:
  quarter() = default;
  explicit quarter(std::uint8_t bits) : bits_(bits) {}
  std::uint8_t bits() const { return bits_; }

private:
  std::uint8_t bits_;
};

// The value of a quarter is the value of its bits times 2^scale. F143 has 4
// exponent and 3 mantissa bits, F152 5 and 2; 0x80 is the only NaN and there
// are no infinities.
struct quarter_metadata {
  enum class Format : std::uint8_t { F143, F152 };
  Format fmt;
  std::int8_t scale;
};

// From an element of type QUARTER_METADATA.
inline quarter_metadata unpackMetadata(const void *packed) {
  const unsigned bits = *static_cast<const std::uint8_t *>(packed);
  quarter_metadata metadata;
  metadata.fmt = bits & 0x80 ? quarter_metadata::Format::F143
                             : quarter_metadata::Format::F152;
  metadata.scale = static_cast<std::int8_t>(
      (bits & 0x20) != 0 ? static_cast<int>(bits & 0x3f) - 64 : bits & 0x3f);
  return metadata;
}

namespace poplar {
namespace quarter_detail {

inline int mantissaBits(quarter_metadata metadata) {
  return metadata.fmt == quarter_metadata::Format::F143 ? 3 : 2;
}
inline int bias(quarter_metadata metadata) {
  return metadata.fmt == quarter_metadata::Format::F143 ? 8 : 16;
}

} // namespace quarter_detail

inline float toFloat(quarter value, quarter_metadata metadata) {
  const unsigned bits = value.bits();
  if (bits == 0x80)
    return std::numeric_limits<float>::quiet_NaN();
  const int mantissaBits = quarter_detail::mantissaBits(metadata);
  const int exponent = static_cast<int>((bits & 0x7f) >> mantissaBits);
  const int mantissa = static_cast<int>(bits & ((1u << mantissaBits) - 1));
  const int units = exponent == 0 ? mantissa : mantissa + (1 << mantissaBits);
  const float magnitude =
      std::ldexp(static_cast<float>(units),
                 (exponent == 0 ? 1 : exponent) - mantissaBits -
                     quarter_detail::bias(metadata) + metadata.scale);
  return (bits & 0x80) != 0 ? -magnitude : magnitude;
}

inline half toHalf(quarter value, quarter_metadata metadata) {
  return toFloat(value, metadata);
}

// Rounds to nearest, ties to even. A value that is too large becomes NaN, or
// the largest value if nanOnOverflow is false.
inline quarter toQuarter(float value, quarter_metadata metadata,
                         bool nanOnOverflow = true) {
  if (!std::isfinite(value))
    return quarter(0x80);
  const int mantissaBits = quarter_detail::mantissaBits(metadata);
  const int bias = quarter_detail::bias(metadata);
  const float magnitude = std::ldexp(std::fabs(value), -metadata.scale);
  if (magnitude == 0)
    return quarter(0);
  // Bit patterns are in the order of the values: add the exponent field and the
  // rounded mantissa, and carries come out right.
  int exponent = std::ilogb(magnitude);
  if (exponent < 1 - bias)
    exponent = 1 - bias; // subnormals
  const float pattern =
      std::ldexp(static_cast<float>(exponent + bias - 1), mantissaBits) +
      std::nearbyint(std::ldexp(magnitude, mantissaBits - exponent));
  if (pattern == 0)
    return quarter(0);
  const unsigned sign = value < 0 ? 0x80 : 0;
  if (pattern > 0x7f)
    return quarter(
        static_cast<std::uint8_t>(nanOnOverflow ? 0x80 : sign | 0x7fu));
  return quarter(
      static_cast<std::uint8_t>(sign | static_cast<unsigned>(pattern)));
}

inline quarter toQuarter(half value, quarter_metadata metadata,
                         bool nanOnOverflow = true) {
  return toQuarter(static_cast<float>(value), metadata, nanOnOverflow);
}

} // namespace poplar
