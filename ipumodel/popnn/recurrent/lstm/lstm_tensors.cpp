#include "popnn/recurrent/cell_options.hpp"
#include "popnn/recurrent/cell_tensors.hpp"

#include <poplin/FullyConnected.hpp>
#include <popnn/Lstm.hpp>
#include <popops/Zero.hpp>
#include <poputil/TileMapping.hpp>

namespace popnn {
namespace lstm {

using namespace ipumodel;
using poplar::DebugContext;
using poplar::Graph;
using poplar::OptionFlags;
using poplar::Tensor;
using poplar::program::Sequence;

namespace {

constexpr std::size_t kUnits = BASIC_LSTM_CELL_NUM_UNITS;

void check(const char *function, const LstmParams &params,
           const OptionFlags &options) {
  checkCell(function, params.rnn, unitOrder(params.cellOrder), kUnits);
  lstmOptions(options, params.rnn.dataType);
}

Tensor createState(Graph &graph, const LstmParams &params,
                   const DebugContext &debugContext) {
  return rnn::createInitialState(graph, params.rnn, true, 1, 1, debugContext)
      .squeeze({0});
}

// Multiplications and additions of all steps with a matrix of as many rows.
std::uint64_t productFlops(const LstmParams &params, std::size_t rows) {
  return std::uint64_t(2) * rows * kUnits * params.rnn.layerSizes.at(1) *
         params.rnn.batchSize * params.rnn.maxTimeSteps;
}

// The elements of all outputs.
std::uint64_t outputs(const LstmParams &params) {
  return std::uint64_t(params.rnn.maxTimeSteps) * params.rnn.batchSize *
         params.rnn.layerSizes.at(1);
}

} // namespace

const std::vector<BasicLstmCellUnit> getDefaultBasicLstmCellOrder() {
  return {BASIC_LSTM_CELL_FORGET_GATE, BASIC_LSTM_CELL_INPUT_GATE,
          BASIC_LSTM_CELL_CANDIDATE, BASIC_LSTM_CELL_OUTPUT_GATE};
}

LstmParams::LstmParams(poplar::Type dataType, std::size_t batchSize,
                       std::size_t timeSteps,
                       std::vector<std::size_t> layerSizes,
                       NonLinearityType activation,
                       NonLinearityType recurrentActivation)
    : LstmParams(dataType, batchSize, timeSteps, Tensor(),
                 std::move(layerSizes), activation, recurrentActivation) {}

LstmParams::LstmParams(poplar::Type dataType, std::size_t batchSize,
                       std::size_t maxTimeSteps, const Tensor &timeSteps,
                       std::vector<std::size_t> layerSizes,
                       NonLinearityType activation,
                       NonLinearityType recurrentActivation)
    : rnn(dataType, batchSize, maxTimeSteps, timeSteps, layerSizes),
      dataType(dataType), batchSize(batchSize), timeSteps(maxTimeSteps),
      layerSizes(std::move(layerSizes)), activation(activation),
      recurrentActivation(recurrentActivation) {}

Tensor LstmState::getAsTensor() const {
  return concat(output.expand({0}), cellState.expand({0}));
}

std::vector<std::pair<poplin::MatMulParams, OptionFlags>>
getMatMulPrePlanParameters(LstmParams params, OptionFlags opts) {
  check("getMatMulPrePlanParameters", params, opts);
  const CellOptions options = lstmOptions(opts, params.rnn.dataType);
  OptionFlags products = options.products;
  products.set("fullyConnectedPass",
               options.inferenceOnly ? "INFERENCE_FWD" : "TRAINING_FWD");
  return poplin::fc::getMatMulPrePlanParameters(
      {1, params.rnn.maxTimeSteps * params.rnn.batchSize,
       params.rnn.layerSizes[0], kUnits * params.rnn.layerSizes[1]},
      products, params.rnn.dataType, options.inferenceOnly);
}

uint64_t getBasicLstmCellFwdFlops(const LstmParams &params) {
  return (params.doInputWeightCalc
              ? productFlops(params, params.rnn.layerSizes.at(0))
              : 0) +
         productFlops(params, params.rnn.layerSizes.at(1)) +
         4 * outputs(params);
}

uint64_t getBasicLstmCellBwdFlops(const LstmParams &params) {
  return (params.calcInputGradients
              ? productFlops(params, params.rnn.layerSizes.at(0))
              : 0) +
         productFlops(params, params.rnn.layerSizes.at(1)) +
         6 * outputs(params);
}

uint64_t getBasicLstmCellWuFlops(const LstmParams &params) {
  return productFlops(params, params.rnn.layerSizes.at(0) +
                                  params.rnn.layerSizes.at(1) + 1);
}

Tensor createInput(Graph &graph, const LstmParams &params,
                   const DebugContext &debugContext, const OptionFlags &options,
                   poplin::PlanningCache *) {
  check("lstm::createInput", params, options);
  return rnn::createInputTensor(graph, params.rnn, 1, debugContext);
}

Tensor createInitialOutput(Graph &graph, const LstmParams &params,
                           const DebugContext &debugContext,
                           const OptionFlags &options,
                           poplin::PlanningCache *) {
  check("lstm::createInitialOutput", params, options);
  return createState(graph, params, debugContext);
}

Tensor createInitialCellState(Graph &graph, const LstmParams &params,
                              const DebugContext &debugContext,
                              const OptionFlags &options,
                              poplin::PlanningCache *) {
  check("lstm::createInitialCellState", params, options);
  return createState(graph, params, debugContext);
}

LstmState createInitialState(Graph &graph, const LstmParams &params,
                             const DebugContext &debugContext,
                             const OptionFlags &options,
                             poplin::PlanningCache *planningCache) {
  return {createInitialOutput(graph, params, {debugContext, "output"}, options,
                              planningCache),
          createInitialCellState(graph, params, {debugContext, "cellState"},
                                 options, planningCache)};
}

void zeroInitialState(Graph &graph, const LstmState &initialState,
                      Sequence &prog, const DebugContext &debugContext) {
  popops::zero(graph, initialState.getAsTensor(), prog, debugContext);
}

std::pair<Tensor, Tensor> createWeightsKernel(Graph &graph,
                                              const LstmParams &params,
                                              const DebugContext &debugContext,
                                              const OptionFlags &options,
                                              poplin::PlanningCache *) {
  check("lstm::createWeightsKernel", params, options);
  const std::size_t inputs = params.rnn.layerSizes[0];
  const std::size_t outputs = params.rnn.layerSizes[1];
  return {createUnitWeights(graph, params.rnn.dataType, kUnits, inputs, outputs,
                            {debugContext, "weightsIn"}),
          createUnitWeights(graph, params.rnn.dataType, kUnits, outputs,
                            outputs, {debugContext, "weightsOut"})};
}

Tensor createWeightsBiases(Graph &graph, const LstmParams &params,
                           const DebugContext &debugContext,
                           const OptionFlags &options,
                           poplin::PlanningCache *) {
  check("lstm::createWeightsBiases", params, options);
  const Tensor biases =
      graph.addVariable(params.rnn.dataType, {kUnits, params.rnn.layerSizes[1]},
                        {debugContext, "biases"});
  poputil::mapTensorLinearly(graph, biases);
  return biases;
}

LstmWeights createWeights(Graph &graph, const LstmParams &params,
                          const DebugContext &debugContext,
                          const OptionFlags &options,
                          poplin::PlanningCache *planningCache) {
  LstmWeights weights;
  std::tie(weights.inputWeights, weights.outputWeights) =
      createWeightsKernel(graph, params, debugContext, options, planningCache);
  weights.biases =
      createWeightsBiases(graph, params, debugContext, options, planningCache);
  return weights;
}

} // namespace lstm
} // namespace popnn
