#include "summary/kernels.hpp"

#include <algorithm>
#include <cmath>

// foreach_target.h includes this file once per instruction set, so its place
// matters.
// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "summary/byte_counts_highway.cpp"
#include <hwy/foreach_target.h>
#include "summary/kernels_highway-inl.hpp"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace popscope::summary::kernels::HWY_NAMESPACE {

#if HWY_TARGET == HWY_SCALAR

// Without any vectors, the plain loops.
void bucketBytesOf(const float *values, std::size_t count,
                   const UniformBuckets &buckets, std::uint8_t *bytes) {
  plain::bucketBytes(values, count, buckets, bytes);
}
void countBytesOf(const std::uint8_t *bytes, std::size_t count,
                  std::uint32_t low, std::uint32_t high, ByteCounts &counts) {
  plain::countBytes(bytes, count, low, high, counts);
}

#else

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

#endif

} // namespace popscope::summary::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace popscope::summary::kernels {

HWY_EXPORT(bucketBytesOf);
HWY_EXPORT(countBytesOf);

void bucketBytes(const float *values, std::size_t count,
                 const UniformBuckets &buckets, std::uint8_t *bytes) {
  HWY_DYNAMIC_DISPATCH(bucketBytesOf)(values, count, buckets, bytes);
}

void countBytes(const std::uint8_t *bytes, std::size_t count, std::uint32_t low,
                std::uint32_t high, ByteCounts &counts) {
  HWY_DYNAMIC_DISPATCH(countBytesOf)(bytes, count, low, high, counts);
}

} // namespace popscope::summary::kernels
#endif
