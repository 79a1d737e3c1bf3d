// A full convolution of one image: every kernel element is applied to every
// input element, as in the gradient of a convolution without padding.
#pragma once

#include "poplin/conv_geometry.hpp"

namespace ipumodel {

// Skips the zeros that pad the image. Output elements near the edges depend on
// fewer kernel elements; those that depend on the same ones form one product.
class FullConvolution {
public:
  // For one group, without strides, dilation or flips.
  explicit FullConvolution(const ConvGeometry &geometry);

  // Takes the image without its padding, and the kernel in the order of
  // kernelFirst().
  void run(const float *in, const float *weights, float *out) const;

private:
  struct Part {
    GemmShape shape;
    std::size_t in, out; // of its first element
    std::size_t firstTerm, numTerms;
  };

  std::vector<Part> parts_;
  std::vector<GemmTerm> terms_;
};

} // namespace ipumodel
