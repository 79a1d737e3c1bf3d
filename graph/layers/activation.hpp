// Activation functions, applied in place.
#pragma once

#include "graph/model_spec.hpp"

#include <poplar/DebugContext.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>

namespace popscope::graph {

// Takes none, relu and selu; softmax is part of the loss.
void addActivation(poplar::Graph &graph, Activation activation,
                   const poplar::Tensor &tensor,
                   poplar::program::Sequence &prog,
                   const poplar::DebugContext &debugContext = {});

// The gradient of the function's input, from its output and the gradient of its
// output.
poplar::Tensor addActivationGradient(
    poplar::Graph &graph, Activation activation, const poplar::Tensor &output,
    const poplar::Tensor &outputGradient, poplar::program::Sequence &prog,
    const poplar::DebugContext &debugContext = {});

} // namespace popscope::graph
