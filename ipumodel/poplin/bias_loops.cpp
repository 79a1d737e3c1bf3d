#include "poplin/bias_loops.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "poplin/bias_loops.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace ipumodel {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using D = hn::ScalableTag<float>;

void addToSums(const float *x, std::size_t count, float *sums) {
  const D d;
  const std::size_t lanes = hn::Lanes(d);
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes)
    hn::StoreU(hn::Add(hn::LoadU(d, sums + i), hn::LoadU(d, x + i)), d,
               sums + i);
  for (; i < count; ++i)
    sums[i] += x[i];
}

void addBiasToRows(float *x, std::size_t rows, std::size_t channels,
                   const float *bias) {
  for (std::size_t r = 0; r < rows; ++r)
    addToSums(bias, channels, x + r * channels);
}

void applyRelu(float *x, std::size_t count) {
  const D d;
  const std::size_t lanes = hn::Lanes(d);
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    const auto value = hn::LoadU(d, x + i);
    hn::StoreU(hn::IfThenElseZero(hn::Gt(value, hn::Zero(d)), value), d, x + i);
  }
  for (; i < count; ++i)
    x[i] = x[i] > 0 ? x[i] : 0;
}

void sumRows(const float *x, std::size_t rows, std::size_t channels,
             float *sums) {
  const D d;
  const std::size_t lanes = hn::Lanes(d);
  std::size_t c = 0;
  for (; c + lanes <= channels; c += lanes) {
    auto sum = hn::Zero(d);
    for (std::size_t r = 0; r < rows; ++r)
      sum = hn::Add(sum, hn::LoadU(d, x + r * channels + c));
    hn::StoreU(sum, d, sums + c);
  }
  for (; c < channels; ++c) {
    float sum = 0;
    for (std::size_t r = 0; r < rows; ++r)
      sum += x[r * channels + c];
    sums[c] = sum;
  }
}

} // namespace HWY_NAMESPACE
} // namespace ipumodel
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ipumodel {

HWY_EXPORT(addToSums);
HWY_EXPORT(addBiasToRows);
HWY_EXPORT(applyRelu);
HWY_EXPORT(sumRows);

void addToSums(const float *x, std::size_t count, float *sums) {
  HWY_DYNAMIC_DISPATCH(addToSums)(x, count, sums);
}

void addBiasToRows(float *x, std::size_t rows, std::size_t channels,
                   const float *bias) {
  HWY_DYNAMIC_DISPATCH(addBiasToRows)(x, rows, channels, bias);
}

void applyRelu(float *x, std::size_t count) {
  HWY_DYNAMIC_DISPATCH(applyRelu)(x, count);
}

void sumRows(const float *x, std::size_t rows, std::size_t channels,
             float *sums) {
  HWY_DYNAMIC_DISPATCH(sumRows)(x, rows, channels, sums);
}

} // namespace ipumodel
#endif
