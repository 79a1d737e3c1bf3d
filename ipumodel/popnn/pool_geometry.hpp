// The windows of a pooling operation, in three field dimensions.
#pragma once

#include <popnn/Pooling.hpp>

#include <array>
#include <cstddef>

namespace ipumodel {

class PoolGeometry {
public:
  static constexpr std::size_t kDims = 3;
  struct Range {
    std::size_t begin, end; // of input elements, without padding
  };

  explicit PoolGeometry(const popnn::pooling::PoolParams &params);

  Range window(std::size_t dim, std::size_t output) const;
  // The input elements in any window end here.
  std::size_t windowsEnd(std::size_t dim) const;
  std::size_t inputElements() const { return input[0] * input[1] * input[2]; }
  std::size_t outputElements() const {
    return output[0] * output[1] * output[2];
  }

  popnn::PoolingType type;
  std::size_t batch, channels;
  std::array<std::size_t, kDims> input, kernel, output, stride;
  std::array<std::ptrdiff_t, kDims> padding; // lower; negative truncates
  std::array<std::size_t, kDims> inputEnd;   // after upper truncation
};

} // namespace ipumodel
