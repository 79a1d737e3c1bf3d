// An optimiser that enqueues the gradients it is given.
#pragma once

#include "outfeed/outfeed_queue.hpp"

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace popscope::outfeed {

enum class OptimizerOutfeed {
  afterCompute, // gradients of every micro-batch
  beforeApply   // gradients that an update applies
};

struct NamedGradient {
  std::string weight; // the gradient is called <weight>_grad
  poplar::Tensor tensor;
};

class OutfeedOptimizer {
public:
  using Gradients = std::vector<NamedGradient>;
  // Appends to the program what the wrapped optimiser does with gradients.
  using Step = std::function<void(poplar::Graph &, const Gradients &,
                                  poplar::program::Sequence &)>;

  // `accumulate` is called with the gradients of a micro-batch and may do
  // nothing, `apply` with those of an update.
  OutfeedOptimizer(OutfeedQueue &queue, OptimizerOutfeed mode, Step accumulate,
                   Step apply)
      : queue_(queue), mode_(mode), accumulate_(std::move(accumulate)),
        apply_(std::move(apply)) {}

  void computed(poplar::Graph &graph, const Gradients &gradients,
                poplar::program::Sequence &prog) const {
    enqueue(OptimizerOutfeed::afterCompute, graph::TapMoment::microBatch, graph,
            gradients, prog);
    accumulate_(graph, gradients, prog);
  }
  void apply(poplar::Graph &graph, const Gradients &gradients,
             poplar::program::Sequence &prog) const {
    enqueue(OptimizerOutfeed::beforeApply, graph::TapMoment::accumulated, graph,
            gradients, prog);
    apply_(graph, gradients, prog);
  }

private:
  void enqueue(OptimizerOutfeed here, graph::TapMoment moment,
               poplar::Graph &graph, const Gradients &gradients,
               poplar::program::Sequence &prog) const {
    if (here != mode_)
      return;
    for (const NamedGradient &gradient : gradients)
      queue_.enqueue(graph, prog,
                     {gradient.weight + "_grad", graph::TensorKind::gradient,
                      moment, 0, gradient.tensor});
    queue_.endGroup(graph, prog, moment);
  }

  OutfeedQueue &queue_;
  const OptimizerOutfeed mode_;
  const Step accumulate_, apply_;
};

} // namespace popscope::outfeed
