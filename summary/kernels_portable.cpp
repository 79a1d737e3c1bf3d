// For builds without Highway.
#include "summary/kernels.hpp"

namespace popscope::summary::kernels {

BlockStats blockStats(const float *values, std::size_t count,
                      ExponentCounts &exponents) {
  return plain::leadingBlockStats(values, count, exponents);
}

Range range(const float *values, std::size_t count) {
  return plain::range(values, count);
}

void bucketIndices(const float *values, std::size_t count, double low,
                   double width, std::int32_t last, std::int32_t *indices) {
  plain::bucketIndices(values, count, low, width, last, indices);
}

void halfToFloat(const std::uint16_t *half, std::size_t count, float *values) {
  plain::halfToFloat(half, count, values);
}

} // namespace popscope::summary::kernels
