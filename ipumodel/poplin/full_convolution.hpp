// A convolution of one image whose kernel meets every input element at all of
// its places, as in the gradient of one without padding.
#pragma once

#include "poplin/conv_geometry.hpp"

namespace ipumodel {

// Products without the zeros that pad the image. Output elements near the edges
// meet fewer elements of the kernel, so those that meet the same ones are one
// product each.
class FullConvolution {
public:
  // Of one group, without strides, dilation or flips.
  explicit FullConvolution(const ConvGeometry &geometry);

  // The image without its padding, the kernel in the order of kernelFirst().
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
