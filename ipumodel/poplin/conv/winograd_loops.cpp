// Long, because loops of one method share what is compiled for each instruction
// set.
#include "poplin/conv/winograd_loops.hpp"

// Of lambdas whose variables should stay in registers.
#define POPLIN_INLINE HWY_ATTR __attribute__((always_inline))

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "poplin/conv/winograd_loops.cpp"
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#ifndef IPUMODEL_WINOGRAD_PADDING
#define IPUMODEL_WINOGRAD_PADDING
namespace ipumodel {

// A pixel outside of the image.
alignas(64) inline constexpr float kZeroPixel[kMaxWinogradChannels] = {};

} // namespace ipumodel
#endif

HWY_BEFORE_NAMESPACE();
namespace ipumodel {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Calls f(tag, i) for i in [begin, end): vector by vector, then one by one.
template <class F>
HWY_INLINE void forVectors(std::size_t begin, std::size_t end, F &&f) {
  const hn::ScalableTag<float> d;
  const std::size_t lanes = hn::Lanes(d);
  std::size_t i = begin;
  for (; i + lanes <= end; i += lanes)
    f(d, i);
  for (; i < end; ++i)
    f(hn::CappedTag<float, 1>(), i);
}

// The transform of 4x4 pixels is B' d B, with B' of
//   1  0 -1  0
//   0  1  1  0
//   0 -1  1  0
//   0  1  0 -1
template <class V> HWY_INLINE void applyB(V (&x)[4]) {
  const V x0 = hn::Sub(x[0], x[2]), x1 = hn::Add(x[1], x[2]);
  const V x2 = hn::Sub(x[2], x[1]), x3 = hn::Sub(x[1], x[3]);
  x[0] = x0, x[1] = x1, x[2] = x2, x[3] = x3;
}

// The tiles from `first` on: calls f(number, line, column) with the first
// element of each in the output.
template <class F>
HWY_INLINE void forTiles(const WinogradField &field, std::size_t first,
                         std::size_t count, F &&f) {
  const std::size_t across = field.tilesAcross();
  std::size_t line = first / across * 2, column = first % across * 2;
  for (std::size_t tile = 0; tile < count; ++tile) {
    f(tile, line, column);
    column += 2;
    if (column >= 2 * across)
      column = 0, line += 2;
  }
}

// Writes the transform of the pixels at(h, w) to planes `step` apart.
template <class At>
HWY_INLINE void transformPixels(std::size_t channels, float *planes,
                                std::size_t step, At &&at) {
  forVectors(0, channels, [&](auto d, std::size_t i) POPLIN_INLINE {
    hn::Vec<decltype(d)> columns[4][4];
#pragma GCC unroll 4
    for (std::size_t w = 0; w < 4; ++w) {
#pragma GCC unroll 4
      for (std::size_t h = 0; h < 4; ++h)
        columns[w][h] = hn::LoadU(d, at(h, w) + i);
      applyB(columns[w]);
    }
    float *to = planes + i;
#pragma GCC unroll 4
    for (std::size_t h = 0; h < 4; ++h) {
      hn::Vec<decltype(d)> x[4] = {columns[0][h], columns[1][h], columns[2][h],
                                   columns[3][h]};
      applyB(x);
#pragma GCC unroll 4
      for (std::size_t w = 0; w < 4; ++w, to += step)
        hn::StoreU(x[w], d, to);
    }
  });
}

HWY_NOINLINE void transformTiles(const WinogradField &f, std::size_t first,
                                 std::size_t count, const float *in,
                                 float *planes, std::size_t step) {
  const std::size_t pixel = f.inChannels, lineStep = f.inColumns * pixel;
  forTiles(
      f, first, count,
      [&](std::size_t tile, std::size_t line,
          std::size_t column) POPLIN_INLINE {
        // Of the first pixel; what is left of or above the image is very large.
        const std::size_t top = line - f.paddingAbove;
        const std::size_t left = column - f.paddingLeft;
        float *const to = planes + tile * pixel;
        const float *const from = in + top * lineStep + left * pixel;
        if (top < f.inLines && f.inLines - top >= 4 && left < f.inColumns &&
            f.inColumns - left >= 4)
          return transformPixels(
              pixel, to, step, [&](std::size_t h, std::size_t w) POPLIN_INLINE {
                return from + h * lineStep + w * pixel;
              });
        transformPixels(
            pixel, to, step, [&](std::size_t h, std::size_t w) POPLIN_INLINE {
              return top + h < f.inLines && left + w < f.inColumns
                         ? in + (top + h) * lineStep + (left + w) * pixel
                         : kZeroPixel;
            });
      });
}

// The transform of 3x3 kernel elements is G g G', with G of
//   1    0    0
//   1/2  1/2  1/2
//   1/2 -1/2  1/2
//   0    0    1
template <class D, class V>
HWY_INLINE void applyG(D d, const V &x0, const V &x1, const V &x2, V (&to)[4]) {
  const V half = hn::Set(d, 0.5f);
  const V ends = hn::Add(x0, x2);
  to[0] = x0;
  to[1] = hn::Mul(half, hn::Add(ends, x1));
  to[2] = hn::Mul(half, hn::Sub(ends, x1));
  to[3] = x2;
}

void transformKernel(const WinogradField &field, const float *weights,
                     std::size_t begin, std::size_t end, float *panels) {
  const std::size_t in = field.inChannels, out = field.outChannels;
  const std::size_t tap = in * out, padded = field.paddedChannels();
  float *first = panels; // plane of the panel
  for (std::size_t panel = 0; panel < padded; panel += kWinogradPanel) {
    const std::size_t width = std::min(kWinogradPanel, padded - panel);
    const std::size_t used = std::min(width, out - panel);
    for (std::size_t c = begin; c < end; ++c) {
      const std::size_t step = in * width + kWinogradGap;
      float *const to = first + c * width;
      forVectors(0, used, [&](auto d, std::size_t i) HWY_ATTR {
        using V = hn::Vec<decltype(d)>;
        const float *from = weights + c * out + panel + i;
        V columns[3][4];
#pragma GCC unroll 3
        for (std::size_t w = 0; w < 3; ++w)
          applyG(d, hn::LoadU(d, from + w * tap),
                 hn::LoadU(d, from + (3 + w) * tap),
                 hn::LoadU(d, from + (6 + w) * tap), columns[w]);
#pragma GCC unroll 4
        for (std::size_t h = 0; h < 4; ++h) {
          V row[4];
          applyG(d, columns[0][h], columns[1][h], columns[2][h], row);
#pragma GCC unroll 4
          for (std::size_t w = 0; w < 4; ++w)
            hn::StoreU(row[w], d, to + (h * 4 + w) * step + i);
        }
      });
      for (std::size_t plane = 0; plane < kWinogradPlanes; ++plane)
        std::fill(to + plane * step + used, to + plane * step + width, 0.0f);
    }
    first += kWinogradPlanes * (in * width + kWinogradGap);
  }
}

// Rows x Vectors of a product: rows of A are `channels` long, those of B and C
// `width`.
template <std::size_t Rows, std::size_t Vectors>
HWY_NOINLINE void multiply(const float *a, std::size_t channels, const float *b,
                           std::size_t width, float *c) {
  // Rows per pointer; the others are one or two times `channels` from it.
  constexpr std::size_t kStep = 3;
  constexpr std::size_t kPointers = (Rows + kStep - 1) / kStep;
  const hn::ScalableTag<float> d;
  const std::size_t lanes = hn::Lanes(d);
  using V = hn::Vec<decltype(d)>;
  V sums[Rows][Vectors];
#pragma GCC unroll 16
  for (std::size_t i = 0; i < Rows; ++i)
#pragma GCC unroll 2
    for (std::size_t v = 0; v < Vectors; ++v)
      sums[i][v] = hn::Zero(d);
  const float *rows[kPointers];
#pragma GCC unroll 8
  for (std::size_t p = 0; p < kPointers; ++p)
    rows[p] = a + p * kStep * channels;
  for (std::size_t k = 0; k < channels; ++k, b += width) {
    V bs[Vectors];
#pragma GCC unroll 2
    for (std::size_t v = 0; v < Vectors; ++v)
      bs[v] = hn::Load(d, b + v * lanes);
#pragma GCC unroll 16
    for (std::size_t i = 0; i < Rows; ++i) {
      const V x = hn::Set(d, rows[i / kStep][i % kStep * channels]);
#pragma GCC unroll 2
      for (std::size_t v = 0; v < Vectors; ++v)
        sums[i][v] = hn::MulAdd(x, bs[v], sums[i][v]);
    }
#pragma GCC unroll 8
    for (std::size_t p = 0; p < kPointers; ++p)
      ++rows[p];
  }
#pragma GCC unroll 16
  for (std::size_t i = 0; i < Rows; ++i)
#pragma GCC unroll 2
    for (std::size_t v = 0; v < Vectors; ++v)
      hn::Store(sums[i][v], d, c + i * width + v * lanes);
}

// As many rows as registers allow; at most kMaxWinogradTiles.
#if HWY_TARGET <= HWY_AVX3 || HWY_ARCH_ARM_A64
constexpr std::size_t kMaxProductRows = 13;
#else
constexpr std::size_t kMaxProductRows = 6;
#endif

template <std::size_t Vectors, std::size_t Rows = kMaxProductRows>
void multiplyRows(std::size_t rows, const float *a, std::size_t channels,
                  const float *b, std::size_t width, float *c) {
  if constexpr (Rows > 1)
    if (rows < Rows)
      return multiplyRows<Vectors, Rows - 1>(rows, a, channels, b, width, c);
  multiply<Rows, Vectors>(a, channels, b, width, c);
}

// One plane: the product of `count` rows with a panel.
void multiplyPanel(std::size_t count, const float *a, std::size_t channels,
                   const float *b, std::size_t width, float *c) {
  const std::size_t lanes = hn::Lanes(hn::ScalableTag<float>());
  // Equal parts, none of which is too small to keep the units busy.
  const std::size_t parts = (count + kMaxProductRows - 1) / kMaxProductRows;
  for (std::size_t part = 0; part < parts; ++part) {
    const std::size_t first = count * part / parts;
    const std::size_t rows = count * (part + 1) / parts - first;
    std::size_t at = 0;
    for (; at + 2 * lanes <= width; at += 2 * lanes)
      multiplyRows<2>(rows, a + first * channels, channels, b + at, width,
                      c + first * width + at);
    for (; at < width; at += lanes)
      multiplyRows<1>(rows, a + first * channels, channels, b + at, width,
                      c + first * width + at);
  }
}

// The output is A' m A, with A' of
//   1  1  1  0
//   0  1 -1 -1
template <class V>
HWY_INLINE void applyA(const V &x0, const V &x1, const V &x2, const V &x3,
                       V &to0, V &to1) {
  to0 = hn::Add(hn::Add(x0, x1), x2);
  to1 = hn::Sub(hn::Sub(x1, x2), x3);
}

// Writes the output's channels [channel, channel + channels) of tiles whose
// products are rows of `width` in planes `step` apart.
HWY_NOINLINE void combineTiles(const WinogradField &f, std::size_t first,
                               std::size_t count, const float *planes,
                               std::size_t width, std::size_t step,
                               std::size_t channel, std::size_t channels,
                               const GemmEpilogue &epilogue, float *out) {
  const float *const bias = epilogue.bias ? epilogue.bias + channel : nullptr;
  forTiles(
      f, first, count,
      [&](std::size_t tile, std::size_t line,
          std::size_t column) POPLIN_INLINE {
        const bool below = line + 1 < f.lines, right = column + 1 < f.columns;
        float *const to =
            out + line * f.outLine + column * f.outChannels + channel;
        forVectors(0, channels, [&](auto d, std::size_t i) POPLIN_INLINE {
          using V = hn::Vec<decltype(d)>;
          const float *from = planes + tile * width + i;
          V x[4][4];
#pragma GCC unroll 4
          for (std::size_t h = 0; h < 4; ++h)
#pragma GCC unroll 4
            for (std::size_t w = 0; w < 4; ++w, from += step)
              x[h][w] = hn::LoadU(d, from);
          V rows[2][4], y[4];
#pragma GCC unroll 4
          for (std::size_t w = 0; w < 4; ++w)
            applyA(x[0][w], x[1][w], x[2][w], x[3][w], rows[0][w], rows[1][w]);
#pragma GCC unroll 2
          for (std::size_t h = 0; h < 2; ++h)
            applyA(rows[h][0], rows[h][1], rows[h][2], rows[h][3], y[2 * h],
                   y[2 * h + 1]);
          if (bias) {
            const V added = hn::LoadU(d, bias + i);
#pragma GCC unroll 4
            for (V &each : y)
              each = hn::Add(each, added);
          }
          if (epilogue.relu)
#pragma GCC unroll 4
            for (V &each : y)
              each = hn::IfThenElseZero(hn::Gt(each, hn::Zero(d)), each);
#pragma GCC unroll 4
          for (std::size_t j = 0; j < 4; ++j)
            if ((j < 2 || below) && (j % 2 == 0 || right))
              hn::StoreU(y[j], d,
                         to + j / 2 * f.outLine + j % 2 * f.outChannels + i);
        });
      });
}

void makeTiles(const WinogradField &f, std::size_t first, std::size_t count,
               const float *in, const float *panels,
               const GemmEpilogue &epilogue, float *out) {
  alignas(64) float
      tiles[kWinogradPlanes *
            (kMaxWinogradTiles * kMaxWinogradChannels + kWinogradGap)];
  alignas(
      64) float products[kWinogradPlanes *
                         (kMaxWinogradTiles * kWinogradPanel + kWinogradGap)];
  const std::size_t parts = (count + kMaxWinogradTiles - 1) / kMaxWinogradTiles;
  for (std::size_t part = 0; part < parts; ++part) {
    const std::size_t begin = first + count * part / parts;
    const std::size_t n = first + count * (part + 1) / parts - begin;
    const std::size_t step = n * f.inChannels + kWinogradGap;
    HWY_NAMESPACE::transformTiles(f, begin, n, in, tiles, step);
    const float *kernel = panels;
    const std::size_t padded = f.paddedChannels();
    for (std::size_t panel = 0; panel < padded; panel += kWinogradPanel) {
      const std::size_t width = std::min(kWinogradPanel, padded - panel);
      const std::size_t productStep = n * width + kWinogradGap;
      for (std::size_t plane = 0; plane < kWinogradPlanes;
           ++plane, kernel += f.inChannels * width + kWinogradGap)
        multiplyPanel(n, tiles + plane * step, f.inChannels, kernel, width,
                      products + plane * productStep);
      combineTiles(f, begin, n, products, width, productStep, panel,
                   std::min(width, f.outChannels - panel), epilogue, out);
    }
  }
}

float largestMagnitude(const float *x, std::size_t count) {
  // The bits of magnitudes have the order of their values, and those of
  // infinity and NaN come last.
  const hn::ScalableTag<float> d;
  const hn::RebindToSigned<decltype(d)> di;
  const std::size_t lanes = hn::Lanes(d);
  const auto magnitude = hn::Set(di, 0x7fffffff);
  auto largest = hn::Zero(di), other = hn::Zero(di);
  std::size_t i = 0;
  for (; i + 2 * lanes <= count; i += 2 * lanes) {
    const auto a = hn::BitCast(di, hn::LoadU(d, x + i));
    const auto b = hn::BitCast(di, hn::LoadU(d, x + i + lanes));
    largest = hn::Max(largest, hn::And(a, magnitude));
    other = hn::Max(other, hn::And(b, magnitude));
  }
  std::int32_t result =
      hn::GetLane(hn::MaxOfLanes(di, hn::Max(largest, other)));
  for (; i < count; ++i) {
    std::int32_t bits;
    std::memcpy(&bits, x + i, sizeof(bits));
    result = std::max(result, bits & 0x7fffffff);
  }
  float value;
  std::memcpy(&value, &result, sizeof(value));
  return value;
}

} // namespace HWY_NAMESPACE
} // namespace ipumodel
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ipumodel {

HWY_EXPORT(transformTiles);
HWY_EXPORT(transformKernel);
HWY_EXPORT(makeTiles);
HWY_EXPORT(largestMagnitude);

void transformTiles(const WinogradField &field, std::size_t first,
                    std::size_t count, const float *in, float *planes,
                    std::size_t step) {
  HWY_DYNAMIC_DISPATCH(transformTiles)(field, first, count, in, planes, step);
}

void transformKernel(const WinogradField &field, const float *weights,
                     std::size_t begin, std::size_t end, float *panels) {
  HWY_DYNAMIC_DISPATCH(transformKernel)(field, weights, begin, end, panels);
}

void makeTiles(const WinogradField &field, std::size_t first, std::size_t count,
               const float *in, const float *panels,
               const GemmEpilogue &epilogue, float *out) {
  HWY_DYNAMIC_DISPATCH(makeTiles)
  (field, first, count, in, panels, epilogue, out);
}

float largestMagnitude(const float *x, std::size_t count) {
  return HWY_DYNAMIC_DISPATCH(largestMagnitude)(x, count);
}

} // namespace ipumodel
#endif
