// Tensors stored in another order: which elements are next to each other in
// memory (poputil/VarStructure.hpp).
#pragma once

#include <gccs/CompilerFeatures.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poplar/Type.hpp>
#include <poputil/VarStructure.hpp>

#include <functional>
#include <utility>
#include <vector>

namespace popops {
namespace rearrange {

// True if the target has a fast way to transpose this many matrices.
bool canUseFastTranspose(const poplar::Target &target, const poplar::Type &type,
                         unsigned numRows, unsigned numColumns,
                         unsigned numTranspositions);

// Transposes matrices of `rows` times `cols` elements. getInOut returns matrix
// i and its transpose, both with one dimension, for each i in `mapping`.
void addTransposeVertices(
    poplar::Graph &graph, const poplar::ComputeSet &cs,
    const poplar::Type &dType, unsigned rows, unsigned cols,
    const poplar::Graph::TileToTensorMapping &mapping,
    std::function<std::pair<const poplar::Tensor, const poplar::Tensor>(size_t)>
        getInOut,
    const poplar::DebugContext &debugContext = {});

// A new tensor with the two innermost dimensions exchanged.
poplar::Tensor partialTranspose(poplar::Graph &graph, const poplar::Tensor &in,
                                const poplar::ComputeSet &cs,
                                const poplar::DebugContext &debugContext = {});

// The smallest group of elements that can be moved efficiently.
unsigned getMinimumRegroupGrainSize(const poplar::Type &type);

// The same values, stored with the grouping `to` innermost and `from` around
// it, or divisors of them that spread the tensor over more tiles. The caller
// runs the copies, then the compute set. A tensor of one dimension is returned
// as it is. Throws poplibs_error for groupings that do not divide a dimension.
poplar::Tensor regroupTensor(poplar::Graph &graph, const poplar::Tensor &t,
                             poplar::program::Sequence &copies,
                             const poplar::ComputeSet &transposeCS,
                             const poputil::GroupingInfo &from,
                             const poputil::GroupingInfo &to,
                             const poplar::DebugContext &debugContext = {});
poplar::Tensor regroupTensor(poplar::Graph &graph, const poplar::Tensor &t,
                             std::vector<poplar::program::Copy> &copies,
                             const poplar::ComputeSet &transposeCS,
                             const poputil::GroupingInfo &from,
                             const poputil::GroupingInfo &to,
                             const poplar::DebugContext &debugContext = {});

// The same from the grouping of `t`, if it has a suitable one in another
// dimension and `to` divides its dimension; else `t`.
poplar::Tensor regroupIfPossible(poplar::Graph &graph, const poplar::Tensor &t,
                                 poplar::program::Sequence &prog,
                                 const poputil::GroupingInfo &to,
                                 const poplar::DebugContext &debugContext = {});

// To the grouping of `ref`, which has the same shape, if both have suitable
// ones in different dimensions; else `in`.
poplar::Tensor
regroupIfBeneficial(poplar::Graph &graph, const poplar::Tensor &in,
                    const poplar::Tensor &ref, poplar::program::Sequence &prog,
                    const poplar::DebugContext &debugContext = {});
poplar::Tensor regroupIfBeneficial(
    poplar::Graph &graph, const poplar::Tensor &in, const poplar::Tensor &ref,
    std::vector<poplar::program::Copy> &copies, poplar::ComputeSet transposeCS,
    const poplar::DebugContext &debugContext = {});

// To groups of preferredGrouping elements of the innermost dimension.
poplar::Tensor
regroupIfBeneficial(poplar::Graph &graph, const poplar::Tensor &in,
                    std::size_t preferredGrouping,
                    poplar::program::Sequence &prog,
                    const poplar::DebugContext &debugContext = {});

} // namespace rearrange
} // namespace popops
