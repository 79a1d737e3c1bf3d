#include "summary/statistics/kernels.hpp"

#include <algorithm>
#include <cstring>

// foreach_target.h includes this file once per instruction set, so its place
// matters.
// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "summary/statistics/block_stats_highway.cpp"
#include <hwy/foreach_target.h>
#include "summary/statistics/exponent_counter_highway-inl.hpp"
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

// The shift and scale that elements get before they are summed. With the
// largest magnitude near one, squares of small gradients do not underflow and
// those of large activations do not overflow.
struct Frame {
  float scale; // a power of two, so scaling is exact
  float scaledShift;

  Frame(float shift, float absMax)
      : scale(fromBits(std::max(254 - (bitsOf(absMax) >> 23), 1u) << 23)),
        scaledShift(shift * scale) {}
  // No shift and no scale, if the elements are likely to need none.
  explicit Frame(const Expected &expected)
      : Frame(expected.mean, expected.absMax) {
    if (inRange(expected.absMax) &&
        2 * double(expected.mean) * double(expected.mean) <=
            expected.meanSquare) {
      scale = 1;
      scaledShift = 0;
    }
  }

  bool isPlain() const { return scale == 1 && scaledShift == 0; }
  // Whether no power of elements up to `top` leaves the range of float.
  static bool inRange(float top) {
    return top == 0 || (top > 0x1p-16F && top < 0x1p16F);
  }
};

// Sums by lane.
struct Totals {
  static constexpr std::size_t kDoubles = HWY_MAX_BYTES / sizeof(double);
  HWY_ALIGN double s1[kDoubles] = {};
  HWY_ALIGN double s2[kDoubles] = {};
  HWY_ALIGN double s3[kDoubles] = {};
  HWY_ALIGN double s4[kDoubles] = {};
  HWY_ALIGN double sumAbs[kDoubles] = {};
  HWY_ALIGN std::int32_t absMax[HWY_MAX_BYTES / sizeof(float)] = {}; // as bits
  std::size_t signs = 0;
};

// Adds the lanes of a float vector to doubles.
template <class V> HWY_INLINE void widen(V v, double *HWY_RESTRICT sum) {
  const hn::ScalableTag<double> d;
  const hn::Half<F32> half;
  const auto both = hn::Add(hn::PromoteTo(d, hn::LowerHalf(half, v)),
                            hn::PromoteTo(d, hn::UpperHalf(half, v)));
  hn::Store(hn::Add(hn::Load(d, sum), both), d, sum);
}

double totalOf(const double *sum) {
  const hn::ScalableTag<double> d;
  return sumOf(d, hn::Load(d, sum));
}

// Elements that are taken in at a time: those whose exponents make a round. A
// float sum takes few terms before it is widened to double, so that one outlier
// does not swallow the others.
std::size_t chunkSize() { return NibbleCounter::roundBytes(); }

enum class Found { nonFinite, exponentsInWindow, otherExponents };

// Takes in a chunk, or less, of a multiple of four vectors, unless it has a NaN
// or an infinity. Stores the exponents minus `first`.
template <bool kPlain>
HWY_NOINLINE Found takeChunk(const float *HWY_RESTRICT values,
                             std::size_t count, const Frame &frame,
                             std::uint32_t first, Totals &totals,
                             std::uint8_t *HWY_RESTRICT exponents) {
  const F32 d;
  const U32 du;
  const I32 di;
  const U8 d8;
  const std::size_t lanes = hn::Lanes(d);
  const auto scale = hn::Set(d, frame.scale);
  const auto shift = hn::Set(d, frame.scaledShift);
  const auto start = hn::Set(d8, static_cast<std::uint8_t>(first));
  auto s1 = hn::Zero(d), s2 = s1, sumAbs = s1;
  auto s3a = s1, s3b = s1, s4a = s1, s4b = s1; // a sum waits for itself
  auto absMax = hn::Load(di, totals.absMax);
  auto highest = hn::Zero(d8);
  std::size_t signs = 0;
  const auto framed = [&](auto x) SUMMARY_INLINE {
    if constexpr (kPlain)
      return x;
    else
      return hn::MulSub(x, scale, shift);
  };
  const auto takeTwo = [&](const float *low, const float *high,
                           auto merge) SUMMARY_INLINE {
    const auto x0 = hn::LoadU(d, low);
    const auto c0 = framed(x0);
    const auto square0 = hn::Mul(c0, c0);
    s3a = hn::MulAdd(square0, c0, s3a);
    s4a = hn::MulAdd(square0, square0, s4a);
    settle(s3a);
    settle(s4a);
    const auto x1 = hn::LoadU(d, high);
    const auto c1 = framed(x1);
    const auto square1 = hn::Mul(c1, c1);
    s3b = hn::MulAdd(square1, c1, s3b);
    s4b = hn::MulAdd(square1, square1, s4b);
    s2 = hn::Add(s2, hn::Add(square0, square1));
    settle(s3b);
    settle(s4b);
    settle(s2);
    s1 = hn::Add(s1, hn::Add(c0, c1));
    settle(s1);
    const auto abs0 = hn::Abs(x0), abs1 = hn::Abs(x1);
    if constexpr (kPlain)
      sumAbs = hn::Add(sumAbs, hn::Add(abs0, abs1));
    else
      sumAbs = hn::Add(sumAbs, hn::MulAdd(abs1, scale, hn::Mul(abs0, scale)));
    absMax =
        hn::Max(absMax, hn::Max(hn::BitCast(di, abs0), hn::BitCast(di, abs1)));
    settle(sumAbs);
    settle(absMax);
    signs += hn::CountTrue(di, hn::Lt(hn::BitCast(di, x0), hn::Zero(di)));
    signs += hn::CountTrue(di, hn::Lt(hn::BitCast(di, x1), hn::Zero(di)));
    auto bytes = merge(hn::BitCast(du, x0), hn::BitCast(du, x1));
    settle(bytes);
    return bytes;
  };
  for (std::size_t i = 0; i < count; i += 4 * lanes) {
    const float *at = values + i;
    const auto a =
        takeTwo(at, at + 2 * lanes, [](auto low, auto high) SUMMARY_INLINE {
          return firstAndThird<23>(low, high);
        });
    const auto b = takeTwo(at + lanes, at + 3 * lanes,
                           [](auto low, auto high) SUMMARY_INLINE {
                             return firstAndThird<15>(low, high);
                           });
    const auto offsets = hn::Sub(mergeBytes(b, a), start);
    highest = hn::Max(highest, offsets);
    hn::StoreU(offsets, d8, exponents + i);
  }
  const auto infinity = hn::Set(di, static_cast<std::int32_t>(kInfinityBits));
  if (!hn::AllTrue(di, hn::Lt(absMax, infinity)))
    return Found::nonFinite;
  hn::Store(absMax, di, totals.absMax);
  widen(s1, totals.s1);
  widen(s2, totals.s2);
  widen(hn::Add(s3a, s3b), totals.s3);
  widen(hn::Add(s4a, s4b), totals.s4);
  widen(sumAbs, totals.sumAbs);
  totals.signs += signs;
  const auto last = hn::Set(d8, NibbleCounter::kValues - 1);
  return hn::AllTrue(d8, hn::Eq(hn::Max(highest, last), last))
             ? Found::exponentsInWindow
             : Found::otherExponents;
}

// What one pass over a block yields, besides its exponents.
struct Pass {
  std::size_t count; // of elements before the chunk with the first bad one
  std::size_t signs; // elements with the sign bit, zeros included
  float absMax;
  double s1, s2, s3, s4, sumAbs; // scaled

  double mean(const Frame &frame) const {
    return (double(frame.scaledShift) + s1 / double(count)) /
           double(frame.scale);
  }
  // Whether the frame suited the block: no power left the range of float, and
  // the shift is within a standard deviation of the mean, so that little
  // cancels.
  bool suits(const Frame &frame) const {
    return Frame::inRange(absMax * frame.scale) &&
           2 * s1 * s1 <= s2 * double(count);
  }
};

Pass passOver(const float *HWY_RESTRICT values, std::size_t count,
              const Frame &frame, std::uint32_t firstExponent,
              ExponentCounter *exponents) {
  HWY_ALIGN std::uint8_t bytes[NibbleCounter::kRound * HWY_MAX_BYTES];
  const auto take = frame.isPlain() ? takeChunk<true> : takeChunk<false>;
  Totals totals;
  std::size_t taken = 0;
  while (taken < count) {
    const std::size_t size = std::min(chunkSize(), count - taken);
    const Found found =
        take(values + taken, size, frame, firstExponent, totals, bytes);
    if (found == Found::nonFinite)
      break;
    taken += size;
    if (exponents != nullptr)
      exponents->add(bytes, size, found == Found::exponentsInWindow);
  }
  const auto absMax = hn::MaxOfLanes(I32(), hn::Load(I32(), totals.absMax));
  return {taken,
          totals.signs,
          fromBits(static_cast<std::uint32_t>(hn::GetLane(absMax))),
          totalOf(totals.s1),
          totalOf(totals.s2),
          totalOf(totals.s3),
          totalOf(totals.s4),
          totalOf(totals.sumAbs)};
}

// Extremes, searched only in blocks that may exceed the expected ones.
struct SmallElements {
  std::size_t zeros, negativeZeros;
  std::uint32_t absMinBits; // of the elements not zero; 0 if all are
};

SmallElements smallElements(const float *HWY_RESTRICT values,
                            std::size_t count) {
  const F32 d;
  const U32 du;
  const I32 di;
  const auto one = hn::Set(du, 1);
  auto zeros = hn::Zero(di), negative = zeros;
  auto absMinLessOne = hn::Set(du, 0xffffffffu);
  for (std::size_t i = 0; i < count; i += hn::Lanes(d)) {
    const auto x = hn::LoadU(d, values + i);
    const auto magnitude = hn::BitCast(di, hn::Abs(x));
    const auto isZero = hn::VecFromMask(di, hn::Eq(magnitude, hn::Zero(di)));
    zeros = hn::Sub(zeros, isZero);
    negative = hn::Sub(negative,
                       hn::And(isZero, hn::ShiftRight<31>(hn::BitCast(di, x))));
    // Subtracting one takes zero out of the way of the minimum.
    absMinLessOne =
        hn::Min(absMinLessOne, hn::Sub(hn::BitCast(du, magnitude), one));
  }
  return {std::size_t(sumOf(di, zeros)), std::size_t(sumOf(di, negative)),
          hn::GetLane(hn::MinOfLanes(du, absMinLessOne)) + 1};
}

// The smallest magnitude.
float absMinOf(const float *HWY_RESTRICT values, std::size_t count) {
  const F32 d;
  const std::size_t lanes = hn::Lanes(d);
  auto least0 = hn::Abs(hn::LoadU(d, values)), least1 = least0;
  for (std::size_t i = 0; i < count; i += 2 * lanes) {
    least0 = hn::Min(least0, hn::Abs(hn::LoadU(d, values + i)));
    least1 = hn::Min(least1, hn::Abs(hn::LoadU(d, values + i + lanes)));
  }
  return hn::GetLane(hn::MinOfLanes(d, hn::Min(least0, least1)));
}

// Whether the block may have an element beyond the expected extremes.
bool mayExceed(const Expected &expected, const Pass &pass, float absMin) {
  const float low = pass.signs > 0 ? -pass.absMax : absMin;
  const float high = pass.signs < pass.count ? pass.absMax : -absMin;
  return low < expected.min || high > expected.max;
}

BlockStats blockStatsOf(const float *HWY_RESTRICT values, std::size_t count,
                        const Expected &expected, ByteCounts &exponents) {
  const std::size_t step = 4 * hn::Lanes(F32());
  const std::size_t whole = std::min(count, kLongBlock) / step * step;
  Frame frame(expected);
  ExponentCounter counter(expected.firstExponent, exponents);
  Pass pass = passOver(values, whole, frame, expected.firstExponent, &counter);
  if (pass.count == 0)
    return {};
  const auto again = [&](const Frame &other) {
    frame = other;
    pass = passOver(values, pass.count, frame, expected.firstExponent, nullptr);
  };
  if (!Frame::inRange(pass.absMax * frame.scale)) {
    // Not even the mean is known.
    const Range found = range(values, pass.count);
    again(Frame(found.min / 2 + found.max / 2, pass.absMax));
  }
  if (!pass.suits(frame))
    again(Frame(static_cast<float>(pass.mean(frame)), pass.absMax));

  BlockStats stats;
  stats.count = pass.count;
  stats.absMax = pass.absMax;
  stats.negative = pass.signs;
  counter.finish();
  stats.otherExponents = counter.numOthers();
  // No element is nearer to zero.
  const float absMin = fromBits(counter.lowest() << 23);
  if (absMin == 0) {
    const SmallElements found = smallElements(values, stats.count);
    stats.zero = found.zeros;
    stats.negative -= found.negativeZeros;
    if (stats.zero < stats.count)
      stats.absMinNonZero = fromBits(found.absMinBits);
  } else if (absMin < expected.absMinNonZero) {
    stats.absMinNonZero = absMinOf(values, stats.count);
  }
  if (mayExceed(expected, pass, absMin)) {
    const Range found = range(values, stats.count);
    stats.min = found.min;
    stats.max = found.max;
  }

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
