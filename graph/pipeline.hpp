// The order in which the stages of a pipeline process micro-batches.
#pragma once

#include <poplar/Program.hpp>

#include <vector>

namespace popscope::graph {

// The programs of one stage for a micro-batch. The last stage computes its
// gradients right after its activations: both are in `forward`, and `backward`
// and `sendForward` are empty.
struct PipelineStage {
  poplar::program::Sequence forward;
  poplar::program::Sequence backward;
  poplar::program::Sequence sendForward;  // output, to the next stage
  poplar::program::Sequence sendBackward; // gradient, to the stage before
};

// Number of micro-batches that a stage runs forward before the gradient of the
// first of them comes back: it has to stash as many.
constexpr unsigned stashDepth(unsigned stage, unsigned stages) {
  return 2 * (stages - 1 - stage);
}

// The grouped schedule: in every time slot each IPU runs one forward and one
// backward pass, of different micro-batches, and then all results are sent on.
// In slot t, stage s runs forward on micro-batch t - s and backward on
// micro-batch t - stashDepth(s) - s, if those numbers are in
// [0, microBatches).
poplar::program::Sequence
groupedSchedule(const std::vector<PipelineStage> &stages,
                unsigned microBatches);

} // namespace popscope::graph
