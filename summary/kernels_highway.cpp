#include "summary/kernels.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "summary/kernels_highway.cpp"
#include <algorithm>
#include <cmath>
#include <cstring>
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h> // compiles this file once per instruction set
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace popscope::summary::kernels::HWY_NAMESPACE {

#if HWY_TARGET == HWY_SCALAR

// Without any vectors, the plain loops.
BlockStats blockStatsOf(const float *values, std::size_t count,
                        ByteCounts &exponents) {
  return plain::leadingBlockStats(values, count, exponents);
}
Range rangeOf(const float *values, std::size_t count) {
  return plain::range(values, count);
}
void bucketBytesOf(const float *values, std::size_t count,
                   const UniformBuckets &buckets, std::uint8_t *bytes) {
  plain::bucketBytes(values, count, buckets, bytes);
}
void countBytesOf(const std::uint8_t *bytes, std::size_t count,
                  std::uint32_t low, std::uint32_t high, ByteCounts &counts) {
  plain::countBytes(bytes, count, low, high, counts);
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

template <class D, class V> hn::TFromD<D> sumOf(D d, V v) {
  return hn::GetLane(hn::SumOfLanes(d, v));
}

// Packs the lowest bytes of two vectors of 32-bit numbers below 256 into one
// vector of half as many bits. The order changes, which a histogram does not
// mind.
template <class V>
HWY_INLINE void storeLowBytes(V first, V second, std::uint8_t *to) {
  const hn::Repartition<std::int16_t, F32> d16;
  const hn::Rebind<std::uint8_t, decltype(d16)> d8;
  hn::StoreU(hn::DemoteTo(d8, hn::ReorderDemote2To(d16, first, second)), d8,
             to);
}

Range rangeOf(const float *HWY_RESTRICT values, std::size_t count) {
  const F32 d;
  const U32 du;
  const std::size_t lanes = hn::Lanes(d);
  const std::size_t head = blockLength(values, count, 0) % lanes;
  Range result = plain::range(values, head);
  values += head;
  count -= head;
  const std::size_t whole = count / (2 * lanes) * (2 * lanes);
  const Range tail = plain::range(values + whole, count - whole);
  result.allFinite = result.allFinite && tail.allFinite;
  result.min = std::min(result.min, tail.min);
  result.max = std::max(result.max, tail.max);
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

// Comparing all bytes with one value is far cheaper than one table access per
// byte, and a tensor's exponents span few values; beyond `kMostValues` of them
// the tables win.
constexpr std::uint32_t kMostValues = 32;

void countBytesOf(const std::uint8_t *HWY_RESTRICT bytes, std::size_t count,
                  std::uint32_t low, std::uint32_t high, ByteCounts &counts) {
  if (high - low >= kMostValues) {
    plain::countBytes(bytes, count, low, high, counts);
    return;
  }
  const hn::ScalableTag<std::uint8_t> d;
  const std::size_t lanes = hn::Lanes(d);
  const std::size_t whole = count / lanes * lanes;
  for (std::uint32_t value = low; value <= high; value += 4) {
    const auto v0 = hn::Set(d, static_cast<std::uint8_t>(value));
    const auto v1 = hn::Set(d, static_cast<std::uint8_t>(value + 1));
    const auto v2 = hn::Set(d, static_cast<std::uint8_t>(value + 2));
    const auto v3 = hn::Set(d, static_cast<std::uint8_t>(value + 3));
    std::uint64_t found[4] = {};
#if HWY_TARGET <= HWY_AVX3
    // Comparisons yield bit masks, which a scalar unit counts.
    for (std::size_t i = 0; i < whole; i += lanes) {
      const auto v = hn::LoadU(d, bytes + i);
      found[0] += hn::CountTrue(d, hn::Eq(v, v0));
      found[1] += hn::CountTrue(d, hn::Eq(v, v1));
      found[2] += hn::CountTrue(d, hn::Eq(v, v2));
      found[3] += hn::CountTrue(d, hn::Eq(v, v3));
    }
#else
    // Comparisons yield bytes of -1, counted in lanes of eight bits for as long
    // as those cannot overflow.
    const hn::Repartition<std::uint64_t, decltype(d)> d64;
    for (std::size_t begin = 0; begin < whole; begin += 255 * lanes) {
      const std::size_t end = std::min(begin + 255 * lanes, whole);
      auto c0 = hn::Zero(d), c1 = c0, c2 = c0, c3 = c0;
      for (std::size_t i = begin; i < end; i += lanes) {
        const auto v = hn::LoadU(d, bytes + i);
        c0 = hn::Sub(c0, hn::VecFromMask(d, hn::Eq(v, v0)));
        c1 = hn::Sub(c1, hn::VecFromMask(d, hn::Eq(v, v1)));
        c2 = hn::Sub(c2, hn::VecFromMask(d, hn::Eq(v, v2)));
        c3 = hn::Sub(c3, hn::VecFromMask(d, hn::Eq(v, v3)));
      }
      found[0] += sumOf(d64, hn::SumsOf8(c0));
      found[1] += sumOf(d64, hn::SumsOf8(c1));
      found[2] += sumOf(d64, hn::SumsOf8(c2));
      found[3] += sumOf(d64, hn::SumsOf8(c3));
    }
#endif
    for (std::uint32_t i = 0; i < 4 && value + i <= high; ++i)
      counts[value + i] += found[i];
  }
  for (std::size_t i = whole; i < count; ++i)
    if (bytes[i] >= low && bytes[i] <= high)
      ++counts[bytes[i]];
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
  if (!std::isfinite(classes.sum) && !rangeOf(values, stats.count).allFinite)
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
  countBytesOf(bytes, stats.count, lowest, highest, exponents);
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

// Buckets by division in double precision, as they are defined.
template <class V>
HWY_INLINE auto exactBuckets(V x, const UniformBuckets &buckets) {
  const hn::ScalableTag<double> d;
  const hn::Half<F32> half;
  const hn::Half<I32> halfIndex;
  const auto low = hn::Set(d, buckets.low);
  const auto width = hn::Set(d, buckets.width);
  const auto index = [&](auto part) HWY_ATTR {
    // Not negative, so rounding towards zero is floor.
    return hn::DemoteTo(halfIndex,
                        hn::Div(hn::Sub(hn::PromoteTo(d, part), low), width));
  };
  return hn::Combine(I32(), index(hn::UpperHalf(half, x)),
                     index(hn::LowerHalf(half, x)));
}

// In single precision the quotient is off by a few units in its last place.
// That matters only next to an edge between two buckets; vectors with an
// element there, which are rare, are done again exactly.
void bucketBytesOf(const float *HWY_RESTRICT values, std::size_t count,
                   const UniformBuckets &buckets,
                   std::uint8_t *HWY_RESTRICT bytes) {
  const auto low = static_cast<float>(buckets.low);
  const auto inverse = static_cast<float>(1 / buckets.width);
  const float bucketCount = float(buckets.last) + 1;
  const float range = inverse == 0 ? 0 : bucketCount / inverse;
  const std::size_t lanes = hn::Lanes(F32());
  const bool fits = std::isfinite(inverse) && std::isfinite(range) &&
                    std::isnormal(range) && double(low) == buckets.low;
  const std::size_t whole = fits ? count / (2 * lanes) * (2 * lanes) : 0;
  const F32 d;
  const I32 di;
  const auto lows = hn::Set(d, low);
  const auto inverses = hn::Set(d, inverse);
  const auto half = hn::Set(d, 0.5F);
  const auto nearEdge = hn::Set(d, 0.5F - bucketCount * 0x1p-21F);
  const auto end = hn::Set(d, bucketCount - 0.5F);
  const auto lasts = hn::Set(di, static_cast<std::int32_t>(buckets.last));
  const auto indexAt = [&](std::size_t at) HWY_ATTR {
    const auto x = hn::LoadU(d, values + at);
    const auto quotient = hn::Mul(hn::Sub(x, lows), inverses);
    auto index = hn::ConvertTo(di, quotient);
    const auto fraction = hn::Sub(quotient, hn::ConvertTo(d, index));
    const auto isNear = hn::Ge(hn::Abs(hn::Sub(fraction, half)), nearEdge);
    // The outermost edges have no bucket on their other side.
    const auto isInner = hn::And(hn::Gt(quotient, half), hn::Lt(quotient, end));
    if (!hn::AllFalse(d, hn::And(isNear, isInner)))
      index = exactBuckets(x, buckets);
    return hn::Min(index, lasts);
  };
  for (std::size_t i = 0; i < whole; i += 2 * lanes) {
    const auto first = indexAt(i);
    const auto second = indexAt(i + lanes);
    storeLowBytes(first, second, bytes + i);
  }
  plain::bucketBytes(values + whole, count - whole, buckets, bytes + whole);
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
HWY_EXPORT(bucketBytesOf);
HWY_EXPORT(countBytesOf);
HWY_EXPORT(halfToFloatOf);

BlockStats blockStats(const float *values, std::size_t count,
                      ByteCounts &exponents) {
  return HWY_DYNAMIC_DISPATCH(blockStatsOf)(values, count, exponents);
}

Range range(const float *values, std::size_t count) {
  return HWY_DYNAMIC_DISPATCH(rangeOf)(values, count);
}

void bucketBytes(const float *values, std::size_t count,
                 const UniformBuckets &buckets, std::uint8_t *bytes) {
  HWY_DYNAMIC_DISPATCH(bucketBytesOf)(values, count, buckets, bytes);
}

void countBytes(const std::uint8_t *bytes, std::size_t count, std::uint32_t low,
                std::uint32_t high, ByteCounts &counts) {
  HWY_DYNAMIC_DISPATCH(countBytesOf)(bytes, count, low, high, counts);
}

void halfToFloat(const std::uint16_t *half, std::size_t count, float *values) {
  HWY_DYNAMIC_DISPATCH(halfToFloatOf)(half, count, values);
}

} // namespace popscope::summary::kernels
#endif
