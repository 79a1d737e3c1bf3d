#include "popnn/recurrent/plain_layer.hpp"

#include <poplin/FullyConnected.hpp>
#include <popnn/Recurrent.hpp>
#include <popops/Zero.hpp>

namespace popnn {
namespace rnn {

using namespace ipumodel;
using poplar::DebugContext;
using poplar::Graph;
using poplar::OptionFlags;
using poplar::Tensor;
using poplar::Type;
using poplar::program::Sequence;

std::vector<std::pair<poplin::MatMulParams, OptionFlags>>
getMatMulPrePlanParameters(std::size_t numSteps, std::size_t batchSize,
                           std::size_t inputSize, std::size_t outputSize,
                           const Type &dType, const Type &partialsType,
                           bool inferenceOnly, bool hasFeedforwardWeights) {
  const OptionFlags options = productOptions(partialsType, inferenceOnly);
  std::vector<std::pair<poplin::MatMulParams, OptionFlags>> result;
  if (hasFeedforwardWeights)
    result = poplin::fc::getMatMulPrePlanParameters(
        {1, numSteps * batchSize, inputSize, outputSize}, options, dType,
        inferenceOnly);
  for (const auto &feedback : poplin::fc::getMatMulPrePlanParameters(
           {1, batchSize, outputSize, outputSize}, options, dType,
           inferenceOnly))
    result.push_back(feedback);
  return result;
}

uint64_t getFwdFlops(unsigned sequenceSize, unsigned batchSize,
                     unsigned inputSize, unsigned outputSize,
                     bool weightInput) {
  const std::uint64_t sums =
      std::uint64_t(sequenceSize) * batchSize * outputSize;
  return (weightInput ? sums * (2 * std::uint64_t(inputSize) - 1) : 0) +
         sums * (2 * std::uint64_t(outputSize) - 1) +
         2 * std::uint64_t(sequenceSize) * outputSize;
}

uint64_t getBwdFlops(unsigned sequenceSize, unsigned batchSize,
                     unsigned inputSize, unsigned outputSize,
                     bool calcInputGrad) {
  const std::uint64_t sums =
      std::uint64_t(sequenceSize) * batchSize * outputSize;
  return (calcInputGrad ? sums * (2 * std::uint64_t(inputSize) - 1) : 0) +
         sums * (2 * std::uint64_t(outputSize) - 1);
}

uint64_t getWuFlops(unsigned sequenceSize, unsigned batchSize,
                    unsigned inputSize, unsigned outputSize) {
  const std::uint64_t rows = std::uint64_t(sequenceSize) * batchSize;
  const std::uint64_t weights =
      std::uint64_t(outputSize) * (std::uint64_t(inputSize) + outputSize);
  return weights * (2 * rows - 1) + (rows - 1) * outputSize + weights +
         outputSize;
}

Tensor createInput(Graph &graph, unsigned numSteps, unsigned batchSize,
                   unsigned inputSize, unsigned outputSize, const Type &dType,
                   const Type &partialsType, bool inferenceOnly,
                   const DebugContext &debugContext,
                   poplin::PlanningCache *planningCache) {
  return poplin::createMatMulInputLHS(
             graph, dType, {std::size_t(numSteps) * batchSize, inputSize},
             {inputSize, outputSize}, debugContext,
             productOptions(partialsType, inferenceOnly), planningCache)
      .reshapePartial(0, 1, {numSteps, batchSize});
}

Tensor createFwdState(Graph &graph, const Type &dType, unsigned batchSize,
                      unsigned outputSize, Sequence &prog, bool initState,
                      bool inferenceOnly, const DebugContext &debugContext,
                      poplin::PlanningCache *planningCache) {
  const Tensor state = poplin::createMatMulInputLHS(
      graph, dType, {batchSize, outputSize}, {outputSize, outputSize},
      {debugContext, "FwdState"}, productOptions(poplar::FLOAT, inferenceOnly),
      planningCache);
  if (initState)
    popops::zero(graph, state, prog, debugContext);
  return state;
}

Tensor getOutputFromFwdState(const Tensor &fwdState) { return fwdState; }

Tensor createWeightsInput(Graph &graph, unsigned sequenceSize,
                          unsigned batchSize, unsigned inputSize,
                          unsigned outputSize, const Type &dType,
                          const Type &partialsType, bool inferenceOnly,
                          const DebugContext &debugContext,
                          poplin::PlanningCache *planningCache) {
  return poplin::createMatMulInputRHS(
      graph, dType, {std::size_t(sequenceSize) * batchSize, inputSize},
      {inputSize, outputSize}, {debugContext, "weightsInput"},
      productOptions(partialsType, inferenceOnly), planningCache);
}

Tensor createWeightsFeedback(Graph &graph, unsigned batchSize,
                             unsigned outputSize, const Type &dType,
                             const Type &partialsType, bool inferenceOnly,
                             const DebugContext &debugContext,
                             poplin::PlanningCache *planningCache) {
  return poplin::createMatMulInputRHS(
      graph, dType, {batchSize, outputSize}, {outputSize, outputSize},
      {debugContext, "weightsFeedback"},
      productOptions(partialsType, inferenceOnly), planningCache);
}

Tensor createBwdState(Graph &graph, const Type &dType, unsigned batchSize,
                      unsigned outputSize, Sequence &prog,
                      const DebugContext &debugContext,
                      poplin::PlanningCache *planningCache) {
  return createFwdState(graph, dType, batchSize, outputSize, prog, true, false,
                        debugContext, planningCache);
}

} // namespace rnn
} // namespace popnn
