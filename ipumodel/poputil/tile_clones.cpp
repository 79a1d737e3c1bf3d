// Clones on other IPUs, in other graphs, and without aliases.
#include "poputil/copy_operands.hpp"

#include <poputil/DebugInfo.hpp>
#include <poputil/TileMapping.hpp>
#include <poputil/Util.hpp>
#include <poputil/exceptions.hpp>

#include <string>

namespace poputil {

using poplar::DebugContext;
using poplar::Graph;
using poplar::Interval;
using poplar::Tensor;
using poplar::TensorCloneMethod;
using Mapping = Graph::TileToTensorMapping;

namespace {

// Intervals that repeat an earlier element of the flattened tensor.
std::vector<Interval> repeatedIntervals(const Graph &graph,
                                        const Tensor &flat) {
  std::vector<std::size_t> firstUse;
  const auto intervals = flattenIntervals(graph.getSortedContiguousRegions(
      flat, {{0, flat.numElements()}}, false, &firstUse));
  std::vector<Interval> repeated;
  for (std::size_t i = 0; i < intervals.size(); ++i)
    if (firstUse[i] != intervals[i].begin())
      repeated.push_back(intervals[i]);
  return repeated;
}

} // namespace

Tensor cloneToIpu(Graph &graph, const Tensor &t, unsigned dstIPU,
                  const DebugContext &debugContext, TensorCloneMethod method) {
  PoplibsOpDebugInfo di(debugContext, DI_ARGS(t, dstIPU, method));
  const auto &target = graph.getTarget();
  if (dstIPU >= target.getNumIPUs())
    throw poplibs_error("Cannot clone to IPU " + std::to_string(dstIPU) +
                        ": there are " + std::to_string(target.getNumIPUs()));

  Tensor clone = graph.clone(t, {di}, method);
  Tensor from = t.flatten(), to = clone.flatten();
  graph.reorderToSimplify(&from, {&to});
  const auto mapping = graph.getTileMapping(from);
  const auto tilesPerIPU = target.getTilesPerIPU();
  Mapping newMapping(target.getNumTiles());
  for (unsigned tile = 0; tile < mapping.size(); ++tile) {
    auto &intervals = newMapping[dstIPU * tilesPerIPU + tile % tilesPerIPU];
    intervals.insert(intervals.end(), mapping[tile].begin(),
                     mapping[tile].end());
  }
  graph.setTileMapping(to, newMapping);
  di.addOutput(clone);
  return clone;
}

Tensor cloneToGraph(Graph &srcGraph, Graph &dstGraph, const Tensor &t,
                    const DebugContext &debugContext,
                    TensorCloneMethod method) {
  PoplibsOpDebugInfo di(debugContext, DI_ARGS(t, method));
  if (srcGraph.getReplicationFactor() != dstGraph.getReplicationFactor())
    throw poplibs_error("Cannot clone from a graph of " +
                        std::to_string(srcGraph.getReplicationFactor()) +
                        " replicas to one of " +
                        std::to_string(dstGraph.getReplicationFactor()));

  Tensor clone = srcGraph.clone(t, {di}, method);
  Tensor from = t.flatten(), to = clone.flatten();
  srcGraph.reorderToSimplify(&from, {&to});
  auto mapping = srcGraph.getTileMapping(from);
  const auto numTiles = dstGraph.getTarget().getNumTiles();
  for (std::size_t tile = numTiles; tile < mapping.size(); ++tile)
    if (!mapping[tile].empty())
      throw poplibs_error("Cannot clone elements mapped to tile " +
                          std::to_string(tile) + " to a graph of " +
                          std::to_string(numTiles) + " tiles");
  mapping.resize(numTiles);
  dstGraph.setTileMapping(to, mapping);
  di.addOutput(clone);
  return clone;
}

std::pair<Tensor, unsigned>
cloneAndExpandAliasing(Graph &graph, const Tensor &t, unsigned offset,
                       const DebugContext &debugContext) {
  if (!t.containsAliases())
    return {graph.clone(t, debugContext), offset};
  Tensor clone =
      graph.clone(t, debugContext, TensorCloneMethod::CREATE_NEW_ORDER);
  const Tensor repeated =
      concat(clone.flatten().slices(repeatedIntervals(graph, t.flatten())));
  const auto mapping =
      calcLinearTileMappingAndNewOffset(graph, repeated, offset);
  graph.setTileMapping(repeated, mapping.first);
  return {clone, mapping.second};
}

Tensor createIpuCopy(Graph &graph, const Tensor &t, unsigned dstIpu,
                     Tensor &copySrc, Tensor &copyDst,
                     const DebugContext &debugContext,
                     TensorCloneMethod method) {
  PoplibsOpDebugInfo di(debugContext, DI_ARGS(t, dstIpu, method));
  Tensor clone = cloneToIpu(graph, t, dstIpu, {di}, method);
  const auto copy = ipumodel::copyOperands(graph, t, clone, method);
  copySrc = copy.src;
  copyDst = copy.dst;
  di.addOutput(clone);
  return clone;
}

Tensor copyToIpu(Graph &masterGraph, const Tensor &t,
                 poplar::program::Sequence &prog, unsigned dstIPU,
                 const DebugContext &debugContext, TensorCloneMethod method) {
  PoplibsOpDebugInfo di(debugContext, DI_ARGS(t, dstIPU, method));
  Tensor src, dst;
  Tensor clone = createIpuCopy(masterGraph, t, dstIPU, src, dst, {di}, method);
  prog.add(poplar::program::Copy(src, dst, false, {di}));
  di.addOutput(clone);
  return clone;
}

} // namespace poputil
