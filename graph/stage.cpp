#include "graph/stage.hpp"

#include <utility>

namespace popscope::graph {

namespace {

poplar::Tensor channelsLast(const poplar::Tensor &tensor) {
  return tensor.rank() == 4 ? tensor.dimShuffle({0, 2, 3, 1}) : tensor;
}

} // namespace

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
    Layer &layer = *layers_[i].layer;
    y = layer.forward(y, saved[i], prog);
    if (layers_[i].tapped)
      tap(layer.name() + "_acts", TensorKind::activation, TapMoment::microBatch,
          channelsLast(y), prog);
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
  const GradientSink sink = [&](const Variable &variable,
                                const poplar::Tensor &tensor) {
    tap(variable.name + "_grad", TensorKind::gradient, TapMoment::microBatch,
        variable.hostView(tensor), prog);
    gradients_.add(variable, tensor, prog);
  };
  for (std::size_t i = layers_.size(); i-- > 0;) {
    const PlacedLayer &placed = layers_[i];
    gradient = placed.layer->backward(savedOf(i, prog), gradient,
                                      placed.inputGradient, sink, prog);
    if (placed.inputGradient == Layer::InputGradient::unwanted)
      return {};
  }
  return gradient;
}

} // namespace popscope::graph
