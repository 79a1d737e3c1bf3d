// Long short-term memory: for each step of a sequence
//
//   f, i, o = recurrentActivation(x W + h U + b), one each
//   g       = activation(x W + h U + b)
//   c       = f c + i g
//   h       = o activation(c)
//
// Sequences are [steps, batch, size]. Beyond the length of a sequence outputs
// and gradients are zero.
#pragma once

#include <poplar/Tensor.hpp>
#include <poplin/MatMul.hpp>
#include <popnn/LstmDef.hpp>
#include <popnn/NonLinearityDef.hpp>
#include <popnn/Rnn.hpp>

#include <cstdint>
#include <utility>
#include <vector>

namespace popnn {
namespace lstm {

// Forget gate, input gate, candidate, output gate.
const std::vector<BasicLstmCellUnit> getDefaultBasicLstmCellOrder();

// Activations may be all but SOFTMAX_SCALED. Those of cells that are trained
// are not GELU, GELU_ERF or SWISH, whose gradients are not known from their
// results. That of HARD_SIGMOID is 0.2 everywhere, as in PopLibs.
struct LstmParams {
  rnn::RnnParams rnn;
  // These four are copies of what `rnn` has, and not used.
  poplar::Type dataType;
  std::size_t batchSize;
  std::size_t timeSteps;
  std::vector<std::size_t> layerSizes;
  // All outputs, or the last one only.
  bool outputFullSequence = true;
  // If false, x W is left out, which is for measuring time only.
  bool doInputWeightCalc = true;
  bool calcInputGradients = true;
  // With a length per sequence, the final cell state is the one at the end of
  // each sequence; else it is zero for all but the longest.
  bool preserveFinalState = false;
  // Of the weights and biases in memory.
  std::vector<BasicLstmCellUnit> cellOrder = getDefaultBasicLstmCellOrder();
  NonLinearityType activation = NonLinearityType::TANH;
  NonLinearityType recurrentActivation = NonLinearityType::SIGMOID;

  LstmParams(poplar::Type dataType, std::size_t batchSize,
             std::size_t timeSteps, std::vector<std::size_t> layerSizes,
             NonLinearityType activation = NonLinearityType::TANH,
             NonLinearityType recurrentActivation = NonLinearityType::SIGMOID);
  LstmParams(poplar::Type dataType, std::size_t batchSize,
             std::size_t maxTimeSteps, const poplar::Tensor &timeSteps,
             std::vector<std::size_t> layerSizes,
             NonLinearityType activation = NonLinearityType::TANH,
             NonLinearityType recurrentActivation = NonLinearityType::SIGMOID);
};

// [batch, output size] each; a state, or its gradient.
struct LstmState {
  poplar::Tensor output;
  poplar::Tensor cellState;

  poplar::Tensor getAsTensor() const; // [2, batch, output size]
};

std::vector<std::pair<poplin::MatMulParams, poplar::OptionFlags>>
getMatMulPrePlanParameters(LstmParams params, poplar::OptionFlags opts);

// For the whole sequence, without non-linearities and biases.
uint64_t getBasicLstmCellFwdFlops(const LstmParams &params);
uint64_t getBasicLstmCellBwdFlops(const LstmParams &params);
uint64_t getBasicLstmCellWuFlops(const LstmParams &params);

poplar::Tensor createInput(poplar::Graph &graph, const LstmParams &params,
                           const poplar::DebugContext &debugContext,
                           const poplar::OptionFlags &options = {},
                           poplin::PlanningCache *planningCache = nullptr);
poplar::Tensor
createInitialOutput(poplar::Graph &graph, const LstmParams &params,
                    const poplar::DebugContext &debugContext,
                    const poplar::OptionFlags &options = {},
                    poplin::PlanningCache *planningCache = nullptr);
poplar::Tensor
createInitialCellState(poplar::Graph &graph, const LstmParams &params,
                       const poplar::DebugContext &debugContext,
                       const poplar::OptionFlags &options = {},
                       poplin::PlanningCache *planningCache = nullptr);
LstmState createInitialState(poplar::Graph &graph, const LstmParams &params,
                             const poplar::DebugContext &debugContext,
                             const poplar::OptionFlags &options = {},
                             poplin::PlanningCache *planningCache = nullptr);
void zeroInitialState(poplar::Graph &graph, const LstmState &initialState,
                      poplar::program::Sequence &prog,
                      const poplar::DebugContext &debugContext = {});

// W [4, input size, output size], U [4, output size, output size] and
// b [4, output size], or their gradients.
struct LstmWeights {
  poplar::Tensor inputWeights;
  poplar::Tensor outputWeights;
  poplar::Tensor biases;
};

std::pair<poplar::Tensor, poplar::Tensor>
createWeightsKernel(poplar::Graph &graph, const LstmParams &params,
                    const poplar::DebugContext &debugContext,
                    const poplar::OptionFlags &options = {},
                    poplin::PlanningCache *planningCache = nullptr);
poplar::Tensor
createWeightsBiases(poplar::Graph &graph, const LstmParams &params,
                    const poplar::DebugContext &debugContext,
                    const poplar::OptionFlags &options = {},
                    poplin::PlanningCache *planningCache = nullptr);
LstmWeights createWeights(poplar::Graph &graph, const LstmParams &params,
                          const poplar::DebugContext &debugContext,
                          const poplar::OptionFlags &options = {},
                          poplin::PlanningCache *planningCache = nullptr);

// Returns the outputs and the final cell state. `intermediates` is null, or
// set to what the gradients need.
std::pair<poplar::Tensor, poplar::Tensor>
lstmFwd(poplar::Graph &graph, const LstmParams &params,
        const LstmState &stateInit, const poplar::Tensor &in,
        const LstmWeights &weights, poplar::Tensor *intermediates,
        poplar::program::Sequence &fwdProg,
        const poplar::DebugContext &debugContext = {},
        const poplar::OptionFlags &options = {},
        poplin::PlanningCache *planningCache = nullptr);

// Returns the gradient of the initial state. `inputGrad` is null if and only if
// the parameters do not ask for it; `bwdIntermediates` is null, or set to what
// lstmWU needs. The gradient of the last state must be null if sequences have
// lengths.
LstmState
lstmBwd(poplar::Graph &graph, const LstmParams &params,
        poplar::program::Sequence &prog, const LstmState &fwdStateInit,
        const poplar::Tensor &fwdIntermediates, const LstmWeights &weights,
        const poplar::Tensor &input, const poplar::Tensor &output,
        const poplar::Tensor &outputGrad, const LstmState *lastStepStateGrad,
        poplar::Tensor *inputGrad, poplar::Tensor *bwdIntermediates,
        const poplar::DebugContext &debugContext = {},
        const poplar::OptionFlags &options = {},
        poplin::PlanningCache *planningCache = nullptr);
// With the gradient of the last cell state only, which is ignored if sequences
// have lengths.
LstmState lstmBwd(poplar::Graph &graph, const LstmParams &params,
                  poplar::program::Sequence &prog,
                  const LstmState &fwdStateInit,
                  const poplar::Tensor &fwdIntermediates,
                  const LstmWeights &weights, const poplar::Tensor &input,
                  const poplar::Tensor &output,
                  const poplar::Tensor &outputGrad,
                  const poplar::Tensor *lastCellStateGrad,
                  poplar::Tensor *inputGrad, poplar::Tensor *bwdIntermediates,
                  const poplar::DebugContext &debugContext = {},
                  const poplar::OptionFlags &options = {},
                  poplin::PlanningCache *planningCache = nullptr);

// The gradients of the weights.
LstmWeights lstmWU(poplar::Graph &graph, const LstmParams &params,
                   poplar::program::Sequence &prog,
                   const LstmState &fwdStateInit,
                   const poplar::Tensor &fwdIntermediates,
                   const poplar::Tensor &bwdIntermediates,
                   const LstmWeights &weights, const poplar::Tensor &input,
                   const poplar::Tensor &output,
                   const poplar::DebugContext &debugContext = {},
                   const poplar::OptionFlags &options = {},
                   poplin::PlanningCache *planningCache = nullptr);

// Both.
LstmState lstmBwdWithWU(poplar::Graph &graph, const LstmParams &params,
                        poplar::program::Sequence &prog,
                        const LstmState &fwdStateInit,
                        const poplar::Tensor &fwdIntermediates,
                        const LstmWeights &weights, const poplar::Tensor &input,
                        const poplar::Tensor &output,
                        const poplar::Tensor &outputGrad,
                        const LstmState *lastStepStateGrad,
                        poplar::Tensor *inputGrad, LstmWeights &weightsGrad,
                        const poplar::DebugContext &debugContext = {},
                        const poplar::OptionFlags &options = {},
                        poplin::PlanningCache *planningCache = nullptr);
LstmState lstmBwdWithWU(poplar::Graph &graph, const LstmParams &params,
                        poplar::program::Sequence &prog,
                        const LstmState &fwdStateInit,
                        const poplar::Tensor &fwdIntermediates,
                        const LstmWeights &weights, const poplar::Tensor &input,
                        const poplar::Tensor &output,
                        const poplar::Tensor &outputGrad,
                        const poplar::Tensor *lastCellStateGrad,
                        poplar::Tensor *inputGrad, LstmWeights &weightsGrad,
                        const poplar::DebugContext &debugContext = {},
                        const poplar::OptionFlags &options = {},
                        poplin::PlanningCache *planningCache = nullptr);

} // namespace lstm
} // namespace popnn
