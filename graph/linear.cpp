#include "graph/linear.hpp"

#include "graph/tile_split.hpp"

namespace popscope::graph {

poplar::Tensor addLinear(poplar::Graph &graph, const poplar::Tensor &images,
                         const poplar::Tensor &weights,
                         poplar::program::Sequence &prog,
                         const poplar::DebugContext &debugContext) {
  const std::size_t batch = images.dim(0), classes = weights.dim(0);
  poplar::Tensor logits = graph.addVariable(poplar::FLOAT, {batch, classes},
                                            {debugContext, "logits"});
  mapAlong(graph, logits, 0);

  const poplar::ComputeSet linear =
      graph.addComputeSet({debugContext, "linear"});
  for (unsigned tile = 0; tile < graph.getTarget().getNumTiles(); ++tile) {
    const poplar::Interval share = tileShare(graph, batch, tile);
    for (std::size_t b = share.begin(); b < share.end(); ++b) {
      const poplar::VertexRef vertex =
          graph.addVertex(linear, "popscope::Linear",
                          {{"image", images[b]}, {"logits", logits[b]}});
      graph.connect(vertex["weights"], weights);
      graph.setTileMapping(vertex, tile);
      graph.setPerfEstimate(vertex, 2 * weights.numElements());
    }
  }
  prog.add(poplar::program::Execute(linear, {debugContext, "linear"}));
  return logits;
}

} // namespace popscope::graph
