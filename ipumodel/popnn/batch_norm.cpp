#include "poplin/norm_gradients.hpp"

#include <popnn/BatchNorm.hpp>
#include <popops/ScaledAdd.hpp>

namespace popnn {

namespace bn {

using namespace poplar;
using poplar::program::Sequence;
using poplin::DistributedNormReduceCallback;
using TensorPair = std::pair<Tensor, Tensor>;

TensorPair batchNormStatistics(Graph &graph, const Tensor acts, float eps,
                               Sequence &prog, bool unbiasedVarEstimate,
                               bool stableAlgo, const Type &partialsType,
                               const DebugContext &debugContext,
                               const OptionFlags &) {
  return poplin::normStatistics(graph, acts, eps, prog, unbiasedVarEstimate,
                                stableAlgo, partialsType, debugContext);
}

TensorPair distributedBatchNormStatistics(
    Graph &replicatedGraph, const Tensor acts, float eps, Sequence &prog,
    bool unbiasedVarEstimate, DistributedNormReduceCallback reduceCallback,
    unsigned normBatchSize, bool stableAlgo, const Type &partialsType,
    const DebugContext &debugContext, const OptionFlags &) {
  return poplin::distributedNormStatistics(
      replicatedGraph, acts, eps, prog, unbiasedVarEstimate,
      std::move(reduceCallback), normBatchSize, stableAlgo, partialsType,
      debugContext);
}

Tensor batchNormWhiten(Graph &graph, const Tensor &acts, const Tensor &mean,
                       const Tensor &invStdDev, Sequence &prog,
                       const DebugContext &debugContext, const OptionFlags &) {
  return poplin::normWhiten(graph, acts, mean, invStdDev, prog, debugContext);
}

TensorPair batchNormalise(Graph &graph, const Tensor &acts, const Tensor &gamma,
                          const Tensor &beta, const Tensor &mean,
                          const Tensor &invStdDev, Sequence &prog,
                          const DebugContext &debugContext,
                          const OptionFlags &) {
  const Tensor whitened =
      poplin::normWhiten(graph, acts, mean, invStdDev, prog, debugContext);
  return {poplin::normalise(graph, whitened, gamma, beta, prog, debugContext),
          whitened};
}

Tensor batchNormalise(Graph &graph, const Tensor &acts,
                      const Tensor &combinedMultiplicand, const Tensor &addend,
                      Sequence &prog, const DebugContext &debugContext,
                      const OptionFlags &) {
  return poplin::normalise(graph, acts, combinedMultiplicand, addend, prog,
                           debugContext);
}

TensorPair batchNormParamGradients(Graph &graph, const Tensor &actsWhitened,
                                   const Tensor &gradsIn, Sequence &prog,
                                   const Type &partialsType,
                                   const DebugContext &debugContext,
                                   const OptionFlags &) {
  return poplin::normParamGradients(graph, actsWhitened, gradsIn, prog,
                                    partialsType, debugContext);
}

TensorPair batchNormParamGradients(Graph &graph, const Tensor &acts,
                                   const Tensor &gradsIn, const Tensor &mean,
                                   const Tensor &iStdDev, Sequence &prog,
                                   const Type &partialsType,
                                   const DebugContext &debugContext,
                                   const OptionFlags &) {
  const Tensor whitened =
      poplin::normWhiten(graph, acts, mean, iStdDev, prog, debugContext);
  return poplin::normParamGradients(graph, whitened, gradsIn, prog,
                                    partialsType, debugContext);
}

Tensor batchNormGradients(Graph &graph, const Tensor &actsWhitened,
                          const Tensor &gradsIn, const Tensor &invStdDev,
                          const Tensor &gamma, Sequence &prog,
                          const Type &partialsType,
                          const DebugContext &debugContext,
                          const OptionFlags &) {
  return ipumodel::normGradients(graph, actsWhitened, gradsIn, invStdDev, gamma,
                                 prog, partialsType, debugContext);
}

Tensor batchNormGradients(Graph &graph, const Tensor &acts,
                          const Tensor &gradsIn, const Tensor &mean,
                          const Tensor &invStdDev, const Tensor &gamma,
                          Sequence &prog, const Type &partialsType,
                          const DebugContext &debugContext,
                          const OptionFlags &options) {
  const Tensor whitened =
      poplin::normWhiten(graph, acts, mean, invStdDev, prog, debugContext);
  return batchNormGradients(graph, whitened, gradsIn, invStdDev, gamma, prog,
                            partialsType, debugContext, options);
}

Tensor distributedBatchNormGradients(
    Graph &replicatedGraph, const Tensor &actsWhitened, const Tensor &gradsIn,
    const Tensor &invStdDev, const Tensor &gamma, Sequence &prog,
    DistributedNormReduceCallback reduceCallback, unsigned normBatchSize,
    const Type &partialsType, const DebugContext &debugContext,
    const OptionFlags &) {
  const Tensor grads = poplin::normGradients(replicatedGraph, gradsIn, gamma,
                                             prog, debugContext);
  return poplin::distributedNormStatisticsGradients(
      replicatedGraph, actsWhitened, grads, invStdDev, prog,
      std::move(reduceCallback), normBatchSize, partialsType, debugContext);
}

Tensor distributedBatchNormGradients(
    Graph &replicatedGraph, const Tensor &acts, const Tensor &gradsIn,
    const Tensor &mean, const Tensor &invStdDev, const Tensor &gamma,
    Sequence &prog, DistributedNormReduceCallback reduceCallback,
    unsigned normBatchSize, const Type &partialsType,
    const DebugContext &debugContext, const OptionFlags &options) {
  const Tensor whitened = poplin::normWhiten(replicatedGraph, acts, mean,
                                             invStdDev, prog, debugContext);
  return distributedBatchNormGradients(replicatedGraph, whitened, gradsIn,
                                       invStdDev, gamma, prog,
                                       std::move(reduceCallback), normBatchSize,
                                       partialsType, debugContext, options);
}

void batchNormParamUpdate(Graph &graph, const Tensor &gammaDelta,
                          const Tensor &betaDelta, float scale, Tensor &gamma,
                          Tensor &beta, Sequence &prog,
                          const DebugContext &debugContext,
                          const OptionFlags &) {
  popops::scaledAddTo(graph, gamma, gammaDelta, scale, prog, debugContext);
  popops::scaledAddTo(graph, beta, betaDelta, scale, prog, debugContext);
}

void batchNormParamUpdate(Graph &graph, const Tensor &gammaDelta,
                          const Tensor &betaDelta, const Tensor &scale,
                          Tensor &gamma, Tensor &beta, Sequence &prog,
                          const DebugContext &debugContext,
                          const OptionFlags &) {
  popops::scaledAddTo(graph, gamma, gammaDelta, scale, prog, debugContext);
  popops::scaledAddTo(graph, beta, betaDelta, scale, prog, debugContext);
}

} // namespace bn

} // namespace popnn
