#include "poplin/conv/winograd_deltas_loops.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "poplin/conv/winograd_deltas_loops.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace ipumodel {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Calls f(tag, i) for i in [0, count): vector by vector, then one by one.
template <class F> HWY_INLINE void forAll(std::size_t count, F &&f) {
  const hn::ScalableTag<float> d;
  const std::size_t lanes = hn::Lanes(d);
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes)
    f(d, i);
  for (; i < count; ++i)
    f(hn::CappedTag<float, 1>(), i);
}

// The transform of 2x2 elements y is A y A', with A of
//   1  0
//   1  1
//   1 -1
//   0 -1
template <class V>
HWY_INLINE void spread(const V &y0, const V &y1, V (&to)[4]) {
  to[0] = y0;
  to[1] = hn::Add(y0, y1);
  to[2] = hn::Sub(y0, y1);
  to[3] = hn::Neg(y1);
}

void transformDeltas(const WinogradField &field, std::size_t first,
                     std::size_t count, const float *deltas, float *planes,
                     std::size_t step) {
  const WinogradField &f = field;
  const std::size_t across = f.tilesAcross();
  for (std::size_t tile = 0; tile < count; ++tile) {
    const std::size_t line = (first + tile) / across * 2;
    const std::size_t column = (first + tile) % across * 2;
    const bool hasLine = line + 1 < f.lines;
    const bool hasColumn = column + 1 < f.columns;
    const float *const from =
        deltas + line * f.outLine + column * f.outChannels;
    float *const to = planes + tile * f.outChannels;
    forAll(f.outChannels, [&](auto d, std::size_t i) HWY_ATTR {
      using V = hn::Vec<decltype(d)>;
      const auto at = [&](bool isThere, std::size_t offset) HWY_ATTR {
        return isThere ? hn::LoadU(d, from + offset + i) : hn::Zero(d);
      };
      V columns[2][4];
      spread(at(true, 0), at(hasLine, f.outLine), columns[0]);
      spread(at(hasColumn, f.outChannels),
             at(hasLine && hasColumn, f.outLine + f.outChannels), columns[1]);
#pragma GCC unroll 4
      for (std::size_t h = 0; h < 4; ++h) {
        V row[4];
        spread(columns[0][h], columns[1][h], row);
#pragma GCC unroll 4
        for (std::size_t w = 0; w < 4; ++w)
          hn::StoreU(row[w], d, to + (h * 4 + w) * step + i);
      }
    });
  }
}

// The gradient is G' s G, with G' of
//   1  1/2  1/2  0
//   0  1/2 -1/2  0
//   0  1/2  1/2  1
template <class D, class V>
HWY_INLINE void gather(D d, const V (&s)[4], V (&to)[3]) {
  const V half = hn::Set(d, 0.5f);
  const V sum = hn::Mul(half, hn::Add(s[1], s[2]));
  to[0] = hn::Add(s[0], sum);
  to[1] = hn::Mul(half, hn::Sub(s[1], s[2]));
  to[2] = hn::Add(sum, s[3]);
}

void addKernelDeltas(const float *planes, std::size_t size, float *gradient) {
  forAll(size, [&](auto d, std::size_t i) HWY_ATTR {
    using V = hn::Vec<decltype(d)>;
    V columns[4][3];
#pragma GCC unroll 4
    for (std::size_t w = 0; w < 4; ++w) {
      V s[4];
#pragma GCC unroll 4
      for (std::size_t h = 0; h < 4; ++h)
        s[h] = hn::LoadU(d, planes + (h * 4 + w) * size + i);
      gather(d, s, columns[w]);
    }
#pragma GCC unroll 3
    for (std::size_t h = 0; h < 3; ++h) {
      const V s[4] = {columns[0][h], columns[1][h], columns[2][h],
                      columns[3][h]};
      V row[3];
      gather(d, s, row);
#pragma GCC unroll 3
      for (std::size_t w = 0; w < 3; ++w) {
        float *const to = gradient + (h * 3 + w) * size + i;
        hn::StoreU(hn::Add(hn::LoadU(d, to), row[w]), d, to);
      }
    }
  });
}

} // namespace HWY_NAMESPACE
} // namespace ipumodel
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ipumodel {

HWY_EXPORT(transformDeltas);
HWY_EXPORT(addKernelDeltas);

void transformDeltas(const WinogradField &field, std::size_t first,
                     std::size_t count, const float *deltas, float *planes,
                     std::size_t step) {
  HWY_DYNAMIC_DISPATCH(transformDeltas)
  (field, first, count, deltas, planes, step);
}

void addKernelDeltas(const float *planes, std::size_t size, float *gradient) {
  HWY_DYNAMIC_DISPATCH(addKernelDeltas)(planes, size, gradient);
}

} // namespace ipumodel
#endif
