// The order in which the stages of a pipeline work on micro-batches.
#pragma once

#include <poplar/Program.hpp>

#include <vector>

namespace popscope::graph {

// What one stage does to a micro-batch, and how its results travel. The last
// stage computes its gradients right after its activations: both are in
// forward, and backward and sendForward are empty.
struct PipelineStage {
  poplar::program::Sequence forward;
  poplar::program::Sequence backward;
  poplar::program::Sequence sendForward;  // output, to the next stage
  poplar::program::Sequence sendBackward; // gradient, to the stage before
};

// Micro-batches that enter a stage before the first of them comes back to it:
// what it has to remember.
constexpr unsigned stashDepth(unsigned stage, unsigned stages) {
  return 2 * (stages - 1 - stage);
}

// The grouped schedule: in every time step each IPU runs one forward and one
// backward pass, of different micro-batches, and then all results move on. At
// time t stage s runs forward on micro-batch t - s and backward on micro-batch
// t - stashDepth(s) - s, wherever that is one of `microBatches`.
poplar::program::Sequence
groupedSchedule(const std::vector<PipelineStage> &stages,
                unsigned microBatches);

} // namespace popscope::graph
