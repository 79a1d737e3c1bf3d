#include "graph/sgd.hpp"

#include "graph/tile_split.hpp"

namespace popscope::graph {

void addSgdUpdate(poplar::Graph &graph, const poplar::Tensor &weights,
                  const poplar::Tensor &images, const poplar::Tensor &gradients,
                  float rate, poplar::program::Sequence &prog,
                  const poplar::DebugContext &debugContext) {
  const std::size_t batch = images.dim(0);
  const poplar::Tensor gradientsByClass = gradients.transpose();

  const poplar::ComputeSet update =
      graph.addComputeSet({debugContext, "update"});
  for (unsigned tile = 0; tile < graph.getTarget().getNumTiles(); ++tile) {
    const poplar::Interval share = tileShare(graph, weights.dim(1), tile);
    if (share.size() == 0)
      continue;
    for (std::size_t c = 0; c < weights.dim(0); ++c) {
      const poplar::VertexRef vertex =
          graph.addVertex(update, "popscope::SgdUpdate",
                          {{"weights", weights[c].slice(share)},
                           {"gradient", gradientsByClass[c]}});
      graph.connect(vertex["images"], images.slice(share, 1));
      graph.setInitialValue(vertex["rate"], rate / float(batch));
      graph.setTileMapping(vertex, tile);
      graph.setPerfEstimate(vertex, 2 * share.size() * batch);
    }
  }
  prog.add(poplar::program::Execute(update, {debugContext, "update"}));
}

} // namespace popscope::graph
