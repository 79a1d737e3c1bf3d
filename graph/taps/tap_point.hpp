// A tensor that can be watched, at the point of the program where its value is
// complete.
#pragma once

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace popscope::graph {

enum class TensorKind {
  input,
  preactivation, // what an activation function is applied to; the logits
  activation,
  loss,
  lossScale,          // of a program in HALF
  activationGradient, // of an activation, or of the logits
  gradient,           // of a weight
  optimizerState,
  update, // what an update adds to a weight
  weight
};

enum class TapMoment {
  microBatch,  // once per micro-batch
  accumulated, // once per update, combined over its micro-batches
  reduced,     // once per update, combined over the replicas as well
  applied      // once per update, after the optimiser
};

// What kind of computation completes a tensor. Blame reads the cause of a bad
// value from it.
enum class Computation {
  unknown,
  host,     // none: the host sent it
  product,  // sums of products of two inputs' elements
  quotient, // of the first input by the second
  logarithm,
  exponential,
  relu, // which makes 0 of NaN
  selu,
  pooling,      // maxima, which leave out NaN; or their gradient
  dropout,      // elements that are kept or made 0
  softmax,      // probabilities
  crossEntropy, // a logarithm of probabilities, or its gradient
  sum,          // over elements, micro-batches or replicas
  optimizer     // a weight or the state that belongs to it
};

// Whether all elements of such a tensor are finite if those of its inputs are.
constexpr bool keepsFinite(Computation computation) {
  return computation == Computation::relu ||
         computation == Computation::pooling;
}

struct Derivation {
  Computation computation = Computation::unknown;
  // Names of the points that the tensor is computed from. Each stands for the
  // last point of that name completed before, or, if there is none, for the one
  // of the update before. Empty if they are not known.
  std::vector<std::string> inputs = {};
  std::size_t terms = 1; // products or elements in a sum
};

struct NamedTensor {
  std::string name;
  poplar::Tensor tensor;
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
  Derivation derivation = {};
  // Inputs that are visited only later, but hold what this was computed from:
  // weights.
  std::vector<NamedTensor> weights = {};
  // If the tensor is the part that the program uses of a larger one: the shape
  // of that. What nothing reads can harm nothing.
  std::vector<std::size_t> partOf = {};
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

  // What has to be added to the program in place of `body`, which only the
  // point of this name and moment needs and which it was computed by. The point
  // has been visited.
  virtual poplar::program::Sequence
  whenNeeded(poplar::Graph & /*graph*/, const std::string & /*name*/,
             TapMoment /*moment*/, const poplar::program::Sequence &body) {
    return body;
  }

  // Ends a part of the program that runs as a whole: once per micro-batch
  // (moment microBatch; in a pipeline, each stage's forward and backward pass
  // is a part) or once per update (moment applied). Data of the points visited
  // since the last call leave the device here.
  virtual void flush(poplar::Graph &graph, poplar::program::Sequence &prog,
                     TapMoment moment) = 0;

  // Called last, after every flush: appends what has to run at the top of each
  // update, before anything that was visited.
  virtual void beginUpdate(poplar::Graph & /*graph*/,
                           poplar::program::Sequence & /*prog*/) {}
};

} // namespace popscope::graph
