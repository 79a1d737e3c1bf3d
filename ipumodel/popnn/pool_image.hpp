// Pooling of one channels-last image, and its gradient.
#pragma once

#include "popnn/channel_ops.hpp"
#include "popnn/pool_geometry.hpp"

#include <vector>

namespace ipumodel {

class PoolImage {
public:
  // `lowest` is the maximum of an empty window, in the type of the tensors.
  PoolImage(const PoolGeometry &geometry, float lowest);

  std::size_t inputSize() const { return inputSize_; }
  std::size_t outputSize() const { return outputSize_; }

  std::size_t tieBytes() const { return tieBytes_; }

  // Also stores where the maxima are, unless `ties` is null. For maxima only, a
  // ReLU can be applied to the input before.
  void pool(const float *in, bool afterRelu, float *out, TieBits *ties) const;
  // `in` and `pooled` are used for maxima only, and `in` only if `ties` is
  // null. Of `mode` the overlap is known here.
  void spreadGradient(const float *gradient, const float *in,
                      const float *pooled, const TieBits *ties, SpreadMode mode,
                      float *to) const;
  // Of a gradient of maxima, sets to 0 what belongs to elements that are not
  // above zero: elsewhere than at a maximum it is 0.
  void clearUnlessPositive(const float *pooled, float *gradient) const;

private:
  // Neighbouring windows of equal size.
  struct Span {
    WindowRow row;
    std::size_t in, out, ties; // of the first window
    float factor;              // of an average
  };

  popnn::PoolingType type_;
  float lowest_;
  std::size_t inputSize_, outputSize_, tieBytes_ = 0;
  std::vector<Span> spans_;
  bool overlap_;   // some windows share elements
  bool coversAll_; // every element is in a window
};

} // namespace ipumodel
