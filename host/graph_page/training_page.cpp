#include "host/graph_page/training_page.hpp"

#include "graph/model_shapes.hpp"
#include "host/graph_page/layer_graph.hpp"
#include "host/graph_page/node_costs.hpp"
#include "host/graph_page/weight_update.hpp"

#include <utility>

namespace popscope::host {

namespace {

// Stages that share an IPU are no pipeline.
graph::TrainingSpec withDrawnStages(graph::TrainingSpec spec) {
  if (!spec.pipelined)
    for (graph::LayerSpec &layer : spec.model.layers)
      layer.stage = 0;
  return spec;
}

} // namespace

TrainingPage describeTraining(const graph::TrainingSpec &spec,
                              unsigned replicas,
                              const std::optional<CostEstimates> &estimates) {
  const graph::TrainingSpec drawn = withDrawnStages(spec);
  const Places places(graph::stageCount(drawn.model));
  Drawing drawing(drawn.batchSize);
  const ForwardPass forward = drawForwardPass(drawn, places, drawing);
  drawWeightUpdate(drawn, replicas, places,
                   drawBackwardPass(forward, places, drawing), drawing);
  TrainingPage page;
  page.layers = describeLayers(spec.model);
  if (estimates)
    page.costs = addCosts(*estimates, drawn.accumulation, drawing.nodes());
  for (DrawnNode &node : drawing.nodes())
    page.operations.nodes.push_back(std::move(node.node));
  return page;
}

} // namespace popscope::host
