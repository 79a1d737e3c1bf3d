// One pass over the elements of a block: extremes, counts, and sums about zero.
#pragma once

#include "codelets/block_sums.hpp"

namespace popscope {

enum class Signs {
  nonNegative, // the scan is of no use if BlockBits::hasNegative()
  any
};

// With `higher`, also sums of third and fourth powers. All is kept in a fixed
// number of lanes, so that a compiler may use vector instructions of any width
// up to that, and the bits of the result are the same for all widths.
template <Signs signs, bool higher = false> class BlockScan {
public:
  BlockBits bits;
  BlockSums sums;
  BlockPowers powers = {};

  template <typename T> BlockScan(const T *x, unsigned n) {
    Lanes total = Lanes::empty();
    const unsigned whole = n / kStep * kStep;
    for (unsigned i = 0; i < whole; i += kSumPiece)
      addPiece(total, x + i, whole - i < kSumPiece ? whole - i : kSumPiece);
    unsigned i = whole;
    for (; i + kWidth <= n; i += kWidth)
      addRow(total, x + i, kWidth);
    addRow(total, x + i, n - i);
    join(total, n);
  }

private:
  static constexpr bool kSigned = signs == Signs::any;
  static constexpr unsigned kWidth = 16, kRows = 4;
  static constexpr unsigned kStep = kWidth * kRows;
  static constexpr unsigned kSumPiece = 2048; // shorter sums are more precise

  struct Lane {
    float sum, squares, abs, cubes, fourths;
    int greatest;
    unsigned least, lowest, zero, positive;

    void add(float value) {
      const float square = value * value;
      sum += value;
      squares += square;
      if (higher) {
        cubes += square * value;
        fourths += square * square;
      }
      const unsigned word = bitsOf(value);
      least = word > least ? word : least;
      if (kSigned) {
        abs += __builtin_fabsf(value);
        greatest = int(word) > greatest ? int(word) : greatest;
        positive += int(word) > 0;
      }
      const unsigned below = (kSigned ? word & 0x7fffffffu : word) - 1;
      lowest = below < lowest ? below : lowest;
      zero += below >> 31;
    }
    void add(const Lane &other) {
      sum += other.sum;
      squares += other.squares;
      if (higher) {
        cubes += other.cubes;
        fourths += other.fourths;
      }
      least = other.least > least ? other.least : least;
      if (kSigned) {
        abs += other.abs;
        greatest = other.greatest > greatest ? other.greatest : greatest;
        positive += other.positive;
      }
      lowest = other.lowest < lowest ? other.lowest : lowest;
      zero += other.zero;
    }
  };

  struct Lanes {
    float sum[kWidth], squares[kWidth], abs[kWidth], cubes[kWidth],
        fourths[kWidth];
    int greatest[kWidth];
    unsigned least[kWidth], lowest[kWidth], zero[kWidth], positive[kWidth];

    static Lanes empty() {
      Lanes lanes;
      for (unsigned j = 0; j < kWidth; ++j)
        lanes.set(j, {0, 0, 0, 0, 0, -1, 0, 0xffffffffu, 0, 0});
      return lanes;
    }
    Lane at(unsigned j) const {
      return {sum[j],      squares[j], abs[j],    cubes[j], fourths[j],
              greatest[j], least[j],   lowest[j], zero[j],  positive[j]};
    }
    void set(unsigned j, const Lane &lane) {
      sum[j] = lane.sum;
      squares[j] = lane.squares;
      if (higher) {
        cubes[j] = lane.cubes;
        fourths[j] = lane.fourths;
      }
      least[j] = lane.least;
      if (kSigned) {
        abs[j] = lane.abs;
        greatest[j] = lane.greatest;
        positive[j] = lane.positive;
      }
      lowest[j] = lane.lowest;
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
    Lanes lanes = Lanes::empty();
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
      Lane lane = total.at(j);
      lane.add(lanes.at(j));
      total.set(j, lane);
    }
  }

  // Inlined, it would keep the lanes out of vector registers.
  __attribute__((noinline)) void join(const Lanes &lanes, unsigned n) {
    sums.sum = joinLanes(lanes.sum);
    sums.squares = joinLanes(lanes.squares);
    sums.abs = kSigned ? joinLanes(lanes.abs) : sums.sum;
    if (higher)
      powers = {joinLanes(lanes.cubes), joinLanes(lanes.fourths)};
    Lane all = {0, 0, 0, 0, 0, -1, 0, 0xffffffffu, 0, 0};
    for (unsigned j = 0; j < kWidth; ++j) {
      all.least = larger(all.least, lanes.least[j]);
      all.lowest = smaller(all.lowest, lanes.lowest[j]);
      all.zero += lanes.zero[j];
      if (kSigned) {
        all.greatest = larger(all.greatest, lanes.greatest[j]);
        all.positive += lanes.positive[j];
      }
    }
    bits = {kSigned ? all.greatest : int(all.least), all.least, all.lowest,
            all.zero, kSigned ? all.positive : n - all.zero};
  }

  template <typename N> static N larger(N a, N b) { return a > b ? a : b; }
  template <typename N> static N smaller(N a, N b) { return a < b ? a : b; }
};

} // namespace popscope
