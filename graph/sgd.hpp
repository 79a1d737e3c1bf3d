// Plain stochastic gradient descent for a linear layer.
#pragma once

#include <poplar/DebugContext.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>

namespace popscope::graph {

// Appends weights -= rate * mean over the batch of gradients^T x images, for
// weights [classes, inputs], images [batch, inputs] and gradients
// [batch, classes]. Work is split as mapAlong(graph, weights, 1) places it.
void addSgdUpdate(poplar::Graph &graph, const poplar::Tensor &weights,
                  const poplar::Tensor &images, const poplar::Tensor &gradients,
                  float rate, poplar::program::Sequence &prog,
                  const poplar::DebugContext &debugContext = {});

} // namespace popscope::graph
