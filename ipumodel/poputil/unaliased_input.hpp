// Inputs of operations that write their output while they read.
#pragma once

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poputil/Util.hpp>

namespace ipumodel {

// The input, or if it shares elements with the output, a copy that `prog`
// makes: writing the output must not change elements still to be read.
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
