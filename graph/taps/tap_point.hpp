// A tensor that can be watched, at the point of the program where its value is
// complete.
#pragma once

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>

#include <string>

namespace popscope::graph {

enum class TensorKind { input, activation, gradient, weight, update, loss };

enum class TapMoment {
  microBatch,  // once per micro-batch
  accumulated, // once per update, combined over its micro-batches
  reduced,     // once per update, combined over the replicas as well
  applied      // once per update, after the optimiser
};

struct TapPoint {
  std::string name; // unique together with the moment
  TensorKind kind = TensorKind::activation;
  TapMoment moment = TapMoment::microBatch;
  unsigned stage = 0; // of the pipeline
  poplar::Tensor tensor;
  // The program does not change it before the next flush, so it may be read
  // there, together with others, instead of at once.
  bool lasting = false;
  // It has the same elements as the point of this name at the previous moment,
  // such as the gradient of an update that has one micro-batch.
  bool unchanged = false;
};

// Called while a program is built, for every tensor that can be watched, in the
// order in which the program completes them. It may append to the program what
// only reads tensors.
class TapObserver {
public:
  virtual ~TapObserver() = default;

  // The program so far has completed point.tensor. `graph` is the whole graph
  // or the part of one stage, and has the tensor's tiles.
  virtual void visit(poplar::Graph &graph, poplar::program::Sequence &prog,
                     const TapPoint &point) = 0;

  // Whether to visit the update of this name. Unlike other points, it costs a
  // copy of the weight.
  virtual bool wantsUpdate(const std::string & /*name*/) const { return true; }

  // Ends a part of the program that runs as a whole: once per micro-batch
  // (moment microBatch; in a pipeline, each stage's forward and backward pass
  // is a part) or once per update (moment applied). Data of the points visited
  // since the last call leave the device here.
  virtual void flush(poplar::Graph &graph, poplar::program::Sequence &prog,
                     TapMoment moment) = 0;
};

} // namespace popscope::graph
