// The loss of a classifier: cross entropy of its softmax with integer labels.
#pragma once

#include <poplar/DebugContext.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>

namespace popscope::graph {

// The tensor itself if it is FLOAT, else appends its conversion.
poplar::Tensor inFloat(poplar::Graph &graph, const poplar::Tensor &tensor,
                       poplar::program::Sequence &prog,
                       const poplar::DebugContext &debugContext = {});

// The softmax of each row of logits, always in FLOAT.
poplar::Tensor addProbabilities(poplar::Graph &graph,
                                const poplar::Tensor &logits,
                                poplar::program::Sequence &prog,
                                const poplar::DebugContext &debugContext = {});

struct CrossEntropy {
  poplar::Tensor losses;         // FLOAT [batch]
  poplar::Tensor logitsGradient; // of gradientScale * sum(losses), FLOAT
};

// `labels` are UNSIGNED_INT [batch].
CrossEntropy addCrossEntropy(poplar::Graph &graph,
                             const poplar::Tensor &probabilities,
                             const poplar::Tensor &labels, float gradientScale,
                             poplar::program::Sequence &prog,
                             const poplar::DebugContext &debugContext = {});

} // namespace popscope::graph
