#include "summary/statistics/half_float.hpp"
#include "summary/statistics/kernels.hpp"

#include <algorithm>

// foreach_target.h includes this file once per instruction set, so its place
// matters.
// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "summary/statistics/range_highway.cpp"
#include <hwy/foreach_target.h>
#include "summary/statistics/kernels_highway-inl.hpp"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace popscope::summary::kernels::HWY_NAMESPACE {

#if HWY_TARGET == HWY_SCALAR

// Without any vectors, the plain loops.
Range rangeOf(const float *values, std::size_t count) {
  return plain::range(values, count);
}

#else

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

#endif

// The compiler makes vectors of it, each time for another instruction set.
void halfToFloatOf(const std::uint16_t *HWY_RESTRICT half, std::size_t count,
                   float *HWY_RESTRICT values) {
  for (std::size_t i = 0; i < count; ++i)
    values[i] = floatOfHalf(half[i]);
}

} // namespace popscope::summary::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace popscope::summary::kernels {

HWY_EXPORT(rangeOf);
HWY_EXPORT(halfToFloatOf);

Range range(const float *values, std::size_t count) {
  return HWY_DYNAMIC_DISPATCH(rangeOf)(values, count);
}

void halfToFloat(const std::uint16_t *half, std::size_t count, float *values) {
  HWY_DYNAMIC_DISPATCH(halfToFloatOf)(half, count, values);
}

} // namespace popscope::summary::kernels
#endif
