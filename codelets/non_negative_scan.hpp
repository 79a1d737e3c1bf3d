// One pass over elements of which none is negative: extremes, counts, and sums
// about zero.
#pragma once

#include "codelets/block_sums.hpp"

namespace popscope {

// With `higher`, also sums of third and fourth powers.
template <bool higher> class NonNegativeScan {
public:
  BlockBits bits; // if `least` is negative, nothing else is valid
  BlockSums sums;
  BlockPowers powers;

  template <typename T> NonNegativeScan(const T *x, unsigned n) {
    Lanes total = {};
    const unsigned whole = n / kStep * kStep;
    for (unsigned i = 0; i < whole; i += kPiece)
      addPiece(total, x + i, whole - i < kPiece ? whole - i : kPiece);
    unsigned i = whole;
    for (; i + kWidth <= n; i += kWidth)
      addRow(total, x + i, kWidth);
    addRow(total, x + i, n - i);
    join(total);
    bits.positive = n - bits.zero;
  }

private:
  static constexpr unsigned kWidth = 16, kRows = 4;
  static constexpr unsigned kStep = kWidth * kRows;
  static constexpr unsigned kPiece = 2048; // shorter sums are more precise

  static unsigned greater(unsigned a, unsigned b) { return a > b ? a : b; }

  struct Lane {
    float sum, squares, cubes, fourths;
    unsigned greatest;
    unsigned nearest; // negated, so that the nearest to zero is the greatest
    unsigned zero;

    void add(float value) {
      const float square = value * value;
      sum += value;
      squares += square;
      if (higher) {
        cubes += square * value;
        fourths += square * square;
      }
      greatest = greater(greatest, bitsOf(value));
      nearest = greater(nearest, 0u - bitsOf(value));
      zero += bitsOf(value) == 0;
    }
  };

  struct Lanes {
    float sum[kWidth], squares[kWidth], cubes[kWidth], fourths[kWidth];
    unsigned greatest[kWidth], nearest[kWidth], zero[kWidth];

    Lane at(unsigned j) const {
      return {sum[j],      squares[j], cubes[j], fourths[j],
              greatest[j], nearest[j], zero[j]};
    }
    void set(unsigned j, const Lane &lane) {
      sum[j] = lane.sum;
      squares[j] = lane.squares;
      cubes[j] = lane.cubes;
      fourths[j] = lane.fourths;
      greatest[j] = lane.greatest;
      nearest[j] = lane.nearest;
      zero[j] = lane.zero;
    }
  };

  template <typename T>
  static void addRow(Lanes &lanes, const T *x, unsigned n) {
    for (unsigned j = 0; j < n; ++j) {
      Lane lane = lanes.at(j);
      lane.add(ElementFormat<T>::toFloat(x[j]));
      lanes.set(j, lane);
    }
  }

  // `n` is a multiple of kStep and not 0.
  template <typename T>
  static void addPiece(Lanes &total, const T *x, unsigned n) {
    Lanes lanes = {};
    unsigned i = 0;
    do {
      for (unsigned j = 0; j < kWidth; ++j) {
        Lane lane = lanes.at(j);
        for (unsigned r = 0; r < kRows; ++r)
          lane.add(ElementFormat<T>::toFloat((x + i)[r * kWidth + j]));
        lanes.set(j, lane);
      }
      i += kStep;
    } while (i < n);
    for (unsigned j = 0; j < kWidth; ++j) {
      total.sum[j] += lanes.sum[j];
      total.squares[j] += lanes.squares[j];
      total.cubes[j] += lanes.cubes[j];
      total.fourths[j] += lanes.fourths[j];
      total.greatest[j] = greater(total.greatest[j], lanes.greatest[j]);
      total.nearest[j] = greater(total.nearest[j], lanes.nearest[j]);
      total.zero[j] += lanes.zero[j];
    }
  }

  // Inlined, it would keep the lanes out of vector registers.
  __attribute__((noinline)) void join(const Lanes &lanes) {
    sums.sum = sums.abs = joinLanes(lanes.sum);
    sums.squares = joinLanes(lanes.squares);
    powers = {joinLanes(lanes.cubes), joinLanes(lanes.fourths)};
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
