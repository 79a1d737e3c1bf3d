#include "outfeed/health/format_health.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <tuple>

namespace popscope::outfeed {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Results change at these magnitudes: an element belongs to the kind whose
// begin it reaches last.
struct Thresholds {
  double nonZero, normal, topBinade, saturated;
};

// Half-way between two numbers the one with an even fraction is taken: zero,
// and every power of two, but never the largest, whose fraction is odd.
Thresholds thresholdsOf(const NumberFormat &format) {
  const double top = format.topBinade();
  const double halfStepAtTop = std::ldexp(top, -format.fractionBits - 1);
  return {std::nextafter(format.smallest() / 2, kInfinity),
          format.smallestNormal() - format.smallest() / 2,
          top - halfStepAtTop / 2,
          std::nextafter(format.largest - halfStepAtTop, kInfinity)};
}

// Of those with begin <= magnitude < end, with the scale taken off.
CountBounds countBetween(const Magnitudes &magnitudes, double begin,
                         double end) {
  CountBounds bounds;
  const double largest = magnitudes.largest();
  magnitudes.forEach([&](const Magnitudes::Range &range) {
    const bool none =
        range.begin >= end || range.end <= begin || largest < begin;
    const bool all =
        range.begin >= begin && (range.end <= end || largest < end);
    bounds.atMost += none ? 0 : range.count;
    bounds.atLeast += all && !none ? range.count : 0;
  });
  if (begin <= largest && largest < end)
    bounds.atLeast = std::max<std::uint64_t>(bounds.atLeast, 1);
  return bounds;
}

// Half of what is in doubt counts.
std::uint64_t twice(const CountBounds &count) {
  return count.atLeast + count.atMost;
}

} // namespace

FormatHealth formatHealth(const Magnitudes &magnitudes,
                          const NumberFormat &format, int scale) {
  const Thresholds at = thresholdsOf(format);
  const auto count = [&](double begin, double end) {
    return countBetween(magnitudes, std::ldexp(begin, -scale),
                        std::ldexp(end, -scale));
  };
  FormatHealth health;
  health.flushed = count(0, at.nonZero);
  health.subnormal = count(at.nonZero, at.normal);
  health.topBinade = count(at.topBinade, at.saturated);
  health.saturated = count(at.saturated, kInfinity);
  health.headroom =
      std::log2(format.largest) - std::log2(magnitudes.largest()) - scale;
  return health;
}

int bestScale(const Magnitudes &magnitudes, const NumberFormat &format) {
  if (magnitudes.largest() == 0)
    return 0;
  // Beyond the first, the largest element is saturated; below the last, all
  // lose more than there.
  const int first = int(std::ceil(std::log2(format.largest) -
                                  std::log2(magnitudes.largest()) + 1));
  const int last = std::min(0, std::ilogb(format.smallest()) -
                                   std::ilogb(magnitudes.largest()) - 1);
  std::tuple<std::uint64_t, std::uint64_t, int> least;
  std::optional<int> best;
  for (int scale = first; scale >= std::min(first, last); --scale) {
    const FormatHealth health = formatHealth(magnitudes, format, scale);
    if (health.saturated.atMost != 0)
      continue;
    const std::tuple cost(twice(health.flushed), twice(health.subnormal),
                          std::abs(scale));
    if (!best || cost < least) {
      least = cost;
      best = scale;
    }
  }
  return best.value_or(0);
}

std::optional<int> lossScaleChange(const std::vector<Magnitudes> &gradients,
                                   const NumberFormat &format) {
  double largest = 0;
  for (const Magnitudes &gradient : gradients)
    largest = std::max(largest, gradient.largest());
  if (largest == 0)
    return std::nullopt;
  constexpr int kSpare = 1;
  const int most =
      int(std::floor(std::log2(format.largest) - std::log2(largest))) - kSpare;
  int wanted = std::min(most, 0);
  for (const Magnitudes &gradient : gradients)
    if (gradient.largest() != 0)
      wanted = std::max(wanted, std::min(most, bestScale(gradient, format)));
  return wanted;
}

} // namespace popscope::outfeed
