// The inner loops over tensor elements. Vectorised with Highway, which picks
// the widest instructions the processor has, or plain if the build found no
// Highway. Not for use outside this room.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace popscope::summary::kernels {

// One counter per value of a float's eight exponent bits.
using ExponentCounts = std::array<std::uint64_t, 256>;

// Elements per call of the functions below; small enough for the first-level
// cache, where elements are gone over more than once.
constexpr std::size_t kBlock = 2048;

// A block of finite floats.
struct BlockStats {
  std::size_t count = 0;
  std::size_t zero = 0;     // of either sign
  std::size_t negative = 0; // below zero
  float min = std::numeric_limits<float>::infinity();
  float max = -std::numeric_limits<float>::infinity();
  float absMax = 0;
  float absMinNonZero = std::numeric_limits<float>::infinity();
  // Sums of powers of (x - shift), the shift being close to the mean.
  double shift = 0, s1 = 0, s2 = 0, s3 = 0, s4 = 0;
  double sumAbs = 0;
};

// Summarises a leading part of at most kBlock floats, result.count of them, and
// counts their exponents. That part is empty if it would hold a NaN or an
// infinity.
BlockStats blockStats(const float *values, std::size_t count,
                      ExponentCounts &exponents);

struct Range {
  float min = std::numeric_limits<float>::infinity();
  float max = -std::numeric_limits<float>::infinity();
  bool allFinite = true; // if not, min and max mean nothing
};

// Over any number of floats.
Range range(const float *values, std::size_t count);

// Bucket of each of at most kBlock finite floats:
// min(floor((x - low) / width), last), in double precision.
void bucketIndices(const float *values, std::size_t count, double low,
                   double width, std::int32_t last, std::int32_t *indices);

// IEEE binary16 to float, exactly.
void halfToFloat(const std::uint16_t *half, std::size_t count, float *values);

// The same, one element at a time: for remainders, for builds without Highway,
// and to judge the others by.
namespace plain {

BlockStats leadingBlockStats(const float *values, std::size_t count,
                             ExponentCounts &exponents);
// Takes all elements, which must be finite.
BlockStats blockStats(const float *values, std::size_t count,
                      ExponentCounts &exponents);
Range range(const float *values, std::size_t count);
void bucketIndices(const float *values, std::size_t count, double low,
                   double width, std::int32_t last, std::int32_t *indices);
void halfToFloat(const std::uint16_t *half, std::size_t count, float *values);

} // namespace plain
} // namespace popscope::summary::kernels
