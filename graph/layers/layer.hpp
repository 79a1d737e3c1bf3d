// A layer while its programs are built: forward, backward, and the tensors that
// training changes.
#pragma once

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
  poplar::Tensor master;          // FLOAT, what the optimiser changes
  poplar::Tensor compute;         // what the layer reads: the master itself, or
                                  // a HALF copy of it
  std::vector<unsigned> hostDims; // Keras' order of the dimensions

  // A tensor shaped like the variable, as Keras would shape it.
  poplar::Tensor hostView(const poplar::Tensor &tensor) const {
    return tensor.dimShuffle(hostDims);
  }
};

// What backward needs of the forward pass of the same micro-batch.
using Saved = std::vector<poplar::Tensor>;

// Receives each gradient once the program so far has computed it.
using GradientSink =
    std::function<void(const Variable &, const poplar::Tensor &)>;

// Where and for what a layer is built. The graph is that of its stage; tensors
// between layers are [batch, channels, height, width] or [batch, features].
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

  // In the order of Keras.
  virtual std::vector<Variable> variables() const { return {}; }

  // Appends the training pass and adds to `saved` what backward will need.
  virtual poplar::Tensor forward(const poplar::Tensor &x, Saved &saved,
                                 poplar::program::Sequence &prog) = 0;

  virtual poplar::Tensor predict(const poplar::Tensor &x,
                                 poplar::program::Sequence &prog) {
    Saved unused;
    return forward(x, unused, prog);
  }

  enum class InputGradient { wanted, unwanted };

  // Appends the gradients, the last variable's first, and returns that of the
  // layer's input, if wanted. `saved` is what forward saved, or copies of it.
  virtual poplar::Tensor backward(const Saved &saved,
                                  const poplar::Tensor &outputGradient,
                                  InputGradient inputGradient,
                                  const GradientSink &sink,
                                  poplar::program::Sequence &prog) = 0;

protected:
  // With `compute` as created for its use, in FLOAT or HALF.
  Variable makeVariable(const std::string &suffix,
                        const poplar::Tensor &compute,
                        std::vector<unsigned> hostDims) const;
  Variable makeBias(std::size_t size) const;
  std::string label(const char *part) const { return site_.name + "/" + part; }

  LayerSite site_;
};

} // namespace popscope::graph
