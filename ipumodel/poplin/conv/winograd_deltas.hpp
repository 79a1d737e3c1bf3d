// The gradient of a 3x3 kernel by Winograd's method, as the adjoint of
// WinogradConvolution: the products of 16 planes of transformed tiles of the
// image and of the output's gradient, instead of 36 products.
//
// Tiles of one or more images are collected, so that products are long enough;
// each group of images has its own sums. What is said of results and of values
// that are not finite in winograd.hpp is true here, too.
#pragma once

#include "poplar/plan/batch_stage.hpp"
#include "poplin/conv/conv_geometry.hpp"
#include "poplin/conv/winograd_loops.hpp"

namespace ipumodel {

class WinogradDeltas {
public:
  // True if the method is possible and faster: it depends on nothing but the
  // parameters.
  static bool fits(const poplin::ConvParams &params);
  WinogradDeltas(const poplin::ConvParams &params, StageOperands &operands);

  // Before the first image of a group.
  void reset(const BatchItem &item) const;
  // False if this image needs the direct method.
  bool takes(const float *image, const float *deltas) const;
  void add(const BatchItem &item, const float *image,
           const float *deltas) const;
  // After the last image of a group: false if there is nothing to add to its
  // gradient.
  bool isUsed(const BatchItem &item) const;
  void addTo(const BatchItem &item, float *gradient) const;

private:
  struct State {
    std::uint32_t tiles; // collected, not yet multiplied
    std::uint32_t hasSums;
  };

  State &stateOf(const BatchItem &item) const;
  float *imageTiles(const BatchItem &item) const;
  float *deltaTiles(const BatchItem &item) const;
  float *sums(const BatchItem &item) const;
  void multiply(const BatchItem &item) const;

  WinogradField field_;
  double maxProduct_;    // of the largest elements
  std::size_t capacity_; // tiles
  std::size_t imageStep_, deltaStep_, kernelSize_;
  std::size_t stateAt_, imageAt_, deltaAt_, sumsAt_; // in scratch
};

} // namespace ipumodel
