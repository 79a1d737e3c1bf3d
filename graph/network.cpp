#include "graph/network.hpp"

#include "graph/layers/conv_layer.hpp"
#include "graph/layers/dense_layer.hpp"
#include "graph/layers/dropout_layer.hpp"
#include "graph/layers/flatten_layer.hpp"
#include "graph/layers/pool_layer.hpp"
#include "graph/model_shapes.hpp"

#include <cstdint>
#include <utility>

namespace popscope::graph {

namespace {

struct LayerMaker {
  LayerSite site;
  std::uint32_t number; // of the layer in the model
  StateCatalog &state;

  std::unique_ptr<Layer> operator()(const Conv &spec) {
    return std::make_unique<ConvLayer>(std::move(site), spec);
  }
  std::unique_ptr<Layer> operator()(const MaxPool &spec) {
    return std::make_unique<PoolLayer>(std::move(site), spec);
  }
  std::unique_ptr<Layer> operator()(const GlobalMaxPool &spec) {
    return std::make_unique<PoolLayer>(std::move(site), spec);
  }
  std::unique_ptr<Layer> operator()(const Flatten &) {
    return std::make_unique<FlattenLayer>(std::move(site));
  }
  std::unique_ptr<Layer> operator()(const Dropout &spec) {
    auto layer = std::make_unique<DropoutLayer>(std::move(site), spec, number);
    state.addRemembered(layer->name() + "/seed", layer->seed(), 0u);
    return layer;
  }
  std::unique_ptr<Layer> operator()(Dense spec) {
    if (spec.activation == Activation::softmax)
      spec.activation = Activation::none;
    return std::make_unique<DenseLayer>(std::move(site), spec);
  }
};

} // namespace

std::vector<std::unique_ptr<Stage>>
makeStages(const TrainingSpec &spec, const std::vector<poplar::Graph *> &graphs,
           poplin::PlanningCache &plans, StateCatalog &state,
           TapObserver *taps) {
  const auto shapes = outputShapes(spec.model);
  std::vector<std::unique_ptr<Stage>> stages;
  for (unsigned s = 0; s < graphs.size(); ++s)
    stages.push_back(std::make_unique<Stage>(
        s, *graphs[s],
        AccumulationSpec{spec.accumulation, spec.accumulationMethod,
                         spec.lossScale},
        taps));
  bool trainableBefore = false;
  std::string point = "input"; // the last one so far
  std::vector<PlacedLayer> layers;
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    const LayerSpec &layer = spec.model.layers[i];
    LayerSite site{
        *graphs[layer.stage], plans,
        layer.name,           spec.precision,
        spec.batchSize,       i == 0 ? spec.model.input : shapes[i - 1]};
    PlacedLayer placed;
    placed.layer = std::visit(
        LayerMaker{std::move(site), std::uint32_t(i), state}, layer.kind);
    for (const Variable &variable : placed.layer->variables())
      state.addTrainable(variable.name, variable.hostView(variable.master));
    placed.inputGradient = trainableBefore ? Layer::InputGradient::wanted
                                           : Layer::InputGradient::unwanted;
    placed.input = point;
    if (i + 1 == shapes.size())
      placed.output = OutputPoint::logits;
    else if (std::holds_alternative<Flatten>(layer.kind))
      placed.output = OutputPoint::none;
    else
      point = placed.activations();
    trainableBefore = trainableBefore || !placed.layer->variables().empty();
    layers.push_back(std::move(placed));
  }
  for (std::size_t i = 0; i + 1 < layers.size(); ++i)
    layers[i].usedOutput = layers[i + 1].layer->usedInput();
  Derivation ofGradient{Computation::crossEntropy,
                        {layers.back().activations()}};
  for (std::size_t i = layers.size(); i-- > 0;) {
    layers[i].outputGradient = ofGradient;
    if (layers[i].output != OutputPoint::none)
      ofGradient = derivationOfInputGradient(layers[i]);
  }
  for (std::size_t i = 0; i < layers.size(); ++i)
    stages[spec.model.layers[i].stage]->add(std::move(layers[i]));
  return stages;
}

} // namespace popscope::graph
