// Trains a model on an engine, batch by batch.
#pragma once

#include "graph/softmax_regression.hpp"
#include "host/dataset.hpp"
#include "outfeed/batch_streams.hpp"

#include <poplar/Device.hpp>
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>

#include <cstddef>
#include <functional>
#include <vector>

namespace popscope::host {

class Trainer {
public:
  // Builds and loads the programs on the first `tiles` tiles of the device,
  // which must be attached and have that many.
  Trainer(const poplar::Device &device, unsigned tiles,
          const graph::SoftmaxRegressionSpec &spec);

  using StepDone = std::function<void(std::size_t step, std::size_t steps)>;

  // One pass over the images of `set` in the given order; a last partial batch
  // is left out. Returns the mean loss.
  double trainEpoch(const Dataset &set, const std::vector<std::size_t> &order,
                    const StepDone &stepDone);

  // The share of the set, all of it, that is classified rightly.
  double accuracy(const Dataset &set);

private:
  void fillSlot(std::size_t slot, const Dataset &set, std::size_t image);

  poplar::Graph whole_; // all tiles
  poplar::Graph graph_; // those in use
  const graph::SoftmaxRegression model_;
  outfeed::BatchStreams streams_;
  poplar::Engine engine_;
};

} // namespace popscope::host
