// Consecutive layers that run on the same IPU.
#pragma once

#include "graph/layers/layer.hpp"
#include "graph/optimizers/gradient_accumulator.hpp"
#include "graph/taps/tap_point.hpp"

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace popscope::graph {

// As which tap point the output of a layer is visited.
enum class OutputPoint {
  activations,
  logits, // whose activations are the probabilities of the loss
  none    // another layer's point already has its elements
};

// A layer and its place in the network.
struct PlacedLayer {
  std::unique_ptr<Layer> layer;
  Layer::InputGradient inputGradient = Layer::InputGradient::wanted;
  OutputPoint output = OutputPoint::activations;
  std::string input; // the tap point of its input
  // Of an image of its output, by the next layer, as Layer::usedInput(); empty:
  // all of it.
  std::vector<std::size_t> usedOutput;
  Derivation outputGradient; // of the gradient of its output

  std::string preactivations() const { return layer->name() + "_preacts"; }
  std::string activations() const { return layer->name() + "_acts"; }
  std::string gradientOfOutput() const {
    return (output == OutputPoint::logits ? preactivations() : activations()) +
           "_grad";
  }
};

// In names of programs and tensors.
inline std::string stageName(unsigned number) {
  return "stage_" + std::to_string(number);
}

// How the layer computes the gradient of its input.
Derivation derivationOfInputGradient(const PlacedLayer &placed);

class Stage {
public:
  // `graph` and `taps` must outlive the stage; `taps` may be null.
  Stage(unsigned number, poplar::Graph &graph, const AccumulationSpec &spec,
        TapObserver *taps)
      : number_(number), graph_(graph), taps_(taps), gradients_(graph, spec) {}

  void add(PlacedLayer placed);

  poplar::Graph &graph() const { return graph_; }
  GradientAccumulator &gradients() { return gradients_; }
  // In the order of the layers.
  const std::vector<Variable> &variables() const { return variables_; }

  // Appends the forward pass of training and adds an entry for each layer to
  // `saved`.
  poplar::Tensor forward(const poplar::Tensor &x, std::vector<Saved> &saved,
                         poplar::program::Sequence &prog);
  poplar::Tensor predict(const poplar::Tensor &x,
                         poplar::program::Sequence &prog);
  // Returns what forward saved of a layer, or copies of it. Called right before
  // the layer's backward pass is appended.
  using SavedOf =
      std::function<Saved(std::size_t layer, poplar::program::Sequence &prog)>;
  // Appends the gradients and their accumulation. Returns the gradient of the
  // stage's input, or an empty tensor if no earlier stage has variables.
  poplar::Tensor backward(const SavedOf &savedOf, poplar::Tensor gradient,
                          poplar::program::Sequence &prog);

  // Shows the observer a tensor of this stage that the program so far has
  // completed. Tensors of a micro-batch keep their values until it ends, since
  // layers write only to their own outputs, and what the optimiser made keeps
  // them until the update ends; but pre-activations become activations in
  // place.
  void tap(const std::string &name, TensorKind kind, TapMoment moment,
           const poplar::Tensor &tensor, Derivation derivation,
           poplar::program::Sequence &prog, bool unchanged = false) {
    show({name, kind, moment, number_, tensor, false, unchanged,
          std::move(derivation)},
         prog);
  }

private:
  // Of the output of a layer, or of its gradient, the part that is used.
  void tapOutput(const PlacedLayer &placed, const std::string &name,
                 TensorKind kind, const poplar::Tensor &tensor,
                 Derivation derivation, poplar::program::Sequence &prog);
  void show(TapPoint point, poplar::program::Sequence &prog);
  std::vector<NamedTensor>
  weightsAmong(const std::vector<std::string> &names) const;

  unsigned number_;
  poplar::Graph &graph_;
  TapObserver *taps_;
  GradientAccumulator gradients_;
  std::vector<PlacedLayer> layers_;
  std::vector<Variable> variables_;
};

} // namespace popscope::graph
