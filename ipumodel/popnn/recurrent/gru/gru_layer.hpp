// A call of one of the GRU functions, whose overloads differ only in what they
// are given.
#pragma once

#include "popnn/recurrent/cell_options.hpp"
#include "popnn/recurrent/cell_tensors.hpp"
#include "popnn/recurrent/gru/gru_kernel.hpp"

#include <popnn/Gru.hpp>

namespace ipumodel {

class GruLayer {
public:
  // Throws poplibs_error, naming `function`, for parameters that do not fit;
  // so do the functions below for tensors.
  GruLayer(const char *function, poplar::Graph &graph,
           const popnn::gru::GruParams &params, poplar::program::Sequence &prog,
           const poplar::DebugContext &debugContext,
           const poplar::OptionFlags &options, poplin::PlanningCache *cache);

  // Attention is null if there is none.
  poplar::Tensor forward(const poplar::Tensor &initial,
                         const poplar::Tensor &in,
                         const popnn::gru::GruWeights &weights,
                         poplar::Tensor *intermediates,
                         const poplar::Tensor *attention);

  // What the backward functions are given.
  struct Gradients {
    const poplar::Tensor &initial, &intermediates;
    const popnn::gru::GruWeights &weights;
    const poplar::Tensor &in, &output, &outputGrad;
    poplar::Tensor *inputGrad;
    const poplar::Tensor *attention;
    poplar::Tensor *attentionGrad;
  };
  // Returns the gradient of the initial output; sets `gates` to those of the
  // gates, units first.
  poplar::Tensor backward(const Gradients &g, poplar::Tensor &gates);

  popnn::gru::GruWeights weightGradients(const poplar::Tensor &initial,
                                         const poplar::Tensor &intermediates,
                                         const poplar::Tensor &gates,
                                         const poplar::Tensor &in,
                                         const poplar::Tensor &output);

private:
  using Shape = std::vector<std::size_t>;

  Shape biasShape() const;
  void check(const char *what, const poplar::Tensor &tensor,
             const Shape &shape) const;
  void checkWeights(const popnn::gru::GruWeights &weights) const;
  poplar::Tensor add(const char *name, const Shape &shape);
  poplar::Tensor product(const poplar::Tensor &a, const poplar::Tensor &b,
                         const poplar::Type &type);
  poplar::Tensor sumOfRows(const poplar::Tensor &rows);
  // All outputs [steps, batch, size], from where they are.
  poplar::Tensor outputsOf(const poplar::Tensor &intermediates,
                           const poplar::Tensor &output) const;
  std::vector<poplar::Tensor> withOptional(std::vector<poplar::Tensor> inputs,
                                           const poplar::Tensor *attention);

  const char *function_;
  const popnn::gru::GruParams &params_;
  UnitOrder order_;
  poplar::Graph &graph_;
  poplar::program::Sequence &prog_;
  const poplar::DebugContext &debugContext_;
  poplin::PlanningCache *cache_;
  CellOptions options_;
  GruCell cell_;
  std::size_t steps_, batch_, inputs_, outputs_;
};

} // namespace ipumodel
