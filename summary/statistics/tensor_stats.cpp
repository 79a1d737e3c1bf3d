#include "summary/statistics/tensor_stats.hpp"

#include "summary/statistics/finite_elements.hpp"
#include "summary/statistics/kernels.hpp"

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

// Of the first element equal to `value`, which is the smallest or the largest.
std::uint64_t indexOf(Span<const float> values, float value) {
  constexpr std::size_t kPiece = 512;
  for (std::size_t at = 0; at < values.size(); at += kPiece) {
    const auto piece =
        values.from(at).first(std::min(kPiece, values.size() - at));
    const kernels::Range range = kernels::range(piece.data(), piece.size());
    if (range.allFinite && range.min != value && range.max != value)
      continue;
    const auto *found = std::find(piece.begin(), piece.end(), value);
    if (found != piece.end())
      return static_cast<std::uint64_t>(found - values.begin());
  }
  return values.size();
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

// The sixteen neighbouring exponents that most normal elements have: the first.
std::uint32_t busiestExponents(const kernels::ByteCounts &exponents) {
  constexpr std::uint32_t kWidth = 16;
  std::uint64_t inside = 0, most = 0;
  std::uint32_t best = 0;
  for (std::uint32_t e = 1; e < exponents.size(); ++e) {
    inside += exponents[e] - (e > kWidth ? exponents[e - kWidth] : 0);
    if (inside >= most) {
      most = inside;
      best = e < kWidth ? 0 : e - kWidth + 1;
    }
  }
  return best;
}

// What one call knows of its blocks.
struct Progress {
  static constexpr std::size_t kNone = ~std::size_t(0);
  // Where the extremes lie, to the block. An element's own index is looked for
  // only when all blocks are done.
  std::size_t minBlock = kNone;
  std::size_t maxBlock = kNone;
  std::uint32_t firstExponent = 0; // see Expected
};

// Of the first elements, to judge by a few of them.
kernels::Expected firstGuess(Span<const float> values) {
  constexpr std::size_t kSample = 1024;
  const kernels::Range found =
      kernels::range(values.data(), std::min(values.size(), kSample));
  kernels::Expected expected;
  if (!found.allFinite || found.min > found.max)
    return expected;
  expected.absMax = std::max(-found.min, found.max);
  const int exponent = expected.absMax > 0 ? std::ilogb(expected.absMax) : -127;
  expected.firstExponent =
      static_cast<std::uint32_t>(std::max(exponent + 127 - 15, 0));
  return expected;
}

// Of a block whose first element is element `index`.
kernels::Expected expectedAt(std::uint64_t index, const TensorStats &stats,
                             std::uint32_t firstExponent) {
  kernels::Expected expected;
  expected.mean = static_cast<float>(stats.mean);
  expected.meanSquare = stats.sumSquares / double(stats.finite());
  expected.absMax = static_cast<float>(stats.absMax);
  expected.firstExponent = firstExponent;
  // Of equal extremes the first one counts, and it may be in this block.
  if (index > stats.argMin)
    expected.min = static_cast<float>(stats.min);
  if (index > stats.argMax)
    expected.max = static_cast<float>(stats.max);
  expected.absMinNonZero = static_cast<float>(stats.absMinNonZero);
  return expected;
}

// Takes in at most a long block of elements, the first of which is element
// `offset` of the call. The vector kernel takes a leading part without NaN and
// infinity, or nothing; whatever is left has its finite elements put together
// and goes through again.
void addBlock(TensorStats &stats, Span<const float> values, std::size_t offset,
              std::uint64_t firstIndex, Progress &progress) {
  const std::uint64_t index = firstIndex + offset; // an extreme's, or less
  const kernels::Expected expected =
      stats.finite() == 0 ? firstGuess(values)
                          : expectedAt(index, stats, progress.firstExponent);
  BlockStats whole; // as far as it matters here
  const auto take = [&](const BlockStats &part) {
    fold(stats, part);
    whole.count += part.count;
    whole.otherExponents += part.otherExponents;
    whole.min = std::min(whole.min, part.min);
    whole.max = std::max(whole.max, part.max);
    whole.absMax = std::max(whole.absMax, part.absMax);
  };
  take(kernels::blockStats(values.data(), values.size(), expected,
                           stats.exponents));
  for (std::size_t at = whole.count; at < values.size();) {
    alignas(64) float finite[kernels::kBlock];
    const auto rest =
        values.from(at).first(std::min(kernels::kBlock, values.size() - at));
    const NonFinite others = copyFinite(rest, finite);
    noteNonFinite(stats, others, index + at);
    const BlockStats vectors =
        kernels::blockStats(finite, others.copied, expected, stats.exponents);
    take(vectors);
    take(kernels::plain::blockStats(finite + vectors.count,
                                    others.copied - vectors.count,
                                    stats.exponents));
    at += rest.size();
  }
  if (whole.count == 0)
    return; // nothing finite
  progress.firstExponent = expected.firstExponent;
  constexpr std::size_t kMany = 16; // one in so many
  if (whole.otherExponents > whole.count / kMany)
    progress.firstExponent = busiestExponents(stats.exponents);

  const auto min = double(whole.min), max = double(whole.max);
  if (min < stats.min || (min == stats.min && index < stats.argMin)) {
    stats.min = min;
    stats.argMin = index;
    progress.minBlock = offset;
  }
  if (max > stats.max || (max == stats.max && index < stats.argMax)) {
    stats.max = max;
    stats.argMax = index;
    progress.maxBlock = offset;
  }
  const float largest = factsOf(stats.format).largest;
  if (whole.absMax == largest)
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
  Progress progress;
  if (stats.finite() != 0)
    progress.firstExponent = busiestExponents(stats.exponents);
  for (std::size_t at = 0; at < size;) {
    const Span<const float> block = load(at);
    addBlock(stats, block, at, firstIndex, progress);
    at += block.size();
  }
  if (progress.minBlock != Progress::kNone)
    stats.argMin += indexOf(load(progress.minBlock), float(stats.min));
  if (progress.maxBlock != Progress::kNone)
    stats.argMax += indexOf(load(progress.maxBlock), float(stats.max));
  countRanges(stats);
}

} // namespace

void TensorStats::add(Span<const float> values, std::uint64_t firstIndex) {
  // Not cut at cache lines, as other passes are: where the sums of blocks begin
  // decides their last bits, and must not depend on where the memory is.
  addBlocks(*this, values.size(), firstIndex, [&](std::size_t offset) {
    return values.from(offset).first(
        std::min(kernels::kLongBlock, values.size() - offset));
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

namespace {

// Where nothing was counted nothing is read or written either: the array is the
// largest part of the statistics, and of many thousands of these the time goes
// into memory that is in no cache.
void addCounts(std::array<std::uint64_t, 256> &counts,
               const std::array<std::uint64_t, 256> &more) {
  constexpr std::size_t kLine = 64 / sizeof(std::uint64_t);
  for (std::size_t line = 0; line < counts.size(); line += kLine) {
    std::uint64_t any = 0;
    for (std::size_t e = line; e < line + kLine; ++e)
      any |= more[e];
    if (any == 0)
      continue;
    for (std::size_t e = line; e < line + kLine; ++e)
      counts[e] += more[e];
  }
}

} // namespace

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
  addCounts(exponents, other.exponents);
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
