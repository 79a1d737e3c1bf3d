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

#endif

} // namespace popscope::summary::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
