#include "graph/softmax_loss.hpp"

#include "graph/tile_split.hpp"

namespace popscope::graph {

SoftmaxLoss addSoftmaxLoss(poplar::Graph &graph, const poplar::Tensor &logits,
                           const poplar::Tensor &labels,
                           poplar::program::Sequence &prog,
                           const poplar::DebugContext &debugContext) {
  const std::size_t batch = logits.dim(0);
  SoftmaxLoss result;
  result.losses =
      graph.addVariable(poplar::FLOAT, {batch}, {debugContext, "losses"});
  result.gradients = graph.addVariable(poplar::FLOAT, logits.shape(),
                                       {debugContext, "gradients"});
  result.predictions = graph.addVariable(poplar::UNSIGNED_INT, {batch},
                                         {debugContext, "predictions"});
  mapAlong(graph, result.losses, 0);
  mapAlong(graph, result.gradients, 0);
  mapAlong(graph, result.predictions, 0);

  const poplar::ComputeSet softmax =
      graph.addComputeSet({debugContext, "softmax"});
  for (unsigned tile = 0; tile < graph.getTarget().getNumTiles(); ++tile) {
    const poplar::Interval share = tileShare(graph, batch, tile);
    for (std::size_t b = share.begin(); b < share.end(); ++b) {
      const poplar::VertexRef vertex =
          graph.addVertex(softmax, "popscope::SoftmaxLoss",
                          {{"logits", logits[b]},
                           {"label", labels[b]},
                           {"gradient", result.gradients[b]},
                           {"loss", result.losses[b]},
                           {"prediction", result.predictions[b]}});
      graph.setTileMapping(vertex, tile);
      graph.setPerfEstimate(vertex, 100 * logits.dim(1)); // two exp per class
    }
  }
  prog.add(poplar::program::Execute(softmax, {debugContext, "softmax"}));
  return result;
}

} // namespace popscope::graph
