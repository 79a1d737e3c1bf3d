// Is any operator of the presets, alone and with their shapes, slower than
// PyTorch's? Long, because it is a list of them.
#include "benchmarks/support/operator_bench.hpp"
#include "benchmarks/support/peer_process.hpp"
#include "benchmarks/support/thread_choice.hpp"
#include "graph/layers/activation.hpp"
#include "graph/layers/softmax_cross_entropy.hpp"

#include <poplar/MetadataCreation.hpp>
#include <poplin/ConvUtil.hpp>
#include <poplin/Convolution.hpp>
#include <poplin/MatMul.hpp>
#include <popnn/Gru.hpp>
#include <popnn/InstanceNorm.hpp>
#include <popnn/LayerNorm.hpp>
#include <popnn/Lstm.hpp>
#include <popnn/NonLinearity.hpp>
#include <popnn/Pooling.hpp>
#include <popnn/Recurrent.hpp>
#include <popops/Cast.hpp>
#include <popops/DynamicSlice.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Expr.hpp>
#include <popops/Rearrange.hpp>
#include <popops/Reduce.hpp>
#include <popops/ScaledAdd.hpp>
#include <popops/Scatter.hpp>
#include <popops/SequenceSlice.hpp>
#include <popops/Zero.hpp>
#include <poprand/RandomGen.hpp>
#include <poputil/TileMapping.hpp>

#include <iostream>
#include <random>
#include <stdexcept>

using namespace poplar;
using namespace popops::expr;
namespace graph = popscope::graph;
using benchmarks::Bench;
using benchmarks::Better;
using benchmarks::PeerProcess;
using benchmarks::Suite;
using program::Sequence;

namespace {

poplin::ConvParams conv(std::size_t n, std::size_t field, std::size_t in,
                        std::size_t out) {
  return {FLOAT, n, {field, field}, {3, 3}, in, out, 1};
}

void addConvolution(Bench &b, const poplin::ConvParams &params) {
  const Tensor x = b.filled(poplin::createInput(b.graph, params));
  const Tensor w = b.filled(poplin::createWeights(b.graph, params));
  const Tensor z = poplin::convolution(b.graph, x, w, params, false, b.prog);
  const Tensor bias = b.filled(poplin::createBiases(b.graph, z));
  poplin::addBias(b.graph, z, bias, b.prog);
}

void addInputGradient(Bench &b, const poplin::ConvParams &params) {
  const Tensor dz = b.filled(poplin::createConvOutput(b.graph, params));
  const Tensor w = b.filled(poplin::createWeights(b.graph, params));
  poplin::convolution(b.graph, dz, w, poplin::getGradientParams(params), true,
                      b.prog);
}

void addWeightGradient(Bench &b, const poplin::ConvParams &params) {
  const Tensor dz = b.filled(poplin::createConvOutput(b.graph, params));
  const Tensor x = b.filled(poplin::createInput(b.graph, params));
  poplin::calculateWeightDeltas(b.graph, dz, x, params, b.prog);
}

popnn::pooling::PoolParams maxPool(std::size_t n, std::size_t field,
                                   std::size_t channels, unsigned window) {
  return {popnn::PoolingType::MAX,
          {field, field},
          {window, window},
          {window, window},
          {0, 0},
          {0, 0},
          channels,
          n,
          FLOAT};
}

// The forward pass has run before, as in PyTorch.
void addPoolGradient(Bench &b, const popnn::pooling::PoolParams &params) {
  const std::size_t n = params.batchSize, channels = params.numChannels;
  const Tensor x = b.images(n, channels, params.inputFieldShape[0]);
  const Tensor y = popnn::pooling::pool(b.graph, params, x, b.before);
  popnn::pooling::poolInputGradient(
      b.graph, params, x, y,
      b.images(n, channels, params.getOutputFieldShape()[0]), false, b.prog);
}

void addProduct(Bench &b, const Tensor &a, const Tensor &c) {
  poplin::matMul(b.graph, a, c, b.prog);
}

void addCrossEntropy(Bench &b) {
  const Tensor labels = b.graph.addVariable(UNSIGNED_INT, {32});
  poputil::mapTensorLinearly(b.graph, labels);
  b.graph.setInitialValue(labels, 3u);
  graph::addCrossEntropy(
      b.graph, graph::addProbabilities(b.graph, b.matrix(32, 10), b.prog),
      labels, 1.0f / 32, b.prog);
}

// For the largest weights that are trained like this.
void addRmsPropUpdate(Bench &b) {
  const Tensor w = b.matrix(288, 64), v = b.matrix(288, 64);
  const Tensor gradient = b.matrix(288, 64);
  popops::mapInPlace(b.graph, _1 * Const(0.9f) + Square(_2) * Const(0.1f),
                     {v, gradient}, b.prog);
  popops::mapInPlace(b.graph, _1 - Const(0.001f) * _2 / Sqrt(_3 + Const(1e-7f)),
                     {w, gradient, v}, b.prog);
}

void addAdamUpdate(Bench &b) {
  const Tensor w = b.matrix(144, 32), gradient = b.matrix(144, 32);
  const Tensor m = b.matrix(144, 32), v = b.matrix(144, 32);
  popops::mapInPlace(b.graph, _1 + (_2 - _1) * Const(0.1f), {m, gradient},
                     b.prog);
  popops::mapInPlace(b.graph, _1 + (Square(_2) - _1) * Const(0.001f),
                     {v, gradient}, b.prog);
  popops::mapInPlace(b.graph,
                     _1 - Const(0.001f) * _2 / (Sqrt(_3) + Const(1e-7f)),
                     {w, m, v}, b.prog);
}

// Sequences of 32 steps, with weights that do not saturate the gates.
enum class Pass { inference, training };
constexpr std::size_t kSteps = 32;
constexpr float kLargestWeight = 0.1f;

void addLstm(Bench &b, std::size_t batch, std::size_t size, Pass pass) {
  namespace lstm = popnn::lstm;
  const lstm::LstmParams params(FLOAT, batch, kSteps, {size, size});
  const Tensor x = b.filled(lstm::createInput(b.graph, params, "x"), -1);
  const lstm::LstmState state =
      lstm::createInitialState(b.graph, params, "state");
  lstm::zeroInitialState(b.graph, state, b.before);
  const lstm::LstmWeights weights =
      lstm::createWeights(b.graph, params, "weights");
  for (const Tensor &t :
       {weights.inputWeights, weights.outputWeights, weights.biases})
    b.filled(t, -kLargestWeight, kLargestWeight);
  Tensor kept, dx;
  const Tensor y =
      lstm::lstmFwd(b.graph, params, state, x, weights,
                    pass == Pass::training ? &kept : nullptr, b.prog)
          .first;
  if (pass == Pass::inference)
    return;
  const Tensor dy = b.graph.addVariable(FLOAT, y.shape());
  poputil::mapTensorLinearly(b.graph, dy);
  lstm::LstmWeights gradients;
  const lstm::LstmState *noGradient = nullptr;
  lstm::lstmBwdWithWU(b.graph, params, b.prog, state, kept, weights, x, y,
                      b.filled(dy, -1), noGradient, &dx, gradients);
}

// As PyTorch has it: the reset comes after the product.
void addGru(Bench &b, std::size_t batch, std::size_t size, Pass pass) {
  namespace gru = popnn::gru;
  gru::GruParams params(FLOAT, batch, kSteps, {size, size});
  params.resetAfter = true;
  const Tensor x = b.filled(gru::createInput(b.graph, params, "x"), -1);
  const Tensor state =
      gru::createInitialState(b.graph, params, "state", {}, nullptr);
  popops::zero(b.graph, state, b.before);
  const gru::GruWeights weights =
      gru::createWeights(b.graph, params, "weights");
  for (const Tensor &t :
       {weights.inputWeights, weights.outputWeights, weights.biases})
    b.filled(t, -kLargestWeight, kLargestWeight);
  Tensor kept, dx;
  const Tensor y =
      gru::gruFwd(b.graph, params, state, x, weights,
                  pass == Pass::training ? &kept : nullptr, b.prog);
  if (pass == Pass::inference)
    return;
  const Tensor dy = b.graph.addVariable(FLOAT, y.shape());
  poputil::mapTensorLinearly(b.graph, dy);
  gru::GruWeights gradients;
  gru::gruBwdWithWU(b.graph, params, b.prog, state, kept, weights, x, y,
                    b.filled(dy, -1), &dx, gradients, {}, {}, nullptr);
}

void addRnn(Bench &b, std::size_t batch, std::size_t size) {
  namespace rnn = popnn::rnn;
  const unsigned steps = kSteps, n = unsigned(batch), units = unsigned(size);
  const auto weights = [&](const Tensor &t) {
    return b.filled(t, -kLargestWeight, kLargestWeight);
  };
  const Tensor x =
      b.filled(rnn::createInput(b.graph, steps, n, units, units, FLOAT), -1);
  const Tensor state =
      rnn::createFwdState(b.graph, FLOAT, n, units, b.before, true, true);
  const Tensor input = weights(rnn::createWeightsInput(
      b.graph, steps, n, units, units, FLOAT, FLOAT, true));
  const Tensor feedback = weights(
      rnn::createWeightsFeedback(b.graph, n, units, FLOAT, FLOAT, true));
  const Tensor biases = b.matrix(1, size, -kLargestWeight)[0];
  rnn::forwardIterate(
      b.graph, rnn::forwardWeightInput(b.graph, x, input, b.prog, FLOAT, true),
      state, feedback, biases, b.prog, popnn::NonLinearityType::TANH, FLOAT,
      true);
}

void addLayerNorm(Bench &b, Pass pass) {
  namespace ln = popnn::ln;
  const Tensor x = b.matrix(256, 512, -1);
  const Tensor gamma = b.matrix(1, 512)[0], beta = b.matrix(1, 512)[0];
  const auto statistics =
      ln::layerNormStatistics(b.graph, x, 1e-5f, b.prog, false);
  const auto result = ln::layerNormalise(
      b.graph, x, gamma, beta, statistics.first, statistics.second, b.prog);
  if (pass == Pass::inference)
    return;
  const Tensor dy = b.matrix(256, 512, -1), whitened = result.second;
  ln::layerNormGradients(b.graph, whitened, dy, statistics.second, gamma,
                         b.prog);
  ln::layerNormParamGradients(b.graph, whitened, dy, b.prog);
}

void addInstanceNorm(Bench &b) {
  namespace in = popnn::in;
  const Tensor x = b.images(32, 64, 13);
  const Tensor gamma = b.matrix(1, 64)[0], beta = b.matrix(1, 64)[0];
  const auto statistics =
      in::instanceNormStatistics(b.graph, x, 1e-5f, b.prog, false, false);
  in::instanceNormalise(b.graph, x, gamma, beta, statistics.first,
                        statistics.second, b.prog);
}

Tensor indices(Bench &b, const std::vector<std::size_t> &shape,
               unsigned limit) {
  const Tensor t = b.graph.addVariable(UNSIGNED_INT, shape);
  poputil::mapTensorLinearly(b.graph, t);
  std::mt19937 random(2);
  std::vector<unsigned> values(t.numElements());
  for (unsigned &value : values)
    value = static_cast<unsigned>(random() % limit);
  b.graph.setInitialValue(t.flatten(), ArrayRef<unsigned>(values));
  return t;
}

// Rows of an embedding of 30,000 words, 4,096 at once.
void addGather(Bench &b) {
  popops::multiSlice(b.graph, b.matrix(30000, 256),
                     indices(b, {4096, 1}, 30000), {0}, {1}, b.prog,
                     popops::SlicePlan(), {});
}

void addRowUpdate(Bench &b) {
  const Tensor scale = b.graph.addConstant(FLOAT, {}, 0.5f);
  b.graph.setTileMapping(scale, 0);
  popops::multiUpdateAdd(b.graph, b.matrix(30000, 256),
                         b.matrix(4096, 256).expand({1}),
                         indices(b, {4096, 1}, 30000), scale, {0}, {1}, b.prog,
                         popops::SlicePlan(), {});
}

void addGroupedGather(Bench &b) {
  const popops::SlicePlan plan =
      popops::embedding::plan(b.graph, FLOAT, 8, 4096, 64, {1024}, {});
  popops::groupedMultiSlice(
      b.graph, b.matrix(8 * 4096, 64).reshape({8, 4096, 64}),
      indices(b, {8, 1024, 1}, 4096), {0}, {1}, b.prog, plan, {});
}

// 16 sequences of 100 rows, to every 128th row.
void addSequenceSlice(Bench &b) {
  std::vector<unsigned> lengths(16, 100), from, to;
  for (unsigned i = 0; i < 16; ++i) {
    from.push_back(i * 100);
    to.push_back(i * 128);
  }
  const auto list = [&](const std::vector<unsigned> &values) {
    const Tensor t =
        b.graph.addConstant(UNSIGNED_INT, {16}, ArrayRef<unsigned>(values));
    b.graph.setTileMapping(t, 0);
    return t;
  };
  popops::sequenceSlice(b.graph, b.matrix(1600, 256), b.matrix(2048, 256),
                        list(lengths), list(from), list(to), true, b.prog);
}

Tensor quarters(Bench &b, const Tensor &t) {
  return popops::cast(
      b.graph, t, QUARTER,
      createConstantMetadataTensor(b.graph, QuarterMetadata::Format::F143, -4),
      b.before);
}

void addQuarterConvolution(Bench &b) {
  poplin::ConvParams floats = conv(32, 13, 32, 64), params = floats;
  params.inputType = QUARTER;
  params.outputType = HALF;
  const Tensor x = b.filled(poplin::createInput(b.graph, floats));
  const Tensor w = b.filled(poplin::createWeights(b.graph, floats));
  poplin::convolution(b.graph, quarters(b, x), quarters(b, w), params, false,
                      b.prog);
}

constexpr auto kRelu = popnn::NonLinearityType::RELU;

struct Operator {
  const char *name; // as in operators.py
  void (*add)(Bench &);
};

const Operator kOperators[] = {
    {"conv-0", [](Bench &b) { addConvolution(b, conv(32, 28, 1, 32)); }},
    {"conv-1", [](Bench &b) { addConvolution(b, conv(32, 13, 32, 64)); }},
    {"conv-2", [](Bench &b) { addConvolution(b, conv(32, 5, 64, 32)); }},
    {"conv-1-input-gradient",
     [](Bench &b) { addInputGradient(b, conv(32, 13, 32, 64)); }},
    {"conv-2-input-gradient",
     [](Bench &b) { addInputGradient(b, conv(32, 5, 64, 32)); }},
    {"conv-0-weight-gradient",
     [](Bench &b) { addWeightGradient(b, conv(32, 28, 1, 32)); }},
    {"conv-1-weight-gradient",
     [](Bench &b) { addWeightGradient(b, conv(32, 13, 32, 64)); }},
    {"conv-2-weight-gradient",
     [](Bench &b) { addWeightGradient(b, conv(32, 5, 64, 32)); }},
    {"gmp-conv-0", [](Bench &b) { addConvolution(b, conv(128, 28, 1, 16)); }},
    {"gmp-conv-1", [](Bench &b) { addConvolution(b, conv(128, 26, 16, 32)); }},
    {"gmp-conv-1-input-gradient",
     [](Bench &b) { addInputGradient(b, conv(128, 26, 16, 32)); }},
    {"gmp-conv-0-weight-gradient",
     [](Bench &b) { addWeightGradient(b, conv(128, 28, 1, 16)); }},
    {"gmp-conv-1-weight-gradient",
     [](Bench &b) { addWeightGradient(b, conv(128, 26, 16, 32)); }},
    {"relu",
     [](Bench &b) {
       popnn::nonLinearityInPlace(b.graph, kRelu, b.images(32, 32, 26), b.prog);
     }},
    {"relu-gradient",
     [](Bench &b) {
       popnn::nonLinearityInputGradient(b.graph, kRelu, b.images(32, 32, 26),
                                        b.images(32, 32, 26), b.prog);
     }},
    {"max-pool",
     [](Bench &b) {
       popnn::pooling::pool(b.graph, maxPool(32, 26, 32, 2),
                            b.images(32, 32, 26), b.prog);
     }},
    {"max-pool-gradient",
     [](Bench &b) { addPoolGradient(b, maxPool(32, 26, 32, 2)); }},
    {"global-max-pool",
     [](Bench &b) {
       popnn::pooling::pool(b.graph, maxPool(128, 24, 32, 24),
                            b.images(128, 32, 24), b.prog);
     }},
    {"global-max-pool-gradient",
     [](Bench &b) { addPoolGradient(b, maxPool(128, 24, 32, 24)); }},
    {"global-max-pool-both",
     [](Bench &b) {
       const auto params = maxPool(128, 24, 32, 24);
       const Tensor x = b.images(128, 32, 24);
       const Tensor y = popnn::pooling::pool(b.graph, params, x, b.prog);
       popnn::pooling::poolInputGradient(b.graph, params, x, y,
                                         b.images(128, 32, 1), false, b.prog);
     }},
    {"bias-gradient",
     [](Bench &b) {
       popops::reduce(b.graph, b.images(32, 32, 26), {0, 2, 3},
                      popops::Operation::ADD, b.prog);
     }},
    {"gather", addGather},
    {"grouped-gather", addGroupedGather},
    {"row-update", addRowUpdate},
    {"scatter",
     [](Bench &b) {
       popops::scatter(b.graph, b.matrix(30000, 256), indices(b, {4096}, 30000),
                       b.matrix(4096, 256), 1, {1}, {0}, {0}, b.prog);
     }},
    {"sequence-slice", addSequenceSlice},
    {"regroup",
     [](Bench &b) {
       popops::rearrange::regroupTensor(b.graph, b.matrix(1024, 1024), b.prog,
                                        b.graph.addComputeSet(), {1, 16},
                                        {0, 16});
     }},
    {"conv-quarter", addQuarterConvolution},
    {"matmul-quarter",
     [](Bench &b) {
       poplin::matMul(b.graph, quarters(b, b.matrix(32, 784)),
                      quarters(b, b.matrix(784, 256)), b.prog, HALF);
     }},
    {"matmul",
     [](Bench &b) { addProduct(b, b.matrix(32, 784), b.matrix(784, 256)); }},
    {"matmul-128",
     [](Bench &b) { addProduct(b, b.matrix(32, 256), b.matrix(256, 128)); }},
    {"matmul-10",
     [](Bench &b) { addProduct(b, b.matrix(32, 128), b.matrix(128, 10)); }},
    {"matmul-input-gradient",
     [](Bench &b) {
       addProduct(b, b.matrix(32, 256), b.matrix(784, 256).transpose());
     }},
    {"matmul-weight-gradient",
     [](Bench &b) {
       addProduct(b, b.matrix(32, 784).transpose(), b.matrix(32, 256));
     }},
    {"softmax",
     [](Bench &b) {
       popnn::nonLinearity(b.graph, popnn::NonLinearityType::SOFTMAX_STABLE,
                           b.matrix(32, 10), b.prog);
     }},
    {"cross-entropy", addCrossEntropy},
    {"dropout",
     [](Bench &b) {
       const Tensor x = b.matrix(32, 32);
       const Tensor seed = b.graph.addVariable(UNSIGNED_INT, {2});
       poputil::mapTensorLinearly(b.graph, seed);
       b.graph.setInitialValue(seed, 1u);
       poprand::dropout(b.graph, &seed, 0, x, x, 0.5, 2.0, b.prog);
     }},
    {"selu",
     [](Bench &b) {
       graph::addActivation(b.graph, graph::Activation::selu, b.matrix(32, 100),
                            b.prog);
     }},
    {"selu-gradient",
     [](Bench &b) {
       graph::addActivationGradient(b.graph, graph::Activation::selu,
                                    b.matrix(32, 100, -1), b.matrix(32, 100),
                                    b.prog);
     }},
    {"lstm", [](Bench &b) { addLstm(b, 32, 128, Pass::inference); }},
    {"lstm-training", [](Bench &b) { addLstm(b, 32, 128, Pass::training); }},
    {"lstm-256", [](Bench &b) { addLstm(b, 64, 256, Pass::inference); }},
    {"lstm-256-training",
     [](Bench &b) { addLstm(b, 64, 256, Pass::training); }},
    {"gru", [](Bench &b) { addGru(b, 32, 128, Pass::inference); }},
    {"gru-training", [](Bench &b) { addGru(b, 32, 128, Pass::training); }},
    {"rnn", [](Bench &b) { addRnn(b, 32, 128); }},
    {"layer-norm", [](Bench &b) { addLayerNorm(b, Pass::inference); }},
    {"layer-norm-training", [](Bench &b) { addLayerNorm(b, Pass::training); }},
    {"instance-norm", addInstanceNorm},
    {"adam-update", addAdamUpdate},
    {"rmsprop-update", addRmsPropUpdate},
    {"sgd-update",
     [](Bench &b) {
       popops::scaledSubtractFrom(b.graph, b.matrix(784, 256),
                                  b.matrix(784, 256), 0.01f, b.prog);
     }},
};

void compare(const Suite &suite, const Operator &op) {
  const std::string name = std::string("op/") + op.name;
  if (!suite.wants(name))
    return;
  PeerProcess peer("operators.py", op.name);
  Bench bench;
  op.add(bench);
  const auto engines =
      benchmarks::forThreadChoices([&] { return bench.compile(); });
  std::vector<Suite::Timed> ours;
  for (const auto &engine : engines)
    ours.push_back(Suite::timed([&] { engine->run(); }));
  const std::vector<double> seconds = benchmarks::timeBest(
      suite, ours, {[&](std::size_t calls) { return peer.seconds(calls); }});
  suite.report(
      {name, 1 / seconds[0], 1 / seconds[1], peer.name(), Better::higher, 1.0});
}

} // namespace

int main(int argc, char **argv) {
  const Suite suite(argc, argv);
  try {
    for (const Operator &op : kOperators)
      compare(suite, op);
  } catch (const std::exception &error) {
    std::cerr << "operators_benchmark: " << error.what() << '\n';
    return 1;
  }
}
