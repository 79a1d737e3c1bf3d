// What the vectorised kernels share, compiled once per instruction set.
#if defined(POPSCOPE_SUMMARY_KERNELS_HIGHWAY_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef POPSCOPE_SUMMARY_KERNELS_HIGHWAY_INL
#undef POPSCOPE_SUMMARY_KERNELS_HIGHWAY_INL
#else
#define POPSCOPE_SUMMARY_KERNELS_HIGHWAY_INL
#endif

#include <cstdint>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace popscope::summary::kernels::HWY_NAMESPACE {

#if HWY_TARGET != HWY_SCALAR

namespace hn = hwy::HWY_NAMESPACE;

using F32 = hn::ScalableTag<float>;
using U32 = hn::RebindToUnsigned<F32>;
using I32 = hn::RebindToSigned<F32>;

constexpr std::uint32_t kInfinityBits = 0x7f800000u;

template <class D, class V> hn::TFromD<D> sumOf(D d, V v) {
  return hn::GetLane(hn::SumOfLanes(d, v));
}

using U8 = hn::Repartition<std::uint8_t, F32>;

// For lambdas that a loop calls several times.
#define SUMMARY_INLINE HWY_ATTR __attribute__((always_inline))

// Has `v` computed before what follows. Where sums and constants just fit into
// the registers, mixing the operations of several elements would spill them.
template <class V> HWY_INLINE void settle(V &v) {
#if HWY_ARCH_X86
  __asm__ volatile("" : "+x"(v.raw));
#else
  (void)v;
#endif
}

// The byte that begins with bit kShift of each 32-bit number: those of `low` as
// the first byte of a number, those of `high` as the third. The second and the
// fourth hold anything.
template <int kShift, class V> HWY_INLINE auto firstAndThird(V low, V high) {
  const hn::Repartition<std::uint16_t, U32> halves;
  const auto upper = [&]() HWY_ATTR {
    if constexpr (kShift >= 16)
      return hn::ShiftRight<kShift - 16>(high);
    else
      return hn::ShiftLeft<16 - kShift>(high);
  };
  return hn::OddEven(hn::BitCast(halves, upper()),
                     hn::BitCast(halves, hn::ShiftRight<kShift>(low)));
}

// The second and the fourth byte of one, the first and the third of the other.
template <class V> HWY_INLINE auto mergeBytes(V secondAndFourth, V others) {
  return hn::OddEven(hn::BitCast(U8(), secondAndFourth),
                     hn::BitCast(U8(), others));
}

// One byte of each 32-bit number of four vectors, the one that begins with bit
// kBit, as one vector. The order changes, which a histogram does not mind.
template <int kBit, class V> HWY_INLINE auto packBytes(V a, V b, V c, V d) {
  return mergeBytes(firstAndThird<kBit - 8>(b, d), firstAndThird<kBit>(a, c));
}

#endif

} // namespace popscope::summary::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
