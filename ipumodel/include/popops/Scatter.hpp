// Slices written to positions that are known only when the program runs.
#pragma once

#include <poplar/Graph.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/Program.hpp>

#include <functional>
#include <vector>

namespace popops {

// As XLA's Scatter. Dimension indexVectorDim of the indices (if it is their
// rank, one of size one after the last) has an offset for each operand
// dimension in scatterDimsToOperandDims; other offsets are 0. The dimensions
// updateWindowDims of `updates` are those of a slice, without the dimensions
// insertWindowDims of size one; its other dimensions are those of the indices.
// Slices are written in order, so that the last one wins. Indices are
// UNSIGNED_INT or INT; out-of-range indices and options are handled as in
// DynamicSlice.hpp.
void scatter(poplar::Graph &graph, const poplar::Tensor &operand,
             const poplar::Tensor &indices, const poplar::Tensor &updates,
             std::size_t indexVectorDim, std::vector<unsigned> updateWindowDims,
             std::vector<std::size_t> insertWindowDims,
             std::vector<unsigned> scatterDimsToOperandDims,
             poplar::program::Sequence &prog,
             const poplar::DebugContext &debugContext = {},
             const poplar::OptionFlags &optionFlags = {});

// Returns the combination of the present slice, which comes first, and the
// update. Called once: the operations it adds run for every slice.
using UpdateComputationFunc = std::function<poplar::Tensor(
    poplar::Graph &, poplar::Tensor &, poplar::Tensor &,
    poplar::program::Sequence &)>;

void scatter(poplar::Graph &graph, const poplar::Tensor &operand,
             const poplar::Tensor &indices, const poplar::Tensor &updates,
             std::size_t indexVectorDim, std::vector<unsigned> updateWindowDims,
             std::vector<std::size_t> insertWindowDims,
             std::vector<unsigned> scatterDimsToOperandDims,
             UpdateComputationFunc &updateComputation,
             poplar::program::Sequence &prog,
             const poplar::DebugContext &debugContext = {},
             const poplar::OptionFlags &optionFlags = {});

} // namespace popops
