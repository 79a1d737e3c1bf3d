// Inputs of operations that write while they read.
#pragma once

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poputil/Util.hpp>

namespace ipumodel {

// The input, or a copy made by `prog` if it shares elements with the output:
// an element that is written may not change what is still to be read.
inline poplar::Tensor unaliasedInput(const poplar::Tensor &output,
                                     const poplar::Tensor &input,
                                     poplar::Graph &graph,
                                     poplar::program::Sequence &prog,
                                     const poplar::DebugContext &debugContext) {
  return input.intersectsWith(output)
             ? poputil::duplicate(graph, input, prog, debugContext)
             : input;
}

} // namespace ipumodel
