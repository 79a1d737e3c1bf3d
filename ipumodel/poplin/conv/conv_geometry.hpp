// A convolution as its kernels see it: three field dimensions, channels last,
// and the positions of the kernel's elements instead of its transforms.
#pragma once

#include "poplar/plan/native_kernel.hpp"
#include "poplin/matmul/gemm.hpp"

#include <poplin/ConvParams.hpp>

#include <array>
#include <cstddef>
#include <vector>

namespace ipumodel {

bool isEach(const std::vector<unsigned> &values, unsigned expected);
// True if the transform only pads, or does nothing.
bool isOnlyPadded(const poplin::ConvParams::InputTransform &transform);
bool isUntransformed(const poplin::ConvParams::InputTransform &transform);

class ConvGeometry {
public:
  static constexpr std::size_t kDims = 3;
  using Extent = std::array<std::size_t, kDims>;

  explicit ConvGeometry(const poplin::ConvParams &params);

  std::size_t batch, groups, inChannels, outChannels; // channels per group
  Extent input;                                       // transformed
  Extent kernel;    // elements left after truncation
  Extent output;    // without padding
  Extent paddedOut; // with padding
  Extent outBegin;  // lower output padding
  Extent start;     // of the first window
  Extent stride;
  // Position of each kernel element in the transformed kernel.
  std::array<std::vector<std::size_t>, kDims> place;

  std::size_t totalIn() const { return groups * inChannels; }
  std::size_t totalOut() const { return groups * outChannels; }
  std::size_t imageSize() const { // of the transformed input
    return input[0] * input[1] * input[2] * totalIn();
  }
  std::size_t outputImageSize() const { // with padding
    return paddedOut[0] * paddedOut[1] * paddedOut[2] * totalOut();
  }
  std::size_t flops() const; // of one execution

  // True if consecutive kernel elements of the last dimension are adjacent in
  // the input, channels included, so that a row of them is one vector.
  bool rowsAreContiguous() const { return rowsAreContiguous_; }
  // Runs per outer kernel position: one for the whole kernel row, or one per
  // element.
  std::size_t kernelRuns() const;
  // True if runs are whole kernel rows and equally spaced.
  bool equalLines() const;
  // Offset in the input of the kernel's run `run` from a window's start, and
  // its length in elements.
  std::size_t runOffset(std::size_t run) const;
  std::size_t runLength() const {
    return rowsAreContiguous_ ? kernel[2] * inChannels : inChannels;
  }
  std::size_t windowOffset(std::size_t d, std::size_t h) const {
    return (((start[0] + d * stride[0]) * input[1] + start[1] + h * stride[1]) *
                input[2] +
            start[2]) *
           totalIn();
  }
  std::size_t outputOffset(std::size_t d, std::size_t h) const {
    return (((outBegin[0] + d) * paddedOut[1] + outBegin[1] + h) *
                paddedOut[2] +
            outBegin[2]) *
           totalOut();
  }

private:
  bool rowsAreContiguous_;
};

// [N, channels, field...] as [N, field (three dimensions), channels].
View channelsLast(const View &view);
// [groups, out, in, kernel...] as [groups, kernel (three dimensions), in, out].
View kernelFirst(const View &weights);

// An input with its transform applied: in place if the transform does nothing
// and memory is channels last, else in zeroed scratch memory.
class TransformedInput {
public:
  TransformedInput(const View &view, const poplin::ConvParams &params,
                   const ConvGeometry &geometry, std::size_t elementSize,
                   PlanBuilder &builder, ScratchFrame &frame);
  const char *load(const Replica &replica, ThreadPool &pool) const;
  // What load() returned.
  const char *at(const Replica &replica) const {
    return (inPlace_ ? replica.memory : replica.scratch).data() + offset_;
  }

private:
  bool inPlace_;
  std::size_t offset_;
  std::size_t bytes_ = 0; // to clear first; 0 if all are written
  CopyPlan copy_;
};

} // namespace ipumodel
