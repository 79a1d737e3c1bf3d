// Sums over a block of elements. Each sum is kept in several lanes, so that
// compilers may use vector instructions of any width up to that and results
// are the same bits with all of them.
#pragma once

#include "codelets/element_format.hpp"

namespace popscope {

constexpr unsigned kLanes = 16;

struct BlockSums {
  float sum;       // of x - shift
  float squares;   // of (x - shift)^2
  float abs;       // of |x|
  float min, max;  // a NaN is never one of them
  unsigned lowest; // magnitude bits of the smallest non-zero, less one
  unsigned zero;
  unsigned positive;
};

// A NaN, an infinity, or elements whose squares leave the range of float make
// `squares` or `max` and `min` say so; the sums are then not to be used.
template <typename T> BlockSums sumBlock(const T *x, unsigned n, float shift) {
  float sum[kLanes], squares[kLanes], abs[kLanes], min[kLanes], max[kLanes];
  unsigned lowest[kLanes], zero[kLanes], positive[kLanes];
  for (unsigned j = 0; j < kLanes; ++j) {
    sum[j] = squares[j] = abs[j] = 0.0f;
    min[j] = __builtin_inff();
    max[j] = -__builtin_inff();
    lowest[j] = 0xffffffffu;
    zero[j] = positive[j] = 0;
  }
  const auto take = [&](float value, unsigned j) {
    const float d = value - shift;
    sum[j] += d;
    squares[j] += d * d;
    abs[j] += __builtin_fabsf(value);
    min[j] = value < min[j] ? value : min[j];
    max[j] = value > max[j] ? value : max[j];
    const unsigned below = magnitudeOf(value) - 1;
    lowest[j] = below < lowest[j] ? below : lowest[j];
    zero[j] += below == 0xffffffffu;
    positive[j] += value > 0.0f;
  };
  unsigned i = 0;
  for (; i + kLanes <= n; i += kLanes)
    for (unsigned j = 0; j < kLanes; ++j)
      take(ElementFormat<T>::toFloat(x[i + j]), j);
  for (unsigned j = 0; i < n; ++i, ++j)
    take(ElementFormat<T>::toFloat(x[i]), j);

  for (unsigned width = kLanes / 2; width > 0; width /= 2)
    for (unsigned j = 0; j < width; ++j) {
      sum[j] += sum[j + width];
      squares[j] += squares[j + width];
      abs[j] += abs[j + width];
      min[j] = min[j + width] < min[j] ? min[j + width] : min[j];
      max[j] = max[j + width] > max[j] ? max[j + width] : max[j];
      lowest[j] = lowest[j + width] < lowest[j] ? lowest[j + width] : lowest[j];
      zero[j] += zero[j + width];
      positive[j] += positive[j + width];
    }
  return {sum[0], squares[0], abs[0],  min[0],
          max[0], lowest[0],  zero[0], positive[0]};
}

struct BlockPowers {
  float cubes;   // of (x - mean - meanLow) / deviation
  float fourths; // likewise
};

template <typename T>
BlockPowers sumPowers(const T *x, unsigned n, float mean, float meanLow,
                      float deviation) {
  float cubes[kLanes], fourths[kLanes];
  for (unsigned j = 0; j < kLanes; ++j)
    cubes[j] = fourths[j] = 0.0f;
  const float scale = 1.0f / deviation;
  const auto take = [&](float value, unsigned j) {
    const float d = ((value - mean) - meanLow) * scale;
    const float square = d * d;
    cubes[j] += square * d;
    fourths[j] += square * square;
  };
  unsigned i = 0;
  for (; i + kLanes <= n; i += kLanes)
    for (unsigned j = 0; j < kLanes; ++j)
      take(ElementFormat<T>::toFloat(x[i + j]), j);
  for (unsigned j = 0; i < n; ++i, ++j)
    take(ElementFormat<T>::toFloat(x[i]), j);
  for (unsigned width = kLanes / 2; width > 0; width /= 2)
    for (unsigned j = 0; j < width; ++j) {
      cubes[j] += cubes[j + width];
      fourths[j] += fourths[j + width];
    }
  return {cubes[0], fourths[0]};
}

// The largest magnitude, as bits.
template <typename T> unsigned largestMagnitude(const T *x, unsigned n) {
  unsigned largest = 0;
  for (unsigned i = 0; i < n; ++i) {
    const unsigned magnitude = magnitudeOf(ElementFormat<T>::toFloat(x[i]));
    largest = magnitude > largest ? magnitude : largest;
  }
  return largest;
}

template <typename T, typename Matches>
unsigned countMagnitudes(const T *x, unsigned n, Matches matches) {
  unsigned count = 0;
  for (unsigned i = 0; i < n; ++i)
    count += matches(magnitudeOf(ElementFormat<T>::toFloat(x[i])));
  return count;
}

// Index of the first element equal to a value that is there.
template <typename T> unsigned findValue(const T *x, unsigned n, float value) {
  constexpr unsigned kChunk = 4 * kLanes;
  unsigned i = 0;
  for (; i + kChunk <= n; i += kChunk) {
    unsigned found = 0;
    for (unsigned j = 0; j < kChunk; ++j)
      found |= ElementFormat<T>::toFloat(x[i + j]) == value;
    if (found)
      break;
  }
  while (i + 1 < n && !(ElementFormat<T>::toFloat(x[i]) == value))
    ++i;
  return i;
}

} // namespace popscope
