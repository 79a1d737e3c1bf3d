#include "outfeed/health/magnitudes.hpp"

#include <algorithm>
#include <cmath>

namespace popscope::outfeed {

namespace {

constexpr double kParts = 8; // of [0, 1): an octave is the upper half

double edgeBelow(double magnitude) {
  int exponent;
  const double fraction = std::frexp(magnitude, &exponent);
  return std::ldexp(std::floor(fraction * kParts) / kParts, exponent);
}

double edgeAbove(double magnitude) {
  int exponent;
  const double fraction = std::frexp(magnitude, &exponent);
  return std::ldexp(std::ceil(fraction * kParts) / kParts, exponent);
}

} // namespace

void Magnitudes::add(const summary::Histogram &histogram) {
  constexpr double kSmallest = 0x1p-149; // of a float
  const auto &buckets = histogram.buckets;
  if (buckets.empty())
    return;
  largest_ = std::max({largest_, std::abs(buckets.front().left),
                       std::abs(buckets.back().right)});
  for (const summary::Histogram::Bucket &bucket : buckets) {
    const auto count = std::uint64_t(bucket.count);
    count_ += count;
    const double left = std::abs(bucket.left), right = std::abs(bucket.right);
    const double low =
        bucket.left < 0 && bucket.right > 0 ? 0.0 : std::min(left, right);
    const double high = std::max(left, right);
    if (low == 0 && high <= kSmallest) {
      zeros_ += count;
    } else if (count != 0) {
      const bool endIsElement =
          &bucket == (bucket.left < 0 ? &buckets.front() : &buckets.back());
      const double end =
          edgeAbove(endIsElement ? std::nextafter(high, 2 * high) : high);
      counts_[{edgeBelow(low), end}] += count;
    }
  }
}

} // namespace popscope::outfeed
