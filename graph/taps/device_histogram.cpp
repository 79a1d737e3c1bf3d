#include "graph/taps/device_histogram.hpp"

#include "graph/taps/stats_vertices.hpp"
#include "graph/taps/tile_parts.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace popscope::graph {

namespace {

// Rows of counts that one vertex adds up.
constexpr std::size_t kSumFanIn = 32;

} // namespace

poplar::Tensor addTensorHistogram(poplar::Graph &graph,
                                  const poplar::Tensor &tensor,
                                  const LinearBuckets &buckets,
                                  poplar::program::Sequence &prog,
                                  const poplar::DebugContext &debugContext) {
  if (!(buckets.begin < buckets.end) || buckets.number == 0 ||
      !std::isfinite(buckets.end - buckets.begin))
    throw std::invalid_argument(
        "[graph] a histogram needs at least one bucket, and finite ends in "
        "ascending order");
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

  poplar::Tensor rows = partial;
  unsigned spread = 0; // no tile has to hold the counts of all parts
  do {
    const std::size_t groups =
        std::max<std::size_t>(1, (rows.dim(0) + kSumFanIn - 1) / kSumFanIn);
    const poplar::Tensor sums = graph.addVariable(
        poplar::UNSIGNED_INT, {groups, slots}, {debugContext, "counts"});
    const poplar::ComputeSet sum = graph.addComputeSet({debugContext, "sum"});
    for (std::size_t g = 0; g < groups; ++g) {
      const poplar::Tensor group =
          rows.slice(rows.dim(0) * g / groups, rows.dim(0) * (g + 1) / groups);
      const poplar::VertexRef vertex =
          graph.addVertex(sum, sumCountsVertex(),
                          {{"rows", group.flatten()}, {"sums", sums[g]}});
      const unsigned tile = spread++ % graph.getTarget().getNumTiles();
      graph.setTileMapping(vertex, tile);
      graph.setTileMapping(sums[g], tile);
    }
    prog.add(poplar::program::Execute(sum, {debugContext, "sum"}));
    rows = sums;
  } while (rows.dim(0) > 1);
  return rows[0];
}

} // namespace popscope::graph
