#include "summary/statistics/half_float.hpp"
#include "summary/statistics/kernels.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace popscope::summary::kernels::plain {
namespace {

std::uint32_t bitsOf(float value) {
  std::uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

} // namespace

BlockStats blockStats(const float *values, std::size_t count,
                      ByteCounts &exponents) {
  BlockStats stats;
  stats.count = count;
  double sum = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const float value = values[i];
    const float magnitude = std::fabs(value);
    ++exponents[bitsOf(magnitude) >> 23];
    stats.zero += value == 0;
    stats.negative += value < 0;
    stats.min = std::min(stats.min, value);
    stats.max = std::max(stats.max, value);
    stats.absMax = std::max(stats.absMax, magnitude);
    if (value != 0)
      stats.absMinNonZero = std::min(stats.absMinNonZero, magnitude);
    sum += double(value);
    stats.sumAbs += double(magnitude);
  }
  stats.shift = count == 0 ? 0 : sum / double(count);
  for (std::size_t i = 0; i < count; ++i) {
    const double d = double(values[i]) - stats.shift;
    stats.s1 += d;
    stats.s2 += d * d;
    stats.s3 += d * d * d;
    stats.s4 += d * d * d * d;
  }
  return stats;
}

BlockStats leadingBlockStats(const float *values, std::size_t count,
                             ByteCounts &exponents) {
  const std::size_t taken = std::min(count, kLongBlock);
  if (!range(values, taken).allFinite)
    return {};
  return blockStats(values, taken, exponents);
}

Range range(const float *values, std::size_t count) {
  Range range;
  for (std::size_t i = 0; i < count; ++i) {
    range.allFinite = range.allFinite && std::isfinite(values[i]);
    range.min = std::min(range.min, values[i]);
    range.max = std::max(range.max, values[i]);
  }
  return range;
}

std::uint32_t bucketOf(float value, const UniformBuckets &buckets) {
  const double bucket =
      std::floor((double(value) - buckets.low) / buckets.width);
  return static_cast<std::uint32_t>(std::min(bucket, double(buckets.last)));
}

void bucketBytes(const float *values, std::size_t count,
                 const UniformBuckets &buckets, std::uint8_t *bytes) {
  for (std::size_t i = 0; i < count; ++i)
    bytes[i] = static_cast<std::uint8_t>(bucketOf(values[i], buckets));
}

// Four tables in turn, so that equal neighbours do not wait for each other.
void countBytes(const std::uint8_t *bytes, std::size_t count, std::uint32_t low,
                std::uint32_t high, ByteCounts &counts) {
  std::uint32_t tables[4][256] = {};
  for (std::size_t i = 0; i < count; ++i)
    ++tables[i % 4][bytes[i]];
  for (std::size_t value = low; value <= high; ++value)
    for (const auto &table : tables)
      counts[value] += table[value];
}

void halfToFloat(const std::uint16_t *half, std::size_t count, float *values) {
  for (std::size_t i = 0; i < count; ++i)
    values[i] = floatOfHalf(half[i]);
}

} // namespace popscope::summary::kernels::plain
