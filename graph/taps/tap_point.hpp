// Where a tensor can be watched: its name, what it is, and the point of the
// program at which its value is complete.
#pragma once

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>

#include <string>

namespace popscope::graph {

enum class TensorKind { input, activation, gradient, weight, update, loss };

enum class TapMoment {
  microBatch,  // once per micro-batch
  accumulated, // once per weight update, summed over its micro-batches
  reduced,     // and over the replicas
  applied      // what the optimiser did to the weights
};

struct TapPoint {
  std::string name; // unique together with the moment
  TensorKind kind = TensorKind::activation;
  TapMoment moment = TapMoment::microBatch;
  unsigned stage = 0; // of the pipeline
  poplar::Tensor tensor;
  // The program leaves it as it is until the unit is flushed, so that it may be
  // read there, with others, and not between the operations that made it.
  bool lasting = false;
  // Its elements are still those of the point of this name at the moment before
  // it, as for the gradient of an update that has one micro-batch.
  bool unchanged = false;
};

// Told of every tensor worth watching while a program is built, in the order
// in which the program will complete them. It may append to the program, as
// long as that only reads.
class TapObserver {
public:
  virtual ~TapObserver() = default;

  // The program so far has completed point.tensor, which is on the tiles of
  // `graph`: the whole graph or one stage's part of it.
  virtual void visit(poplar::Graph &graph, poplar::program::Sequence &prog,
                     const TapPoint &point) = 0;

  // Whether to visit this update: unlike other points it costs a copy of the
  // weight.
  virtual bool wantsUpdate(const std::string & /*name*/) const { return true; }

  // The program so far runs as a unit, once per micro-batch (moment microBatch;
  // in a pipeline each stage's forward and backward pass is a unit of its own)
  // or once per weight update (moment applied): what was visited since the last
  // call leaves the device here.
  virtual void flush(poplar::Graph &graph, poplar::program::Sequence &prog,
                     TapMoment moment) = 0;
};

} // namespace popscope::graph
