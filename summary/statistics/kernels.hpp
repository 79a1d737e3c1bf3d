// The inner loops over tensor elements. Vectorised with Highway, which picks
// the widest instructions the processor has, or plain if the build found no
// Highway. Not for use outside this room.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace popscope::summary::kernels {

using ByteCounts = std::array<std::uint64_t, 256>;

// Elements per call of the functions below; small enough for the second-level
// cache, because they pass over the elements more than once.
constexpr std::size_t kBlock = 16384;

// Elements per call of blockStats, which seldom needs a second pass.
constexpr std::size_t kLongBlock = 65536;

// Length of the block that begins at element `offset` of `size`. The first one
// is cut so that the others begin with a cache line: vectors that straddle two
// lines take twice as long to load.
inline std::size_t blockLength(const float *values, std::size_t size,
                               std::size_t offset) {
  constexpr std::size_t kLineFloats = 64 / sizeof(float);
  const auto address = reinterpret_cast<std::uintptr_t>(values + offset);
  const std::size_t misplaced = address / sizeof(float) % kLineFloats;
  return std::min(kBlock - misplaced, size - offset);
}

// A block of finite floats.
struct BlockStats {
  std::size_t count = 0;
  std::size_t zero = 0;           // of either sign
  std::size_t negative = 0;       // below zero
  std::size_t otherExponents = 0; // of normal elements, see Expected
  float absMax = 0;
  // Valid only if they exceed the expected extremes.
  float min = std::numeric_limits<float>::infinity();
  float max = -std::numeric_limits<float>::infinity();
  float absMinNonZero = std::numeric_limits<float>::infinity();
  // Sums of powers of (x - shift), the shift being close to the mean.
  double shift = 0, s1 = 0, s2 = 0, s3 = 0, s4 = 0;
  double sumAbs = 0;
};

// What a block is expected to hold, judging by the blocks before it. A wrong
// guess costs time, not accuracy.
struct Expected {
  float mean = 0;
  double meanSquare = std::numeric_limits<double>::infinity();
  float absMax = 1;
  // Most exponents are likely to be this or one of the fifteen above it.
  std::uint32_t firstExponent = 112;
  // Extremes of the blocks before; a block within them need not find its own.
  float min = std::numeric_limits<float>::infinity();
  float max = -std::numeric_limits<float>::infinity();
  float absMinNonZero = std::numeric_limits<float>::infinity();
};

// Summarises a leading part of at most kLongBlock floats, result.count of them,
// and counts them by their exponent bits. That part ends before the first NaN
// or infinity, if not earlier.
BlockStats blockStats(const float *values, std::size_t count,
                      const Expected &expected, ByteCounts &exponents);

struct Range {
  float min = std::numeric_limits<float>::infinity();
  float max = -std::numeric_limits<float>::infinity();
  bool allFinite = true; // if not, min and max mean nothing
};

// Over any number of floats.
Range range(const float *values, std::size_t count);

// Equal buckets from `low` on; element x is in bucket
// min(floor((x - low) / width), last), computed in double precision.
struct UniformBuckets {
  double low;
  double width;
  std::uint32_t last;
};

// Bucket of each of at most kBlock finite floats that are not below low. The
// last bucket is at most 255.
void bucketBytes(const float *values, std::size_t count,
                 const UniformBuckets &buckets, std::uint8_t *bytes);

// Adds to `counts` how often each value from `low` to `high` occurs among at
// most kBlock bytes. Meanwhile prefetches the memory at `next`, which is likely
// to be read afterwards; any address is allowed.
void countBytes(const std::uint8_t *bytes, std::size_t count, std::uint32_t low,
                std::uint32_t high, ByteCounts &counts,
                const void *next = nullptr);

// IEEE binary16 to float, exactly.
void halfToFloat(const std::uint16_t *half, std::size_t count, float *values);

// The same, one element at a time: for remainders, for builds without Highway,
// and to judge the others by.
namespace plain {

BlockStats leadingBlockStats(const float *values, std::size_t count,
                             ByteCounts &exponents);
// Takes all elements, which must be finite.
BlockStats blockStats(const float *values, std::size_t count,
                      ByteCounts &exponents);
Range range(const float *values, std::size_t count);
std::uint32_t bucketOf(float value, const UniformBuckets &buckets);
void bucketBytes(const float *values, std::size_t count,
                 const UniformBuckets &buckets, std::uint8_t *bytes);
void countBytes(const std::uint8_t *bytes, std::size_t count, std::uint32_t low,
                std::uint32_t high, ByteCounts &counts);
void halfToFloat(const std::uint16_t *half, std::size_t count, float *values);

} // namespace plain
} // namespace popscope::summary::kernels
