#include "popnn/pool_geometry.hpp"

#include <algorithm>

namespace ipumodel {

using popnn::pooling::PoolParams;

PoolGeometry::PoolGeometry(const PoolParams &params)
    : type(params.poolingType), batch(params.batchSize),
      channels(params.numChannels) {
  const std::size_t fields = params.getNumFieldDims();
  const std::vector<std::size_t> out = params.getOutputFieldShape();
  for (std::size_t i = 0; i < kDims; ++i) {
    if (i + fields < kDims) {
      input[i] = kernel[i] = output[i] = stride[i] = inputEnd[i] = 1;
      padding[i] = 0;
      continue;
    }
    const std::size_t dim = i + fields - kDims;
    input[i] = params.inputFieldShape[dim];
    kernel[i] = params.kernelShape[dim];
    output[i] = out[dim];
    stride[i] = params.stride[dim];
    padding[i] = params.inputTruncationOrPaddingLower[dim];
    inputEnd[i] =
        input[i] - static_cast<std::size_t>(
                       std::max(0, -params.inputTruncationOrPaddingUpper[dim]));
  }
}

PoolGeometry::Range PoolGeometry::window(std::size_t dim,
                                         std::size_t at) const {
  const std::ptrdiff_t begin =
      static_cast<std::ptrdiff_t>(at * stride[dim]) - padding[dim];
  const std::ptrdiff_t end =
      std::min(begin + static_cast<std::ptrdiff_t>(kernel[dim]),
               static_cast<std::ptrdiff_t>(inputEnd[dim]));
  const std::ptrdiff_t first =
      std::max({begin, std::ptrdiff_t(0), -padding[dim]});
  return {static_cast<std::size_t>(first),
          static_cast<std::size_t>(std::max(first, end))};
}

std::size_t PoolGeometry::windowsEnd(std::size_t dim) const {
  std::size_t end = 0;
  for (std::size_t at = 0; at < output[dim]; ++at)
    end = std::max(end, window(dim, at).end);
  return end;
}

} // namespace ipumodel
