#include "graph/stage.hpp"

#include <algorithm>
#include <utility>

namespace popscope::graph {

namespace {

poplar::Tensor channelsLast(const poplar::Tensor &tensor) {
  return tensor.rank() == 4 ? tensor.dimShuffle({0, 2, 3, 1}) : tensor;
}

Derivation productOf(const PlacedLayer &placed) {
  const std::vector<Variable> variables = placed.layer->variables();
  const Variable &kernel = variables[0], &bias = variables[1];
  const std::size_t filters = bias.master.numElements();
  return {Computation::product,
          {placed.input, kernel.name, bias.name},
          kernel.master.numElements() / filters};
}

// `preactivations` tells whether the output is an activation function of them.
Derivation derivationOfOutput(const PlacedLayer &placed, bool preactivations) {
  if (preactivations)
    return {placed.layer->computation(), {placed.preactivations()}};
  if (!placed.layer->variables().empty())
    return productOf(placed);
  return {placed.layer->computation(), {placed.input}};
}

// `outputs` is the number of elements of the layer's output.
Derivation derivationOfGradient(const PlacedLayer &placed,
                                const Variable &variable, std::size_t outputs) {
  const std::vector<Variable> variables = placed.layer->variables();
  const std::size_t terms = outputs / variables[1].master.numElements();
  if (variable.name == variables[1].name)
    return {Computation::sum, {placed.gradientOfOutput()}, terms};
  return {
      Computation::product, {placed.input, placed.gradientOfOutput()}, terms};
}

} // namespace

Derivation derivationOfInputGradient(const PlacedLayer &placed) {
  const std::vector<Variable> variables = placed.layer->variables();
  if (variables.empty())
    return {placed.layer->computation(), {placed.gradientOfOutput()}};
  const Variable &kernel = variables[0];
  const std::vector<std::size_t> shape = kernel.hostView(kernel.master).shape();
  return {Computation::product,
          {placed.gradientOfOutput(), kernel.name},
          kernel.master.numElements() / shape[shape.size() - 2]};
}

void Stage::add(PlacedLayer placed) {
  for (const Variable &variable : placed.layer->variables()) {
    gradients_.addVariable(variable);
    variables_.push_back(variable);
  }
  layers_.push_back(std::move(placed));
}

poplar::Tensor Stage::forward(const poplar::Tensor &x,
                              std::vector<Saved> &saved,
                              poplar::program::Sequence &prog) {
  poplar::Tensor y = x;
  saved.assign(layers_.size(), {});
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    const PlacedLayer &placed = layers_[i];
    bool preactivations = false;
    const TensorSink sink = [&](const poplar::Tensor &z) {
      preactivations = true;
      tapOutput(placed, placed.preactivations(), TensorKind::preactivation, z,
                productOf(placed), prog);
    };
    y = placed.layer->forward(y, saved[i], sink, prog);
    if (placed.output == OutputPoint::activations)
      tapOutput(placed, placed.activations(), TensorKind::activation, y,
                derivationOfOutput(placed, preactivations), prog);
    else if (placed.output == OutputPoint::logits)
      tapOutput(placed, placed.preactivations(), TensorKind::preactivation, y,
                derivationOfOutput(placed, false), prog);
  }
  return y;
}

poplar::Tensor Stage::predict(const poplar::Tensor &x,
                              poplar::program::Sequence &prog) {
  poplar::Tensor y = x;
  for (const PlacedLayer &placed : layers_)
    y = placed.layer->predict(y, prog);
  return y;
}

poplar::Tensor Stage::backward(const SavedOf &savedOf, poplar::Tensor gradient,
                               poplar::program::Sequence &prog) {
  gradients_.addMicroBatch(prog);
  for (std::size_t i = layers_.size(); i-- > 0;) {
    const PlacedLayer &placed = layers_[i];
    if (placed.output != OutputPoint::none)
      tapOutput(placed, placed.gradientOfOutput(),
                TensorKind::activationGradient, gradient, placed.outputGradient,
                prog);
    const std::size_t outputs = gradient.numElements();
    const GradientSink sink = [&](const Variable &variable,
                                  const poplar::Tensor &tensor) {
      tap(variable.name + "_grad", TensorKind::gradient, TapMoment::microBatch,
          variable.hostView(tensor),
          derivationOfGradient(placed, variable, outputs), prog);
      gradients_.add(variable, tensor, prog);
    };
    gradient = placed.layer->backward(savedOf(i, prog), gradient,
                                      placed.inputGradient, sink, prog);
    if (placed.inputGradient == Layer::InputGradient::unwanted)
      return {};
  }
  return gradient;
}

void Stage::tapOutput(const PlacedLayer &placed, const std::string &name,
                      TensorKind kind, const poplar::Tensor &tensor,
                      Derivation derivation, poplar::program::Sequence &prog) {
  const poplar::Tensor all = channelsLast(tensor);
  poplar::Tensor used = all;
  for (unsigned d = 0; d < placed.usedOutput.size(); ++d)
    used = used.slice(0, placed.usedOutput[d], d + 1);
  TapPoint point{name,  kind,  TapMoment::microBatch, number_, used,
                 false, false, std::move(derivation)};
  if (used.numElements() < all.numElements())
    point.partOf = all.shape();
  show(std::move(point), prog);
}

void Stage::show(TapPoint point, poplar::program::Sequence &prog) {
  if (!taps_)
    return;
  const bool ofMicroBatch = point.moment == TapMoment::microBatch;
  point.lasting = (ofMicroBatch || point.moment == TapMoment::applied) &&
                  point.kind != TensorKind::preactivation;
  if (ofMicroBatch)
    point.weights = weightsAmong(point.derivation.inputs);
  taps_->visit(graph_, prog, point);
}

std::vector<NamedTensor>
Stage::weightsAmong(const std::vector<std::string> &names) const {
  std::vector<NamedTensor> weights;
  for (const Variable &variable : variables_)
    if (std::find(names.begin(), names.end(), variable.name) != names.end())
      weights.push_back({variable.name, variable.hostView(variable.compute)});
  return weights;
}

} // namespace popscope::graph
