#include "graph/softmax_regression.hpp"

#include "graph/linear.hpp"
#include "graph/sgd.hpp"
#include "graph/softmax_loss.hpp"
#include "graph/tile_split.hpp"

namespace popscope::graph {

SoftmaxRegression
addSoftmaxRegression(poplar::Graph &graph, const SoftmaxRegressionSpec &spec,
                     const poplar::DebugContext &debugContext) {
  // The bias is the weight of one more pixel that is always one.
  const poplar::Tensor inputs =
      graph.addVariable(poplar::FLOAT, {spec.batchSize, spec.pixels + 1},
                        {debugContext, "inputs"});
  mapAlong(graph, inputs, 0);
  graph.setInitialValue(inputs.slice(spec.pixels, spec.pixels + 1, 1), 1.0f);

  SoftmaxRegression model;
  model.images = inputs.slice(0, spec.pixels, 1);
  model.labels = graph.addVariable(poplar::UNSIGNED_INT, {spec.batchSize},
                                   {debugContext, "labels"});
  mapAlong(graph, model.labels, 0);
  model.weights =
      graph.addVariable(poplar::FLOAT, {spec.classes, spec.pixels + 1},
                        {debugContext, "weights"});
  mapAlong(graph, model.weights, 1);
  graph.setInitialValue(model.weights, 0.0f);

  const poplar::Tensor logits =
      addLinear(graph, inputs, model.weights, model.forward, debugContext);
  const SoftmaxLoss loss =
      addSoftmaxLoss(graph, logits, model.labels, model.forward, debugContext);
  addSgdUpdate(graph, model.weights, inputs, loss.gradients, spec.learningRate,
               model.update, debugContext);
  model.losses = loss.losses;
  model.predictions = loss.predictions;
  return model;
}

} // namespace popscope::graph
