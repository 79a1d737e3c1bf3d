// log(softmax(x)) over the innermost dimension, computed without overflow.
#pragma once

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>

namespace popnn {

void logSoftmaxInPlace(poplar::Graph &graph, poplar::Tensor t,
                       poplar::program::Sequence &prog,
                       const poplar::DebugContext &debugContext = {});
poplar::Tensor logSoftmax(poplar::Graph &graph, poplar::Tensor t,
                          poplar::program::Sequence &prog,
                          const poplar::DebugContext &debugContext = {});

} // namespace popnn
