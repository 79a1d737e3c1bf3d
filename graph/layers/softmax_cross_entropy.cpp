#include "graph/layers/softmax_cross_entropy.hpp"

#include <popnn/Loss.hpp>
#include <popnn/NonLinearity.hpp>
#include <popops/Cast.hpp>
#include <poputil/TileMapping.hpp>

namespace popscope::graph {

poplar::Tensor inFloat(poplar::Graph &graph, const poplar::Tensor &tensor,
                       poplar::program::Sequence &prog,
                       const poplar::DebugContext &debugContext) {
  return tensor.elementType() == poplar::FLOAT
             ? tensor
             : popops::cast(graph, tensor, poplar::FLOAT, prog, debugContext);
}

poplar::Tensor addProbabilities(poplar::Graph &graph,
                                const poplar::Tensor &logits,
                                poplar::program::Sequence &prog,
                                const poplar::DebugContext &debugContext) {
  const poplar::Tensor wide =
      inFloat(graph, logits, prog, {debugContext, "logits"});
  return popnn::nonLinearity(graph, popnn::NonLinearityType::SOFTMAX_STABLE,
                             wide, prog, {debugContext, "softmax"});
}

CrossEntropy addCrossEntropy(poplar::Graph &graph,
                             const poplar::Tensor &probabilities,
                             const poplar::Tensor &labels, float gradientScale,
                             poplar::program::Sequence &prog,
                             const poplar::DebugContext &debugContext) {
  const auto constant = [&](float value) {
    const poplar::Tensor scalar =
        graph.addConstant(poplar::FLOAT, {}, value, {debugContext, "scale"});
    graph.setTileMapping(scalar, 0);
    return scalar;
  };
  CrossEntropy result;
  result.losses = graph.addVariable(poplar::FLOAT, {probabilities.dim(0)},
                                    {debugContext, "losses"});
  poputil::mapTensorLinearly(graph, result.losses);
  result.logitsGradient =
      graph.clone(probabilities, {debugContext, "logits_grad"});
  prog.add(popnn::calcLoss(graph, probabilities, labels, result.losses,
                           result.logitsGradient, constant(gradientScale),
                           constant(1.0f), popnn::CROSS_ENTROPY_LOSS,
                           {debugContext, "cross_entropy"}));
  return result;
}

} // namespace popscope::graph
