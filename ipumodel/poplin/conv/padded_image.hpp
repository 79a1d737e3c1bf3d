// An image with zeros around it, copied while it is in cache.
#pragma once

#include "poplar/plan/batch_stage.hpp"
#include "poplin/conv/conv_geometry.hpp"

#include <cstring>

namespace ipumodel {

class PaddedImage {
public:
  // Of a convolution that only pads its input.
  PaddedImage(const poplin::ConvParams &params, const ConvGeometry &geometry,
              StageOperands &operands)
      : size_(geometry.imageSize()),
        at_(operands.takePerGroup(size_ * sizeof(float))) {
    const std::size_t missing = ConvGeometry::kDims - params.getNumFieldDims();
    ConvGeometry::Extent field = {1, 1, 1}, padding = {0, 0, 0};
    for (std::size_t d = missing; d < ConvGeometry::kDims; ++d) {
      field[d] = params.inputFieldShape[d - missing];
      padding[d] = params.inputTransform.paddingLower[d - missing];
    }
    line_ = field[2] * geometry.totalIn();
    for (std::size_t d = 0; d < field[0]; ++d)
      for (std::size_t h = 0; h < field[1]; ++h)
        lines_.push_back(
            (((padding[0] + d) * geometry.input[1] + padding[1] + h) *
                 geometry.input[2] +
             padding[2]) *
            geometry.totalIn());
  }

  // Before the first image of a group.
  void clear(const BatchItem &item) const {
    std::memset(of(item), 0, size_ * sizeof(float));
  }
  const float *copy(const BatchItem &item, const float *image) const {
    float *const padded = of(item);
    for (const std::size_t line : lines_) {
      std::memcpy(padded + line, image, line_ * sizeof(float));
      image += line_;
    }
    return padded;
  }

private:
  float *of(const BatchItem &item) const {
    return reinterpret_cast<float *>(item.replica->scratch.data() + at_) +
           item.group * size_;
  }

  std::size_t size_, at_;          // in scratch
  std::size_t line_;               // elements
  std::vector<std::size_t> lines_; // where each begins
};

} // namespace ipumodel
