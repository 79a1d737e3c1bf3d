// Tensors laid out for slicing: every slice is spread over as many tiles as
// possible, and the slices at all offsets are spread alike, so that taking one
// moves nothing between tiles.
#pragma once

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>

#include <vector>

namespace ipumodel {

// Indices into `dims`, the dimension of which a slice keeps the least first.
std::vector<std::size_t> sliceOrder(const std::vector<std::size_t> &shape,
                                    const std::vector<std::size_t> &dims,
                                    const std::vector<std::size_t> &sizes);

// A variable whose outer dimensions in memory are `dims`, in that order. The
// elements of the others are divided between tiles, at least minGrainSize each.
poplar::Tensor addSliceable(poplar::Graph &graph, const poplar::Type &type,
                            const std::vector<std::size_t> &shape,
                            const std::vector<std::size_t> &dims,
                            std::size_t minGrainSize,
                            const poplar::DebugContext &debugContext);

// A variable [count, slice...], each slice of which has the tile mapping of
// `slice`. The elements of a tile are contiguous in every slice.
poplar::Tensor addSlicesLike(poplar::Graph &graph, const poplar::Tensor &slice,
                             std::size_t count,
                             const poplar::DebugContext &debugContext);

// A variable like `slice` in layout and mapping.
poplar::Tensor cloneSlice(poplar::Graph &graph, const poplar::Tensor &slice,
                          const poplar::DebugContext &debugContext);

// If `t` is QUARTER, `slices` of it get its metadata.
void copyMetadata(const poplar::Tensor &t, const poplar::Tensor &slices,
                  poplar::program::Sequence &prog,
                  const poplar::DebugContext &debugContext);

} // namespace ipumodel
