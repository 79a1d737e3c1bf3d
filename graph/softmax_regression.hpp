// Softmax regression on images: one weight per class and pixel, trained by SGD.
#pragma once

#include <poplar/DebugContext.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>

#include <cstddef>

namespace popscope::graph {

struct SoftmaxRegressionSpec {
  std::size_t pixels = 0;
  std::size_t classes = 0;
  std::size_t batchSize = 0;
  float learningRate = 0.0f;
};

// Fill images and labels, run forward, then read losses and predictions; run
// update as well to learn from the batch.
struct SoftmaxRegression {
  poplar::Tensor images;      // float [batch, pixels]
  poplar::Tensor labels;      // unsigned [batch]
  poplar::Tensor weights;     // float [classes, pixels + 1], the bias last
  poplar::Tensor losses;      // float [batch]
  poplar::Tensor predictions; // unsigned [batch]
  poplar::program::Sequence forward;
  poplar::program::Sequence update;
};

// The weights start at zero: the loss is convex, so nothing is gained by
// chance. The graph must have had addCodelets.
SoftmaxRegression
addSoftmaxRegression(poplar::Graph &graph, const SoftmaxRegressionSpec &spec,
                     const poplar::DebugContext &debugContext = {});

} // namespace popscope::graph
