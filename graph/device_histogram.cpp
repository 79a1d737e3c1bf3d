#include "graph/device_histogram.hpp"

#include "graph/stats_vertices.hpp"
#include "graph/tile_parts.hpp"

#include <cmath>
#include <stdexcept>

namespace popscope::graph {

poplar::Tensor addTensorHistogram(poplar::Graph &graph,
                                  const poplar::Tensor &tensor,
                                  const LinearBuckets &buckets,
                                  poplar::program::Sequence &prog,
                                  const poplar::DebugContext &debugContext) {
  if (!(buckets.begin < buckets.end) || buckets.number == 0 ||
      !std::isfinite(buckets.end - buckets.begin))
    throw std::invalid_argument(
        "[graph] a histogram needs a bucket or more between two finite ends");
  const poplar::Tensor flat = tensor.flatten();
  const std::vector<TilePart> parts = tileParts(graph, flat);
  const std::string vertexName = tileHistogramVertex(tensor.elementType());
  const std::size_t slots = buckets.number + 3;

  const poplar::Tensor partial = graph.addVariable(
      poplar::UNSIGNED_INT, {parts.size(), slots}, {debugContext, "partial"});
  const poplar::ComputeSet count = graph.addComputeSet({debugContext, "count"});
  for (std::size_t p = 0; p < parts.size(); ++p) {
    const poplar::VertexRef vertex = graph.addVertex(count, vertexName);
    graph.connect(vertex["regions"], flat.slices(parts[p].regions));
    graph.connect(vertex["counts"], partial[p]);
    graph.setInitialValue(vertex["begin"], buckets.begin);
    graph.setInitialValue(vertex["bucketsPerUnit"],
                          float(buckets.number) /
                              (buckets.end - buckets.begin));
    graph.setTileMapping(vertex, parts[p].tile);
    graph.setTileMapping(partial[p], parts[p].tile);
  }
  prog.add(poplar::program::Execute(count, {debugContext, "count"}));

  const poplar::Tensor counts = graph.addVariable(poplar::UNSIGNED_INT, {slots},
                                                  {debugContext, "counts"});
  graph.setTileMapping(counts, 0);
  const poplar::ComputeSet sum = graph.addComputeSet({debugContext, "sum"});
  const poplar::VertexRef vertex = graph.addVertex(
      sum, sumCountsVertex(), {{"rows", partial.flatten()}, {"sums", counts}});
  graph.setTileMapping(vertex, 0);
  prog.add(poplar::program::Execute(sum, {debugContext, "sum"}));
  return counts;
}

} // namespace popscope::graph
