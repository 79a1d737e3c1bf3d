#include "popnn/recurrent/plain_layer.hpp"

#include "popnn/recurrent/cell_tensors.hpp"

#include <popnn/Recurrent.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Expr.hpp>
#include <popops/Reduce.hpp>
#include <popops/Zero.hpp>
#include <poputil/TileMapping.hpp>
#include <poputil/exceptions.hpp>

namespace popnn {
namespace rnn {

using namespace ipumodel;
using poplar::DebugContext;
using poplar::Graph;
using poplar::OptionFlags;
using poplar::Tensor;
using poplar::Type;
using poplar::program::Sequence;
using poputil::poplibs_error;
namespace pe = popops::expr;

namespace {

void checkRank(const char *function, const char *what, const Tensor &tensor,
               std::size_t rank) {
  if (!tensor.valid() || tensor.rank() != rank)
    throw poplibs_error(std::string(function) + ": " + what +
                        " must have rank " + std::to_string(rank));
}

// The gradient of one step's sum.
Tensor sumGradient(const char *function, Graph &graph,
                   const Tensor &nextLayerGrad, const Tensor &bwdState,
                   const Tensor &actOut, const Tensor &weightsFeedback,
                   Sequence &prog, NonLinearityType nonLinearityType,
                   const Type &partialsType, const DebugContext &debugContext,
                   poplin::PlanningCache *cache) {
  checkRank(function, "weightsFeedback", weightsFeedback, 2);
  const Type type = weightsFeedback.elementType();
  checkRank(function, "actOut", actOut, 2);
  checkTensor(function, "actOut", actOut, type,
              {actOut.dim(0), weightsFeedback.dim(1)});
  checkTensor(function, "bwdState", bwdState, type, actOut.shape());
  checkTensor(function, "nextLayerGrad", nextLayerGrad, type, actOut.shape());
  const Tensor grad = poplin::matMul(
      graph, bwdState, weightsFeedback.transpose(), prog,
      {debugContext, "feedback"}, productOptions(partialsType, false), cache);
  popops::addInPlace(graph, grad, nextLayerGrad, prog, debugContext);
  return nonLinearityInputGradient(graph, nonLinearityType, actOut, grad, prog,
                                   debugContext);
}

} // namespace

Tensor forwardWeightInput(Graph &graph, const Tensor &actIn,
                          const Tensor &weights, Sequence &prog,
                          const Type &partialsType, bool inferenceOnly,
                          const DebugContext &debugContext,
                          poplin::PlanningCache *planningCache) {
  checkRank("forwardWeightInput", "actIn", actIn, 3);
  return poplin::matMul(
             graph, rowsOf(actIn), weights, prog, {debugContext, "weightInput"},
             productOptions(partialsType, inferenceOnly), planningCache)
      .reshapePartial(0, 1, {actIn.dim(0), actIn.dim(1)});
}

Tensor forwardIterate(Graph &graph, const Tensor &feedFwdIn,
                      const Tensor &initState, const Tensor &feedbackWeights,
                      const Tensor &biases, Sequence &prog,
                      NonLinearityType nonLinearityType,
                      const Type &partialsType, bool inferenceOnly,
                      const DebugContext &debugContext,
                      poplin::PlanningCache *planningCache) {
  const char *const function = "forwardIterate";
  checkRank(function, "feedFwdIn", feedFwdIn, 3);
  const Type type = feedFwdIn.elementType();
  const std::size_t batch = feedFwdIn.dim(1), size = feedFwdIn.dim(2);
  checkTensor(function, "initState", initState, type, {batch, size});
  checkTensor(function, "feedbackWeights", feedbackWeights, type, {size, size});
  checkTensor(function, "biases", biases, type, {size});
  const OptionFlags options = productOptions(partialsType, inferenceOnly);
  const Tensor bias = biases.expand({0}).broadcast(batch, 0);
  std::vector<Tensor> outputs;
  for (std::size_t step = 0; step < feedFwdIn.dim(0); ++step) {
    const Tensor &before = step == 0 ? initState : outputs.back();
    const Tensor sum =
        poplin::matMul(graph, before, feedbackWeights, prog,
                       {debugContext, "feedback"}, options, planningCache);
    popops::mapInPlace(graph, pe::_1 + pe::_2 + pe::_3,
                       {sum, feedFwdIn[step], bias}, prog,
                       {debugContext, "sum"});
    nonLinearityInPlace(graph, nonLinearityType, sum, prog, debugContext);
    outputs.push_back(sum);
  }
  for (Tensor &output : outputs)
    output = output.expand({0});
  return concat(outputs);
}

std::pair<Tensor, Tensor>
backwardGradientStep(Graph &graph, const Tensor &nextLayerGrad,
                     const Tensor &bwdState, const Tensor &actOut,
                     const Tensor &weightsInput, const Tensor &weightsFeedback,
                     Sequence &prog, NonLinearityType nonLinearityType,
                     const Type &partialsType, const DebugContext &debugContext,
                     poplin::PlanningCache *planningCache) {
  const Tensor state = backwardGradientStep(
      graph, nextLayerGrad, bwdState, actOut, weightsFeedback, prog,
      nonLinearityType, partialsType, debugContext, planningCache);
  return {poplin::matMul(graph, state, weightsInput.transpose(), prog,
                         {debugContext, "inputGrad"},
                         productOptions(partialsType, false), planningCache),
          state};
}

Tensor backwardGradientStep(Graph &graph, const Tensor &nextLayerGrad,
                            const Tensor &bwdState, const Tensor &actOut,
                            const Tensor &weightsFeedback, Sequence &prog,
                            NonLinearityType nonLinearityType,
                            const Type &partialsType,
                            const DebugContext &debugContext,
                            poplin::PlanningCache *planningCache) {
  return sumGradient("backwardGradientStep", graph, nextLayerGrad, bwdState,
                     actOut, weightsFeedback, prog, nonLinearityType,
                     partialsType, debugContext, planningCache);
}

void paramDeltaUpdate(Graph &graph, const Tensor &bwdState, const Tensor &actIn,
                      const Tensor &prevOut, Tensor &weightsInputDeltasAcc,
                      Tensor &weightsFeedbackDeltasAcc, Tensor &biasDeltasAcc,
                      Sequence &prog, const Type &partialsType,
                      const DebugContext &debugContext,
                      poplin::PlanningCache *planningCache) {
  const OptionFlags options = productOptions(partialsType, false);
  poplin::matMulAcc(graph, weightsInputDeltasAcc, 1.0f, actIn.transpose(),
                    bwdState, prog, {debugContext, "inputWeights"}, options,
                    planningCache);
  poplin::matMulAcc(graph, weightsFeedbackDeltasAcc, 1.0f, prevOut.transpose(),
                    bwdState, prog, {debugContext, "feedbackWeights"}, options,
                    planningCache);
  popops::addInPlace(graph, biasDeltasAcc,
                     popops::reduce(graph, bwdState, {0},
                                    popops::Operation::ADD, prog, debugContext),
                     prog, debugContext);
}

Tensor rnnFwdSequence(Graph &graph, Sequence &prog, const Tensor &fwdStateInit,
                      const Tensor *weightedIn, const Tensor &biases,
                      const Tensor &feedFwdWeights,
                      const Tensor &feedbackWeights,
                      const Tensor &prevLayerActs,
                      const NonLinearityType &nonLinearityType,
                      const Type &partialsType, bool inferenceOnly,
                      const DebugContext &debugContext,
                      poplin::PlanningCache *planningCache) {
  const Tensor weighted =
      weightedIn ? *weightedIn
                 : forwardWeightInput(graph, prevLayerActs, feedFwdWeights,
                                      prog, partialsType, inferenceOnly,
                                      debugContext, planningCache);
  return forwardIterate(graph, weighted, fwdStateInit, feedbackWeights, biases,
                        prog, nonLinearityType, partialsType, inferenceOnly,
                        debugContext, planningCache);
}

std::tuple<Tensor, Tensor, Tensor, Tensor> rnnBwdSequence(
    Graph &graph, bool doWU, bool ignoreInputGradientCalc, Sequence &prog,
    const Tensor &fwdStateInit, const Tensor &fwdState, const Tensor &biases,
    const Tensor &feedFwdWeights, const Tensor &feedbackWeights,
    const Tensor &outGradient, const Tensor &actIn,
    const NonLinearityType &nonLinearityType, const Type &partialsType,
    const DebugContext &debugContext, poplin::PlanningCache *planningCache) {
  const char *const function = "rnnBwdSequence";
  checkRank(function, "actIn", actIn, 3);
  const Type type = actIn.elementType();
  const std::size_t steps = actIn.dim(0), batch = actIn.dim(1);
  checkRank(function, "feedbackWeights", feedbackWeights, 2);
  const std::size_t size = feedbackWeights.dim(1);
  checkTensor(function, "fwdState", fwdState, type, {steps, batch, size});
  checkTensor(function, "fwdStateInit", fwdStateInit, type, {batch, size});
  checkTensor(function, "biases", biases, type, {size});
  checkTensor(function, "outGradient", outGradient, type, {batch, steps, size});

  Tensor state = createBwdState(graph, type, static_cast<unsigned>(batch),
                                static_cast<unsigned>(size), prog, debugContext,
                                planningCache);
  std::vector<Tensor> states(steps);
  for (std::size_t step = steps; step-- > 0;) {
    state = sumGradient(function, graph,
                        outGradient.dimShuffle({1, 0, 2})[step], state,
                        fwdState[step], feedbackWeights, prog, nonLinearityType,
                        partialsType, debugContext, planningCache);
    states[step] = state.expand({0});
  }
  const Tensor rows = rowsOf(concat(states));
  const OptionFlags options = productOptions(partialsType, false);
  Tensor inputGrad;
  if (ignoreInputGradientCalc) {
    inputGrad = graph.addVariable(type, actIn.shape(), debugContext);
    poputil::mapTensorLinearly(graph, inputGrad);
    popops::zero(graph, inputGrad, prog, debugContext);
  } else {
    inputGrad =
        poplin::matMul(graph, rows, feedFwdWeights.transpose(), prog,
                       {debugContext, "inputGrad"}, options, planningCache)
            .reshape(actIn.shape());
  }
  if (!doWU)
    return {inputGrad, Tensor(), Tensor(), Tensor()};
  return {
      inputGrad,
      poplin::matMul(graph, rowsOf(actIn).transpose(), rows, prog,
                     {debugContext, "inputWeights"}, options, planningCache),
      poplin::matMul(graph,
                     rowsOf(outputsBefore(fwdStateInit, fwdState)).transpose(),
                     rows, prog, {debugContext, "feedbackWeights"}, options,
                     planningCache),
      popops::reduce(graph, rows, {0}, popops::Operation::ADD, prog,
                     {debugContext, "biasGrad"})};
}

} // namespace rnn
} // namespace popnn
