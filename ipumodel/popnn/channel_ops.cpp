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

// Calls f(tag, result, element) for the channels of every window: the places of
// the result and of the window's first element.
template <class F> HWY_INLINE void forWindows(const WindowRow &row, F &&f) {
  for (std::size_t w = 0; w < row.count; ++w)
    forVectors(row.channels, [&](auto d, std::size_t c) HWY_ATTR {
      f(d, w * row.channels + c, w * row.inStep + c);
    });
}

template <class F>
HWY_INLINE void forElements(const Window &window, std::size_t channels, F &&f) {
  for (std::size_t i = 0; i < window.depth; ++i)
    for (std::size_t j = 0; j < window.height; ++j) {
      std::size_t at = i * window.depthStep + j * window.rowStep;
      for (std::size_t k = 0; k < window.width; ++k, at += channels)
        f(at);
    }
}

void maxWindows(const WindowRow &row, const float *in, float lowest,
                float *out) {
  forWindows(row, [&](auto d, std::size_t to, std::size_t from) HWY_ATTR {
    auto largest = hn::Set(d, lowest);
    forElements(row.window, row.channels, [&](std::size_t at) HWY_ATTR {
      const auto x = hn::LoadU(d, in + from + at);
      largest = hn::IfThenElse(hn::Gt(x, largest), x, largest);
    });
    hn::StoreU(largest, d, out + to);
  });
}

void sumWindows(const WindowRow &row, const float *in, float factor,
                float *out) {
  forWindows(row, [&](auto d, std::size_t to, std::size_t from) HWY_ATTR {
    auto sum = hn::Zero(d);
    forElements(row.window, row.channels, [&](std::size_t at) HWY_ATTR {
      sum = hn::MulAdd(hn::Set(d, factor), hn::LoadU(d, in + from + at), sum);
    });
    hn::StoreU(sum, d, out + to);
  });
}

void spreadToMaxima(const WindowRow &row, const float *in, const float *pooled,
                    const float *gradient, SpreadMode mode, float *to) {
  forWindows(row, [&](auto d, std::size_t result, std::size_t from) HWY_ATTR {
    const auto maximum = hn::LoadU(d, pooled + result);
    auto share = hn::LoadU(d, gradient + result);
    if (mode.shareTies) {
      auto ties = hn::Zero(d);
      forElements(row.window, row.channels, [&](std::size_t at) HWY_ATTR {
        const auto equal = hn::Eq(hn::LoadU(d, in + from + at), maximum);
        ties = hn::Add(ties, hn::IfThenElseZero(equal, hn::Set(d, 1.0f)));
      });
      share = hn::Div(share, ties);
    }
    forElements(row.window, row.channels, [&](std::size_t at) HWY_ATTR {
      const auto equal = hn::Eq(hn::LoadU(d, in + from + at), maximum);
      auto gained = hn::IfThenElseZero(equal, share);
      if (mode.overlap)
        gained = hn::Add(hn::LoadU(d, to + from + at), gained);
      hn::StoreU(gained, d, to + from + at);
    });
  });
}

void spreadEvenly(const WindowRow &row, const float *gradient, float factor,
                  float *to) {
  forWindows(row, [&](auto d, std::size_t result, std::size_t from) HWY_ATTR {
    const auto share = hn::LoadU(d, gradient + result);
    forElements(row.window, row.channels, [&](std::size_t at) HWY_ATTR {
      hn::StoreU(
          hn::MulAdd(hn::Set(d, factor), share, hn::LoadU(d, to + from + at)),
          d, to + from + at);
    });
  });
}

} // namespace HWY_NAMESPACE
} // namespace ipumodel
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ipumodel {

HWY_EXPORT(maxWindows);
HWY_EXPORT(sumWindows);
HWY_EXPORT(spreadToMaxima);
HWY_EXPORT(spreadEvenly);

void maxWindows(const WindowRow &row, const float *in, float lowest,
                float *out) {
  HWY_DYNAMIC_DISPATCH(maxWindows)(row, in, lowest, out);
}
void sumWindows(const WindowRow &row, const float *in, float factor,
                float *out) {
  HWY_DYNAMIC_DISPATCH(sumWindows)(row, in, factor, out);
}
void spreadToMaxima(const WindowRow &row, const float *in, const float *pooled,
                    const float *gradient, SpreadMode mode, float *to) {
  HWY_DYNAMIC_DISPATCH(spreadToMaxima)
  (row, in, pooled, gradient, mode, to);
}
void spreadEvenly(const WindowRow &row, const float *gradient, float factor,
                  float *to) {
  HWY_DYNAMIC_DISPATCH(spreadEvenly)(row, gradient, factor, to);
}

} // namespace ipumodel
#endif
