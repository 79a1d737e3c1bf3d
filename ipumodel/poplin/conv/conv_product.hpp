// A convolution of one image as matrix products of the channels-last input, or
// of its Winograd transform.
#pragma once

#include "poplin/conv/conv_geometry.hpp"
#include "poplin/conv/skipping_convolution.hpp"
#include "poplin/conv/winograd.hpp"

#include <optional>

namespace ipumodel {

class ConvProduct {
public:
  explicit ConvProduct(const poplin::ConvParams &params);

  // From now on only the first `columns` of the first `lines` of the output are
  // computed, of two-dimensional fields without padding. False, and nothing
  // changes, if the product skips zeros.
  bool computeOnly(std::size_t lines, std::size_t columns);

  const ConvGeometry &geometry() const { return geometry_; }
  // True if the product takes the image as it is, not padded and dilated.
  static bool skipsZeros(const poplin::ConvParams &params) {
    return !isUntransformed(params.inputTransform) &&
           SkippingConvolution::fits(params);
  }
  // Tasks for one image; independent of each other and of the number of
  // threads.
  std::size_t tasksPerImage() const {
    return winograd_ ? winograd_->tasksPerImage() : tasks_;
  }
  // Null if weights need no transform.
  const WinogradConvolution *winograd() const {
    return winograd_ ? &*winograd_ : nullptr;
  }
  // Arrays of one image, and of the kernel in the order of kernelFirst() and as
  // winograd() transforms it. The bias has an element per output channel.
  struct Arrays {
    const float *in, *weights, *transformed;
    float *out;
  };
  void run(const Arrays &arrays, const GemmEpilogue &epilogue) const;
  void run(const Arrays &arrays, std::size_t task,
           const GemmEpilogue &epilogue) const;

private:
  void divide();
  void runDirect(const Arrays &arrays, std::size_t task,
                 GemmEpilogue epilogue) const;

  ConvGeometry geometry_;
  std::optional<WinogradConvolution> winograd_; // for images that it can take
  std::optional<SkippingConvolution> skipping_; // instead of what follows
  std::size_t fieldLines_, fieldColumns_;       // of the output, computed
  std::vector<GemmTerm> terms_;
  GemmShape shape_{};
  std::size_t lineGroup_ = 0;                      // output lines per product
  std::size_t chunks_ = 0, lines_ = 0, tasks_ = 0; // of the direct method
};

// The weights after truncation; for a gradient also flipped and with their
// channels swapped.
View usedWeights(const View &given, const poplin::ConvParams &params,
                 bool transposeAndFlip);

} // namespace ipumodel
