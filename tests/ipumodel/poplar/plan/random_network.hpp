// A small random network with its gradients and updates, as trainings have
// them, so that operations are combined. Between its operations there are
// vertices, branches and transfers.
#pragma once

#include "random_model.hpp"

#include <poplin/ConvUtil.hpp>
#include <poplin/Convolution.hpp>
#include <popnn/BatchNorm.hpp>
#include <popnn/NonLinearity.hpp>
#include <popnn/Pooling.hpp>
#include <popops/DynamicSlice.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Reduce.hpp>
#include <popops/ScaledAdd.hpp>

#include <algorithm>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace poplibstest {

class RandomNetwork {
public:
  explicit RandomNetwork(RandomModel &model)
      : model_(model), graph_(model.graph), views_(model.views) {}

  void addTo(Sequence &prog) {
    for (Tensor &decision : decisions_)
      decision = model_.addDecision();
    const std::size_t quiet[] = {4, 20, 60};
    quiet_ = quiet[views_.below(3)];
    std::vector<Layer> layers;
    Tensor y = addImages(prog);
    for (std::size_t count = views_.oneIn(3) ? 2 : 1; count > 0; --count) {
      layers.push_back(addLayer(y, prog));
      y = layers.back().y;
    }
    keepSome(y, "y");
    if (oneIn(4))
      return;
    Tensor gradient = model_.write(graph_.clone(y));
    if (oneIn(3)) { // as a loss is not done item by item
      const Tensor loss = model_.addWritten(FLOAT, {3});
      popops::mulInPlace(graph_, loss, 1.25f, prog, "loss");
    }
    for (auto layer = layers.rbegin(); layer != layers.rend(); ++layer)
      gradient = addGradients(*layer, gradient, prog);
    keepSome(gradient, "dx");
    for (const Update &late : late_)
      addUpdate(late, prog);
  }

private:
  using PoolParams = popnn::pooling::PoolParams;
  static constexpr auto kRelu = popnn::NonLinearityType::RELU;

  struct Layer {
    poplin::ConvParams params;
    Tensor x, w, z;
    std::optional<Tensor> bias;
    bool hasRelu = false;
    std::optional<PoolParams> pool;
    Tensor y;
    // Of a layer with a norm, and another convolution that is added to it:
    std::optional<Tensor> gamma;
    Tensor beta, inverse, whitened, shortcut;
  };
  struct Update {
    Tensor of, gradient;
  };

  Tensor input(const Tensor &t, Sequence &prog) {
    return model_.input(t, prog);
  }
  bool oneIn(std::size_t count) { return views_.oneIn(count); }

  // Other operations use it, too.
  void keepSome(const Tensor &t, const char *name) {
    if (oneIn(2 * quiet_))
      model_.keep(t, name);
    else if (oneIn(quiet_))
      model_.watch(t, name);
  }

  // Channels last in memory: written by the host, taken from one of several
  // slots, streamed, or any view.
  Tensor addImages(Sequence &prog) {
    const std::size_t batch = 8 + views_.below(17);
    const bool isSlot = oneIn(2);
    const std::size_t size = isSlot ? 12 : 6 + views_.below(7);
    const std::size_t channels = isSlot ? 8 : 1 + views_.below(8);
    const Shape shape{batch, size, isSlot || oneIn(2) ? size : 6, channels};
    if (isSlot)
      return takeSlot(shape, prog).dimRoll(3, 1);
    if (oneIn(6))
      return views_.view(FLOAT, {batch, channels, size, shape[2]});
    const Tensor images = model_.addWritten(FLOAT, shape);
    if (oneIn(4))
      prog.add(Copy(model_.addFromHost(images.numElements()), images));
    return images.dimRoll(3, 1);
  }

  // Slots are so large that they are copied item by item.
  Tensor takeSlot(const Shape &shape, Sequence &prog) {
    Shape all = shape;
    all.insert(all.begin(), 2 + views_.below(2));
    const Tensor slots = model_.addWritten(FLOAT, all);
    return popops::dynamicSlice(graph_, input(slots, prog), addIndex(all[0]),
                                {0}, {1}, prog, {}, slotOptions())[0];
  }
  void putIntoSlot(const Tensor &t, Sequence &prog) {
    Shape all = t.dimShuffle({0, 2, 3, 1}).shape();
    all.insert(all.begin(), 2);
    const Tensor slots = model_.addWritten(FLOAT, all);
    const Tensor slot = input(t.dimShuffle({0, 2, 3, 1}).expand({0}), prog);
    const Tensor index = addIndex(2);
    const OptionFlags options = slotOptions();
    model_.update(slots, prog, [&](const Tensor &to) {
      popops::dynamicUpdate(graph_, to, slot, index, {0}, {1}, prog, {},
                            options);
    });
  }
  OptionFlags slotOptions() {
    return {{"remapOutOfBoundIndices", oneIn(2) ? "true" : "false"}};
  }
  // Below `slots`, or just not.
  Tensor addIndex(std::size_t slots) {
    const Tensor index = views_.addVariable(UNSIGNED_INT, {1});
    const auto value =
        static_cast<unsigned>(oneIn(6) ? slots : views_.below(slots));
    graph_.setInitialValue(index, ArrayRef<unsigned>({value}));
    return index;
  }

  Layer addLayer(const Tensor &x, Sequence &prog) {
    Layer layer;
    layer.x = x;
    const auto kernel = [&](std::size_t field) {
      return std::min<std::size_t>(field, 1 + views_.below(5));
    };
    const std::size_t out = hasNorms() ? 8 + views_.below(9)
                                       : (oneIn(4) ? 16 : 1 + views_.below(8));
    layer.params = poplin::ConvParams(FLOAT, x.dim(0), {x.dim(2), x.dim(3)},
                                      {kernel(x.dim(2)), kernel(x.dim(3))},
                                      x.dim(1), out, 1);
    if (oneIn(6))
      layer.params.inputTransform.paddingLower[views_.below(2)] = 1;
    layer.w = poplin::createWeights(graph_, layer.params, "w");
    model_.write(layer.w);
    layer.z = poplin::convolution(graph_, input(x, prog), input(layer.w, prog),
                                  layer.params, false, prog, "conv");
    addBetween(layer.z, prog);
    if (hasNorms())
      addNorm(layer, prog);
    else if (!oneIn(4))
      addBias(layer, prog);
    if (oneIn(6))
      model_.update(layer.z, prog, [&](const Tensor &z) {
        popops::mulInPlace(graph_, z, 0.5f, prog, "scale");
      });
    if (!oneIn(4))
      addRelu(layer, prog);
    if (oneIn(6))
      putIntoSlot(layer.z, prog);
    layer.y = layer.z;
    if (!oneIn(6))
      addPool(layer, prog);
    keepSome(layer.z, "z");
    return layer;
  }

  // A quarter of the networks; their sums depend on how tensors are stored.
  bool hasNorms() const {
    return model_.form.floatSums && model_.seed() % 4 == 1;
  }

  void addNorm(Layer &layer, Sequence &prog) {
    namespace bn = popnn::bn;
    const auto addVector = [&] {
      return model_.addWritten(FLOAT, {layer.z.dim(1)});
    };
    layer.gamma = addVector();
    layer.beta = addVector();
    const auto [mean, inverse] =
        bn::batchNormStatistics(graph_, layer.z, 1e-3f, prog, false, false);
    layer.inverse = inverse;
    std::tie(layer.z, layer.whitened) = bn::batchNormalise(
        graph_, layer.z, *layer.gamma, layer.beta, mean, inverse, prog, "norm");
    addBetween(layer.whitened, prog);
    addBetween(layer.z, prog);
    layer.shortcut = poplin::createWeights(graph_, layer.params, "shortcut");
    model_.write(layer.shortcut);
    const Tensor other = poplin::convolution(
        graph_, layer.x, layer.shortcut, layer.params, false, prog, "shortcut");
    if (oneIn(2))
      layer.z = popops::add(graph_, layer.z, other, prog, "sum");
    else
      popops::addInPlace(graph_, layer.z, other, prog, "sum");
    addBetween(layer.z, prog);
  }
  // That of the input by way of the other convolution, and in place of the
  // gradient that of the convolution.
  Tensor addNormGradient(const Layer &layer, Tensor &gradient, Sequence &prog) {
    namespace bn = popnn::bn;
    const Tensor result = poplin::convolution(
        graph_, gradient, layer.shortcut,
        poplin::getGradientParams(layer.params), true, prog, "dx of shortcut");
    const auto [dGamma, dBeta] = bn::batchNormParamGradients(
        graph_, layer.whitened, gradient, prog, FLOAT, "dnorm");
    gradient =
        bn::batchNormGradients(graph_, layer.whitened, gradient, layer.inverse,
                               *layer.gamma, prog, FLOAT, "dnorm");
    addBetween(gradient, prog);
    Tensor gamma = *layer.gamma, beta = layer.beta;
    bn::batchNormParamUpdate(graph_, dGamma, dBeta, -0.01f, gamma, beta, prog);
    return result;
  }

  void addBias(Layer &layer, Sequence &prog) {
    layer.bias = poplin::createBiases(graph_, layer.z, "b");
    model_.write(*layer.bias);
    const Tensor bias = input(*layer.bias, prog);
    model_.update(layer.z, prog, [&](const Tensor &z) {
      poplin::addBias(graph_, z, bias, prog, "bias");
    });
    addBetween(layer.z, prog);
  }
  void addRelu(Layer &layer, Sequence &prog) {
    layer.hasRelu = true;
    if (oneIn(3))
      model_.addVertices(layer.z, prog);
    model_.update(layer.z, prog, [&](const Tensor &z) {
      popnn::nonLinearityInPlace(graph_, kRelu, z, prog, "relu");
    });
    addBetween(layer.z, prog);
  }

  // Mostly of the maximum; may leave out lines.
  void addPool(Layer &layer, Sequence &prog) {
    const poplin::ConvParams &conv = layer.params;
    const Shape field{layer.z.dim(2), layer.z.dim(3)};
    const std::size_t size =
        std::min({field[0], field[1], 1 + views_.below(3)});
    const auto step = static_cast<unsigned>(1 + views_.below(3));
    const auto type =
        oneIn(8) ? popnn::PoolingType::AVG : popnn::PoolingType::MAX;
    layer.pool.emplace(type, field, Shape{size, size},
                       std::vector<unsigned>{step, step},
                       std::vector<int>{0, 0}, std::vector<int>{0, 0},
                       conv.getNumOutputChans(), conv.batchSize, FLOAT);
    layer.y = popnn::pooling::pool(graph_, *layer.pool, input(layer.z, prog),
                                   prog, "pool");
    addBetween(layer.y, prog);
    keepSome(layer.y, "y");
  }

  // Returns that of the layer's input.
  Tensor addGradients(const Layer &layer, Tensor gradient, Sequence &prog) {
    if (layer.pool) {
      gradient = addPoolGradient(layer, gradient, prog);
      addBetween(gradient, prog);
      keepSome(gradient, "dpool");
    }
    if (layer.hasRelu) {
      if (oneIn(2))
        model_.addVertices(gradient, prog);
      const Tensor z = input(layer.z, prog);
      gradient = popnn::nonLinearityInputGradient(
          graph_, kRelu, z, input(gradient, prog), prog, "drelu");
      addBetween(gradient, prog);
    }
    Tensor ofShortcut;
    if (layer.gamma)
      ofShortcut = addNormGradient(layer, gradient, prog);
    const bool isInputFirst = oneIn(3);
    Tensor ofInput;
    if (!model_.form.floatSums)
      ofInput = model_.write(graph_.clone(layer.x));
    else if (isInputFirst)
      ofInput = addInputGradient(layer, gradient, prog);
    if (model_.form.floatSums) {
      if (layer.bias && !oneIn(4))
        addBiasGradient(layer, gradient, prog);
      if (!oneIn(4))
        addWeightGradient(layer, gradient, prog);
      if (!isInputFirst)
        ofInput = addInputGradient(layer, gradient, prog);
    }
    if (layer.gamma)
      popops::addInPlace(graph_, ofInput, ofShortcut, prog, "sum of dx");
    keepSome(gradient, "dz");
    return ofInput;
  }
  Tensor addPoolGradient(const Layer &layer, const Tensor &gradient,
                         Sequence &prog) {
    if (layer.pool->poolingType != popnn::PoolingType::MAX)
      return popnn::pooling::poolInputGradient(
          graph_, *layer.pool, 1, input(gradient, prog), prog, "dpool");
    const Tensor z = input(layer.z, prog), y = input(layer.y, prog);
    return popnn::pooling::poolInputGradient(graph_, *layer.pool, z, y,
                                             input(gradient, prog), oneIn(3),
                                             prog, "dpool");
  }
  Tensor addInputGradient(const Layer &layer, const Tensor &gradient,
                          Sequence &prog) {
    const Tensor result = poplin::convolution(
        graph_, gradient, layer.w, poplin::getGradientParams(layer.params),
        true, prog, "dx");
    addBetween(result, prog);
    return result;
  }
  void addBiasGradient(const Layer &layer, const Tensor &gradient,
                       Sequence &prog) {
    if (oneIn(3))
      return poplin::convolutionBiasUpdate(graph_, gradient, *layer.bias,
                                           -0.01f, {}, prog, "db");
    addUpdateLater(
        {*layer.bias, popops::reduce(graph_, gradient, {0, 2, 3},
                                     popops::Operation::ADD, prog, "db")},
        prog);
  }
  // Not of the weights yet: the input's gradient needs them.
  void addWeightGradient(const Layer &layer, const Tensor &gradient,
                         Sequence &prog) {
    addUpdateLater(
        {layer.w, poplin::calculateWeightDeltas(graph_, gradient, layer.x,
                                                layer.params, prog, "dw")},
        prog);
  }
  void addUpdateLater(const Update &update, Sequence &prog) {
    keepSome(update.gradient, "dw or db");
    if (oneIn(2))
      late_.push_back(update);
    else
      addUpdate(update, prog);
  }
  void addUpdate(const Update &update, Sequence &prog) {
    popops::scaledSubtractFrom(graph_, update.of, update.gradient, 0.01f, prog,
                               "update");
  }

  // After an operation that made or changed the tensor.
  void addBetween(const Tensor &t, Sequence &prog) {
    if (oneIn(quiet_))
      model_.addVertices(t, prog);
    if (oneIn(quiet_))
      addBranch(t, prog);
    if (oneIn(quiet_))
      addTransfer(t, prog);
  }

  void addBranch(const Tensor &t, Sequence &prog) {
    Sequence body;
    if (oneIn(3))
      model_.addVertices(t, body);
    else if (oneIn(3))
      addTransfer(t, body);
    else if (oneIn(6))
      popops::mulInPlace(graph_, t, 0.75f, body, "change");
    else
      popops::addInPlace(graph_, addLike(t), t, body, "sum");
    const Tensor &decision = decisions_[views_.below(2)];
    if (oneIn(8)) // it is decided here
      popops::mapInPlace(graph_, popops::expr::Const(1) - popops::expr::_1,
                         {decision}, prog, "decide");
    if (oneIn(8))
      prog.add(program::If(decision, Sequence(), body));
    else
      prog.add(program::If(decision, body, Sequence()));
  }

  // To the host or to another tensor; of the tensor or of another one.
  void addTransfer(const Tensor &t, Sequence &prog) {
    const Tensor from = oneIn(2) ? t : model_.addWritten(FLOAT, {5});
    if (oneIn(2))
      prog.add(Copy(from, model_.addToHost(FLOAT, from.numElements())));
    else if (oneIn(4))
      prog.add(Copy(model_.addFromHost(from.numElements()), addLike(from)));
    else
      prog.add(Copy(from, addLike(from)));
  }
  Tensor addLike(const Tensor &t) {
    return model_.write(graph_.clone(t, "like"));
  }

  RandomModel &model_;
  Graph &graph_;
  RandomViews &views_;
  Tensor decisions_[2];
  std::size_t quiet_ = 1; // so many operations have nothing between them
  std::vector<Update> late_;
};

} // namespace poplibstest
