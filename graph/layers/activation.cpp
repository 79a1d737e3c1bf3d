#include "graph/layers/activation.hpp"

#include <popnn/NonLinearity.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Expr.hpp>

#include <cassert>

namespace popscope::graph {

namespace {

// The fixed point of zero mean and unit variance (Klambauer et al., 2017).
constexpr float kSeluScale = 1.0507009873554805f;
constexpr float kSeluAlpha = 1.6732632423543772f;
constexpr float kSeluLimit = kSeluScale * kSeluAlpha;

} // namespace

void addActivation(poplar::Graph &graph, Activation activation,
                   const poplar::Tensor &tensor,
                   poplar::program::Sequence &prog,
                   const poplar::DebugContext &debugContext) {
  using namespace popops::expr;
  assert(activation != Activation::softmax && "softmax is part of the loss");
  if (activation == Activation::relu)
    popnn::nonLinearityInPlace(graph, popnn::NonLinearityType::RELU, tensor,
                               prog, debugContext);
  // Both branches of a Select are computed. The minimum keeps the exponential
  // from overflowing where it is not selected.
  if (activation == Activation::selu)
    popops::mapInPlace(graph,
                       Select(_1 * Const(kSeluScale),
                              Expm1(Min(_1, Const(0.0f))) * Const(kSeluLimit),
                              _1 > Const(0.0f)),
                       {tensor}, prog, debugContext);
}

poplar::Tensor addActivationGradient(poplar::Graph &graph,
                                     Activation activation,
                                     const poplar::Tensor &output,
                                     const poplar::Tensor &outputGradient,
                                     poplar::program::Sequence &prog,
                                     const poplar::DebugContext &debugContext) {
  using namespace popops::expr;
  assert(activation != Activation::softmax && "softmax is part of the loss");
  if (activation == Activation::relu)
    return popnn::nonLinearityInputGradient(
        graph, popnn::NonLinearityType::RELU, output, outputGradient, prog,
        debugContext);
  // Below zero the function is limit * (e^x - 1), and its slope is
  // output + limit.
  if (activation == Activation::selu)
    return popops::map(graph,
                       Select(_2 * Const(kSeluScale),
                              _2 * (_1 + Const(kSeluLimit)), _1 > Const(0.0f)),
                       {output, outputGradient}, prog, debugContext);
  return outputGradient;
}

} // namespace popscope::graph
