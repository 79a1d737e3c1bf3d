#include "popops/slices/sliceable_tensor.hpp"

#include "poplar/graph/repeated_mapping.hpp"

#include <poputil/TileMapping.hpp>

#include <algorithm>
#include <numeric>

namespace ipumodel {

using namespace poplar;
using Sizes = std::vector<std::size_t>;

Sizes sliceOrder(const Sizes &shape, const Sizes &dims, const Sizes &sizes) {
  Sizes order(dims.size());
  std::iota(order.begin(), order.end(), std::size_t(0));
  std::stable_sort(
      order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return sizes[a] * shape[dims[b]] < sizes[b] * shape[dims[a]];
      });
  return order;
}

Tensor addSliceable(Graph &graph, const Type &type, const Sizes &shape,
                    const Sizes &dims, std::size_t minGrainSize,
                    const DebugContext &debugContext) {
  Sizes stored; // the dimensions in memory order
  std::size_t rows = 1, rowSize = 1;
  for (const std::size_t dim : dims) {
    stored.push_back(dim);
    rows *= shape[dim];
  }
  for (std::size_t dim = 0; dim < shape.size(); ++dim)
    if (std::find(dims.begin(), dims.end(), dim) == dims.end()) {
      stored.push_back(dim);
      rowSize *= shape[dim];
    }
  Sizes storedShape;
  std::vector<unsigned> order(shape.size());
  for (std::size_t i = 0; i < stored.size(); ++i) {
    storedShape.push_back(shape[stored[i]]);
    order[stored[i]] = static_cast<unsigned>(i);
  }

  const Tensor t = graph.addVariable(type, storedShape, debugContext);
  if (dims.empty() || t.numElements() == 0) {
    poputil::mapTensorLinearly(graph, t);
    return t.dimShuffle(order);
  }
  const std::size_t tiles = graph.getTarget().getNumTiles();
  const std::size_t perTile =
      std::max((rowSize + tiles - 1) / tiles, minGrainSize);
  Graph::TileToTensorMapping mapping(tiles);
  for (std::size_t tile = 0, begin = 0; begin < rowSize; ++tile) {
    const std::size_t end = std::min(rowSize, begin + perTile);
    mapping[tile].emplace_back(begin, end);
    begin = end;
  }
  const Tensor table = t.reshape({rows, rowSize});
  graph.setTileMapping(table[0], mapping);
  repeatTileMapping(graph, table);
  return t.dimShuffle(order);
}

Tensor addSlicesLike(Graph &graph, const Tensor &slice, std::size_t count,
                     const DebugContext &debugContext) {
  const Tensor flat = slice.flatten();
  const Graph::TileToTensorMapping mapping = graph.getTileMapping(flat);
  struct Part {
    std::size_t inSlice, inRow, size;
  };
  std::vector<Part> parts;
  std::size_t rowSize = 0;
  Graph::TileToTensorMapping rowMapping(mapping.size());
  for (std::size_t tile = 0; tile < mapping.size(); ++tile) {
    const std::size_t begin = rowSize;
    for (const auto &region :
         graph.getSortedContiguousRegions(flat, mapping[tile]))
      for (const Interval &interval : region) {
        parts.push_back({interval.begin(), rowSize, interval.size()});
        rowSize += interval.size();
      }
    if (rowSize != begin)
      rowMapping[tile].emplace_back(begin, rowSize);
  }
  std::sort(parts.begin(), parts.end(),
            [](const Part &a, const Part &b) { return a.inSlice < b.inSlice; });

  const Tensor table = graph.addVariable(
      slice.elementType(), slice.hasMetadata() ? slice.getMetadata() : Tensor(),
      {count, rowSize}, debugContext);
  if (table.numElements() != 0) {
    graph.setTileMapping(table[0], rowMapping);
    repeatTileMapping(graph, table);
  }
  Tensor ordered = table.slice(0, 0, 1);
  std::vector<Tensor> pieces;
  for (const Part &part : parts)
    pieces.push_back(table.slice(part.inRow, part.inRow + part.size, 1));
  if (!pieces.empty())
    ordered = concat(pieces, 1);
  Sizes shape = slice.shape();
  shape.insert(shape.begin(), count);
  return ordered.reshape(shape);
}

Tensor cloneSlice(Graph &graph, const Tensor &slice,
                  const DebugContext &debugContext) {
  bool complete = false;
  graph.getTileMapping(slice, &complete);
  const Tensor clone = graph.clone(slice, debugContext);
  if (!complete) // of a tensor that is mapped later
    poputil::mapTensorLinearly(graph, clone);
  return clone;
}

void copyMetadata(const Tensor &t, const Tensor &slices,
                  program::Sequence &prog, const DebugContext &debugContext) {
  if (t.hasMetadata() && !(t.getMetadata() == slices.getMetadata()))
    prog.add(program::Copy(t.getMetadata(), slices.getMetadata(), false,
                           debugContext));
}

} // namespace ipumodel
