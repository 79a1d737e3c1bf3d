#include "summary/values/histogram.hpp"

#include "summary/statistics/finite_elements.hpp"
#include "summary/statistics/kernels.hpp"
#include "summary/values/tensor.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace popscope::summary {
namespace {

using kernels::kBlock;

// Calls `take` with spans of at most a block that together hold the finite
// elements, and counts the others.
template <class Take>
void forFiniteBlocks(Span<const float> values, bool allFinite,
                     Histogram &histogram, Take take) {
  alignas(64) float finite[kBlock];
  for (std::size_t i = 0; i < values.size();) {
    const auto block = values.from(i).first(
        kernels::blockLength(values.data(), values.size(), i));
    i += block.size();
    if (allFinite || kernels::range(block.data(), block.size()).allFinite) {
      take(block);
      continue;
    }
    const NonFinite others = copyFinite(block, finite);
    histogram.nan += others.nan;
    histogram.posInf += others.posInf;
    histogram.negInf += others.negInf;
    take(Span<const float>(finite, others.copied));
  }
}

// Smallest and largest finite element, min > max if there is none; and whether
// all are finite.
kernels::Range finiteRange(Span<const float> values) {
  const kernels::Range whole = kernels::range(values.data(), values.size());
  if (whole.allFinite)
    return whole;
  kernels::Range result;
  result.allFinite = false;
  Histogram ignored;
  forFiniteBlocks(values, false, ignored, [&](Span<const float> block) {
    const auto part = kernels::range(block.data(), block.size());
    result.min = std::min(result.min, part.min);
    result.max = std::max(result.max, part.max);
  });
  return result;
}

} // namespace

Histogram uniformHistogram(Span<const float> values, std::size_t buckets) {
  constexpr std::size_t kMost = std::numeric_limits<std::int32_t>::max();
  if (buckets > kMost)
    throw std::invalid_argument("[summary] a histogram has too many buckets");
  Histogram histogram;
  if (buckets == 0)
    return histogram;
  const kernels::Range range = finiteRange(values);
  const bool empty = range.min > range.max;
  const double low = empty ? 0 : double(range.min);
  const double high = empty ? 0 : double(range.max);
  const auto last = static_cast<std::uint32_t>(buckets - 1);
  const kernels::UniformBuckets uniform{low, (high - low) / double(buckets),
                                        last};
  std::vector<std::uint64_t> counts(buckets);
  kernels::ByteCounts byteCounts{};
  forFiniteBlocks(
      values, range.allFinite, histogram, [&](Span<const float> block) {
        if (low == high) {
          counts[last] += block.size();
        } else if (last < byteCounts.size()) {
          std::uint8_t bytes[kBlock];
          kernels::bucketBytes(block.data(), block.size(), uniform, bytes);
          kernels::countBytes(bytes, block.size(), 0, last, byteCounts,
                              block.end());
        } else {
          for (const float value : block)
            ++counts[kernels::plain::bucketOf(value, uniform)];
        }
      });
  for (std::size_t b = 0; b < buckets; ++b) {
    const std::uint64_t count =
        counts[b] + (b < byteCounts.size() ? byteCounts[b] : 0);
    const double right = b == last ? high : low + double(b + 1) * uniform.width;
    histogram.buckets.push_back(
        {low + double(b) * uniform.width, right, double(count)});
  }
  return histogram;
}

Histogram histogramWithEdges(Span<const float> values,
                             Span<const double> edges) {
  const bool ascending =
      std::is_sorted(edges.begin(), edges.end(), std::less_equal<>());
  if (edges.size() < 2 || !ascending || !std::isfinite(edges[0]) ||
      !std::isfinite(edges[edges.size() - 1]))
    throw std::invalid_argument("[summary] a histogram needs two or more "
                                "finite edges in ascending order");
  Histogram histogram;
  const double last = edges[edges.size() - 1];
  const kernels::Range range = finiteRange(values);
  // counts[0] is below all edges, counts.back() above.
  std::vector<std::uint64_t> counts(edges.size() + 1);
  forFiniteBlocks(
      values, range.allFinite, histogram, [&](Span<const float> block) {
        for (const float value : block) {
          const auto above =
              std::upper_bound(edges.begin(), edges.end(), double(value));
          const bool closesLast = double(value) == last;
          ++counts[static_cast<std::size_t>(above - edges.begin()) -
                   (closesLast ? 1 : 0)];
        }
      });
  if (counts.front() > 0)
    histogram.buckets.push_back(
        {double(range.min), edges[0], double(counts.front())});
  for (std::size_t i = 0; i + 1 < edges.size(); ++i)
    histogram.buckets.push_back(
        {edges[i], edges[i + 1], double(counts[i + 1])});
  if (counts.back() > 0)
    histogram.buckets.push_back(
        {last, double(range.max), double(counts.back())});
  return histogram;
}

Histogram exponentialHistogram(Span<const float> values) {
  ExponentialCounts counts;
  counts.add(values);
  return counts.histogram();
}

Value toValue(const Histogram &histogram) {
  static_assert(sizeof(Histogram::Bucket) == 3 * sizeof(double),
                "buckets lie in memory as rows of the tensor");
  return toValue(
      TensorView{ElementType::float64,
                 {static_cast<std::int64_t>(histogram.buckets.size()), 3},
                 histogram.buckets.data()},
      {"histograms", {}, {}, {}});
}

} // namespace popscope::summary
