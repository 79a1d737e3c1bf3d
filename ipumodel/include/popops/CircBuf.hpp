// A circular buffer of tensors.
#pragma once

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>

#include <string>
#include <vector>

namespace popops {

class CircBuf {
public:
  // Holds `size` tensors of this type and shape.
  CircBuf(poplar::Graph &graph, const poplar::Type &dataType, unsigned size,
          const std::vector<std::size_t> &shape,
          const poplar::DebugContext &debugContext = {});

  // A copy of the tensor added i additions before the latest; i < size.
  poplar::Tensor prev(unsigned i, poplar::program::Sequence &seq,
                      const poplar::DebugContext &debugContext = {});
  // Replaces the oldest tensor.
  void add(poplar::Tensor t, poplar::program::Sequence &seq,
           const poplar::DebugContext &debugContext = {});

  // The position of the latest tensor: UNSIGNED_INT of shape [1].
  poplar::Tensor getIndex() const;
  unsigned size() const;
  // The tile mapping of the tensors prev() returns.
  poplar::Graph::TileToTensorMapping getTileMapping();

private:
  poplar::Graph &graph;
  unsigned size_;
  poplar::Tensor index;
  poplar::Tensor hist; // [size, shape...]
};

} // namespace popops
