#include "summary/statistics/kernels.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <hwy/cache_control.h>

// foreach_target.h includes this file once per instruction set, so its place
// matters.
// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "summary/statistics/byte_counts_highway.cpp"
#include <hwy/foreach_target.h>
#include "summary/statistics/nibble_counter_highway-inl.hpp"
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
                  std::uint32_t low, std::uint32_t high, ByteCounts &counts,
                  const void *) {
  plain::countBytes(bytes, count, low, high, counts);
}

#else

// Beyond that many values, one table access per byte is cheaper.
constexpr std::uint32_t kMostValues = 96;
// Cache lines that arrive during a round.
constexpr std::size_t kLinesPerRound = 12;
constexpr std::size_t kLineBytes = 64;

void countBytesOf(const std::uint8_t *HWY_RESTRICT bytes, std::size_t count,
                  std::uint32_t low, std::uint32_t high, ByteCounts &counts,
                  const void *next) {
  if (high - low >= kMostValues) {
    plain::countBytes(bytes, count, low, high, counts);
    return;
  }
  const U8 d;
  const std::size_t roundBytes = NibbleCounter::roundBytes();
  const std::size_t whole = count / roundBytes * roundBytes;
  // The rest as a round that is filled up with a value not asked for.
  HWY_ALIGN std::uint8_t last[NibbleCounter::kRound * HWY_MAX_BYTES];
  if (whole < count) {
    std::memset(last, static_cast<int>(high < 255 ? high + 1 : low - 1),
                roundBytes);
    std::memcpy(last, bytes + whole, count - whole);
  }
  // As a number: it leads past the end of an array.
  auto ahead = reinterpret_cast<std::uintptr_t>(next);
  for (std::uint32_t first = low; first <= high;
       first += NibbleCounter::kValues) {
    const auto start = hn::Set(d, static_cast<std::uint8_t>(first));
    const auto toIndex = [&](auto value) HWY_ATTR {
      return indexOrNone(hn::Sub(value, start));
    };
    NibbleCounter counter;
    for (std::size_t at = 0; at < whole; at += roundBytes) {
      for (std::size_t line = 0; next != nullptr && line < kLinesPerRound;
           ++line, ahead += kLineBytes)
        // NOLINTNEXTLINE(performance-no-int-to-ptr): it may be past the end
        hwy::Prefetch(reinterpret_cast<const char *>(ahead));
      counter.add(bytes + at, toIndex);
    }
    if (whole < count)
      counter.add(last, toIndex);
    std::uint64_t found[NibbleCounter::kValues] = {};
    counter.addTo(found);
    for (std::uint32_t i = 0; i < NibbleCounter::kValues && first + i <= high;
         ++i)
      counts[first + i] += found[i];
  }
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

constexpr std::size_t kVectors = 4; // whose buckets become one vector of bytes

void exactBytes(const float *HWY_RESTRICT values, const UniformBuckets &buckets,
                std::uint8_t *HWY_RESTRICT bytes) {
  const F32 d;
  const I32 di;
  const auto last = hn::Set(di, static_cast<std::int32_t>(buckets.last));
  const auto bucketsAt = [&](std::size_t vector) HWY_ATTR {
    const auto x = hn::LoadU(d, values + vector * hn::Lanes(d));
    const auto index = hn::Min(exactBuckets(x, buckets), last);
    return hn::BitCast(U32(), hn::ShiftLeft<16>(index));
  };
  hn::StoreU(
      packBytes<16>(bucketsAt(0), bucketsAt(1), bucketsAt(2), bucketsAt(3)),
      U8(), bytes);
}

// The quotient in single precision, as a whole number of kFractionBits more:
// adding 2^23 to a float leaves that in its lower bits. Below 2^22 it is off by
// less than two, which matters only next to an edge between two buckets; what
// is there, which is rare, is done again exactly.
template <int kFractionBits> struct FastBuckets {
  static constexpr std::int32_t kUnit = 1 << kFractionBits;
  static constexpr std::int32_t kNear = 2;
  static constexpr std::int32_t kBias = 0x4b000000; // the bits of 2^23

  static float inverse(const UniformBuckets &buckets) {
    return static_cast<float>(double(kUnit) / buckets.width);
  }

  static bool suits(const UniformBuckets &buckets) {
    const double count = double(buckets.last) + 1;
    return count * kUnit <= 0x1p22 && std::isnormal(inverse(buckets)) &&
           std::isnormal(static_cast<float>(count * buckets.width)) &&
           double(static_cast<float>(buckets.low)) == buckets.low;
  }

  static void bytes(const float *HWY_RESTRICT values, std::size_t count,
                    const UniformBuckets &buckets,
                    std::uint8_t *HWY_RESTRICT bytes) {
    const F32 d;
    const I32 di;
    const std::size_t lanes = hn::Lanes(d);
    const auto end = static_cast<std::int32_t>(buckets.last + 1) * kUnit;
    const auto low = hn::Set(d, static_cast<float>(buckets.low));
    const auto scale = hn::Set(d, inverse(buckets));
    const auto shift = hn::Set(d, 0x1p23F);
    const auto near = hn::Set(di, kNear);
    const auto fraction = hn::Set(di, kUnit - 1);
    // The outermost edges have no bucket on their other side.
    const auto first = hn::Set(di, kBias + kNear);
    const auto last = hn::Set(di, kBias + end - kNear - 1);
    for (std::size_t i = 0; i < count; i += kVectors * lanes) {
      auto distance = fraction; // from the edges
      const auto bucketsAt = [&](std::size_t vector) HWY_ATTR {
        const auto x = hn::LoadU(d, values + i + vector * lanes);
        const auto quotient = hn::Mul(hn::Sub(x, low), scale);
        const auto bits = hn::BitCast(di, hn::Add(quotient, shift));
        const auto inside = hn::Min(hn::Max(bits, first), last);
        distance = hn::Min(distance, hn::And(hn::Add(inside, near), fraction));
        return hn::BitCast(U32(), hn::ShiftLeft<16 - kFractionBits>(inside));
      };
      const auto b0 = bucketsAt(0), b1 = bucketsAt(1);
      const auto b2 = bucketsAt(2), b3 = bucketsAt(3);
      if (hn::AllFalse(di, hn::Lt(distance, hn::Set(di, 2 * kNear))))
        hn::StoreU(packBytes<16>(b0, b1, b2, b3), U8(), bytes + i);
      else
        exactBytes(values + i, buckets, bytes + i);
    }
  }
};

void bucketBytesOf(const float *HWY_RESTRICT values, std::size_t count,
                   const UniformBuckets &buckets,
                   std::uint8_t *HWY_RESTRICT bytes) {
  const std::size_t step = kVectors * hn::Lanes(F32());
  const std::size_t whole = count / step * step;
  if (FastBuckets<16>::suits(buckets))
    FastBuckets<16>::bytes(values, whole, buckets, bytes);
  else if (FastBuckets<14>::suits(buckets))
    FastBuckets<14>::bytes(values, whole, buckets, bytes);
  else
    for (std::size_t i = 0; i < whole; i += step)
      exactBytes(values + i, buckets, bytes + i);
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
                std::uint32_t high, ByteCounts &counts, const void *next) {
  HWY_DYNAMIC_DISPATCH(countBytesOf)(bytes, count, low, high, counts, next);
}

} // namespace popscope::summary::kernels
#endif
