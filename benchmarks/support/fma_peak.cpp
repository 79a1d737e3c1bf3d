#include "benchmarks/support/fma_peak.hpp"

#define HWY_DISABLED_TARGETS                                                   \
  (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "benchmarks/support/fma_peak.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace benchmarks {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

double runFmaPeak(double flops) {
  const hn::ScalableTag<float> d;
  // Enough to keep two units with a latency of five cycles busy.
  constexpr std::size_t kSums = 12;
  hn::Vec<decltype(d)> sums[kSums];
  for (auto &sum : sums)
    sum = hn::Zero(d);
  const auto x = hn::Set(d, 0.5f), y = hn::Set(d, 0.25f);
  const double perTurn = 2.0 * kSums * double(hn::Lanes(d));
  const auto turns = static_cast<std::size_t>(flops / perTurn) + 1;
  for (std::size_t turn = 0; turn < turns; ++turn)
#pragma GCC unroll 12
    for (auto &sum : sums)
      sum = hn::MulAdd(x, y, sum);
  auto total = hn::Zero(d);
  for (const auto &sum : sums)
    total = hn::Add(total, sum);
  // Or nothing would have to be computed.
  [[maybe_unused]] volatile float used = hn::GetLane(hn::SumOfLanes(d, total));
  return double(turns) * perTurn;
}

} // namespace HWY_NAMESPACE
} // namespace benchmarks
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace benchmarks {

HWY_EXPORT(runFmaPeak);

double runFmaPeak(double flops) {
  return HWY_DYNAMIC_DISPATCH(runFmaPeak)(flops);
}

} // namespace benchmarks
#endif
