// Sums over a block of elements. Each sum is kept in kLanes lanes, so that a
// compiler may use vector instructions of any width up to that, and the bits of
// the result are the same for all widths.
#pragma once

#include "codelets/element_format.hpp"

namespace popscope {

constexpr unsigned kLanes = 32;

// Adds up the lanes, in a fixed order. Each level has its own array, since a
// compiler keeps small arrays in registers.
inline float joinLanes(const float (&lanes)[4]) {
  return (lanes[0] + lanes[2]) + (lanes[1] + lanes[3]);
}
template <unsigned N> float joinLanes(const float (&lanes)[N]) {
  float half[N / 2];
  for (unsigned j = 0; j < N / 2; ++j)
    half[j] = lanes[j] + lanes[j + N / 2];
  return joinLanes(half);
}

struct BlockSums {
  float sum;     // of x * scale - shift
  float squares; // of the squares of that
  float abs;     // of |x * scale|
};

template <typename T>
BlockSums sumPiece(const T *x, unsigned n, float shift, float scale) {
  float sum[kLanes], squares[kLanes], abs[kLanes];
  for (unsigned j = 0; j < kLanes; ++j)
    sum[j] = squares[j] = abs[j] = 0.0f;
  unsigned i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    const T *block = x + i; // the compiler cannot rule out that i + j wraps
    for (unsigned j = 0; j < kLanes; ++j) {
      const float value = ElementFormat<T>::toFloat(block[j]) * scale;
      const float d = value - shift;
      sum[j] += d;
      squares[j] += d * d;
      abs[j] += __builtin_fabsf(value);
    }
  }
  BlockSums all = {joinLanes(sum), joinLanes(squares), joinLanes(abs)};
  for (; i < n; ++i) {
    const float value = ElementFormat<T>::toFloat(x[i]) * scale;
    const float d = value - shift;
    all.sum += d;
    all.squares += d * d;
    all.abs += __builtin_fabsf(value);
  }
  return all;
}

// Shorter sums are more precise.
constexpr unsigned kPiece = 4096;

// Once in a tile's code, not wherever it is called.
template <typename T>
__attribute__((noinline)) BlockSums sumBlock(const T *x, unsigned n,
                                             float shift, float scale) {
  BlockSums all = {};
  for (unsigned i = 0; i < n; i += kPiece) {
    const BlockSums piece =
        sumPiece(x + i, n - i < kPiece ? n - i : kPiece, shift, scale);
    all.sum += piece.sum;
    all.squares += piece.squares;
    all.abs += piece.abs;
  }
  return all;
}

struct BlockPowers {
  float cubes;
  float fourths;
};

// Of (x * scale - mean - meanLow) / deviation.
template <typename T>
BlockPowers sumPowers(const T *x, unsigned n, float scale, float mean,
                      float meanLow, float deviation) {
  float cubes[kLanes] = {}, fourths[kLanes] = {};
  const float factor = 1.0f / deviation;
  unsigned i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    const T *block = x + i;
    for (unsigned j = 0; j < kLanes; ++j) {
      const float value = ElementFormat<T>::toFloat(block[j]) * scale;
      const float d = ((value - mean) - meanLow) * factor;
      cubes[j] += d * d * d;
      fourths[j] += d * d * (d * d);
    }
  }
  BlockPowers all = {joinLanes(cubes), joinLanes(fourths)};
  for (; i < n; ++i) {
    const float value = ElementFormat<T>::toFloat(x[i]) * scale;
    const float d = ((value - mean) - meanLow) * factor;
    all.cubes += d * d * d;
    all.fourths += d * d * (d * d);
  }
  return all;
}

// Extremes and counts from the bits of the elements, compared as integers: a
// comparison of floats could meet a NaN.
struct BlockBits {
  int greatest;    // as signed integers: the greatest that is not negative
  unsigned least;  // as unsigned integers: the least, if one is negative
  unsigned lowest; // magnitude of the smallest non-zero, less one
  unsigned zero;
  unsigned positive;

  bool hasNegative() const { return least >> 31; } // or -0
  unsigned largest() const {                       // magnitude
    const unsigned below = least & 0x7fffffffu;
    const unsigned above = greatest < 0 ? 0 : unsigned(greatest);
    return hasNegative() && below > above ? below : above;
  }
  float nearest() const { return zero != 0 ? 0.0f : floatOf(lowest + 1); }
  float max() const {
    return greatest < 0 ? -nearest() : floatOf(unsigned(greatest));
  }
  float min() const { return hasNegative() ? floatOf(least) : nearest(); }
};

// Whether one of the first elements is negative. Short blocks are not examined.
template <typename T> bool beginsNegative(const T *x, unsigned n) {
  constexpr unsigned kFirst = 32;
  unsigned all = 0;
  if (n >= kFirst)
    for (unsigned i = 0; i < kFirst; ++i)
      all |= bitsOf(ElementFormat<T>::toFloat(x[i]));
  return all >> 31;
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

// The same of several runs of elements: lanes are joined once, not for each.
template <typename T> class LargestMagnitude {
public:
  void add(const T *x, unsigned n) {
    unsigned lanes[kWidth];
    __builtin_memcpy(lanes, lanes_, sizeof lanes);
    unsigned i = 0;
    for (; i + kWidth <= n; i += kWidth) {
      const T *row = x + i;
      for (unsigned j = 0; j < kWidth; ++j)
        lanes[j] = larger(lanes[j], row[j]);
    }
    __builtin_memcpy(lanes_, lanes, sizeof lanes);
    for (unsigned j = 0; j < n - i; ++j)
      lanes_[j] = larger(lanes_[j], (x + i)[j]);
  }
  unsigned bits() const {
    unsigned largest = 0;
    for (unsigned j = 0; j < kWidth; ++j)
      largest = lanes_[j] > largest ? lanes_[j] : largest;
    return largest;
  }

private:
  static constexpr unsigned kWidth = 64;

  static unsigned larger(unsigned largest, const T &x) {
    const unsigned magnitude = magnitudeOf(ElementFormat<T>::toFloat(x));
    return magnitude > largest ? magnitude : largest;
  }

  unsigned lanes_[kWidth] = {};
};

template <typename T, typename Matches>
unsigned countMagnitudes(const T *x, unsigned n, Matches matches) {
  unsigned count = 0;
  for (unsigned i = 0; i < n; ++i)
    count += matches(magnitudeOf(ElementFormat<T>::toFloat(x[i])));
  return count;
}

// Index of the first element equal to `value`, which must occur.
template <typename T> unsigned findValue(const T *x, unsigned n, float value) {
  constexpr unsigned kChunk = 64;
  unsigned i = 0;
  if (n < kChunk) {
    while (i + 1 < n && !(ElementFormat<T>::toFloat(x[i]) == value))
      ++i;
    return i;
  }
  for (; i + kChunk < n; i += kChunk) {
    const T *chunk = x + i;
    unsigned found = 0;
    for (unsigned j = 0; j < kChunk; ++j)
      found |= ElementFormat<T>::toFloat(chunk[j]) == value;
    if (found)
      break;
  }
  // Without a branch, which would often be predicted wrongly.
  const T *chunk = x + (i + kChunk < n ? i : n - kChunk);
  unsigned first = kChunk;
  for (unsigned j = 0; j < kChunk; ++j) {
    const unsigned here =
        ElementFormat<T>::toFloat(chunk[j]) == value ? j : kChunk;
    first = here < first ? here : first;
  }
  return unsigned(chunk - x) + first;
}

} // namespace popscope
