// A convolution of one image as products straight from the channels-last input.
#pragma once

#include "poplin/conv_geometry.hpp"

namespace ipumodel {

class ConvProduct {
public:
  explicit ConvProduct(const poplin::ConvParams &params);

  const ConvGeometry &geometry() const { return geometry_; }
  // Tasks of about equal size that one image is cut into; independent of each
  // other and of the number of threads.
  std::size_t tasksPerImage() const { return tasks_; }
  // Arrays of one image, and of the kernel in the order of kernelFirst().
  // A bias is that of all output channels.
  void run(const float *in, const float *weights, float *out, std::size_t task,
           GemmEpilogue epilogue = {}) const;

private:
  ConvGeometry geometry_;
  std::vector<GemmTerm> terms_;
  GemmShape shape_;
  std::size_t lineGroup_; // output lines one product covers
  std::size_t chunks_, lines_, tasks_;
};

// Truncated weights, and for a gradient flipped and with their channels
// swapped.
View usedWeights(const View &given, const poplin::ConvParams &params,
                 bool transposeAndFlip);

} // namespace ipumodel
