// Tensors made of parts that are contiguous in memory.
#pragma once

#include <poplar/Graph.hpp>

#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

namespace poputil {

// A dimension, and how many of its consecutive elements form a group.
using GroupingInfo = std::pair<unsigned, unsigned>;

// The number of elements of the last dimension that are contiguous in memory
// and on one tile; 1 if there is no such grouping. Only the first row is
// examined. Throws poplibs_error for a tensor of rank 0.
unsigned detectInnermostGrouping(const poplar::Graph &graph,
                                 const poplar::Tensor &t);

// The groupings from the innermost outwards; a dimension can occur more than
// once. Throws poplibs_error for a tensor of rank 0.
std::vector<GroupingInfo> detectDimGroupings(const poplar::Graph &graph,
                                             const poplar::Tensor &t);

// Dimension d is divided into nPartitions[d] parts of ceil(size /
// nPartitions[d]) elements; the last part may be smaller and further ones are
// empty. Each part of the tensor is contiguous in memory. The result is not
// mapped to tiles. Throws poplibs_error unless nPartitions has one positive
// entry per dimension.
poplar::Tensor
createPartitionableTensor(poplar::Graph &graph, const poplar::Type &type,
                          const std::vector<std::size_t> &shape,
                          const std::vector<std::size_t> &nPartitions,
                          const poplar::DebugContext &debugContext = {});

// Calls f with the index and the slice of each part; the index of the first
// dimension varies fastest.
void iterateTensorPartitions(
    const poplar::Tensor &t, const std::vector<std::size_t> &nPartitions,
    const std::function<void(const std::vector<std::size_t> &i,
                             const poplar::Tensor &s)> &f);

} // namespace poputil
