#include <poputil/DebugInfo.hpp>
#include <poputil/TileMapping.hpp>
#include <poputil/exceptions.hpp>

#include <algorithm>
#include <string>

namespace poputil {

using poplar::Graph;
using poplar::Interval;
using poplar::Tensor;

namespace {

// The indices, in a dimension of `size`, of elements [begin, end) of the
// flattened tensor. Consecutive indices are `stride` elements apart.
std::vector<Interval> indicesOf(const Interval &elements, std::size_t size,
                                std::size_t stride) {
  const auto first = elements.begin() / stride;
  const auto last = (elements.end() - 1) / stride;
  if (last - first + 1 >= size)
    return {Interval(0, size)};
  const auto begin = first % size, end = last % size + 1;
  if (begin < end)
    return {Interval(begin, end)};
  return {Interval(0, end), Interval(begin, size)};
}

void moveOn(Graph &graph, const Tensor &t, std::size_t tiles) {
  auto mapping = graph.getTileMapping(t);
  std::rotate(mapping.begin(), mapping.end() - tiles, mapping.end());
  graph.setTileMapping(t, mapping);
}

} // namespace

Tensor createBroadcastOperand(Graph &graph, const Tensor &fullTensor,
                              const poplar::Type &type, unsigned dim,
                              bool ditherMapping,
                              const poplar::DebugContext &debugContext) {
  PoplibsOpDebugInfo di(debugContext,
                        DI_ARGS(fullTensor, type, dim, ditherMapping));
  if (dim >= fullTensor.rank())
    throw poplibs_error("createBroadcastOperand: no dimension " +
                        std::to_string(dim) + " in " +
                        fullTensor.shapeToString());
  const auto size = fullTensor.dim(dim);
  std::size_t stride = 1;
  for (unsigned d = dim + 1; d < fullTensor.rank(); ++d)
    stride *= fullTensor.dim(d);

  Tensor out = graph.addVariable(type, {size}, {di});
  const auto mapping = graph.getTileMapping(fullTensor);
  TensorUseTracker tracker(graph.getTarget().getNumTiles());
  for (unsigned tile = 0; tile < mapping.size(); ++tile)
    for (const Interval &elements : mapping[tile])
      if (elements.size() > 0)
        for (const Interval &indices : indicesOf(elements, size, stride))
          tracker.add(graph, tile, out.slice(indices));

  if (tracker.empty()) {
    mapTensorLinearly(graph, out);
  } else {
    // The number of elements that are loaded at once.
    const auto &target = graph.getTarget();
    const unsigned grain =
        target.getDataPathWidth() / (8 * target.getTypeSize(type));
    tracker.mapTensorsByUse(
        graph, grain, 0, false,
        TensorUseTracker::MappingMethod::ConstrainMappingToUsedTiles);
  }
  if (ditherMapping)
    moveOn(graph, out,
           chooseMappingOffset(graph.getTarget().getNumTiles(),
                               fullTensor.shape()));
  di.addOutput(out);
  return out;
}

} // namespace poputil
