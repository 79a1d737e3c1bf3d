// Gradients of a whole normalisation.
#pragma once

#include <poplar/DebugContext.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>

namespace ipumodel {

// poplin::normStatisticsGradients of poplin::normGradients. Where channels are
// innermost, `gamma` is a factor of the result instead of each gradient.
poplar::Tensor
normGradients(poplar::Graph &graph, const poplar::Tensor &actsWhitened,
              const poplar::Tensor &gradsIn, const poplar::Tensor &iStdDev,
              const poplar::Tensor &gamma, poplar::program::Sequence &prog,
              const poplar::Type &partialsType,
              const poplar::DebugContext &debugContext);

} // namespace ipumodel
