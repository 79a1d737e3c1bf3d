// A convolution of one image with a 3x3 kernel by Winograd's method F(2x2,
// 3x3): 16 products for 2x2 output elements instead of 36, of sums of pixels
// with sums of kernel elements.
//
// An output element is computed from the elements of its own window only, and
// in the same way whatever else is computed. The factors of the transforms are
// powers of two, so small integers give exact results. Otherwise errors are
// those of rounding relative to the largest product of a window, no longer to
// each product.
//
// Sums of values that are not finite, or nearly so, are of another kind than
// the sums of their products: infinity - infinity. Such an image, or kernel, is
// left to the direct method, so that results are not finite where, and as, they
// would be with it.
#pragma once

#include "poplin/conv/conv_geometry.hpp"
#include "poplin/conv/winograd_loops.hpp"

namespace ipumodel {

class WinogradConvolution {
public:
  // True if the method is possible and faster: it depends on nothing but the
  // parameters of one image.
  static bool fits(const poplin::ConvParams &params);
  explicit WinogradConvolution(const poplin::ConvParams &params);

  // From now on only the first `columns` of the first `lines` of the output are
  // computed.
  void computeOnly(std::size_t lines, std::size_t columns);
  std::size_t tasksPerImage() const;
  const WinogradField &field() const { return field_; }

  // Transformed weights: elements, and how to make them of those in the order
  // of kernelFirst().
  std::size_t numTransformed() const;
  void transform(const float *weights, float *transformed,
                 ThreadPool &pool) const;

  // False if this image, or the kernel, needs the direct method.
  bool takes(const float *in, const float *transformed) const;
  void run(const float *in, const float *transformed, float *out,
           std::size_t task, const GemmEpilogue &epilogue) const;

private:
  WinogradField field_{};
};

} // namespace ipumodel
