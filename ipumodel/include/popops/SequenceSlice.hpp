// Sequences of different lengths copied between tensors.
#pragma once

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poputil/DebugInfo.hpp>

namespace popops {

// For every i, in order: tOut[tOutOffset[i] + j] = tIn[tInOffset[i] + j] for j
// below tN[i]. Rows outside either tensor are not copied; rows of tOut that no
// sequence covers become zero if zeroUnused, else they keep their values. tIn
// and tOut have a rank of at least 2 and rows of the same size; tN and the
// offsets are UNSIGNED_INT [n]. Throws graph_connection_error.
void sequenceSlice(poplar::Graph &graph, const poplar::Tensor &tIn,
                   const poplar::Tensor &tOut, const poplar::Tensor &tN,
                   const poplar::Tensor &tInOffset,
                   const poplar::Tensor &tOutOffset, bool zeroUnused,
                   poplar::program::Sequence &prog,
                   const poplar::DebugContext &debugContext = {});

} // namespace popops
