#include "popnn/recurrent/cell_options.hpp"
#include "popnn/recurrent/cell_tensors.hpp"

#include <popnn/Gru.hpp>
#include <poputil/TileMapping.hpp>

#include <tuple>

namespace popnn {
namespace gru {

using namespace ipumodel;
using poplar::DebugContext;
using poplar::Graph;
using poplar::OptionFlags;
using poplar::Tensor;

namespace {

constexpr std::size_t kUnits = BASIC_GRU_CELL_NUM_UNITS;

void check(const char *function, const GruParams &params,
           const OptionFlags &options) {
  checkCell(function, params.rnn, unitOrder(params.cellOrder), kUnits);
  gruOptions(options, params.rnn.dataType);
}

// Multiplications and additions of all steps with a matrix of as many rows.
std::uint64_t productFlops(const GruParams &params, std::size_t rows) {
  return std::uint64_t(2) * rows * kUnits * params.rnn.layerSizes.at(1) *
         params.rnn.batchSize * params.rnn.maxTimeSteps;
}

// The elements of all outputs.
std::uint64_t outputs(const GruParams &params) {
  return std::uint64_t(params.rnn.maxTimeSteps) * params.rnn.batchSize *
         params.rnn.layerSizes.at(1);
}

} // namespace

const std::vector<BasicGruCellUnit> getDefaultBasicGruCellOrder() {
  return {BASIC_GRU_CELL_RESET_GATE, BASIC_GRU_CELL_UPDATE_GATE,
          BASIC_GRU_CELL_CANDIDATE};
}

GruParams::GruParams(poplar::Type dataType, std::size_t batchSize,
                     std::size_t timeSteps, std::vector<std::size_t> layerSizes,
                     NonLinearityType activation,
                     NonLinearityType recurrentActivation)
    : GruParams(dataType, batchSize, timeSteps, Tensor(), std::move(layerSizes),
                activation, recurrentActivation) {}

GruParams::GruParams(poplar::Type dataType, std::size_t batchSize,
                     std::size_t maxTimeSteps, const Tensor &timeSteps,
                     std::vector<std::size_t> layerSizes,
                     NonLinearityType activation,
                     NonLinearityType recurrentActivation)
    : rnn(dataType, batchSize, maxTimeSteps, timeSteps, layerSizes),
      dataType(dataType), batchSize(batchSize), timeSteps(maxTimeSteps),
      layerSizes(std::move(layerSizes)), activation(activation),
      recurrentActivation(recurrentActivation) {}

GruParams::GruParams(const GruParams &other) = default;

uint64_t getBasicGruCellFwdFlops(const GruParams &params) {
  return productFlops(params, params.rnn.layerSizes.at(0) +
                                  params.rnn.layerSizes.at(1)) +
         5 * outputs(params);
}

uint64_t getBasicGruCellBwdFlops(const GruParams &params) {
  return (params.calcInputGradients
              ? productFlops(params, params.rnn.layerSizes.at(0))
              : 0) +
         2 * productFlops(params, params.rnn.layerSizes.at(1)) +
         8 * outputs(params);
}

uint64_t getBasicGruCellWuFlops(const GruParams &params) {
  return productFlops(params, params.rnn.layerSizes.at(0) +
                                  params.rnn.layerSizes.at(1) + 1);
}

Tensor createInput(Graph &graph, const GruParams &params,
                   const DebugContext &debugContext, const OptionFlags &options,
                   poplin::PlanningCache *) {
  check("gru::createInput", params, options);
  return rnn::createInputTensor(graph, params.rnn, 1, debugContext);
}

Tensor createInitialState(Graph &graph, const GruParams &params,
                          const DebugContext &debugContext,
                          const OptionFlags &options, poplin::PlanningCache *) {
  check("gru::createInitialState", params, options);
  return rnn::createInitialState(graph, params.rnn, true, 1, 1, debugContext)
      .squeeze({0});
}

std::pair<Tensor, Tensor> createWeightsKernel(Graph &graph,
                                              const GruParams &params,
                                              const DebugContext &debugContext,
                                              const OptionFlags &options,
                                              poplin::PlanningCache *) {
  check("gru::createWeightsKernel", params, options);
  const std::size_t inputs = params.rnn.layerSizes[0];
  const std::size_t outputs = params.rnn.layerSizes[1];
  return {createUnitWeights(graph, params.rnn.dataType, kUnits, inputs, outputs,
                            {debugContext, "weightsIn"}),
          createUnitWeights(graph, params.rnn.dataType, kUnits, outputs,
                            outputs, {debugContext, "weightsOut"})};
}

Tensor createWeightsBiases(Graph &graph, const GruParams &params,
                           const DebugContext &debugContext,
                           const OptionFlags &options,
                           poplin::PlanningCache *) {
  check("gru::createWeightsBiases", params, options);
  const std::size_t outputs = params.rnn.layerSizes[1];
  const std::vector<std::size_t> shape =
      params.resetAfter ? std::vector<std::size_t>{kUnits, 2, outputs}
                        : std::vector<std::size_t>{kUnits, outputs};
  const Tensor biases =
      graph.addVariable(params.rnn.dataType, shape, {debugContext, "biases"});
  poputil::mapTensorLinearly(graph, biases);
  return biases;
}

GruWeights createWeights(Graph &graph, const GruParams &params,
                         const DebugContext &debugContext,
                         const OptionFlags &options,
                         poplin::PlanningCache *planningCache) {
  GruWeights weights;
  std::tie(weights.inputWeights, weights.outputWeights) =
      createWeightsKernel(graph, params, debugContext, options, planningCache);
  weights.biases =
      createWeightsBiases(graph, params, debugContext, options, planningCache);
  return weights;
}

Tensor createAttention(Graph &graph, const GruParams &params,
                       const DebugContext &debugContext,
                       const OptionFlags &options) {
  check("gru::createAttention", params, options);
  return rnn::createRecurrentTensor(graph, params.rnn, 1, 1, debugContext)
      .squeeze({2})
      .transpose();
}

} // namespace gru
} // namespace popnn
