// Whether all elements of a tensor are true.
#pragma once

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>

#include <string>

namespace popops {

// A BOOL scalar. Throws poplibs_error unless A is BOOL.
poplar::Tensor allTrue(poplar::Graph &graph, poplar::Tensor A,
                       poplar::program::Sequence &prog,
                       const poplar::DebugContext &debugContext = {});

} // namespace popops
