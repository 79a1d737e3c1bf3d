// A convolution of one image that is padded or dilated with zeros, as in the
// gradient of a convolution, without these zeros.
#pragma once

#include "poplin/conv/conv_geometry.hpp"

namespace ipumodel {

// An output element depends on the kernel elements that meet an element of the
// image: fewer near the edges and, if the image is dilated, others for each
// phase. Output elements that depend on the same ones form one product.
class SkippingConvolution {
public:
  // One group; the image may be padded and dilated, the output strided.
  static bool fits(const poplin::ConvParams &params);
  explicit SkippingConvolution(const poplin::ConvParams &params);

  // Independent of each other and of the number of threads.
  std::size_t tasksPerImage() const { return tasks_.size(); }
  // Takes the image without its padding and dilation, and the kernel in the
  // order of kernelFirst().
  void run(const float *in, const float *weights, float *out, std::size_t task,
           const GemmEpilogue &epilogue) const;

private:
  struct Task {
    GemmShape shape;
    std::size_t rowBegin, rowEnd;
    std::size_t in, out; // of the first element of row 0
    std::size_t firstTerm, numTerms;
  };

  std::vector<Task> tasks_;
  std::vector<GemmTerm> terms_;
};

} // namespace ipumodel
