// One pass over elements of either sign: extremes, counts, and sums about zero.
#pragma once

#include "codelets/block_sums.hpp"

namespace popscope {

// Has the bits of sumBlock(x, n, 0) and, if no element is zero, of
// bitsOfBlock(x, n): to count zeros would make it slower.
class SignedScan {
public:
  BlockBits bits;
  BlockSums sums = {};
  bool isComplete = true; // else an element is zero, and lowest is not known

  template <typename T> SignedScan(const T *x, unsigned n) {
    Lanes lanes;
    for (unsigned j = 0; j < kWidth; ++j)
      lanes.set(j, {{}, {}, {-1, 0, 0xffffffffu, 0}});
    Extremes rest = {-1, 0, 0xffffffffu, 0};
    for (unsigned i = 0; i < n; i += kPiece)
      addPiece(lanes, rest, x + i, n - i < kPiece ? n - i : kPiece);
    join(lanes, rest);
  }

private:
  static constexpr unsigned kWidth = 8;

  struct Sums {
    float sum, squares, abs;

    void add(float value) {
      sum += value;
      squares += value * value;
      abs += __builtin_fabsf(value);
    }
  };

  struct Extremes {
    int greatest;
    unsigned least, lowest, positive;

    void add(float value) {
      const unsigned bits = bitsOf(value), magnitude = magnitudeOf(value);
      greatest = int(bits) > greatest ? int(bits) : greatest;
      least = bits > least ? bits : least;
      lowest = magnitude < lowest ? magnitude : lowest;
      positive += int(bits) > 0;
    }
  };

  // Sums of the elements at two places of every kLanes, which share their
  // extremes.
  struct Lane {
    Sums low, high;
    Extremes extremes;
  };

  struct Lanes {
    float sum[2][kWidth], squares[2][kWidth], abs[2][kWidth];
    int greatest[kWidth];
    unsigned least[kWidth], lowest[kWidth], positive[kWidth];

    Lane at(unsigned j) const {
      return {{sum[0][j], squares[0][j], abs[0][j]},
              {sum[1][j], squares[1][j], abs[1][j]},
              {greatest[j], least[j], lowest[j], positive[j]}};
    }
    void set(unsigned j, const Lane &lane) {
      sum[0][j] = lane.low.sum;
      squares[0][j] = lane.low.squares;
      abs[0][j] = lane.low.abs;
      sum[1][j] = lane.high.sum;
      squares[1][j] = lane.high.squares;
      abs[1][j] = lane.high.abs;
      greatest[j] = lane.extremes.greatest;
      least[j] = lane.extremes.least;
      lowest[j] = lane.extremes.lowest;
      positive[j] = lane.extremes.positive;
    }
  };

  template <typename T>
  void addPiece(Lanes &lanes, Extremes &rest, const T *x, unsigned n) {
    float sum[kLanes], squares[kLanes], abs[kLanes];
    const unsigned whole = n / kLanes * kLanes;
    for (unsigned first = 0; first < kLanes; first += 2 * kWidth) {
      addColumns(lanes, x + first, whole);
      __builtin_memcpy(sum + first, lanes.sum, sizeof lanes.sum);
      __builtin_memcpy(squares + first, lanes.squares, sizeof lanes.squares);
      __builtin_memcpy(abs + first, lanes.abs, sizeof lanes.abs);
    }
    Sums piece = {joinLanes(sum), joinLanes(squares), joinLanes(abs)};
    for (unsigned i = whole; i < n; ++i) {
      piece.add(ElementFormat<T>::toFloat(x[i]));
      rest.add(ElementFormat<T>::toFloat(x[i]));
    }
    sums.sum += piece.sum;
    sums.squares += piece.squares;
    sums.abs += piece.abs;
  }

  // Begins new sums. Inlined, it would not keep the lanes in vector registers.
  template <typename T>
  __attribute__((noinline)) static void addColumns(Lanes &all, const T *x,
                                                   unsigned n) {
    Lanes lanes;
    for (unsigned j = 0; j < kWidth; ++j)
      lanes.set(j, {{}, {}, all.at(j).extremes});
    for (unsigned i = 0; i < n; i += kLanes)
      for (unsigned j = 0; j < kWidth; ++j) {
        Lane lane = lanes.at(j);
        const float low = ElementFormat<T>::toFloat((x + i)[j]);
        const float high = ElementFormat<T>::toFloat((x + i)[kWidth + j]);
        lane.low.add(low);
        lane.extremes.add(low);
        lane.high.add(high);
        lane.extremes.add(high);
        lanes.set(j, lane);
      }
    all = lanes;
  }

  __attribute__((noinline)) void join(const Lanes &lanes, Extremes all) {
    unsigned width = kWidth;
    asm("" : "+r"(width)); // a loop, not its copies: code is memory
    for (unsigned j = 0; j < width; ++j) {
      const Extremes &lane = lanes.at(j).extremes;
      all.greatest =
          lane.greatest > all.greatest ? lane.greatest : all.greatest;
      all.least = lane.least > all.least ? lane.least : all.least;
      all.lowest = lane.lowest < all.lowest ? lane.lowest : all.lowest;
      all.positive += lane.positive;
    }
    isComplete = all.lowest != 0;
    bits = {all.greatest, all.least, all.lowest - 1, 0, all.positive};
  }
};

} // namespace popscope
