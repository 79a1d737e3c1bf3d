// The windows of a pooling, in three field dimensions.
#pragma once

#include "poplar/native_kernel.hpp"

#include <popnn/Pooling.hpp>

#include <array>
#include <cstddef>

namespace ipumodel {

void putPoolParams(ParameterWriter &writer,
                   const popnn::pooling::PoolParams &params);
popnn::pooling::PoolParams getPoolParams(ParameterReader &reader);

class PoolGeometry {
public:
  static constexpr std::size_t kDims = 3;
  struct Range {
    std::size_t begin, end; // of input elements, padding left out
  };

  explicit PoolGeometry(const popnn::pooling::PoolParams &params);

  Range window(std::size_t dim, std::size_t output) const;
  std::size_t inputElements() const { return input[0] * input[1] * input[2]; }
  std::size_t outputElements() const {
    return output[0] * output[1] * output[2];
  }

  // Calls f(output element) for every window, and for each of its input
  // elements g(output element, input element).
  template <class F> void forEachWindow(F &&f) const {
    std::size_t at = 0;
    for (std::size_t d = 0; d < output[0]; ++d)
      for (std::size_t h = 0; h < output[1]; ++h)
        for (std::size_t w = 0; w < output[2]; ++w)
          f(at++, window(0, d), window(1, h), window(2, w));
  }
  template <class F>
  void forEachElement(Range d, Range h, Range w, F &&f) const {
    for (std::size_t i = d.begin; i < d.end; ++i)
      for (std::size_t j = h.begin; j < h.end; ++j)
        for (std::size_t k = w.begin; k < w.end; ++k)
          f((i * input[1] + j) * input[2] + k);
  }

  popnn::PoolingType type;
  std::size_t batch, channels;
  std::array<std::size_t, kDims> input, kernel, output, stride;
  std::array<std::ptrdiff_t, kDims> padding; // lower; negative truncates
  std::array<std::size_t, kDims> inputEnd;   // after upper truncation
};

} // namespace ipumodel
