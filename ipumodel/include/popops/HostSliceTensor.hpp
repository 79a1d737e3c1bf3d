// Tensors that are exchanged with the host.
#pragma once

#include <poplar/DebugContext.hpp>
#include <poplar/Tensor.hpp>
#include <poplar/Type.hpp>

#include <cstddef>
#include <vector>

namespace poplar {

class Graph;

}

namespace popops {

struct IndicesAndTensor {
  poplar::Tensor indices;
  poplar::Tensor tensor;
};

// Rows [number of indices, size of a row] for a stream or a remote buffer, and
// their indices in it, UNSIGNED_INT. Packets of 1024 bytes are distributed over
// the tiles, after `offset` bytes of other tensors.
IndicesAndTensor
createHostSliceableTensor(poplar::Graph &graph, const poplar::Type &type,
                          const std::vector<size_t> &shape, const bool isRead,
                          const poplar::DebugContext &debugContext = {});
IndicesAndTensor
createHostSliceableTensor(poplar::Graph &graph, const poplar::Type &type,
                          const std::vector<size_t> &shape, const bool isRead,
                          const size_t offset,
                          const poplar::DebugContext &debugContext = {});

// The same for any shape, without indices.
poplar::Tensor
createHostTransferableTensor(poplar::Graph &graph, const poplar::Type &type,
                             const std::vector<size_t> &shape, bool isRead,
                             const poplar::DebugContext &debugContext = {});
poplar::Tensor
createHostTransferableTensor(poplar::Graph &graph, const poplar::Type &type,
                             const std::vector<size_t> &shape, bool isRead,
                             const size_t offset,
                             const poplar::DebugContext &debugContext = {});

} // namespace popops
