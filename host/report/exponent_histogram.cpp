#include "host/report/exponent_histogram.hpp"

#include "outfeed/health/magnitudes.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

namespace popscope::host {

namespace {

bool isOfATap(const summary::Histogram &histogram) {
  constexpr double kMostCount = 0x1p53;
  return std::all_of(histogram.buckets.begin(), histogram.buckets.end(),
                     [](const summary::Histogram::Bucket &bucket) {
                       return std::isfinite(bucket.left) &&
                              std::isfinite(bucket.right) &&
                              bucket.count >= 0 && bucket.count <= kMostCount;
                     });
}

} // namespace

std::optional<ExponentHistogram>
exponentsOf(const summary::Histogram &histogram) {
  if (!isOfATap(histogram))
    return std::nullopt;
  outfeed::Magnitudes magnitudes;
  magnitudes.add(histogram);
  ExponentHistogram result;
  result.zeros = magnitudes.zeros();
  for (std::size_t i = 0; i < result.inFormats.size(); ++i)
    result.inFormats[i] =
        formatHealth(magnitudes, outfeed::kNumberFormats[i], 0);
  std::map<int, std::uint64_t> octaves;
  std::optional<int> smaller; // than 2 to this are those of `below`
  magnitudes.forEach([&](const outfeed::Magnitudes::Range &range) {
    const int exponent = range.begin == 0 ? 0 : std::ilogb(range.begin);
    if (range.begin == 0 || range.end > std::ldexp(1.0, exponent + 1)) {
      result.below += range.count;
      const int end = std::ilogb(range.end);
      smaller = smaller ? std::max(*smaller, end) : end;
    } else {
      octaves[exponent] += range.count;
    }
  });
  if (octaves.empty()) {
    result.top = smaller.value_or(0) - 1;
    return result;
  }
  result.top = octaves.rbegin()->first;
  int lowest = octaves.begin()->first;
  if (smaller)
    lowest = std::min(lowest, *smaller);
  for (int exponent = result.top; exponent >= lowest; --exponent) {
    const auto found = octaves.find(exponent);
    result.counts.push_back(found == octaves.end() ? 0 : found->second);
  }
  return result;
}

} // namespace popscope::host
