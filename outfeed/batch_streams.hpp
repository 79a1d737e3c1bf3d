// One batch crossing both ways: images and labels to the device, losses and
// predictions back.
#pragma once

#include "graph/softmax_regression.hpp"

#include <poplar/DataStream.hpp>
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>

#include <vector>

namespace popscope::outfeed {

// Owns the host side of the streams, so it outlives the engine it is connected
// to and does not move. All vectors keep their size.
class BatchStreams {
public:
  BatchStreams(poplar::Graph &graph, const graph::SoftmaxRegression &model);
  BatchStreams(const BatchStreams &) = delete;
  BatchStreams &operator=(const BatchStreams &) = delete;

  // Copies the batch to the device, and what the step computed back.
  const poplar::program::Sequence &copyIn() const { return copyIn_; }
  const poplar::program::Sequence &copyOut() const { return copyOut_; }

  void connect(poplar::Engine &engine);

  std::size_t batchSize() const { return labels.size(); }

  std::vector<float> images;         // [batch, pixels], set before a run
  std::vector<unsigned> labels;      // [batch], set before a run
  std::vector<float> losses;         // [batch], valid after a run
  std::vector<unsigned> predictions; // [batch], valid after a run

private:
  poplar::program::Sequence copyIn_;
  poplar::program::Sequence copyOut_;
};

} // namespace popscope::outfeed
