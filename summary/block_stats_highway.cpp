#include "summary/kernels.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

// foreach_target.h includes this file once per instruction set, so its place
// matters.
// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "summary/block_stats_highway.cpp"
#include <hwy/foreach_target.h>
#include "summary/kernels_highway-inl.hpp"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace popscope::summary::kernels::HWY_NAMESPACE {

#if HWY_TARGET == HWY_SCALAR

// Without any vectors, the plain loops.
BlockStats blockStatsOf(const float *values, std::size_t count,
                        const Expected &, ByteCounts &exponents) {
  return plain::leadingBlockStats(values, count, exponents);
}

#else

float fromBits(std::uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

std::uint32_t bitsOf(float value) {
  std::uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

// Where sums are taken about, and in which unit: with the largest magnitude
// near one, squares of small gradients do not underflow and those of large
// activations do not overflow.
struct Frame {
  float scale; // a power of two, so scaling is exact
  float scaledShift;

  Frame(float shift, float absMax)
      : scale(fromBits(std::max(254 - (bitsOf(absMax) >> 23), 1u) << 23)),
        scaledShift(shift * scale) {}
};

// What one pass over a block yields, besides its exponents.
struct Pass {
  std::uint32_t lowestExponent; // 0 with zeros and subnormals
  std::uint32_t lowestNormal;   // the lowest but 0; 256 if there is none
  std::size_t signs;            // elements with the sign bit, zeros included
  float min, max;
  double s1, s2, s3, s4, sumAbs; // scaled

  float absMax() const { return std::max(-min, max); }
  double mean(std::size_t count, const Frame &frame) const {
    return (double(frame.scaledShift) + s1 / double(count)) /
           double(frame.scale);
  }
};

// Adds the lanes of a float vector to a vector of doubles.
template <class V, class W> HWY_INLINE void widen(V v, W &sum) {
  const hn::ScalableTag<double> d;
  const hn::Half<F32> half;
  sum = hn::Add(sum, hn::Add(hn::PromoteTo(d, hn::LowerHalf(half, v)),
                             hn::PromoteTo(d, hn::UpperHalf(half, v))));
}

template <class V> std::uint32_t smallestOf(V bytes) {
  HWY_ALIGN std::uint8_t lanes[HWY_MAX_BYTES];
  hn::Store(bytes, U8(), lanes);
  return *std::min_element(lanes, lanes + hn::Lanes(U8()));
}

// `count` is a multiple of four vectors' lanes. A float sum takes few terms
// before it is widened to double, so that one outlier does not swallow the
// others.
Pass passOver(const float *HWY_RESTRICT values, std::size_t count,
              const Frame &frame, std::uint8_t *HWY_RESTRICT exponents) {
  const F32 d;
  const U32 du;
  const U8 d8;
  const hn::ScalableTag<double> dd;
  const std::size_t lanes = hn::Lanes(d);
  const std::size_t chunk = 32 * lanes;
  const auto scale = hn::Set(d, frame.scale);
  const auto shift = hn::Set(d, frame.scaledShift);
  const auto one = hn::Set(d8, 1);
  auto lowest = hn::Set(d8, 0xff), lowestLessOne = lowest;
  auto signs = hn::Zero(du);
  auto min = hn::LoadU(d, values);
  auto max = min;
  auto w1 = hn::Zero(dd), w2 = w1, w3 = w1, w4 = w1, wAbs = w1;
  for (std::size_t begin = 0; begin < count; begin += chunk) {
    const std::size_t end = std::min(begin + chunk, count);
    auto s1 = hn::Zero(d), s2 = s1, s3 = s1, s4 = s1, sumAbs = s1;
    const auto take = [&](std::size_t at) HWY_ATTR {
      const auto x = hn::LoadU(d, values + at);
      const auto bits = hn::BitCast(du, x);
      signs = hn::Add(signs, hn::ShiftRight<31>(bits));
      min = hn::Min(min, x);
      max = hn::Max(max, x);
      const auto centred = hn::MulSub(x, scale, shift);
      const auto square = hn::Mul(centred, centred);
      sumAbs = hn::MulAdd(hn::Abs(x), scale, sumAbs);
      s1 = hn::Add(s1, centred);
      s2 = hn::Add(s2, square);
      s3 = hn::MulAdd(square, centred, s3);
      s4 = hn::MulAdd(square, square, s4);
      return bits;
    };
    for (std::size_t i = begin; i < end; i += 4 * lanes) {
      const auto x0 = take(i), x1 = take(i + lanes);
      const auto x2 = take(i + 2 * lanes), x3 = take(i + 3 * lanes);
      const auto packed = packBytes<23>(x0, x1, x2, x3);
      // Subtracting one takes zero out of the way of the minimum.
      lowest = hn::Min(lowest, packed);
      lowestLessOne = hn::Min(lowestLessOne, hn::Sub(packed, one));
      hn::StoreU(packed, d8, exponents + i);
    }
    widen(s1, w1);
    widen(s2, w2);
    widen(s3, w3);
    widen(s4, w4);
    widen(sumAbs, wAbs);
  }
  return {smallestOf(lowest),
          smallestOf(lowestLessOne) + 1,
          sumOf(du, signs),
          hn::GetLane(hn::MinOfLanes(d, min)),
          hn::GetLane(hn::MaxOfLanes(d, max)),
          sumOf(dd, w1),
          sumOf(dd, w2),
          sumOf(dd, w3),
          sumOf(dd, w4),
          sumOf(dd, wAbs)};
}

// Whether the frame suited the block: no power left the range of float, and
// the shift is within a standard deviation of the mean, so that little cancels.
bool suits(const Frame &frame, const Pass &pass, std::size_t count) {
  const float top = pass.absMax() * frame.scale;
  const bool inRange = top == 0 || (top > 0x1p-16F && top < 0x1p16F);
  return inRange && 2 * pass.s1 * pass.s1 <= pass.s2 * double(count);
}

// What is looked for only in blocks that may have something to find.
struct SmallElements {
  std::size_t zeros, negativeZeros;
  std::size_t belowNormal;  // zeros and subnormals
  std::uint32_t absMinBits; // of the elements not zero; 0 if all are
};

SmallElements smallElements(const float *HWY_RESTRICT values,
                            std::size_t count) {
  const F32 d;
  const U32 du;
  const I32 di;
  const auto one = hn::Set(du, 1);
  const auto smallestNormal = hn::Set(di, 1 << 23);
  auto zeros = hn::Zero(di), negative = zeros, belowNormal = zeros;
  auto absMinLessOne = hn::Set(du, 0xffffffffu);
  for (std::size_t i = 0; i < count; i += hn::Lanes(d)) {
    const auto x = hn::LoadU(d, values + i);
    const auto magnitude = hn::BitCast(di, hn::Abs(x));
    const auto isZero = hn::VecFromMask(di, hn::Eq(magnitude, hn::Zero(di)));
    zeros = hn::Sub(zeros, isZero);
    negative = hn::Sub(negative,
                       hn::And(isZero, hn::ShiftRight<31>(hn::BitCast(di, x))));
    belowNormal = hn::Sub(
        belowNormal, hn::VecFromMask(di, hn::Lt(magnitude, smallestNormal)));
    // Subtracting one takes zero out of the way of the minimum.
    absMinLessOne =
        hn::Min(absMinLessOne, hn::Sub(hn::BitCast(du, magnitude), one));
  }
  return {std::size_t(sumOf(di, zeros)), std::size_t(sumOf(di, negative)),
          std::size_t(sumOf(di, belowNormal)),
          hn::GetLane(hn::MinOfLanes(du, absMinLessOne)) + 1};
}

BlockStats blockStatsOf(const float *HWY_RESTRICT values, std::size_t count,
                        const Expected &expected, ByteCounts &exponents) {
  const std::size_t step = 4 * hn::Lanes(F32());
  BlockStats stats;
  stats.count = std::min(count, kBlock) / step * step;
  if (stats.count == 0)
    return stats;
  HWY_ALIGN std::uint8_t bytes[kBlock];
  Frame frame(expected.mean, expected.absMax);
  Pass pass = passOver(values, stats.count, frame, bytes);
  if (!std::isfinite(pass.s1)) {
    // A NaN or an infinity, or an overflow in a frame that was too small.
    const Range found = range(values, stats.count);
    if (!found.allFinite)
      return {};
    frame =
        Frame(found.min / 2 + found.max / 2, std::max(-found.min, found.max));
    pass = passOver(values, stats.count, frame, bytes);
  }
  if (!suits(frame, pass, stats.count)) {
    frame =
        Frame(static_cast<float>(pass.mean(stats.count, frame)), pass.absMax());
    pass = passOver(values, stats.count, frame, bytes);
  }

  stats.min = pass.min;
  stats.max = pass.max;
  stats.absMax = pass.absMax();
  stats.negative = pass.signs;
  if (pass.lowestExponent == 0 ||
      fromBits(pass.lowestNormal << 23) < expected.absMinNonZero) {
    const SmallElements found = smallElements(values, stats.count);
    stats.zero = found.zeros;
    stats.negative -= found.negativeZeros;
    exponents[0] += found.belowNormal;
    if (stats.zero == stats.count)
      return stats;
    stats.absMinNonZero = fromBits(found.absMinBits);
  }
  const std::uint32_t highest = bitsOf(stats.absMax) >> 23;
  if (pass.lowestNormal <= highest)
    countBytes(bytes, stats.count, pass.lowestNormal, highest, exponents,
               values + stats.count);

  const double unit = 1.0 / double(frame.scale);
  stats.shift = double(frame.scaledShift) * unit;
  stats.sumAbs = pass.sumAbs * unit;
  stats.s1 = pass.s1 * unit;
  stats.s2 = pass.s2 * unit * unit;
  stats.s3 = pass.s3 * unit * unit * unit;
  stats.s4 = pass.s4 * unit * unit * unit * unit;
  return stats;
}

#endif

} // namespace popscope::summary::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace popscope::summary::kernels {

HWY_EXPORT(blockStatsOf);

BlockStats blockStats(const float *values, std::size_t count,
                      const Expected &expected, ByteCounts &exponents) {
  return HWY_DYNAMIC_DISPATCH(blockStatsOf)(values, count, expected, exponents);
}

} // namespace popscope::summary::kernels
#endif
