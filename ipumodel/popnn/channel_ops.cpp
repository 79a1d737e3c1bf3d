#include "popnn/channel_ops.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "popnn/channel_ops.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace ipumodel {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using D = hn::ScalableTag<float>;

// Calls f(tag, offset) for whole vectors, then for single elements.
template <class F> HWY_INLINE void forVectors(std::size_t n, F &&f) {
  const D d;
  const std::size_t lanes = hn::Lanes(d);
  std::size_t i = 0;
  for (; i + lanes <= n; i += lanes)
    f(d, i);
  const hn::CappedTag<float, 1> one;
  for (; i < n; ++i)
    f(one, i);
}

void maxChannels(float *acc, const float *x, std::size_t n) {
  forVectors(n, [=](auto d, std::size_t i) {
    const auto a = hn::LoadU(d, acc + i), b = hn::LoadU(d, x + i);
    hn::StoreU(hn::IfThenElse(hn::Gt(b, a), b, a), d, acc + i);
  });
}

void addChannels(float *acc, const float *x, float factor, std::size_t n) {
  forVectors(n, [=](auto d, std::size_t i) {
    hn::StoreU(hn::MulAdd(hn::Set(d, factor), hn::LoadU(d, x + i),
                          hn::LoadU(d, acc + i)),
               d, acc + i);
  });
}

void countEqual(float *acc, const float *x, const float *y, std::size_t n) {
  forVectors(n, [=](auto d, std::size_t i) {
    const auto equal = hn::Eq(hn::LoadU(d, x + i), hn::LoadU(d, y + i));
    hn::StoreU(hn::Add(hn::LoadU(d, acc + i),
                       hn::IfThenElseZero(equal, hn::Set(d, 1.0f))),
               d, acc + i);
  });
}

void addWhereEqual(float *acc, const float *x, const float *y,
                   const float *gradient, std::size_t n) {
  forVectors(n, [=](auto d, std::size_t i) {
    const auto equal = hn::Eq(hn::LoadU(d, x + i), hn::LoadU(d, y + i));
    hn::StoreU(hn::Add(hn::LoadU(d, acc + i),
                       hn::IfThenElseZero(equal, hn::LoadU(d, gradient + i))),
               d, acc + i);
  });
}

void divideChannels(float *x, const float *y, std::size_t n) {
  forVectors(n, [=](auto d, std::size_t i) {
    hn::StoreU(hn::Div(hn::LoadU(d, x + i), hn::LoadU(d, y + i)), d, x + i);
  });
}

} // namespace HWY_NAMESPACE
} // namespace ipumodel
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ipumodel {

HWY_EXPORT(maxChannels);
HWY_EXPORT(addChannels);
HWY_EXPORT(countEqual);
HWY_EXPORT(addWhereEqual);
HWY_EXPORT(divideChannels);

void maxChannels(float *acc, const float *x, std::size_t n) {
  HWY_DYNAMIC_DISPATCH(maxChannels)(acc, x, n);
}
void addChannels(float *acc, const float *x, float factor, std::size_t n) {
  HWY_DYNAMIC_DISPATCH(addChannels)(acc, x, factor, n);
}
void countEqual(float *acc, const float *x, const float *y, std::size_t n) {
  HWY_DYNAMIC_DISPATCH(countEqual)(acc, x, y, n);
}
void addWhereEqual(float *acc, const float *x, const float *y,
                   const float *gradient, std::size_t n) {
  HWY_DYNAMIC_DISPATCH(addWhereEqual)(acc, x, y, gradient, n);
}
void divideChannels(float *x, const float *y, std::size_t n) {
  HWY_DYNAMIC_DISPATCH(divideChannels)(x, y, n);
}

} // namespace ipumodel
#endif
