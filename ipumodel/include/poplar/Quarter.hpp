// The format and the scale of an 8-bit float, without which it has no value.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>

namespace poplar {

// The value of a quarter is the value of its bits times 2^scale. F143 has 4
// exponent and 3 mantissa bits (largest value 240), F152 5 and 2 (57344).
// Neither has infinities or a negative zero; that pattern, 0x80, is the only
// NaN.
class QuarterMetadata {
public:
  enum class Format { F143, F152 };

  QuarterMetadata() = default;
  // Throws overflow_error unless scale is in [-32, 31].
  QuarterMetadata(Format format, int scale);

  Format getFormat() const { return format_; }
  int getScale() const { return scale_; }
  // As a QUARTER_METADATA element: bit 7 is the format (1 for F143), bits 0 to
  // 5 are the scale in two's complement.
  std::uint8_t getBinary() const;
  std::string toString() const; // as in "F143 * 2^-3"

private:
  Format format_ = Format::F143;
  std::int8_t scale_ = 0;
};

// Formats have no stream operators: programs define their own.
bool operator==(const QuarterMetadata &a, const QuarterMetadata &b);
bool operator!=(const QuarterMetadata &a, const QuarterMetadata &b);
std::ostream &operator<<(std::ostream &os, const QuarterMetadata &metadata);

} // namespace poplar
