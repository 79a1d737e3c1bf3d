#include "popnn/recurrent/cell_options.hpp"
#include "popnn/recurrent/cell_tensors.hpp"
#include "popnn/recurrent/lstm/lstm_kernel.hpp"

#include <popnn/Lstm.hpp>
#include <popops/Reduce.hpp>
#include <poputil/TileMapping.hpp>
#include <poputil/exceptions.hpp>

namespace popnn {
namespace lstm {

using namespace ipumodel;
using poplar::DebugContext;
using poplar::Graph;
using poplar::OptionFlags;
using poplar::Tensor;
using poplar::program::Sequence;
using poputil::poplibs_error;

namespace {

constexpr std::size_t kLstmUnits = BASIC_LSTM_CELL_NUM_UNITS;

// A call of one of the functions below, with its arguments checked.
class Layer {
public:
  Layer(const char *function, Graph &graph, const LstmParams &params,
        Sequence &prog, const DebugContext &debugContext,
        const OptionFlags &flags, poplin::PlanningCache *cache)
      : function_(function), params_(params),
        order_(unitOrder(params.cellOrder)), graph_(graph), prog_(prog),
        debugContext_(debugContext), cache_(cache) {
    checkCell(function, params.rnn, order_, kLstmUnits);
    options_ = lstmOptions(flags, params.rnn.dataType);
    steps_ = params.rnn.maxTimeSteps;
    batch_ = params.rnn.batchSize;
    inputs_ = params.rnn.layerSizes[0];
    outputs_ = params.rnn.layerSizes[1];
  }

  std::pair<Tensor, Tensor> forward(const LstmState &state, const Tensor &in,
                                    const LstmWeights &weights,
                                    Tensor *intermediates) {
    checkState("stateInit", state);
    check("the input", in, {steps_, batch_, inputs_});
    checkWeights(weights);
    LstmForward what{cellActivation(params_.activation, function_),
                     cellActivation(params_.recurrentActivation, function_),
                     params_.outputFullSequence,
                     intermediates != nullptr,
                     params_.preserveFinalState,
                     params_.doInputWeightCalc,
                     params_.rnn.variableTimeSteps()};
    std::vector<Tensor> results = {
        add("output", params_.outputFullSequence
                          ? std::vector<std::size_t>{steps_, batch_, outputs_}
                          : std::vector<std::size_t>{batch_, outputs_}),
        add("cellState", {batch_, outputs_})};
    if (intermediates) {
      results.push_back(
          add("intermediates", {steps_, batch_, rowsKept(), outputs_}));
      *intermediates = results.back().dimShuffle({0, 2, 1, 3});
    }
    std::vector<Tensor> operands = {in, weightRows(weights.outputWeights),
                                    fromCellOrder(weights.biases, order_),
                                    state.output, state.cellState};
    if (params_.doInputWeightCalc)
      operands.push_back(weightRows(weights.inputWeights));
    addNative(prog_, what, results, withLengths(operands), debugContext_);
    return {results[0], results[1]};
  }

  // `last` may have tensors that are not valid. Returns the gradients of the
  // gates [steps, batch, 4, outputs] and of the initial state.
  std::pair<Tensor, LstmState> backward(const Tensor &intermediates,
                                        const LstmWeights &weights,
                                        const Tensor &outputGrad,
                                        const LstmState &last) {
    check("fwdIntermediates", intermediates,
          {steps_, rowsKept(), batch_, outputs_});
    checkWeights(weights);
    check("outputGrad", outputGrad,
          params_.outputFullSequence
              ? std::vector<std::size_t>{steps_, batch_, outputs_}
              : std::vector<std::size_t>{batch_, outputs_});
    std::vector<Tensor> inputs = {intermediates.dimShuffle({0, 2, 1, 3}),
                                  weightRows(weights.outputWeights),
                                  outputGrad};
    for (const Tensor &gradient : {last.output, last.cellState})
      if (gradient.valid()) {
        check("lastStepStateGrad", gradient, {batch_, outputs_});
        inputs.push_back(gradient);
      }
    const CellActivation activation =
        cellActivation(params_.activation, function_);
    const CellActivation recurrent =
        cellActivation(params_.recurrentActivation, function_);
    checkDerivatives(activation, recurrent, function_);
    const LstmBackward what{activation,
                            recurrent,
                            params_.outputFullSequence,
                            last.output.valid(),
                            last.cellState.valid(),
                            params_.rnn.variableTimeSteps()};
    const Tensor gates =
        add("bwdIntermediates", {steps_, batch_, kLstmUnits, outputs_});
    const LstmState initial = {add("outputGrad", {batch_, outputs_}),
                               add("cellStateGrad", {batch_, outputs_})};
    addNative(prog_, what, {gates, initial.output, initial.cellState},
              withLengths(inputs), debugContext_);
    return {gates, initial};
  }

  Tensor inputGradient(const Tensor &gates, const LstmWeights &weights) {
    return product(rowsOf(gates), inputMatrix(weights).transpose(),
                   params_.rnn.dataType)
        .reshape({steps_, batch_, inputs_});
  }

  LstmWeights weightGradients(const LstmState &state,
                              const Tensor &intermediates, const Tensor &gates,
                              const Tensor &in, const Tensor &output) {
    checkState("fwdStateInit", state);
    check("fwdIntermediates", intermediates,
          {steps_, rowsKept(), batch_, outputs_});
    check("bwdIntermediates", gates, {steps_, batch_, kLstmUnits, outputs_});
    check("the input", in, {steps_, batch_, inputs_});
    if (params_.outputFullSequence)
      check("the output", output, {steps_, batch_, outputs_});
    const Tensor outputs =
        params_.outputFullSequence
            ? output
            : intermediates.slice(kLstmKept, kLstmKept + 1, 1).squeeze({1});
    const Tensor rows = rowsOf(gates);
    const poplar::Type &type = options_.accumulatorsType;
    const auto ofMatrix = [&](const Tensor &matrix) {
      return toCellOrder(fromMatrix(matrix, kLstmUnits), order_);
    };
    return {ofMatrix(product(rowsOf(in).transpose(), rows, type)),
            ofMatrix(product(
                rowsOf(outputsBefore(state.output, outputs)).transpose(), rows,
                type)),
            toCellOrder(popops::reduce(graph_, rows, type, {0},
                                       popops::Operation::ADD, prog_,
                                       {debugContext_, "biasGrad"})
                            .reshape({kLstmUnits, outputs_}),
                        order_)};
  }

private:
  std::size_t rowsKept() const {
    return kLstmKept + (params_.outputFullSequence ? 0 : 1);
  }

  void check(const char *what, const Tensor &tensor,
             const std::vector<std::size_t> &shape) const {
    checkTensor(function_, what, tensor, params_.rnn.dataType, shape);
  }
  void checkState(const char *what, const LstmState &state) const {
    check(what, state.output, {batch_, outputs_});
    check(what, state.cellState, {batch_, outputs_});
  }
  void checkWeights(const LstmWeights &weights) const {
    if (params_.doInputWeightCalc)
      check("inputWeights", weights.inputWeights,
            {kLstmUnits, inputs_, outputs_});
    check("outputWeights", weights.outputWeights,
          {kLstmUnits, outputs_, outputs_});
    check("biases", weights.biases, {kLstmUnits, outputs_});
  }

  Tensor add(const char *name, const std::vector<std::size_t> &shape) {
    const Tensor t =
        graph_.addVariable(params_.rnn.dataType, shape, {debugContext_, name});
    poputil::mapTensorLinearly(graph_, t);
    return t;
  }

  std::vector<Tensor> withLengths(std::vector<Tensor> inputs) const {
    if (params_.rnn.variableTimeSteps())
      inputs.push_back(params_.rnn.varTimeSteps);
    return inputs;
  }

  Tensor product(const Tensor &a, const Tensor &b, const poplar::Type &type) {
    return poplin::matMul(graph_, a, b, prog_, type, debugContext_,
                          options_.products, cache_);
  }

  Tensor inputMatrix(const LstmWeights &weights) const {
    return asMatrix(fromCellOrder(weights.inputWeights, order_));
  }
  // As the kernels have them: [inputs, units, outputs].
  Tensor weightRows(const Tensor &weights) const {
    return fromCellOrder(weights, order_).dimShuffle({1, 0, 2});
  }

  const char *function_;
  const LstmParams &params_;
  UnitOrder order_;
  Graph &graph_;
  Sequence &prog_;
  const DebugContext &debugContext_;
  poplin::PlanningCache *cache_;
  CellOptions options_;
  std::size_t steps_, batch_, inputs_, outputs_;
};

void checkGradients(const char *function, const LstmParams &params,
                    bool hasLast, const Tensor *inputGrad) {
  if (params.rnn.variableTimeSteps() && hasLast)
    throw poplibs_error(std::string(function) +
                        ": sequences have lengths, so that lastStepStateGrad "
                        "must be null");
  if ((inputGrad != nullptr) != params.calcInputGradients)
    throw poplibs_error(std::string(function) +
                        ": inputGrad must be null if and only if "
                        "calcInputGradients is false");
}

// The gradient of the last cell state alone, as older functions have it.
LstmState onlyCellState(const LstmParams &params, const Tensor *gradient) {
  LstmState state;
  if (gradient && !params.rnn.variableTimeSteps())
    state.cellState = *gradient;
  return state;
}

Tensor unitsFirst(const Tensor &gates) {
  return gates.dimShuffle({0, 2, 1, 3});
}

} // namespace

std::pair<Tensor, Tensor>
lstmFwd(Graph &graph, const LstmParams &params, const LstmState &stateInit,
        const Tensor &in, const LstmWeights &weights, Tensor *intermediates,
        Sequence &fwdProg, const DebugContext &debugContext,
        const OptionFlags &options, poplin::PlanningCache *planningCache) {
  return Layer("lstmFwd", graph, params, fwdProg, debugContext, options,
               planningCache)
      .forward(stateInit, in, weights, intermediates);
}

LstmState lstmBwd(Graph &graph, const LstmParams &params, Sequence &prog,
                  const LstmState &, const Tensor &fwdIntermediates,
                  const LstmWeights &weights, const Tensor &, const Tensor &,
                  const Tensor &outputGrad, const LstmState *lastStepStateGrad,
                  Tensor *inputGrad, Tensor *bwdIntermediates,
                  const DebugContext &debugContext, const OptionFlags &options,
                  poplin::PlanningCache *planningCache) {
  checkGradients("lstmBwd", params, lastStepStateGrad != nullptr, inputGrad);
  Layer layer("lstmBwd", graph, params, prog, debugContext, options,
              planningCache);
  const auto [gates, initial] =
      layer.backward(fwdIntermediates, weights, outputGrad,
                     lastStepStateGrad ? *lastStepStateGrad : LstmState());
  if (inputGrad)
    *inputGrad = layer.inputGradient(gates, weights);
  if (bwdIntermediates)
    *bwdIntermediates = unitsFirst(gates);
  return initial;
}

LstmState lstmBwd(Graph &graph, const LstmParams &params, Sequence &prog,
                  const LstmState &fwdStateInit, const Tensor &fwdIntermediates,
                  const LstmWeights &weights, const Tensor &input,
                  const Tensor &output, const Tensor &outputGrad,
                  const Tensor *lastCellStateGrad, Tensor *inputGrad,
                  Tensor *bwdIntermediates, const DebugContext &debugContext,
                  const OptionFlags &options,
                  poplin::PlanningCache *planningCache) {
  const LstmState last = onlyCellState(params, lastCellStateGrad);
  return lstmBwd(graph, params, prog, fwdStateInit, fwdIntermediates, weights,
                 input, output, outputGrad,
                 last.cellState.valid() ? &last : nullptr, inputGrad,
                 bwdIntermediates, debugContext, options, planningCache);
}

LstmWeights lstmWU(Graph &graph, const LstmParams &params, Sequence &prog,
                   const LstmState &fwdStateInit,
                   const Tensor &fwdIntermediates,
                   const Tensor &bwdIntermediates, const LstmWeights &,
                   const Tensor &input, const Tensor &output,
                   const DebugContext &debugContext, const OptionFlags &options,
                   poplin::PlanningCache *planningCache) {
  if (!bwdIntermediates.valid() || bwdIntermediates.rank() != 4)
    throw poplibs_error("lstmWU: bwdIntermediates are not those of lstmBwd");
  return Layer("lstmWU", graph, params, prog, debugContext, options,
               planningCache)
      .weightGradients(fwdStateInit, fwdIntermediates,
                       unitsFirst(bwdIntermediates), input, output);
}

LstmState lstmBwdWithWU(Graph &graph, const LstmParams &params, Sequence &prog,
                        const LstmState &fwdStateInit,
                        const Tensor &fwdIntermediates,
                        const LstmWeights &weights, const Tensor &input,
                        const Tensor &output, const Tensor &outputGrad,
                        const LstmState *lastStepStateGrad, Tensor *inputGrad,
                        LstmWeights &weightsGrad,
                        const DebugContext &debugContext,
                        const OptionFlags &options,
                        poplin::PlanningCache *planningCache) {
  Tensor bwdIntermediates;
  const LstmState initial =
      lstmBwd(graph, params, prog, fwdStateInit, fwdIntermediates, weights,
              input, output, outputGrad, lastStepStateGrad, inputGrad,
              &bwdIntermediates, debugContext, options, planningCache);
  weightsGrad = lstmWU(graph, params, prog, fwdStateInit, fwdIntermediates,
                       bwdIntermediates, weights, input, output, debugContext,
                       options, planningCache);
  return initial;
}

LstmState lstmBwdWithWU(Graph &graph, const LstmParams &params, Sequence &prog,
                        const LstmState &fwdStateInit,
                        const Tensor &fwdIntermediates,
                        const LstmWeights &weights, const Tensor &input,
                        const Tensor &output, const Tensor &outputGrad,
                        const Tensor *lastCellStateGrad, Tensor *inputGrad,
                        LstmWeights &weightsGrad,
                        const DebugContext &debugContext,
                        const OptionFlags &options,
                        poplin::PlanningCache *planningCache) {
  const LstmState last = onlyCellState(params, lastCellStateGrad);
  return lstmBwdWithWU(graph, params, prog, fwdStateInit, fwdIntermediates,
                       weights, input, output, outputGrad,
                       last.cellState.valid() ? &last : nullptr, inputGrad,
                       weightsGrad, debugContext, options, planningCache);
}

} // namespace lstm
} // namespace popnn
