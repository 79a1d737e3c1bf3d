#include "summary/kernels.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <hwy/cache_control.h>

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
                        ByteCounts &exponents) {
  return plain::leadingBlockStats(values, count, exponents);
}

#else

// What one pass over a block yields, besides its exponents.
struct Classes {
  std::uint32_t absMinBits; // of the elements not zero; 0 if all are
  std::size_t signs;        // elements with the sign bit, zeros included
  float min, max, sum;
};

// `count` is a multiple of two vectors' lanes.
Classes classify(const float *HWY_RESTRICT values, std::size_t count,
                 std::uint8_t *HWY_RESTRICT exponents) {
  const F32 d;
  const U32 du;
  const I32 di;
  const std::size_t lanes = hn::Lanes(d);
  const auto one = hn::Set(du, 1);
  auto absMinLessOne = hn::Set(du, 0xffffffffu);
  auto signs = hn::Zero(du);
  auto min = hn::LoadU(d, values);
  auto max = min;
  auto sum = hn::Zero(d);
  const auto take = [&](std::size_t at) HWY_ATTR {
    const auto x = hn::LoadU(d, values + at);
    const auto magnitude = hn::BitCast(du, hn::Abs(x));
    // Subtracting one takes zero out of the way of the minimum.
    absMinLessOne = hn::Min(absMinLessOne, hn::Sub(magnitude, one));
    signs = hn::Add(signs, hn::ShiftRight<31>(hn::BitCast(du, x)));
    min = hn::Min(min, x);
    max = hn::Max(max, x);
    sum = hn::Add(sum, x);
    return hn::BitCast(di, hn::ShiftRight<23>(magnitude));
  };
  for (std::size_t i = 0; i < count; i += 2 * lanes) {
    // Half of the next block; addMoments does the rest. Memory would be idle
    // while this block is gone over again.
    hwy::Prefetch(values + kBlock + i);
    const auto low = take(i);
    const auto high = take(i + lanes);
    storeLowBytes(low, high, exponents + i);
  }
  return {hn::GetLane(hn::MinOfLanes(du, absMinLessOne)) + 1, sumOf(du, signs),
          hn::GetLane(hn::MinOfLanes(d, min)),
          hn::GetLane(hn::MaxOfLanes(d, max)), sumOf(d, sum)};
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

// Adds the lanes of a float vector to a vector of doubles.
template <class V, class W> HWY_INLINE void widen(V v, W &sum) {
  const hn::ScalableTag<double> d;
  const hn::Half<F32> half;
  sum = hn::Add(sum, hn::Add(hn::PromoteTo(d, hn::LowerHalf(half, v)),
                             hn::PromoteTo(d, hn::UpperHalf(half, v))));
}

// Sums of powers of (x - shift), everything scaled so that the largest
// magnitude is near one: squares of small gradients would underflow, those of
// large activations overflow. A float sum takes few terms before it is widened
// to double, so that one outlier does not swallow the others.
void addMoments(const float *HWY_RESTRICT values, std::size_t count,
                float scale, float scaledShift, BlockStats &stats) {
  const F32 d;
  const hn::ScalableTag<double> dd;
  const std::size_t lanes = hn::Lanes(d);
  const std::size_t chunk = 16 * lanes;
  const auto scales = hn::Set(d, scale);
  const auto shifts = hn::Set(d, scaledShift);
  auto s1 = hn::Zero(dd), s2 = s1, s3 = s1, s4 = s1, abs = s1;
  for (std::size_t begin = 0; begin < count; begin += chunk) {
    const std::size_t end = std::min(begin + chunk, count);
    auto s1a = hn::Zero(d), s2a = s1a, s3a = s1a, s4a = s1a, absA = s1a;
    auto s1b = s1a, s2b = s1a, s3b = s1a, s4b = s1a, absB = s1a;
    for (std::size_t i = begin; i < end; i += 2 * lanes) {
      const auto xa = hn::Mul(hn::LoadU(d, values + i), scales);
      hwy::Prefetch(values + kBlock + i + lanes); // see classify
      const auto xb = hn::Mul(hn::LoadU(d, values + i + lanes), scales);
      const auto da = hn::Sub(xa, shifts);
      const auto db = hn::Sub(xb, shifts);
      const auto qa = hn::Mul(da, da);
      const auto qb = hn::Mul(db, db);
      absA = hn::Add(absA, hn::Abs(xa));
      absB = hn::Add(absB, hn::Abs(xb));
      s1a = hn::Add(s1a, da);
      s1b = hn::Add(s1b, db);
      s2a = hn::Add(s2a, qa);
      s2b = hn::Add(s2b, qb);
      s3a = hn::MulAdd(qa, da, s3a);
      s3b = hn::MulAdd(qb, db, s3b);
      s4a = hn::MulAdd(qa, qa, s4a);
      s4b = hn::MulAdd(qb, qb, s4b);
    }
    widen(hn::Add(s1a, s1b), s1);
    widen(hn::Add(s2a, s2b), s2);
    widen(hn::Add(s3a, s3b), s3);
    widen(hn::Add(s4a, s4b), s4);
    widen(hn::Add(absA, absB), abs);
  }
  const double unit = 1.0 / double(scale);
  stats.shift = double(scaledShift) * unit;
  stats.sumAbs = sumOf(dd, abs) * unit;
  stats.s1 = sumOf(dd, s1) * unit;
  stats.s2 = sumOf(dd, s2) * unit * unit;
  stats.s3 = sumOf(dd, s3) * unit * unit * unit;
  stats.s4 = sumOf(dd, s4) * unit * unit * unit * unit;
}

float fromBits(std::uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

BlockStats blockStatsOf(const float *HWY_RESTRICT values, std::size_t count,
                        ByteCounts &exponents) {
  const std::size_t step = 2 * hn::Lanes(F32());
  BlockStats stats;
  stats.count = std::min(count, kBlock) / step * step;
  if (stats.count == 0)
    return stats;
  HWY_ALIGN std::uint8_t bytes[kBlock];
  const Classes classes = classify(values, stats.count, bytes);
  // A NaN or infinity cannot leave the sum finite; an overflow can leave it
  // infinite without either.
  if (!std::isfinite(classes.sum) && !range(values, stats.count).allFinite)
    return {};
  stats.min = classes.min;
  stats.max = classes.max;
  stats.absMax = std::max(-classes.min, classes.max);
  stats.negative = classes.signs;
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
  stats.absMinNonZero = fromBits(classes.absMinBits);
  std::uint32_t absMaxBits;
  std::memcpy(&absMaxBits, &stats.absMax, sizeof absMaxBits);
  const std::uint32_t lowest = classes.absMinBits >> 23;
  const std::uint32_t highest = absMaxBits >> 23;
  countBytes(bytes, stats.count, lowest, highest, exponents);
  if (lowest > 0)
    exponents[0] += stats.zero;

  // A power of two, so scaling is exact.
  const float scale = fromBits(std::max(254 - highest, 1u) << 23);
  // Any shift within the data will do; the mean is best.
  const float shift = std::isfinite(classes.sum)
                          ? classes.sum / float(stats.count) * scale
                          : (stats.min * scale + stats.max * scale) / 2;
  addMoments(values, stats.count, scale, shift, stats);
  return stats;
}

#endif

} // namespace popscope::summary::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace popscope::summary::kernels {

HWY_EXPORT(blockStatsOf);

BlockStats blockStats(const float *values, std::size_t count,
                      ByteCounts &exponents) {
  return HWY_DYNAMIC_DISPATCH(blockStatsOf)(values, count, exponents);
}

} // namespace popscope::summary::kernels
#endif
