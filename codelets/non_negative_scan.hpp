// Bits and sums about zero of elements of which none is negative, in one pass.
#pragma once

#include "codelets/block_sums.hpp"

namespace popscope {

class NonNegativeScan {
public:
  BlockBits bits; // if `least` tells that one is negative, the rest is void
  BlockSums sums;

  template <typename T> NonNegativeScan(const T *x, unsigned n) {
    Lanes total = {};
    const unsigned whole = n / kWidth * kWidth;
    for (unsigned i = 0; i < whole; i += kPiece)
      addPiece(total, x + i, whole - i < kPiece ? whole - i : kPiece);
    for (unsigned i = whole; i < n; ++i)
      addOne(total, i - whole, ElementFormat<T>::toFloat(x[i]));
    join(total);
    bits.positive = n - bits.zero;
  }

private:
  static constexpr unsigned kWidth = 16;   // few, so that all are in registers
  static constexpr unsigned kPiece = 2048; // shorter sums are more precise

  struct Lanes {
    float sum[kWidth], squares[kWidth];
    unsigned greatest[kWidth];
    unsigned nearest[kWidth]; // negated, so that the nearest is the greatest
    unsigned zero[kWidth];
  };

  static unsigned greater(unsigned a, unsigned b) { return a > b ? a : b; }

  static void addOne(Lanes &lanes, unsigned j, float value) {
    lanes.sum[j] += value;
    lanes.squares[j] += value * value;
    lanes.greatest[j] = greater(lanes.greatest[j], bitsOf(value));
    lanes.nearest[j] = greater(lanes.nearest[j], 0u - bitsOf(value));
    lanes.zero[j] += bitsOf(value) == 0;
  }

  // `n` is a multiple of the width and not 0.
  template <typename T>
  static void addPiece(Lanes &total, const T *x, unsigned n) {
    Lanes lanes = {};
    unsigned i = 0;
    do {
      const T *block = x + i;
      for (unsigned j = 0; j < kWidth; ++j)
        addOne(lanes, j, ElementFormat<T>::toFloat(block[j]));
      i += kWidth;
    } while (i < n);
    for (unsigned j = 0; j < kWidth; ++j) {
      total.sum[j] += lanes.sum[j];
      total.squares[j] += lanes.squares[j];
      total.greatest[j] = greater(total.greatest[j], lanes.greatest[j]);
      total.nearest[j] = greater(total.nearest[j], lanes.nearest[j]);
      total.zero[j] += lanes.zero[j];
    }
  }

  // Inlined, it would keep the lanes out of vector registers.
  __attribute__((noinline)) void join(const Lanes &lanes) {
    sums.sum = sums.abs = joinLanes(lanes.sum);
    sums.squares = joinLanes(lanes.squares);
    unsigned greatest = 0, nearest = 0, zero = 0;
    for (unsigned j = 0; j < kWidth; ++j) {
      greatest = greater(greatest, lanes.greatest[j]);
      nearest = greater(nearest, lanes.nearest[j]);
      zero += lanes.zero[j];
    }
    bits = {int(greatest), greatest, ~nearest, zero, 0};
  }
};

} // namespace popscope
