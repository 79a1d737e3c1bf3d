// Uses every function of the public headers with its exact type, and every
// default argument. Building this is the test.
#include <popnn/LogSoftmax.hpp>
#include <popnn/Loss.hpp>
#include <popnn/NonLinearity.hpp>
#include <popnn/NonLinearityDefUtil.hpp>
#include <popnn/Pooling.hpp>
#include <popnn/SpatialSoftMax.hpp>
#include <popnn/codelets.hpp>
#include <popnn/experimental/ROIAlign.hpp>

#include <iostream>
#include <type_traits>

namespace {

using namespace popnn;
using poplar::ComputeSet;
using poplar::DebugContext;
using poplar::Graph;
using poplar::OptionFlags;
using poplar::Tensor;
using poplar::Type;
using poplar::program::Program;
using poplar::program::Sequence;
using Shape = std::vector<std::size_t>;

template <class F> void is(F *) {}
template <class C, class F> void isMember(F C::*) {}

void nonLinearities() {
  using T = NonLinearityType;
  is<void(Graph &)>(addCodelets);
  is<Tensor(Graph &, T, Tensor, Sequence &, const DebugContext &)>(
      nonLinearity);
  is<Tensor(Graph &, T, Tensor, float &, Sequence &, const DebugContext &)>(
      nonLinearity);
  is<void(Graph &, T, Tensor, Sequence &, const DebugContext &)>(
      nonLinearityInPlace);
  is<void(Graph &, T, Tensor, float &, Sequence &, const DebugContext &)>(
      nonLinearityInPlace);
  is<void(Graph &, T, Tensor, ComputeSet &, const DebugContext &)>(
      nonLinearityInPlace);
  is<void(Graph &, T, Tensor, float &, ComputeSet &, const DebugContext &)>(
      nonLinearityInPlace);
  is<Tensor(Graph &, T, Tensor, Tensor, Sequence &, const DebugContext &)>(
      nonLinearityInputGradient);
  is<Tensor(Graph &, T, Tensor, Tensor, ComputeSet &, const DebugContext &)>(
      nonLinearityInputGradient);
  is<Tensor(Graph &, Tensor, Sequence &, const DebugContext &)>(logSoftmax);
  is<void(Graph &, Tensor, Sequence &, const DebugContext &)>(
      logSoftmaxInPlace);
}

using Plain = Tensor(Graph &, Tensor, Sequence &, const DebugContext &);
using Scaled = Tensor(Graph &, Tensor, float &, Sequence &,
                      const DebugContext &);
using PlainInPlace = void(Graph &, Tensor, Sequence &, const DebugContext &);
using ScaledInPlace = void(Graph &, Tensor, float &, Sequence &,
                           const DebugContext &);

void shorthands() {
  is<Plain>(sigmoid), is<Scaled>(sigmoid);
  is<PlainInPlace>(sigmoidInPlace), is<ScaledInPlace>(sigmoidInPlace);
  is<Plain>(relu), is<Scaled>(relu);
  is<PlainInPlace>(reluInPlace), is<ScaledInPlace>(reluInPlace);
  is<Plain>(popnn::tanh), is<Scaled>(popnn::tanh);
  is<PlainInPlace>(tanhInPlace), is<ScaledInPlace>(tanhInPlace);
  is<Plain>(gelu), is<Scaled>(gelu);
  is<PlainInPlace>(geluInPlace), is<ScaledInPlace>(geluInPlace);
  is<Plain>(geluErf), is<Scaled>(geluErf);
  is<PlainInPlace>(geluErfInPlace), is<ScaledInPlace>(geluErfInPlace);
  is<Plain>(swish), is<Scaled>(swish);
  is<PlainInPlace>(swishInPlace), is<ScaledInPlace>(swishInPlace);
  is<Plain>(softmax), is<Scaled>(softmax);
  is<PlainInPlace>(softmaxInPlace), is<ScaledInPlace>(softmaxInPlace);
  is<Plain>(softmaxStable), is<Scaled>(softmaxStable);
  is<PlainInPlace>(softmaxStableInPlace);
  is<ScaledInPlace>(softmaxStableInPlace);
  is<Plain>(scaledSoftmaxStable), is<Scaled>(scaledSoftmaxStable);
  is<PlainInPlace>(scaledSoftmaxStableInPlace);
  is<ScaledInPlace>(scaledSoftmaxStableInPlace);
}

void nonLinearityDefaults(Graph &g, const Tensor &t, ComputeSet &cs,
                          Sequence &prog) {
  const NonLinearityType all[] = {
      NonLinearityType::SIGMOID,        NonLinearityType::HARD_SIGMOID,
      NonLinearityType::RELU,           NonLinearityType::TANH,
      NonLinearityType::GELU,           NonLinearityType::GELU_ERF,
      NonLinearityType::SWISH,          NonLinearityType::SOFTMAX,
      NonLinearityType::SOFTMAX_STABLE, NonLinearityType::SOFTMAX_SCALED};
  NonLinearityType type = all[0];
  float scaling;
  nonLinearity(g, type, t, prog);
  nonLinearity(g, type, t, scaling, prog);
  nonLinearityInPlace(g, type, t, prog);
  nonLinearityInPlace(g, type, t, scaling, prog);
  nonLinearityInPlace(g, type, t, cs);
  nonLinearityInPlace(g, type, t, scaling, cs);
  nonLinearityInputGradient(g, type, t, t, prog);
  nonLinearityInputGradient(g, type, t, t, cs);
  relu(g, t, prog);
  relu(g, t, scaling, prog);
  reluInPlace(g, t, prog);
  reluInPlace(g, t, scaling, prog);
  logSoftmax(g, t, prog);
  logSoftmaxInPlace(g, t, prog);
  std::cout << type << asString(type)
            << poputil::VertexTemplateToString<NonLinearityType>::to_string(
                   type);
  std::cin >> type;
}

void losses() {
  is<Program(Graph &, const Tensor &, const Tensor &, const Tensor &,
             const Tensor &, LossType, const DebugContext &)>(calcLoss);
  is<Program(Graph &, const Tensor &, const Tensor &, const Tensor &,
             const Tensor &, const Tensor &, const Tensor &, LossType,
             const DebugContext &)>(calcLoss);
  is<Program(Graph &, const Tensor &, const Tensor &, const Tensor &,
             const Tensor &, const Tensor &, LossType, const DebugContext &)>(
      calcLoss);
  is<Program(Graph &, const Tensor &, const Tensor &, const Tensor &,
             const Tensor &, const Tensor &, const Tensor &, const Tensor &,
             LossType, const DebugContext &)>(calcLoss);
  is<Program(Graph &, const Tensor &, const Tensor &, const Tensor &,
             const DebugContext &)>(calcAccuracy);
  using OfRows =
      Tensor(Graph &, const Tensor &, Sequence &, const DebugContext &);
  using PairOfRows = std::pair<Tensor, Tensor>(
      Graph &, const Tensor &, Sequence &, const DebugContext &);
  is<OfRows>(argMax);
  is<OfRows>(argMin);
  is<PairOfRows>(maxAndArgMax);
  is<PairOfRows>(minAndArgMin);
  is<Tensor(Graph &, const Tensor &, Tensor &, unsigned, bool, Sequence &,
            const DebugContext &)>(topK);
}

void lossDefaults(Graph &g, const Tensor &t, Tensor &out, Sequence &prog) {
  calcLoss(g, t, t, t, t, SUM_SQUARED_LOSS);
  calcLoss(g, t, t, t, t, t, t, CROSS_ENTROPY_LOSS);
  calcLoss(g, t, t, t, t, t, CROSS_ENTROPY_LOSS);
  calcLoss(g, t, t, t, t, t, t, t, CROSS_ENTROPY_LOSS);
  calcAccuracy(g, t, t, t);
  argMax(g, t, prog);
  argMin(g, t, prog);
  maxAndArgMax(g, t, prog);
  minAndArgMin(g, t, prog);
  topK(g, t, out, 2, true, prog);
}

void pools() {
  using pooling::PoolParams;
  isMember<PoolParams, PoolingType>(&PoolParams::poolingType);
  isMember<PoolParams, Shape>(&PoolParams::inputFieldShape);
  isMember<PoolParams, Shape>(&PoolParams::kernelShape);
  isMember<PoolParams, std::vector<unsigned>>(&PoolParams::stride);
  isMember<PoolParams, std::vector<int>>(
      &PoolParams::inputTruncationOrPaddingLower);
  isMember<PoolParams, std::vector<int>>(
      &PoolParams::inputTruncationOrPaddingUpper);
  isMember<PoolParams, std::size_t>(&PoolParams::numChannels);
  isMember<PoolParams, std::size_t>(&PoolParams::batchSize);
  isMember<PoolParams, Type>(&PoolParams::dType);
  isMember<PoolParams, std::size_t() const>(&PoolParams::getNumFieldDims);
  isMember<PoolParams, Shape() const>(&PoolParams::getOutputFieldShape);
  is<const char *(const PoolingType &)>(pooling::asString);
  is<Shape(const PoolParams &)>(pooling::getOutputFieldShape);
  is<std::uint64_t(const PoolParams &)>(pooling::getFwdFlops);
  is<std::uint64_t(const PoolParams &)>(pooling::getBwdFlops);
  is<double(const Graph &, const PoolParams &)>(
      pooling::getFwdPerfectCycleCount);
  is<double(const Graph &, const PoolParams &)>(
      pooling::getBwdPerfectCycleCount);
  is<Tensor(Graph &, const PoolParams &, const Tensor &, Sequence &,
            const DebugContext &, const OptionFlags &)>(pooling::pool);
  is<Tensor(Graph &, const PoolParams &, const Tensor &, const Tensor &,
            const Tensor &, bool, Sequence &, const DebugContext &,
            const OptionFlags &)>(pooling::poolInputGradient);
  is<Tensor(Graph &, const PoolParams &, unsigned, const Tensor &, Sequence &,
            const DebugContext &, const OptionFlags &)>(
      pooling::poolInputGradient);
}

void poolDefaults(Graph &g, const Tensor &t, Sequence &prog) {
  const PoolingType all[] = {PoolingType::MAX, PoolingType::AVG,
                             PoolingType::SUM};
  const pooling::PoolParams p(all[0], {4, 4}, {2, 2}, {2, 2}, {0, 0}, {0, 0}, 1,
                              1, poplar::FLOAT);
  pooling::pool(g, p, t, prog);
  pooling::poolInputGradient(g, p, t, t, t, false, prog);
  pooling::poolInputGradient(g, p, 1, t, prog);
  std::cout << p;
}

void places(Graph &g, Tensor &t, Sequence &prog) {
  using namespace popnn::experimental;
  is<std::pair<Tensor, Tensor>(Graph &, Sequence &, const Tensor &, float, bool,
                               const DebugContext &)>(spatialSoftMax2D);
  is<Tensor(Graph &, Sequence &, Tensor &, Tensor &, Tensor &,
            const roiAlignParams &, const DebugContext &)>(roiAlignFwd);
  is<Tensor(Graph &, Sequence &, Tensor &, Tensor &, Tensor &, Tensor &,
            const roiAlignParams &, const DebugContext &)>(
      roiAlignInputGradient);
  spatialSoftMax2D(g, prog, t, 1);
  roiAlignFwd(g, prog, t, t, t, roiAlignParams(1ul, 1ul, 1ul, true, 1.0f));
  roiAlignInputGradient(g, prog, t, t, t, t, {1, 1, 1, true, 1});
}

} // namespace

// Declared, so that none of the functions above is unused.
void nameEverySignature(Graph &graph, Tensor &t, ComputeSet &cs,
                        Sequence &prog);

void nameEverySignature(Graph &graph, Tensor &t, ComputeSet &cs,
                        Sequence &prog) {
  nonLinearities();
  shorthands();
  nonLinearityDefaults(graph, t, cs, prog);
  losses();
  lossDefaults(graph, t, t, prog);
  pools();
  poolDefaults(graph, t, prog);
  places(graph, t, prog);
}
