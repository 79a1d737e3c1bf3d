// A layer adds its forward and backward passes to programs, and owns the
// variables that training changes.
#pragma once

#include "graph/taps/tap_point.hpp"

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>
#include <poplar/Type.hpp>
#include <poplin/Convolution.hpp>

#include <cstddef>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace popscope::graph {

// A kernel or a bias. Gradients and optimiser state have its shape and order.
struct Variable {
  std::string name;               // as in Keras: "conv_0/kernel:0"
  poplar::Tensor master;          // FLOAT; the optimiser changes it
  poplar::Tensor compute;         // read by the layer: the master itself, or
                                  // a HALF copy of it
  std::vector<unsigned> hostDims; // Keras' order of the dimensions

  // A tensor of the variable's shape, in Keras' order of dimensions.
  poplar::Tensor hostView(const poplar::Tensor &tensor) const {
    return tensor.dimShuffle(hostDims);
  }
};

// Tensors of the forward pass that the backward pass of the same micro-batch
// needs.
using Saved = std::vector<poplar::Tensor>;

// Called at the point where the program has computed the tensor.
using TensorSink = std::function<void(const poplar::Tensor &)>;
// The same for gradients.
using GradientSink =
    std::function<void(const Variable &, const poplar::Tensor &)>;

// The graph a layer is built on, which is that of its stage, and its input.
// Tensors between layers are [batch, channels, height, width] or
// [batch, features].
struct LayerSite {
  poplar::Graph &graph;
  poplin::PlanningCache &plans;
  std::string name;
  poplar::Type type;                   // of activations, HALF or FLOAT
  std::size_t batch;                   // images of a micro-batch
  std::vector<std::size_t> inputShape; // of one image, channels last
};

class Layer {
public:
  explicit Layer(LayerSite site) : site_(std::move(site)) {}
  virtual ~Layer() = default;

  const std::string &name() const { return site_.name; }

  // In the order that Keras lists them: a kernel and a bias, or none.
  virtual std::vector<Variable> variables() const { return {}; }

  // What makes the output of the input, or of the pre-activations if there are
  // any.
  virtual Computation computation() const { return Computation::unknown; }

  // What the layer uses of an image of its input: the beginning of each
  // dimension.
  virtual std::vector<std::size_t> usedInput() const {
    return site_.inputShape;
  }

  // Appends the forward pass of training and adds what backward will need to
  // `saved`. `preactivations` gets what an activation function is applied to,
  // in place; not called by a layer without one.
  virtual poplar::Tensor forward(const poplar::Tensor &x, Saved &saved,
                                 const TensorSink &preactivations,
                                 poplar::program::Sequence &prog) = 0;

  virtual poplar::Tensor predict(const poplar::Tensor &x,
                                 poplar::program::Sequence &prog) {
    Saved unused;
    return forward(
        x, unused, [](const poplar::Tensor &) {}, prog);
  }

  enum class InputGradient { wanted, unwanted };

  // Appends the gradients of the variables, last variable first, and of the
  // layer's input, which it returns if wanted. `saved` is what forward saved,
  // or copies of it.
  virtual poplar::Tensor backward(const Saved &saved,
                                  const poplar::Tensor &outputGradient,
                                  InputGradient inputGradient,
                                  const GradientSink &sink,
                                  poplar::program::Sequence &prog) = 0;

protected:
  // `compute` has the layout that its operation wants, in FLOAT or HALF.
  Variable makeVariable(const std::string &suffix,
                        const poplar::Tensor &compute,
                        std::vector<unsigned> hostDims) const;
  Variable makeBias(std::size_t size) const;
  std::string label(const char *part) const { return site_.name + "/" + part; }

  LayerSite site_;
};

} // namespace popscope::graph
