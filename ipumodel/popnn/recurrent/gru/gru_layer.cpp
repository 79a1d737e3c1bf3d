#include "popnn/recurrent/gru/gru_layer.hpp"

#include <popops/ElementWise.hpp>
#include <popops/Reduce.hpp>
#include <poputil/TileMapping.hpp>
#include <poputil/exceptions.hpp>

namespace ipumodel {

using poplar::DebugContext;
using poplar::Graph;
using poplar::OptionFlags;
using poplar::Tensor;
using poplar::program::Sequence;
using popnn::gru::GruParams;
using popnn::gru::GruWeights;
using poputil::poplibs_error;

namespace {

// Between [steps, batch, units, size] and [steps, units, batch, size].
Tensor swapped(const Tensor &t) { return t.dimShuffle({0, 2, 1, 3}); }

} // namespace

GruLayer::GruLayer(const char *function, Graph &graph, const GruParams &params,
                   Sequence &prog, const DebugContext &debugContext,
                   const OptionFlags &options, poplin::PlanningCache *cache)
    : function_(function), params_(params), order_(unitOrder(params.cellOrder)),
      graph_(graph), prog_(prog), debugContext_(debugContext), cache_(cache) {
  checkCell(function, params.rnn, order_, kGruUnits);
  options_ = gruOptions(options, params.rnn.dataType);
  cell_ = {cellActivation(params.activation, function),
           cellActivation(params.recurrentActivation, function),
           params.resetAfter,
           params.outputFullSequence,
           false,
           params.rnn.variableTimeSteps()};
  steps_ = params.rnn.maxTimeSteps;
  batch_ = params.rnn.batchSize;
  inputs_ = params.rnn.layerSizes[0];
  outputs_ = params.rnn.layerSizes[1];
}

Tensor GruLayer::forward(const Tensor &initial, const Tensor &in,
                         const GruWeights &weights, Tensor *intermediates,
                         const Tensor *attention) {
  check("stateInit", initial, {batch_, outputs_});
  check("the input", in, {steps_, batch_, inputs_});
  checkWeights(weights);
  std::vector<Tensor> results = {
      add("output", params_.outputFullSequence ? Shape{steps_, batch_, outputs_}
                                               : Shape{batch_, outputs_})};
  if (intermediates) {
    results.push_back(
        add("intermediates", {steps_, batch_, cell_.rowsKept(), outputs_}));
    *intermediates = swapped(results.back());
  }
  const std::vector<Tensor> inputs = withOptional(
      {in, fromCellOrder(weights.inputWeights, order_).dimShuffle({1, 0, 2}),
       fromCellOrder(weights.outputWeights, order_).dimShuffle({1, 0, 2}),
       fromCellOrder(weights.biases, order_)
           .reshape({kGruUnits, params_.resetAfter ? 2u : 1u, outputs_}),
       initial},
      attention);
  addNative(prog_, GruForward{cell_, intermediates != nullptr}, results, inputs,
            debugContext_);
  return results[0];
}

Tensor GruLayer::backward(const Gradients &g, Tensor &gates) {
  checkDerivatives(cell_.activation, cell_.recurrentActivation, function_);
  if ((g.inputGrad != nullptr) != params_.calcInputGradients)
    throw poplibs_error(std::string(function_) +
                        ": inputGrad must be null if and only if "
                        "calcInputGradients is false");
  check("fwdOutputInit", g.initial, {batch_, outputs_});
  check("fwdIntermediates", g.intermediates,
        {steps_, cell_.rowsKept(), batch_, outputs_});
  checkWeights(g.weights);
  check("the gradient of the output", g.outputGrad,
        params_.outputFullSequence ? Shape{steps_, batch_, outputs_}
                                   : Shape{batch_, outputs_});
  const std::vector<Tensor> inputs = withOptional(
      {swapped(g.intermediates),
       fromCellOrder(g.weights.outputWeights, order_).dimShuffle({1, 0, 2}),
       outputsOf(g.intermediates, g.output), g.initial, g.outputGrad},
      g.attention);
  const Tensor gateGrads =
      add("bwdIntermediates", {steps_, batch_, kGruUnits, outputs_});
  std::vector<Tensor> results = {gateGrads,
                                 add("outputGrad", {batch_, outputs_})};
  if (g.attention) {
    results.push_back(add("attentionGrad", {batch_, steps_}));
    if (g.attentionGrad)
      *g.attentionGrad = results.back();
  }
  addNative(prog_, GruBackward{cell_}, results, inputs, debugContext_);
  if (g.inputGrad)
    *g.inputGrad =
        product(
            rowsOf(gateGrads),
            asMatrix(fromCellOrder(g.weights.inputWeights, order_)).transpose(),
            params_.rnn.dataType)
            .reshape({steps_, batch_, inputs_});
  gates = swapped(gateGrads);
  return results[1];
}

GruWeights GruLayer::weightGradients(const Tensor &initial,
                                     const Tensor &intermediates,
                                     const Tensor &gates, const Tensor &in,
                                     const Tensor &output) {
  check("fwdOutputInit", initial, {batch_, outputs_});
  check("fwdIntermediates", intermediates,
        {steps_, cell_.rowsKept(), batch_, outputs_});
  check("bwdIntermediates", gates, {steps_, kGruUnits, batch_, outputs_});
  check("the input", in, {steps_, batch_, inputs_});
  const poplar::Type &type = params_.rnn.dataType;
  const Tensor rows = rowsOf(swapped(gates));
  const Tensor both = rows.slice(0, 2 * outputs_, 1);
  const Tensor candidate = rows.slice(2 * outputs_, 3 * outputs_, 1);
  const Tensor before =
      rowsOf(outputsBefore(initial, outputsOf(intermediates, output)));
  const Tensor reset = rowsOf(swapped(intermediates).slice(0, 1, 2));
  const Tensor sums = sumOfRows(rows).reshape({kGruUnits, outputs_});
  GruWeights result;
  Tensor outputWeights;
  if (params_.resetAfter) {
    const Tensor ofProduct = popops::mul(graph_, candidate, reset, prog_,
                                         {debugContext_, "productGrad"});
    outputWeights =
        product(before.transpose(), concat(both, ofProduct, 1), type);
    const Tensor productSum = sumOfRows(ofProduct).expand({0});
    result.biases = concat(sums.expand({1}),
                           concat(sums.slice(0, 2), productSum).expand({1}), 1);
  } else {
    const Tensor resetBefore =
        popops::mul(graph_, before, reset, prog_, {debugContext_, "reset"});
    outputWeights =
        concat(product(before.transpose(), both, type),
               product(resetBefore.transpose(), candidate, type), 1);
    result.biases = sums;
  }
  result.inputWeights = toCellOrder(
      fromMatrix(product(rowsOf(in).transpose(), rows, type), kGruUnits),
      order_);
  result.outputWeights =
      toCellOrder(fromMatrix(outputWeights, kGruUnits), order_);
  result.biases = toCellOrder(result.biases, order_);
  return result;
}

GruLayer::Shape GruLayer::biasShape() const {
  return params_.resetAfter ? Shape{kGruUnits, 2, outputs_}
                            : Shape{kGruUnits, outputs_};
}

void GruLayer::check(const char *what, const Tensor &tensor,
                     const Shape &shape) const {
  checkTensor(function_, what, tensor, params_.rnn.dataType, shape);
}

void GruLayer::checkWeights(const GruWeights &weights) const {
  check("inputWeights", weights.inputWeights, {kGruUnits, inputs_, outputs_});
  check("outputWeights", weights.outputWeights,
        {kGruUnits, outputs_, outputs_});
  check("biases", weights.biases, biasShape());
}

Tensor GruLayer::add(const char *name, const Shape &shape) {
  const Tensor t =
      graph_.addVariable(params_.rnn.dataType, shape, {debugContext_, name});
  poputil::mapTensorLinearly(graph_, t);
  return t;
}

Tensor GruLayer::product(const Tensor &a, const Tensor &b,
                         const poplar::Type &type) {
  return poplin::matMul(graph_, a, b, prog_, type, debugContext_,
                        options_.products, cache_);
}

Tensor GruLayer::sumOfRows(const Tensor &rows) {
  return popops::reduce(graph_, rows, params_.rnn.dataType, {0},
                        popops::Operation::ADD, prog_,
                        {debugContext_, "biasGrad"});
}

Tensor GruLayer::outputsOf(const Tensor &intermediates,
                           const Tensor &output) const {
  if (!params_.outputFullSequence)
    return intermediates.slice(cell_.outputRow(), cell_.outputRow() + 1, 1)
        .squeeze({1});
  check("the output", output, {steps_, batch_, outputs_});
  return output;
}

std::vector<Tensor> GruLayer::withOptional(std::vector<Tensor> inputs,
                                           const Tensor *attention) {
  cell_.hasAttention = attention != nullptr;
  if (attention) {
    check("the attention", *attention, {batch_, steps_});
    inputs.push_back(*attention);
  }
  if (params_.rnn.variableTimeSteps())
    inputs.push_back(params_.rnn.varTimeSteps);
  return inputs;
}

} // namespace ipumodel
