#include "summary/kernels.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "summary/kernels_highway.cpp"
#include <algorithm>
#include <cmath>
#include <cstring>
#include <hwy/foreach_target.h> // compiles this file once per instruction set
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace popscope::summary::kernels::HWY_NAMESPACE {

#if HWY_TARGET == HWY_SCALAR

// Without any vectors, the plain loops.
BlockStats blockStatsOf(const float *values, std::size_t count,
                        ExponentCounts &exponents) {
  return plain::leadingBlockStats(values, count, exponents);
}
Range rangeOf(const float *values, std::size_t count) {
  return plain::range(values, count);
}
void bucketIndicesOf(const float *values, std::size_t count, double low,
                     double width, std::int32_t last, std::int32_t *indices) {
  plain::bucketIndices(values, count, low, width, last, indices);
}
void halfToFloatOf(const std::uint16_t *half, std::size_t count,
                   float *values) {
  plain::halfToFloat(half, count, values);
}

#else

namespace hn = hwy::HWY_NAMESPACE;

using F32 = hn::ScalableTag<float>;
using U32 = hn::RebindToUnsigned<F32>;
using I32 = hn::RebindToSigned<F32>;

constexpr std::uint32_t kInfinityBits = 0x7f800000u;

// What one pass over the bits of a block yields, besides its exponents.
struct Classes {
  std::uint32_t absMaxBits;
  std::uint32_t absMinBits; // of those not zero; 0xffffffff + 1 if all are
  std::size_t zero;
  std::size_t negative;
  float min, max, sum;
};

template <class D, class V> hn::TFromD<D> sumOf(D d, V v) {
  return hn::GetLane(hn::SumOfLanes(d, v));
}

// `count` is a multiple of two vectors' lanes.
Classes classify(const float *HWY_RESTRICT values, std::size_t count,
                 std::uint8_t *HWY_RESTRICT exponents) {
  const F32 d;
  const U32 du;
  const I32 di;
  const hn::Repartition<std::int16_t, F32> d16;
  const hn::Rebind<std::uint8_t, decltype(d16)> d8;
  const std::size_t lanes = hn::Lanes(d);
  const auto one = hn::Set(du, 1);
  auto absMax = hn::Zero(du);
  auto absMinLessOne = hn::Set(du, 0xffffffffu);
  auto zero = hn::Zero(di);
  auto negative = hn::Zero(di);
  auto min = hn::LoadU(d, values);
  auto max = min;
  auto sum = hn::Zero(d);
  const auto take = [&](std::size_t at) HWY_ATTR {
    const auto x = hn::LoadU(d, values + at);
    const auto magnitude = hn::BitCast(du, hn::Abs(x));
    absMax = hn::Max(absMax, magnitude);
    // Subtracting one takes zero out of the way of the minimum.
    absMinLessOne = hn::Min(absMinLessOne, hn::Sub(magnitude, one));
    const auto bits = hn::BitCast(di, magnitude);
    zero = hn::Sub(zero, hn::VecFromMask(di, hn::Eq(bits, hn::Zero(di))));
    negative = hn::Sub(
        negative, hn::BitCast(di, hn::VecFromMask(d, hn::Lt(x, hn::Zero(d)))));
    min = hn::Min(min, x);
    max = hn::Max(max, x);
    sum = hn::Add(sum, x);
    return hn::ShiftRight<23>(bits);
  };
  for (std::size_t i = 0; i < count; i += 2 * lanes) {
    const auto low = take(i);
    const auto high = take(i + lanes);
    // The order within the pair is lost, which a histogram does not mind.
    hn::StoreU(hn::DemoteTo(d8, hn::ReorderDemote2To(d16, low, high)), d8,
               exponents + i);
  }
  return {hn::GetLane(hn::MaxOfLanes(du, absMax)),
          hn::GetLane(hn::MinOfLanes(du, absMinLessOne)) + 1,
          static_cast<std::size_t>(hn::GetLane(hn::SumOfLanes(di, zero))),
          static_cast<std::size_t>(hn::GetLane(hn::SumOfLanes(di, negative))),
          hn::GetLane(hn::MinOfLanes(d, min)),
          hn::GetLane(hn::MaxOfLanes(d, max)),
          sumOf(d, sum)};
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

// Counts the bytes from `low` to `high`. A tensor's exponents span few values,
// and comparing all bytes with one of them is far cheaper than one table
// access per byte; beyond `kMostBins` of them it no longer is.
constexpr std::uint32_t kMostBins = 32;

void countBytes(const std::uint8_t *HWY_RESTRICT bytes, std::size_t count,
                std::uint32_t low, std::uint32_t high, ExponentCounts &counts) {
  if (high - low >= kMostBins) {
    std::uint32_t tables[4][256] = {};
    for (std::size_t i = 0; i < count; ++i)
      ++tables[i % 4][bytes[i]];
    for (std::size_t bin = low; bin <= high; ++bin)
      for (const auto &table : tables)
        counts[bin] += table[bin];
    return;
  }
  const hn::ScalableTag<std::uint8_t> d;
  const std::size_t lanes = hn::Lanes(d);
  static_assert(kBlock / 16 <= 255, "a byte lane counts up to 255");
  const std::size_t whole = count / lanes * lanes;
  for (std::uint32_t bin = low; bin <= high; bin += 4) {
    const auto b0 = hn::Set(d, static_cast<std::uint8_t>(bin));
    const auto b1 = hn::Set(d, static_cast<std::uint8_t>(bin + 1));
    const auto b2 = hn::Set(d, static_cast<std::uint8_t>(bin + 2));
    const auto b3 = hn::Set(d, static_cast<std::uint8_t>(bin + 3));
    auto c0 = hn::Zero(d), c1 = c0, c2 = c0, c3 = c0;
    for (std::size_t i = 0; i < whole; i += lanes) {
      const auto v = hn::LoadU(d, bytes + i);
      c0 = hn::Sub(c0, hn::VecFromMask(d, hn::Eq(v, b0)));
      c1 = hn::Sub(c1, hn::VecFromMask(d, hn::Eq(v, b1)));
      c2 = hn::Sub(c2, hn::VecFromMask(d, hn::Eq(v, b2)));
      c3 = hn::Sub(c3, hn::VecFromMask(d, hn::Eq(v, b3)));
    }
    const auto add = [&](std::uint32_t at, auto c) HWY_ATTR {
      const hn::Repartition<std::uint64_t, decltype(d)> d64;
      if (at <= high)
        counts[at] += hn::GetLane(hn::SumOfLanes(d64, hn::SumsOf8(c)));
    };
    add(bin, c0);
    add(bin + 1, c1);
    add(bin + 2, c2);
    add(bin + 3, c3);
  }
  for (std::size_t i = whole; i < count; ++i)
    if (bytes[i] >= low)
      ++counts[bytes[i]];
}

float fromBits(std::uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

BlockStats blockStatsOf(const float *HWY_RESTRICT values, std::size_t count,
                        ExponentCounts &exponents) {
  const std::size_t step = 2 * hn::Lanes(F32());
  BlockStats stats;
  stats.count = std::min(count, kBlock) / step * step;
  if (stats.count == 0)
    return stats;
  HWY_ALIGN std::uint8_t bytes[kBlock];
  const Classes classes = classify(values, stats.count, bytes);
  if (classes.absMaxBits >= kInfinityBits)
    return {};
  stats.zero = classes.zero;
  stats.negative = classes.negative;
  stats.min = classes.min;
  stats.max = classes.max;
  stats.absMax = fromBits(classes.absMaxBits);
  if (stats.zero == stats.count) {
    exponents[0] += stats.count;
    return stats;
  }
  stats.absMinNonZero = fromBits(classes.absMinBits);
  const std::uint32_t lowest = classes.absMinBits >> 23;
  const std::uint32_t highest = classes.absMaxBits >> 23;
  countBytes(bytes, stats.count, lowest, highest, exponents);
  if (lowest > 0)
    exponents[0] += stats.zero;

  // A power of two, so scaling is exact; the largest one for subnormals.
  const auto scaleExponent = std::clamp(127 - int(highest), -126, 127);
  const float scale = std::ldexp(1.0F, scaleExponent);
  // Any shift within the data will do; the mean is best.
  const float shift = std::isfinite(classes.sum)
                          ? classes.sum / float(stats.count) * scale
                          : (stats.min * scale + stats.max * scale) / 2;
  addMoments(values, stats.count, scale, shift, stats);
  return stats;
}

Range rangeOf(const float *HWY_RESTRICT values, std::size_t count) {
  const F32 d;
  const U32 du;
  const std::size_t lanes = hn::Lanes(d);
  const std::size_t step = 2 * lanes;
  const std::size_t whole = count / step * step;
  Range result = plain::range(values + whole, count - whole);
  if (whole == 0)
    return result;
  auto min0 = hn::LoadU(d, values), min1 = min0, max0 = min0, max1 = min0;
  auto bits0 = hn::Zero(du), bits1 = bits0;
  for (std::size_t i = 0; i < whole; i += 2 * lanes) {
    const auto a = hn::LoadU(d, values + i);
    const auto b = hn::LoadU(d, values + i + lanes);
    min0 = hn::Min(min0, a);
    min1 = hn::Min(min1, b);
    max0 = hn::Max(max0, a);
    max1 = hn::Max(max1, b);
    bits0 = hn::Max(bits0, hn::BitCast(du, hn::Abs(a)));
    bits1 = hn::Max(bits1, hn::BitCast(du, hn::Abs(b)));
  }
  const std::uint32_t largest =
      hn::GetLane(hn::MaxOfLanes(du, hn::Max(bits0, bits1)));
  result.allFinite = result.allFinite && largest < kInfinityBits;
  result.min =
      std::min(result.min, hn::GetLane(hn::MinOfLanes(d, hn::Min(min0, min1))));
  result.max =
      std::max(result.max, hn::GetLane(hn::MaxOfLanes(d, hn::Max(max0, max1))));
  return result;
}

void bucketIndicesOf(const float *HWY_RESTRICT values, std::size_t count,
                     double low, double width, std::int32_t last,
                     std::int32_t *HWY_RESTRICT indices) {
  const hn::ScalableTag<double> d;
  const hn::Rebind<float, decltype(d)> dfloat;
  const hn::Rebind<std::int32_t, decltype(d)> dindex;
  const std::size_t lanes = hn::Lanes(d);
  const std::size_t whole = count / lanes * lanes;
  const auto lows = hn::Set(d, low);
  const auto widths = hn::Set(d, width);
  const auto lasts = hn::Set(dindex, last);
  for (std::size_t i = 0; i < whole; i += lanes) {
    const auto x = hn::PromoteTo(d, hn::LoadU(dfloat, values + i));
    // Not negative, so rounding towards zero is floor.
    const auto index = hn::DemoteTo(dindex, hn::Div(hn::Sub(x, lows), widths));
    hn::StoreU(hn::Min(index, lasts), dindex, indices + i);
  }
  plain::bucketIndices(values + whole, count - whole, low, width, last,
                       indices + whole);
}

// Moving the bits of a half into place gives a float that is too small by
// 2^112, subnormals included; only infinity and NaN are not repaired by that.
// Highway's own conversion leaves those two out before AVX2.
void halfToFloatOf(const std::uint16_t *HWY_RESTRICT half, std::size_t count,
                   float *HWY_RESTRICT values) {
  const F32 d;
  const U32 du;
  const hn::Rebind<std::uint16_t, F32> dhalf;
  const std::size_t lanes = hn::Lanes(d);
  const std::size_t whole = count / lanes * lanes;
  const auto scale = hn::Set(d, 0x1p112F);
  for (std::size_t i = 0; i < whole; i += lanes) {
    const auto bits = hn::PromoteTo(du, hn::LoadU(dhalf, half + i));
    const auto magnitude = hn::And(bits, hn::Set(du, 0x7fff));
    const auto sign = hn::ShiftLeft<16>(hn::Xor(bits, magnitude));
    const auto moved = hn::ShiftLeft<13>(magnitude);
    const auto finite = hn::BitCast(du, hn::Mul(hn::BitCast(d, moved), scale));
    const auto other = hn::Or(moved, hn::Set(du, kInfinityBits));
    const auto isFinite = hn::Lt(magnitude, hn::Set(du, 0x7c00));
    hn::StoreU(
        hn::BitCast(d, hn::Or(sign, hn::IfThenElse(isFinite, finite, other))),
        d, values + i);
  }
  plain::halfToFloat(half + whole, count - whole, values + whole);
}

#endif

} // namespace popscope::summary::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace popscope::summary::kernels {

HWY_EXPORT(blockStatsOf);
HWY_EXPORT(rangeOf);
HWY_EXPORT(bucketIndicesOf);
HWY_EXPORT(halfToFloatOf);

BlockStats blockStats(const float *values, std::size_t count,
                      ExponentCounts &exponents) {
  return HWY_DYNAMIC_DISPATCH(blockStatsOf)(values, count, exponents);
}

Range range(const float *values, std::size_t count) {
  return HWY_DYNAMIC_DISPATCH(rangeOf)(values, count);
}

void bucketIndices(const float *values, std::size_t count, double low,
                   double width, std::int32_t last, std::int32_t *indices) {
  HWY_DYNAMIC_DISPATCH(bucketIndicesOf)
  (values, count, low, width, last, indices);
}

void halfToFloat(const std::uint16_t *half, std::size_t count, float *values) {
  HWY_DYNAMIC_DISPATCH(halfToFloatOf)(half, count, values);
}

} // namespace popscope::summary::kernels
#endif
