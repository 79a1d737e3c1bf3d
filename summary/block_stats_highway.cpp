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
  std::uint32_t absMinBits; // of the elements not zero; 0 if all are
  std::size_t signs;        // elements with the sign bit, zeros included
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

// `count` is a multiple of two vectors' lanes. A float sum takes few terms
// before it is widened to double, so that one outlier does not swallow the
// others.
Pass passOver(const float *HWY_RESTRICT values, std::size_t count,
              const Frame &frame, std::uint8_t *HWY_RESTRICT exponents) {
  const F32 d;
  const U32 du;
  const I32 di;
  const hn::ScalableTag<double> dd;
  const std::size_t lanes = hn::Lanes(d);
  const std::size_t chunk = 32 * lanes;
  const auto scale = hn::Set(d, frame.scale);
  const auto shift = hn::Set(d, frame.scaledShift);
  const auto one = hn::Set(du, 1);
  auto absMinLessOne = hn::Set(du, 0xffffffffu);
  auto signs = hn::Zero(du);
  auto min = hn::LoadU(d, values);
  auto max = min;
  auto w1 = hn::Zero(dd), w2 = w1, w3 = w1, w4 = w1, wAbs = w1;
  for (std::size_t begin = 0; begin < count; begin += chunk) {
    const std::size_t end = std::min(begin + chunk, count);
    auto s1 = hn::Zero(d), s2 = s1, s3 = s1, s4 = s1, sumAbs = s1;
    const auto take = [&](std::size_t at) HWY_ATTR {
      const auto x = hn::LoadU(d, values + at);
      const auto magnitude = hn::Abs(x);
      const auto bits = hn::BitCast(du, magnitude);
      // Subtracting one takes zero out of the way of the minimum.
      absMinLessOne = hn::Min(absMinLessOne, hn::Sub(bits, one));
      signs = hn::Add(signs, hn::ShiftRight<31>(hn::BitCast(du, x)));
      min = hn::Min(min, x);
      max = hn::Max(max, x);
      const auto centred = hn::MulSub(x, scale, shift);
      const auto square = hn::Mul(centred, centred);
      sumAbs = hn::MulAdd(magnitude, scale, sumAbs);
      s1 = hn::Add(s1, centred);
      s2 = hn::Add(s2, square);
      s3 = hn::MulAdd(square, centred, s3);
      s4 = hn::MulAdd(square, square, s4);
      return hn::BitCast(di, hn::ShiftRight<23>(bits));
    };
    for (std::size_t i = begin; i < end; i += 2 * lanes) {
      const auto low = take(i);
      const auto high = take(i + lanes);
      storeLowBytes(low, high, exponents + i);
    }
    widen(s1, w1);
    widen(s2, w2);
    widen(s3, w3);
    widen(s4, w4);
    widen(sumAbs, wAbs);
  }
  return {hn::GetLane(hn::MinOfLanes(du, absMinLessOne)) + 1,
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

struct Zeros {
  std::size_t all, negative;
};

Zeros countZeros(const float *HWY_RESTRICT values, std::size_t count) {
  const F32 d;
  const I32 di;
  auto all = hn::Zero(di), signs = hn::Zero(di);
  for (std::size_t i = 0; i < count; i += hn::Lanes(d)) {
    const auto x = hn::LoadU(d, values + i);
    const auto isZero =
        hn::VecFromMask(di, hn::Eq(hn::BitCast(di, hn::Abs(x)), hn::Zero(di)));
    all = hn::Sub(all, isZero);
    signs =
        hn::Sub(signs, hn::And(isZero, hn::ShiftRight<31>(hn::BitCast(di, x))));
  }
  return {std::size_t(sumOf(di, all)), std::size_t(sumOf(di, signs))};
}

BlockStats blockStatsOf(const float *HWY_RESTRICT values, std::size_t count,
                        const Expected &expected, ByteCounts &exponents) {
  const std::size_t step = 2 * hn::Lanes(F32());
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
  // An exponent of zero is that of zeros and subnormals.
  const bool mayHaveZeros = stats.min <= 0 && stats.max >= 0;
  if (mayHaveZeros && std::memchr(bytes, 0, stats.count) != nullptr) {
    const Zeros zeros = countZeros(values, stats.count);
    stats.zero = zeros.all;
    stats.negative -= zeros.negative;
  }
  if (stats.zero == stats.count) {
    exponents[0] += stats.count;
    return stats;
  }
  stats.absMinNonZero = fromBits(pass.absMinBits);
  const std::uint32_t lowest = pass.absMinBits >> 23;
  const std::uint32_t highest = bitsOf(stats.absMax) >> 23;
  countBytes(bytes, stats.count, lowest, highest, exponents);
  if (lowest > 0)
    exponents[0] += stats.zero;

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
