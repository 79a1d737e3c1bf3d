#include "summary/tensor_stats.hpp"

#include "summary/finite.hpp"
#include "summary/kernels.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace popscope::summary {
namespace {

using kernels::BlockStats;

// A format's limits, as exponent bits of float32.
struct FormatFacts {
  float largest;
  std::size_t topExponent;
  std::size_t lowestNormal;
};

FormatFacts factsOf(FloatFormat format) {
  switch (format) {
  case FloatFormat::float16:
    return {65504.0F, 127 + 15, 127 - 14};
  case FloatFormat::float32:
    break;
  }
  return {std::numeric_limits<float>::max(), 254, 1};
}

struct Moments {
  double n, mean, m2, m3, m4;
};

// About the mean, from sums about a shift near it.
Moments centred(const BlockStats &block) {
  const auto n = double(block.count);
  const double d = block.s1 / n;
  return {n, block.shift + d, block.s2 - n * d * d,
          block.s3 - 3 * d * block.s2 + 2 * n * d * d * d,
          block.s4 - 4 * d * block.s3 + 6 * d * d * block.s2 -
              3 * n * d * d * d * d};
}

// The moments of both together (Chan, Golub and LeVeque; Pébay for the third
// and fourth).
Moments together(const Moments &a, const Moments &b) {
  if (a.n == 0)
    return b;
  if (b.n == 0)
    return a;
  const double n = a.n + b.n;
  const double delta = b.mean - a.mean;
  const double scaled = delta / n;
  const double product = a.n * b.n;
  return {n, a.mean + scaled * b.n, a.m2 + b.m2 + delta * scaled * product,
          a.m3 + b.m3 + delta * scaled * scaled * product * (a.n - b.n) +
              3 * scaled * (a.n * b.m2 - b.n * a.m2),
          a.m4 + b.m4 +
              delta * scaled * scaled * scaled * product *
                  (a.n * a.n - product + b.n * b.n) +
              6 * scaled * scaled * (a.n * a.n * b.m2 + b.n * b.n * a.m2) +
              4 * scaled * (a.n * b.m3 - b.n * a.m3)};
}

void setMoments(TensorStats &stats, const Moments &moments) {
  stats.mean = moments.mean;
  stats.m2 = moments.m2;
  stats.m3 = moments.m3;
  stats.m4 = moments.m4;
}

Moments momentsOf(const TensorStats &stats) {
  return {double(stats.finite()), stats.mean, stats.m2, stats.m3, stats.m4};
}

std::uint64_t indexOf(Span<const float> values, float value) {
  return static_cast<std::uint64_t>(
      std::find(values.begin(), values.end(), value) - values.begin());
}

// Folds a block's summary into the whole. Extremes, whose indices are not
// known to it, are left to addBlock.
void fold(TensorStats &stats, const BlockStats &block) {
  if (block.count == 0)
    return;
  setMoments(stats, together(momentsOf(stats), centred(block)));
  const auto n = double(block.count);
  stats.sumAbs += block.sumAbs;
  stats.sumSquares +=
      block.s2 + 2 * block.shift * block.s1 + n * block.shift * block.shift;
  stats.count += block.count;
  stats.zero += block.zero;
  stats.negative += block.negative;
  stats.positive += block.count - block.zero - block.negative;
  stats.absMax = std::max(stats.absMax, double(block.absMax));
  stats.absMinNonZero =
      std::min(stats.absMinNonZero, double(block.absMinNonZero));
}

void noteNonFinite(TensorStats &stats, const NonFinite &others,
                   std::uint64_t firstIndex) {
  if (others.total() == 0)
    return;
  stats.count += others.total();
  stats.nan += others.nan;
  stats.posInf += others.posInf;
  stats.negInf += others.negInf;
  stats.firstBad = std::min(stats.firstBad, firstIndex + others.first);
}

// Where the extremes of one call lie, to the block. An element's own index is
// looked for only when all blocks are done.
struct ExtremeBlocks {
  static constexpr std::size_t kNone = ~std::size_t(0);
  std::size_t min = kNone;
  std::size_t max = kNone;
};

// Takes in at most a block of elements, the first of which is element `offset`
// of the call. The vector kernel takes a leading part of a block without NaN
// and infinity, or nothing; whatever is left has its finite elements put
// together and goes through again.
void addBlock(TensorStats &stats, Span<const float> values, std::size_t offset,
              std::uint64_t firstIndex, ExtremeBlocks &extremes) {
  const kernels::Expected expected =
      stats.finite() == 0
          ? kernels::Expected()
          : kernels::Expected{static_cast<float>(stats.mean),
                              static_cast<float>(stats.absMax),
                              static_cast<float>(stats.absMinNonZero)};
  const BlockStats front = kernels::blockStats(values.data(), values.size(),
                                               expected, stats.exponents);
  fold(stats, front);
  BlockStats middle, back;
  if (front.count < values.size()) {
    alignas(64) float finite[kernels::kBlock];
    const auto rest = values.from(front.count);
    const NonFinite others = copyFinite(rest, finite);
    noteNonFinite(stats, others, firstIndex + offset + front.count);
    middle =
        kernels::blockStats(finite, others.copied, expected, stats.exponents);
    back = kernels::plain::blockStats(
        finite + middle.count, others.copied - middle.count, stats.exponents);
    fold(stats, middle);
    fold(stats, back);
  }

  const float min = std::min({front.min, middle.min, back.min});
  const float max = std::max({front.max, middle.max, back.max});
  if (min > max)
    return;                                        // nothing finite
  const std::uint64_t index = firstIndex + offset; // or a little later
  if (double(min) < stats.min ||
      (double(min) == stats.min && index < stats.argMin)) {
    stats.min = double(min);
    stats.argMin = index;
    extremes.min = offset;
  }
  if (double(max) > stats.max ||
      (double(max) == stats.max && index < stats.argMax)) {
    stats.max = double(max);
    stats.argMax = index;
    extremes.max = offset;
  }
  const float largest = factsOf(stats.format).largest;
  if (std::max(-min, max) == largest)
    stats.saturated += static_cast<std::uint64_t>(
        std::count_if(values.begin(), values.end(), [largest](float value) {
          return std::fabs(value) == largest;
        }));
}

// Counts that follow from the exponents.
void countRanges(TensorStats &stats) {
  const FormatFacts facts = factsOf(stats.format);
  stats.topBinade = stats.exponents[facts.topExponent];
  stats.subnormal = 0;
  for (std::size_t e = 0; e < facts.lowestNormal; ++e)
    stats.subnormal += stats.exponents[e];
  stats.subnormal -= stats.zero;
}

// Takes in `size` elements. load(offset) gives a block of them that begins
// there, valid until the next.
template <class Load>
void addBlocks(TensorStats &stats, std::size_t size, std::uint64_t firstIndex,
               Load load) {
  ExtremeBlocks extremes;
  for (std::size_t at = 0; at < size;) {
    const Span<const float> block = load(at);
    addBlock(stats, block, at, firstIndex, extremes);
    at += block.size();
  }
  if (extremes.min != ExtremeBlocks::kNone)
    stats.argMin += indexOf(load(extremes.min), float(stats.min));
  if (extremes.max != ExtremeBlocks::kNone)
    stats.argMax += indexOf(load(extremes.max), float(stats.max));
  countRanges(stats);
}

} // namespace

void TensorStats::add(Span<const float> values, std::uint64_t firstIndex) {
  addBlocks(*this, values.size(), firstIndex, [&](std::size_t offset) {
    return values.from(offset).first(
        kernels::blockLength(values.data(), values.size(), offset));
  });
}

void TensorStats::addHalf(Span<const std::uint16_t> values,
                          std::uint64_t firstIndex) {
  if (format != FloatFormat::float16)
    throw std::invalid_argument(
        "[summary] half elements added to statistics of another format");
  alignas(64) float block[kernels::kBlock];
  addBlocks(*this, values.size(), firstIndex, [&](std::size_t offset) {
    const std::size_t count = std::min(kernels::kBlock, values.size() - offset);
    kernels::halfToFloat(values.data() + offset, count, block);
    return Span<const float>(block, count);
  });
}

void TensorStats::merge(const TensorStats &other) {
  if (format != other.format)
    throw std::invalid_argument(
        "[summary] statistics of different formats cannot be merged");
  setMoments(*this, together(momentsOf(*this), momentsOf(other)));
  sumAbs += other.sumAbs;
  sumSquares += other.sumSquares;
  if (other.min < min || (other.min == min && other.argMin < argMin)) {
    min = other.min;
    argMin = other.argMin;
  }
  if (other.max > max || (other.max == max && other.argMax < argMax)) {
    max = other.max;
    argMax = other.argMax;
  }
  absMax = std::max(absMax, other.absMax);
  absMinNonZero = std::min(absMinNonZero, other.absMinNonZero);
  firstBad = std::min(firstBad, other.firstBad);
  count += other.count;
  nan += other.nan;
  posInf += other.posInf;
  negInf += other.negInf;
  zero += other.zero;
  positive += other.positive;
  negative += other.negative;
  subnormal += other.subnormal;
  saturated += other.saturated;
  topBinade += other.topBinade;
  for (std::size_t e = 0; e < exponents.size(); ++e)
    exponents[e] += other.exponents[e];
}

double TensorStats::variance() const {
  return finite() == 0 ? 0 : m2 / double(finite());
}

double TensorStats::standardDeviation() const { return std::sqrt(variance()); }

double TensorStats::skewness() const {
  return m2 > 0 ? m3 / double(finite()) / std::pow(variance(), 1.5) : 0;
}

double TensorStats::kurtosis() const {
  return m2 > 0 ? double(finite()) * m4 / (m2 * m2) : 0;
}

double TensorStats::meanAbs() const {
  return finite() == 0 ? 0 : sumAbs / double(finite());
}

double TensorStats::rms() const {
  return finite() == 0 ? 0 : std::sqrt(sumSquares / double(finite()));
}

double TensorStats::l2Norm() const { return std::sqrt(sumSquares); }

} // namespace popscope::summary
