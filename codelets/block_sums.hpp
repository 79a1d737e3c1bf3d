// Sums over a block of elements. Each sum is kept in several lanes, so that
// compilers may use vector instructions of any width up to that and results
// are the same bits with all of them.
#pragma once

#include "codelets/element_format.hpp"

namespace popscope {

constexpr unsigned kLanes = 32;

// Lanes join in an order of their own. Every level has an array of its own,
// since a compiler keeps those in registers.
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
  float sum;     // of x - shift
  float squares; // of (x - shift)^2
  float abs;     // of |x|
};

template <typename T> BlockSums sumPiece(const T *x, unsigned n, float shift) {
  float sum[kLanes], squares[kLanes], abs[kLanes];
  for (unsigned j = 0; j < kLanes; ++j)
    sum[j] = squares[j] = abs[j] = 0.0f;
  unsigned i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    const T *block = x + i; // x[i + j] could wrap, for all a compiler knows
    for (unsigned j = 0; j < kLanes; ++j) {
      const float value = ElementFormat<T>::toFloat(block[j]);
      const float d = value - shift;
      sum[j] += d;
      squares[j] += d * d;
      abs[j] += __builtin_fabsf(value);
    }
  }
  BlockSums all = {joinLanes(sum), joinLanes(squares), joinLanes(abs)};
  for (; i < n; ++i) {
    const float value = ElementFormat<T>::toFloat(x[i]);
    const float d = value - shift;
    all.sum += d;
    all.squares += d * d;
    all.abs += __builtin_fabsf(value);
  }
  return all;
}

// About zero, of elements of which none is negative.
template <typename T> BlockSums sumNonNegativePiece(const T *x, unsigned n) {
  float sum[kLanes], squares[kLanes];
  for (unsigned j = 0; j < kLanes; ++j)
    sum[j] = squares[j] = 0.0f;
  unsigned i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    const T *block = x + i;
    for (unsigned j = 0; j < kLanes; ++j) {
      const float value = ElementFormat<T>::toFloat(block[j]);
      sum[j] += value;
      squares[j] += value * value;
    }
  }
  BlockSums all = {joinLanes(sum), joinLanes(squares), 0.0f};
  for (; i < n; ++i) {
    const float value = ElementFormat<T>::toFloat(x[i]);
    all.sum += value;
    all.squares += value * value;
  }
  all.abs = all.sum;
  return all;
}

// Shorter sums are more precise.
constexpr unsigned kPiece = 4096;

template <typename T, typename SumPiece>
BlockSums sumPieces(const T *x, unsigned n, SumPiece sumPiece) {
  BlockSums all = {};
  for (unsigned i = 0; i < n; i += kPiece) {
    const BlockSums piece = sumPiece(x + i, n - i < kPiece ? n - i : kPiece);
    all.sum += piece.sum;
    all.squares += piece.squares;
    all.abs += piece.abs;
  }
  return all;
}

template <typename T> BlockSums sumBlock(const T *x, unsigned n, float shift) {
  return sumPieces(x, n, [shift](const T *piece, unsigned count) {
    return sumPiece(piece, count, shift);
  });
}

template <typename T> BlockSums sumNonNegative(const T *x, unsigned n) {
  return sumPieces(x, n, [](const T *piece, unsigned count) {
    return sumNonNegativePiece(piece, count);
  });
}

struct BlockPowers {
  float cubes;   // of (x - mean - meanLow) / deviation
  float fourths; // likewise
};

template <typename T>
BlockPowers sumPowers(const T *x, unsigned n, float mean, float meanLow,
                      float deviation) {
  float cubes[kLanes] = {}, fourths[kLanes] = {};
  const float scale = 1.0f / deviation;
  unsigned i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    const T *block = x + i;
    for (unsigned j = 0; j < kLanes; ++j) {
      const float value = ElementFormat<T>::toFloat(block[j]);
      const float d = ((value - mean) - meanLow) * scale;
      cubes[j] += d * d * d;
      fourths[j] += d * d * (d * d);
    }
  }
  BlockPowers all = {joinLanes(cubes), joinLanes(fourths)};
  for (; i < n; ++i) {
    const float value = ElementFormat<T>::toFloat(x[i]);
    const float d = ((value - mean) - meanLow) * scale;
    all.cubes += d * d * d;
    all.fourths += d * d * (d * d);
  }
  return all;
}

// The same about zero, as they are.
template <typename T> BlockPowers sumPowers(const T *x, unsigned n) {
  float cubes[kLanes] = {}, fourths[kLanes] = {};
  unsigned i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    const T *block = x + i;
    for (unsigned j = 0; j < kLanes; ++j) {
      const float value = ElementFormat<T>::toFloat(block[j]);
      cubes[j] += value * value * value;
      fourths[j] += value * value * (value * value);
    }
  }
  BlockPowers all = {joinLanes(cubes), joinLanes(fourths)};
  for (; i < n; ++i) {
    const float value = ElementFormat<T>::toFloat(x[i]);
    all.cubes += value * value * value;
    all.fourths += value * value * (value * value);
  }
  return all;
}

// What the bits of the elements tell, as integers, so that no comparison with
// a NaN is made.
struct BlockBits {
  int greatest;    // as signed integers: the greatest that is not negative
  unsigned least;  // as unsigned integers: the least, if one is negative
  unsigned lowest; // magnitude of the smallest non-zero, less one
  unsigned zero;
  unsigned positive;

  unsigned largest() const { // magnitude
    const unsigned below = least & 0x7fffffffu;
    const unsigned above = greatest < 0 ? 0 : unsigned(greatest);
    return least >> 31 && below > above ? below : above;
  }
  float nearest() const { return zero != 0 ? 0.0f : floatOf(lowest + 1); }
  float max() const {
    return greatest < 0 ? -nearest() : floatOf(unsigned(greatest));
  }
  float min() const { return least >> 31 ? floatOf(least) : nearest(); }
};

template <typename T> BlockBits bitsOfBlock(const T *x, unsigned n) {
  int greatest = -1;
  unsigned least = 0, lowest = 0xffffffffu, zero = 0, positive = 0;
  for (unsigned i = 0; i < n; ++i) {
    const unsigned bits = bitsOf(ElementFormat<T>::toFloat(x[i]));
    const unsigned below = (bits & 0x7fffffffu) - 1;
    lowest = below < lowest ? below : lowest;
    zero += below == 0xffffffffu;
    positive += int(bits) > 0;
    greatest = int(bits) > greatest ? int(bits) : greatest;
    least = bits > least ? bits : least;
  }
  return {greatest, least, lowest, zero, positive};
}

// A look at the first elements only: whether one of them is negative.
template <typename T> bool beginsNegative(const T *x, unsigned n) {
  unsigned all = 0;
  for (unsigned i = 0; i < n && i < 64; ++i)
    all |= bitsOf(ElementFormat<T>::toFloat(x[i]));
  return all >> 31;
}

// The same as bitsOfBlock for elements of which none is negative, in half the
// time. If one is, `least` tells and the rest is void.
template <typename T> BlockBits bitsOfNonNegative(const T *x, unsigned n) {
  unsigned greatest = 0, nearest = 0, zero = 0;
  for (unsigned i = 0; i < n; ++i) {
    const unsigned bits = bitsOf(ElementFormat<T>::toFloat(x[i]));
    const unsigned near = 0u - bits; // greater if nearer to zero; zero has 0
    greatest = bits > greatest ? bits : greatest;
    nearest = near > nearest ? near : nearest;
    zero += bits == 0;
  }
  return {int(greatest), greatest, ~nearest, zero, n - zero};
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
  constexpr unsigned kChunk = 64;
  unsigned i = 0;
  for (; i + kChunk <= n; i += kChunk) {
    const T *chunk = x + i;
    unsigned found = 0;
    for (unsigned j = 0; j < kChunk; ++j)
      found |= ElementFormat<T>::toFloat(chunk[j]) == value;
    if (found)
      break;
  }
  while (i + 1 < n && !(ElementFormat<T>::toFloat(x[i]) == value))
    ++i;
  return i;
}

} // namespace popscope
