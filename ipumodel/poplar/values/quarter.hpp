// 8-bit floats as codelets and host conversions see them.
#pragma once

#include <poplar/Quarter.hpp>

#include <cstdint>

namespace ipumodel {

enum class QuarterOverflow { nan, saturate };

// Rounds to nearest, ties to even. NaN and infinities become NaN.
std::uint8_t doubleToQuarter(double value,
                             const poplar::QuarterMetadata &metadata,
                             QuarterOverflow overflow);
float quarterToFloat(std::uint8_t quarter,
                     const poplar::QuarterMetadata &metadata);

// The inverse of QuarterMetadata::getBinary.
poplar::QuarterMetadata quarterMetadataFromBinary(std::uint8_t binary);

} // namespace ipumodel
