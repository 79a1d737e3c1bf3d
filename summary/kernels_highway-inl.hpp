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

// One byte of each 32-bit number of four vectors, the one that begins with bit
// kBit, as one vector. The order changes, which a histogram does not mind.
template <int kBit, class V> HWY_INLINE auto packBytes(V a, V b, V c, V d) {
  static_assert(kBit >= 16 && kBit < 24);
  const U32 du;
  const auto low = hn::And(hn::ShiftRight<kBit>(a), hn::Set(du, 0xff));
  const auto second =
      hn::OrAnd(low, hn::ShiftRight<kBit - 8>(b), hn::Set(du, 0xff00));
  const auto third =
      hn::OrAnd(second, hn::ShiftRight<kBit - 16>(c), hn::Set(du, 0xff0000));
  return hn::BitCast(U8(), hn::OrAnd(third, hn::ShiftLeft<24 - kBit>(d),
                                     hn::Set(du, 0xff000000u)));
}

#endif

} // namespace popscope::summary::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
