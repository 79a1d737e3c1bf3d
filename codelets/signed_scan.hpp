// One pass over elements of either sign: extremes, counts, and sums about zero.
#pragma once

#include "codelets/block_sums.hpp"

namespace popscope {

// Has the bits of sumBlock(x, n, 0) and bitsOfBlock(x, n). Without `zeros` it
// is faster, but not complete if one of the elements is zero.
template <bool zeros> class SignedScan {
public:
  BlockBits bits;
  BlockSums sums = {};
  bool isComplete = true; // else bits.lowest and bits.zero are not known

  template <typename T> SignedScan(const T *x, unsigned n) {
    Lanes lanes;
    for (unsigned j = 0; j < kWidth; ++j)
      lanes.set(j, {{}, {}, {-1, 0, 0xffffffffu, 0, 0}});
    Extremes rest = {-1, 0, 0xffffffffu, 0, 0};
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
    unsigned least, lowest, zero, positive;

    void add(float value) {
      const unsigned bits = bitsOf(value), magnitude = magnitudeOf(value);
      const unsigned low = zeros ? magnitude - 1 : magnitude;
      greatest = int(bits) > greatest ? int(bits) : greatest;
      least = bits > least ? bits : least;
      lowest = low < lowest ? low : lowest;
      if (zeros)
        zero += magnitude == 0;
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
    unsigned least[kWidth], lowest[kWidth], zero[kWidth], positive[kWidth];

    Lane at(unsigned j) const {
      return {{sum[0][j], squares[0][j], abs[0][j]},
              {sum[1][j], squares[1][j], abs[1][j]},
              {greatest[j], least[j], lowest[j], zero[j], positive[j]}};
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
      zero[j] = lane.extremes.zero;
      positive[j] = lane.extremes.positive;
    }
  };

  template <typename T>
  void addPiece(Lanes &lanes, Extremes &rest, const T *x, unsigned n) {
    float sum[kLanes], squares[kLanes], abs[kLanes];
    const unsigned whole = n / kLanes * kLanes;
    for (unsigned first = 0; first < kLanes; first += 2 * kWidth) {
      addColumns(lanes, x + first, whole);
      for (unsigned j = 0; j < kWidth; ++j) {
        sum[first + j] = lanes.sum[0][j];
        squares[first + j] = lanes.squares[0][j];
        abs[first + j] = lanes.abs[0][j];
      }
      for (unsigned j = 0; j < kWidth; ++j) {
        sum[first + kWidth + j] = lanes.sum[1][j];
        squares[first + kWidth + j] = lanes.squares[1][j];
        abs[first + kWidth + j] = lanes.abs[1][j];
      }
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
    for (unsigned j = 0; j < kWidth; ++j) {
      const Extremes &lane = lanes.at(j).extremes;
      all.greatest =
          lane.greatest > all.greatest ? lane.greatest : all.greatest;
      all.least = lane.least > all.least ? lane.least : all.least;
      all.lowest = lane.lowest < all.lowest ? lane.lowest : all.lowest;
      all.zero += lane.zero;
      all.positive += lane.positive;
    }
    isComplete = zeros || all.lowest != 0;
    bits = {all.greatest, all.least, zeros ? all.lowest : all.lowest - 1,
            all.zero, all.positive};
  }
};

} // namespace popscope
