#include "poplin/norm_loops.hpp"

// Vectors of unknown size cannot be stored in arrays of accumulators.
#define HWY_DISABLED_TARGETS                                                   \
  (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "poplin/norm_loops.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace ipumodel {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using D = hn::ScalableTag<float>;
using V = hn::Vec<D>;

// Two sums over rows, of which several vectors are in progress at once. `step`
// adds vectors of both rows to both sums; zeros add nothing.
template <class Step>
HWY_INLINE void sumPairs(const float *x, const float *y, std::size_t n,
                         float (&result)[2], const Step &step) {
  constexpr std::size_t kChains = 4;
  const D d;
  const std::size_t lanes = hn::Lanes(d);
  V first[kChains], second[kChains];
  for (std::size_t c = 0; c < kChains; ++c)
    first[c] = second[c] = hn::Zero(d);
  std::size_t i = 0;
  for (; i + kChains * lanes <= n; i += kChains * lanes)
#pragma GCC unroll 4
    for (std::size_t c = 0; c < kChains; ++c)
      step(hn::LoadU(d, x + i + c * lanes), hn::LoadU(d, y + i + c * lanes),
           first[c], second[c]);
  for (; i < n; i += lanes) {
    const auto mask = hn::FirstN(d, n - i);
    step(hn::MaskedLoad(mask, d, x + i), hn::MaskedLoad(mask, d, y + i),
         first[0], second[0]);
  }
  const auto join = [&](const V(&sums)[kChains]) HWY_ATTR {
    return hn::GetLane(hn::SumOfLanes(
        d, hn::Add(hn::Add(sums[0], sums[1]), hn::Add(sums[2], sums[3]))));
  };
  result[0] = join(first);
  result[1] = join(second);
}

void momentsOf(const float *x, std::size_t n, float (&result)[2]) {
  sumPairs(x, x, n, result, [](V a, V, V &sum, V &squares) HWY_ATTR {
    sum = hn::Add(sum, a);
    squares = hn::MulAdd(a, a, squares);
  });
}

void normGradientSums(const float *whitened, const float *gradients,
                      std::size_t n, float (&result)[2]) {
  sumPairs(whitened, gradients, n, result,
           [](V w, V g, V &products, V &sum) HWY_ATTR {
             products = hn::MulAdd(w, g, products);
             sum = hn::Add(sum, g);
           });
}

float squaredDistance(const float *x, float mean, std::size_t n) {
  const D d;
  const std::size_t lanes = hn::Lanes(d);
  const V centre = hn::Set(d, mean);
  V sum = hn::Zero(d);
  for (std::size_t i = 0; i < n; i += lanes) {
    const auto mask = hn::FirstN(d, n - i);
    const V distance = hn::IfThenElseZero(
        mask, hn::Sub(hn::MaskedLoad(mask, d, x + i), centre));
    sum = hn::MulAdd(distance, distance, sum);
  }
  return hn::GetLane(hn::SumOfLanes(d, sum));
}

void normGradient(const float *whitened, const float *gradients,
                  const float (&means)[2], float scale, float *out,
                  std::size_t n) {
  const D d;
  const std::size_t lanes = hn::Lanes(d);
  const V products = hn::Set(d, means[0]), mean = hn::Set(d, means[1]);
  const V factor = hn::Set(d, scale);
  const auto at = [&](V w, V g) HWY_ATTR {
    return hn::Mul(hn::NegMulAdd(w, products, hn::Sub(g, mean)), factor);
  };
  std::size_t i = 0;
  for (; i + lanes <= n; i += lanes)
    hn::StoreU(at(hn::LoadU(d, whitened + i), hn::LoadU(d, gradients + i)), d,
               out + i);
  if (i == n)
    return;
  const auto mask = hn::FirstN(d, n - i);
  hn::BlendedStore(at(hn::MaskedLoad(mask, d, whitened + i),
                      hn::MaskedLoad(mask, d, gradients + i)),
                   mask, d, out + i);
}

} // namespace HWY_NAMESPACE
} // namespace ipumodel
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ipumodel {

HWY_EXPORT(momentsOf);
HWY_EXPORT(squaredDistance);
HWY_EXPORT(normGradientSums);
HWY_EXPORT(normGradient);

RowMoments momentsOf(const float *x, std::size_t n) {
  float sums[2];
  HWY_DYNAMIC_DISPATCH(momentsOf)(x, n, sums);
  return {sums[0], sums[1]};
}

float squaredDistance(const float *x, float mean, std::size_t n) {
  return HWY_DYNAMIC_DISPATCH(squaredDistance)(x, mean, n);
}

RowGradientSums normGradientSums(const float *whitened, const float *gradients,
                                 std::size_t n) {
  float sums[2];
  HWY_DYNAMIC_DISPATCH(normGradientSums)(whitened, gradients, n, sums);
  return {sums[0], sums[1]};
}

void normGradient(const float *whitened, const float *gradients,
                  RowGradientSums means, float scale, float *out,
                  std::size_t n) {
  const float factors[2] = {means.products, means.gradients};
  HWY_DYNAMIC_DISPATCH(normGradient)
  (whitened, gradients, factors, scale, out, n);
}

} // namespace ipumodel
#endif
