// For builds without Highway.
#include "summary/statistics/kernels.hpp"

namespace popscope::summary::kernels {

BlockStats blockStats(const float *values, std::size_t count, const Expected &,
                      ByteCounts &exponents) {
  return plain::leadingBlockStats(values, count, exponents);
}

Range range(const float *values, std::size_t count) {
  return plain::range(values, count);
}

void bucketBytes(const float *values, std::size_t count,
                 const UniformBuckets &buckets, std::uint8_t *bytes) {
  plain::bucketBytes(values, count, buckets, bytes);
}

void countBytes(const std::uint8_t *bytes, std::size_t count, std::uint32_t low,
                std::uint32_t high, ByteCounts &counts, const void *) {
  plain::countBytes(bytes, count, low, high, counts);
}

void halfToFloat(const std::uint16_t *half, std::size_t count, float *values) {
  plain::halfToFloat(half, count, values);
}

} // namespace popscope::summary::kernels
