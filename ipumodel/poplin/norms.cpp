// Normalisation. Images whose channels are innermost, and rows, have operators
// of their own; other layouts are composed of reductions and element-wise
// expressions.
#include "poplin/channel_norm.hpp"
#include "poplin/norm_gradients.hpp"
#include "poplin/norm_kernel.hpp"

#include <poplin/Norms.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Reduce.hpp>
#include <poputil/DebugInfo.hpp>
#include <poputil/TileMapping.hpp>
#include <poputil/exceptions.hpp>

#include <numeric>

namespace poplin {

using namespace poplar;
using poplar::program::Sequence;
using popops::Operation;
using popops::SingleReduceOp;
using poputil::poplibs_error;
using poputil::PoplibsOpDebugInfo;

namespace {

using namespace popops::expr;
using TensorPair = std::pair<Tensor, Tensor>;
using ipumodel::ChannelMap;
using ipumodel::ChannelSums;

void checkRank(const Tensor &acts) {
  if (acts.rank() < 2)
    throw poplibs_error(
        "norm: activations must be [batch, channels, field...], "
        "not " +
        acts.shapeToString());
}

// One element of `t` for each channel, ready to be broadcast to the
// activations.
Tensor perChannel(const Tensor &t, const Tensor &acts) {
  checkRank(acts);
  return t.flatten().expand(std::vector<std::size_t>(acts.rank() - 2, 1));
}

// Replicas whose activations are normalised together.
class Replicas {
public:
  Replicas() = default;
  Replicas(const Tensor &acts, DistributedNormReduceCallback callback,
           unsigned normSize)
      : callback_(std::move(callback)) {
    checkRank(acts);
    const std::size_t batch = acts.dim(0);
    if (!callback_ || batch == 0 || normSize <= batch)
      return;
    if (normSize % batch != 0)
      throw poplibs_error("norm: " + std::to_string(normSize) +
                          " samples are not a multiple of the " +
                          std::to_string(batch) + " of a replica");
    count_ = static_cast<unsigned>(normSize / batch);
  }

  // The number of elements per channel in all replicas.
  std::size_t elementsPerChannel(const Tensor &acts) const {
    checkRank(acts);
    return acts.dim(1) ? count_ * (acts.numElements() / acts.dim(1)) : 0;
  }

  bool isOne() const { return count_ == 1; }

  std::vector<Tensor> sum(Graph &graph, const std::vector<Tensor> &parts,
                          Sequence &prog, const DebugContext &context) const {
    return count_ == 1 ? parts
                       : callback_(graph, parts, prog, count_, context, {});
  }

private:
  DistributedNormReduceCallback callback_;
  unsigned count_ = 1;
};

// [channels, elements]
Tensor rowsOf(const Tensor &acts) {
  return acts.dimRoll(1, 0).flatten(1, acts.rank());
}

// True if the elements of each channel follow each other in memory and there
// are enough channels to share among threads.
bool areRows(const Tensor &acts) {
  constexpr std::size_t kLeastRows = 8;
  return acts.elementType() == FLOAT && acts.dim(1) >= kLeastRows &&
         acts.numElements() > 0 && rowsOf(acts).isContiguous();
}

// Reduces all dimensions except the channels, of several tensors, with one
// operation each.
class ChannelReduction {
public:
  ChannelReduction(Graph &graph, float scale, const DebugContext &context)
      : graph_(graph), scale_(graph.addConstant(FLOAT, {}, scale, context)) {
    graph.setTileMapping(scale_, 0);
  }

  void add(const Tensor &t, Operation op, const Type &outType,
           const DebugContext &context) {
    std::vector<std::size_t> dims(t.rank() - 1);
    std::iota(dims.begin() + 1, dims.end(), 2); // 0, 2, 3, ...
    reductions_.emplace_back(t, dims, popops::ReduceParams(op, false, scale_),
                             outType);
    outputs_.push_back(
        poputil::createBroadcastOperand(graph_, t, outType, 1, true, context));
  }

  std::vector<Tensor> run(Sequence &prog, const DebugContext &context) {
    popops::reduceMany(graph_, reductions_, outputs_, prog, context);
    return outputs_;
  }

private:
  Graph &graph_;
  Tensor scale_;
  std::vector<SingleReduceOp> reductions_;
  std::vector<Tensor> outputs_;
};

TensorPair statistics(Graph &graph, const Tensor &acts, float eps,
                      Sequence &prog, bool unbiased, bool stable,
                      const Type &partialsType, const Replicas &replicas,
                      const DebugContext &context) {
  const std::size_t n = replicas.elementsPerChannel(acts);
  const float meanScale = n > 1 ? 1.0f / static_cast<float>(n) : 1.0f;
  const float varianceScale =
      unbiased && n > 1 ? static_cast<float>(n) / static_cast<float>(n - 1)
                        : 1.0f;
  const Type type = acts.elementType();
  if (replicas.isOne() && areRows(acts)) {
    const auto perRow = [&](const char *name) {
      return poputil::createBroadcastOperand(graph, acts, FLOAT, 1, true,
                                             {context, name});
    };
    const Tensor mean = perRow("mean"), inverse = perRow("inverseStdDev");
    ipumodel::addNative(
        prog, ipumodel::NormStatistics{meanScale, varianceScale, eps, stable},
        {mean, inverse}, {rowsOf(acts)}, {context, "statistics"});
    return {mean, inverse};
  }
  const Type powerType = type == FLOAT ? FLOAT : partialsType;
  const auto localMeans = [&] {
    if (!stable && ipumodel::areChannelRows(acts))
      return ipumodel::channelSums(graph, ChannelSums::Form::moments, meanScale,
                                   {acts}, prog, {context, "mean"});
    ChannelReduction means(graph, meanScale, {context, "scale"});
    means.add(acts, Operation::ADD, type, {context, "mean"});
    if (!stable)
      means.add(acts, Operation::SQUARE_ADD, powerType, {context, "power"});
    return means.run(prog, {context, "mean"});
  };
  std::vector<Tensor> sums = replicas.sum(graph, localMeans(), prog, context);
  const Tensor mean = sums.at(0);
  if (stable) {
    const Tensor centred =
        popops::map(graph, _1 - Cast(_2, type), {acts, perChannel(mean, acts)},
                    prog, {context, "centred"});
    ChannelReduction power(graph, meanScale, {context, "scale"});
    power.add(centred, Operation::SQUARE_ADD, powerType, {context, "power"});
    sums =
        replicas.sum(graph, power.run(prog, {context, "power"}), prog, context);
  }
  // Rounding can make the difference negative.
  const Any variance =
      stable ? Any(Cast(_2, FLOAT))
             : Any(Max(Cast(_2, FLOAT) - Square(Cast(_1, FLOAT)), Const(0.0f)));
  const Tensor inverse = popops::map(
      graph,
      Cast(Rsqrt(Mul(Add(variance, Const(eps)), Const(varianceScale))), type),
      {mean, sums.back()}, prog, {context, "inverseStdDev"});
  return {mean, inverse};
}

// Sums over the elements of each channel, times `scale`: of the product of both
// tensors, and of the gradients.
std::vector<Tensor> gradientSums(Graph &graph, const Tensor &actsWhitened,
                                 const Tensor &grads, float scale,
                                 const Type &outType, Sequence &prog,
                                 const DebugContext &context) {
  checkRank(grads);
  if (ipumodel::areChannelRows(grads) &&
      ipumodel::areChannelRows(actsWhitened) && outType == FLOAT)
    return ipumodel::channelSums(graph, ChannelSums::Form::products, scale,
                                 {actsWhitened, grads}, prog,
                                 {context, "sums"});
  const Tensor products =
      popops::mul(graph, actsWhitened, grads, prog, {context, "products"});
  ChannelReduction sums(graph, scale, {context, "scale"});
  sums.add(products, Operation::ADD, outType, {context, "gamma"});
  sums.add(grads, Operation::ADD, outType, {context, "beta"});
  return sums.run(prog, {context, "sums"});
}

// iStdDev * (grads - mean(grads) - actsWhitened * mean(actsWhitened * grads)),
// in float: means of HALF gradients may be smaller than the smallest HALF.
Tensor statisticsGradients(Graph &graph, const Tensor &actsWhitened,
                           const Tensor &grads, const Tensor &iStdDev,
                           Sequence &prog, const Replicas &replicas,
                           const DebugContext &context) {
  const std::size_t n = replicas.elementsPerChannel(actsWhitened);
  const float meanScale = n > 1 ? 1.0f / static_cast<float>(n) : 1.0f;
  if (replicas.isOne() && areRows(actsWhitened) && areRows(grads) &&
      grads.shape() == actsWhitened.shape() &&
      iStdDev.numElements() == actsWhitened.dim(1)) {
    const Tensor result = graph.clone(actsWhitened, {context, "gradient"});
    ipumodel::addNative(
        prog, ipumodel::NormGradient{meanScale}, {rowsOf(result)},
        {rowsOf(actsWhitened), rowsOf(grads), iStdDev.flatten()},
        {context, "gradient"});
    return result;
  }
  const std::vector<Tensor> means = replicas.sum(
      graph,
      gradientSums(graph, actsWhitened, grads, meanScale, FLOAT, prog, context),
      prog, context);
  if (ipumodel::areChannelRows(grads) &&
      ipumodel::areChannelValues(actsWhitened, {iStdDev}))
    return ipumodel::channelMap(
        graph, ChannelMap::Form::centre, {grads, actsWhitened},
        {means.at(1), means.at(0), iStdDev}, prog, {context, "gradient"});
  return popops::map(
      graph,
      Cast((Cast(_1, FLOAT) - _4 - Cast(_2, FLOAT) * _3) * Cast(_5, FLOAT),
           actsWhitened.elementType()),
      {grads, actsWhitened, perChannel(means.at(0), grads),
       perChannel(means.at(1), grads), perChannel(iStdDev, grads)},
      prog, {context, "gradient"});
}

} // namespace

Tensor createNormGamma(Graph &graph, const Tensor &acts, const Type &type,
                       const DebugContext &debugContext) {
  PoplibsOpDebugInfo di(debugContext, DI_ARGS(acts, type));
  checkRank(acts);
  const Tensor gamma = poputil::createBroadcastOperand(graph, acts, type, 1,
                                                       true, {di, "gamma"});
  di.addOutput(gamma);
  return gamma;
}

Tensor createNormGamma(Graph &graph, const Tensor &acts,
                       const DebugContext &debugContext) {
  return createNormGamma(graph, acts, acts.elementType(), debugContext);
}

Tensor createNormBeta(Graph &graph, const Tensor &acts, const Type &type,
                      const DebugContext &debugContext) {
  PoplibsOpDebugInfo di(debugContext, DI_ARGS(acts, type));
  checkRank(acts);
  const Tensor beta =
      poputil::createBroadcastOperand(graph, acts, type, 1, true, {di, "beta"});
  di.addOutput(beta);
  return beta;
}

Tensor createNormBeta(Graph &graph, const Tensor &acts,
                      const DebugContext &debugContext) {
  return createNormBeta(graph, acts, acts.elementType(), debugContext);
}

TensorPair createNormParams(Graph &graph, const Tensor &acts,
                            const DebugContext &debugContext) {
  return {createNormGamma(graph, acts, debugContext),
          createNormBeta(graph, acts, debugContext)};
}

TensorPair normStatistics(Graph &graph, const Tensor &actsUngrouped, float eps,
                          Sequence &prog, bool unbiasedVarEstimate,
                          bool stableAlgo, const Type &partialsType,
                          const DebugContext &debugContext) {
  PoplibsOpDebugInfo di(debugContext, DI_ARGS(actsUngrouped, eps));
  return statistics(graph, actsUngrouped, eps, prog, unbiasedVarEstimate,
                    stableAlgo, partialsType, {}, {di});
}

TensorPair
distributedNormStatistics(Graph &replicatedGraph, const Tensor &actsUngrouped,
                          float eps, Sequence &prog, bool unbiasedVarEstimate,
                          DistributedNormReduceCallback allReduceCallback,
                          unsigned normSize, bool stableAlgo,
                          const Type &partialsType,
                          const DebugContext &debugContext) {
  PoplibsOpDebugInfo di(debugContext, DI_ARGS(actsUngrouped, eps, normSize));
  const Replicas replicas(actsUngrouped, std::move(allReduceCallback),
                          normSize);
  return statistics(replicatedGraph, actsUngrouped, eps, prog,
                    unbiasedVarEstimate, stableAlgo, partialsType, replicas,
                    {di});
}

Tensor normWhiten(Graph &graph, const Tensor &acts, const Tensor &mean,
                  const Tensor &iStdDev, Sequence &prog,
                  const DebugContext &debugContext) {
  PoplibsOpDebugInfo di(debugContext, DI_ARGS(acts, mean, iStdDev));
  const Tensor whitened =
      ipumodel::areChannelValues(acts, {mean, iStdDev})
          ? ipumodel::channelMap(graph, ChannelMap::Form::whiten, {acts},
                                 {mean, iStdDev}, prog, {di})
          : popops::map(
                graph, (_1 - _2) * _3,
                {acts, perChannel(mean, acts), perChannel(iStdDev, acts)}, prog,
                {di});
  di.addOutput(whitened);
  return whitened;
}

Tensor normalise(Graph &graph, const Tensor &actsWhitened, const Tensor &gamma,
                 const Tensor &beta, Sequence &prog,
                 const DebugContext &debugContext) {
  PoplibsOpDebugInfo di(debugContext, DI_ARGS(actsWhitened, gamma, beta));
  const Tensor normalised =
      ipumodel::areChannelValues(actsWhitened, {gamma, beta})
          ? ipumodel::channelMap(graph, ChannelMap::Form::scale, {actsWhitened},
                                 {gamma, beta}, prog, {di})
          : popops::map(graph, _1 * _2 + _3,
                        {actsWhitened, perChannel(gamma, actsWhitened),
                         perChannel(beta, actsWhitened)},
                        prog, {di});
  di.addOutput(normalised);
  return normalised;
}

TensorPair normParamGradients(Graph &graph, const Tensor &actsWhitened,
                              const Tensor &gradsIn, Sequence &prog,
                              const Type &, const DebugContext &debugContext) {
  PoplibsOpDebugInfo di(debugContext, DI_ARGS(actsWhitened, gradsIn));
  const std::vector<Tensor> sums = gradientSums(
      graph, actsWhitened, gradsIn, 1, gradsIn.elementType(), prog, {di});
  return {sums.at(0), sums.at(1)};
}

Tensor normGradients(Graph &graph, const Tensor &gradsIn, const Tensor &gamma,
                     Sequence &prog, const DebugContext &debugContext) {
  return popops::mul(graph, gradsIn, perChannel(gamma, gradsIn), prog,
                     debugContext);
}

Tensor normStatisticsGradients(Graph &graph, const Tensor &actsWhitened,
                               const Tensor &gradsIn, const Tensor &invStdDev,
                               Sequence &prog, const Type &,
                               const DebugContext &debugContext) {
  PoplibsOpDebugInfo di(debugContext,
                        DI_ARGS(actsWhitened, gradsIn, invStdDev));
  return statisticsGradients(graph, actsWhitened, gradsIn, invStdDev, prog, {},
                             {di});
}

Tensor distributedNormStatisticsGradients(
    Graph &replicatedGraph, const Tensor &actsWhitened, const Tensor &gradsIn,
    const Tensor &invStdDev, Sequence &prog,
    DistributedNormReduceCallback reduceCallback, unsigned normSize,
    const Type &, const DebugContext &debugContext) {
  PoplibsOpDebugInfo di(debugContext,
                        DI_ARGS(actsWhitened, gradsIn, invStdDev, normSize));
  const Replicas replicas(actsWhitened, std::move(reduceCallback), normSize);
  return statisticsGradients(replicatedGraph, actsWhitened, gradsIn, invStdDev,
                             prog, replicas, {di});
}

} // namespace poplin

namespace ipumodel {

using namespace poplar;

Tensor normGradients(Graph &graph, const Tensor &actsWhitened,
                     const Tensor &gradsIn, const Tensor &iStdDev,
                     const Tensor &gamma, program::Sequence &prog,
                     const Type &partialsType,
                     const DebugContext &debugContext) {
  const bool hasRows = areChannelRows(gradsIn) &&
                       areChannelValues(actsWhitened, {iStdDev, gamma});
  const Tensor grads = hasRows ? gradsIn
                               : poplin::normGradients(graph, gradsIn, gamma,
                                                       prog, debugContext);
  const Tensor factor = hasRows
                            ? popops::mul(graph, iStdDev.flatten(),
                                          gamma.flatten(), prog, debugContext)
                            : iStdDev;
  return poplin::normStatisticsGradients(graph, actsWhitened, grads, factor,
                                         prog, partialsType, debugContext);
}

} // namespace ipumodel
