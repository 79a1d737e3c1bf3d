// Uses the normalisation functions of poplin and popnn with their exact types,
// and every default argument. Building this is the test.
#include <poplin/Norms.hpp>
#include <popnn/BatchNorm.hpp>
#include <popnn/GroupNorm.hpp>
#include <popnn/InstanceNorm.hpp>
#include <popnn/LayerNorm.hpp>
#include <popnn/Norms.hpp>

namespace {

using poplar::DebugContext;
using poplar::Graph;
using poplar::OptionFlags;
using poplar::Tensor;
using poplar::Type;
using poplar::program::Sequence;
using Callback = poplin::DistributedNormReduceCallback;
using Pair = std::pair<Tensor, Tensor>;
using DC = DebugContext;
using OF = OptionFlags;
using T = Tensor;

template <class F> void is(F *) {}

void ofPoplin() {
  using namespace poplin;
  is<T(Graph &, const T &, const Type &, const DC &)>(createNormGamma);
  is<T(Graph &, const T &, const DC &)>(createNormGamma);
  is<T(Graph &, const T &, const Type &, const DC &)>(createNormBeta);
  is<T(Graph &, const T &, const DC &)>(createNormBeta);
  is<Pair(Graph &, const T &, const DC &)>(createNormParams);
  is<Pair(Graph &, const T &, float, Sequence &, bool, bool, const Type &,
          const DC &)>(normStatistics);
  is<Pair(Graph &, const T &, float, Sequence &, bool, Callback, unsigned, bool,
          const Type &, const DC &)>(distributedNormStatistics);
  is<T(Graph &, const T &, const T &, const T &, Sequence &, const DC &)>(
      normWhiten);
  is<T(Graph &, const T &, const T &, const T &, Sequence &, const DC &)>(
      normalise);
  is<Pair(Graph &, const T &, const T &, Sequence &, const Type &, const DC &)>(
      normParamGradients);
  is<T(Graph &, const T &, const T &, Sequence &, const DC &)>(normGradients);
  is<T(Graph &, const T &, const T &, const T &, Sequence &, const Type &,
       const DC &)>(normStatisticsGradients);
  is<T(Graph &, const T &, const T &, const T &, Sequence &, Callback, unsigned,
       const Type &, const DC &)>(distributedNormStatisticsGradients);
}

void ofBatches() {
  using namespace popnn::bn;
  is<Pair(Graph &, T, float, Sequence &, bool, bool, const Type &, const DC &,
          const OF &)>(batchNormStatistics);
  is<Pair(Graph &, T, float, Sequence &, bool, Callback, unsigned, bool,
          const Type &, const DC &, const OF &)>(
      distributedBatchNormStatistics);
  is<T(Graph &, const T &, const T &, const T &, Sequence &, const DC &,
       const OF &)>(batchNormWhiten);
  is<Pair(Graph &, const T &, const T &, const T &, const T &, const T &,
          Sequence &, const DC &, const OF &)>(batchNormalise);
  is<T(Graph &, const T &, const T &, const T &, Sequence &, const DC &,
       const OF &)>(batchNormalise);
  is<Pair(Graph &, const T &, const T &, const T &, const T &, Sequence &,
          const Type &, const DC &, const OF &)>(batchNormParamGradients);
  is<Pair(Graph &, const T &, const T &, Sequence &, const Type &, const DC &,
          const OF &)>(batchNormParamGradients);
  is<T(Graph &, const T &, const T &, const T &, const T &, const T &,
       Sequence &, const Type &, const DC &, const OF &)>(batchNormGradients);
  is<T(Graph &, const T &, const T &, const T &, const T &, Sequence &,
       const Type &, const DC &, const OF &)>(batchNormGradients);
  is<T(Graph &, const T &, const T &, const T &, const T &, Sequence &,
       Callback, unsigned, const Type &, const DC &, const OF &)>(
      distributedBatchNormGradients);
  is<T(Graph &, const T &, const T &, const T &, const T &, const T &,
       Sequence &, Callback, unsigned, const Type &, const DC &, const OF &)>(
      distributedBatchNormGradients);
  is<void(Graph &, const T &, const T &, float, T &, T &, Sequence &,
          const DC &, const OF &)>(batchNormParamUpdate);
  is<void(Graph &, const T &, const T &, const T &, T &, T &, Sequence &,
          const DC &, const OF &)>(batchNormParamUpdate);
}

void ofGroups() {
  using namespace popnn::gn;
  is<Pair(Graph &, T, float, Sequence &, unsigned, bool, bool, const Type &,
          const DC &, const OF &)>(groupNormStatistics);
  is<T(Graph &, const T &, const T &, const T &, Sequence &, const DC &,
       const OF &)>(groupNormWhiten);
  is<Pair(Graph &, const T &, const T &, const T &, const T &, const T &,
          Sequence &, const DC &, const OF &)>(groupNormalise);
  is<Pair(Graph &, const T &, const T &, const T &, const T &, Sequence &,
          const Type &, const DC &, const OF &)>(groupNormParamGradients);
  is<Pair(Graph &, const T &, const T &, Sequence &, const Type &, const DC &,
          const OF &)>(groupNormParamGradients);
  is<T(Graph &, const T &, const T &, const T &, const T &, const T &,
       Sequence &, const Type &, const DC &, const OF &)>(groupNormGradients);
  is<T(Graph &, const T &, const T &, const T &, const T &, Sequence &,
       const Type &, const DC &, const OF &)>(groupNormGradients);
  is<void(Graph &, const T &, const T &, float, T &, T &, Sequence &,
          const DC &, const OF &)>(groupNormParamUpdate);
  is<void(Graph &, const T &, const T &, const T &, T &, T &, Sequence &,
          const DC &, const OF &)>(groupNormParamUpdate);
}

void ofLayers() {
  using namespace popnn::ln;
  is<Pair(Graph &, T, float, Sequence &, bool, bool, const Type &, const DC &,
          const OF &)>(layerNormStatistics);
  is<T(Graph &, const T &, const T &, const T &, Sequence &, const DC &,
       const OF &)>(layerNormWhiten);
  is<Pair(Graph &, const T &, const T &, const T &, const T &, const T &,
          Sequence &, const DC &, const OF &)>(layerNormalise);
  is<Pair(Graph &, const T &, const T &, const T &, const T &, Sequence &,
          const Type &, const DC &, const OF &)>(layerNormParamGradients);
  is<Pair(Graph &, const T &, const T &, Sequence &, const Type &, const DC &,
          const OF &)>(layerNormParamGradients);
  is<T(Graph &, const T &, const T &, const T &, const T &, const T &,
       Sequence &, const Type &, const DC &, const OF &)>(layerNormGradients);
  is<T(Graph &, const T &, const T &, const T &, const T &, Sequence &,
       const Type &, const DC &, const OF &)>(layerNormGradients);
  is<void(Graph &, const T &, const T &, float, T &, T &, Sequence &,
          const DC &, const OF &)>(layerNormParamUpdate);
  is<void(Graph &, const T &, const T &, const T &, T &, T &, Sequence &,
          const DC &, const OF &)>(layerNormParamUpdate);
}

void ofInstances() {
  using namespace popnn::in;
  is<Pair(Graph &, T, float, Sequence &, bool, bool, const Type &, const DC &,
          const OF &)>(instanceNormStatistics);
  is<T(Graph &, const T &, const T &, const T &, Sequence &, const DC &,
       const OF &)>(instanceNormWhiten);
  is<Pair(Graph &, const T &, const T &, const T &, const T &, const T &,
          Sequence &, const DC &, const OF &)>(instanceNormalise);
  is<Pair(Graph &, const T &, const T &, const T &, const T &, Sequence &,
          const Type &, const DC &, const OF &)>(instanceNormParamGradients);
  is<Pair(Graph &, const T &, const T &, Sequence &, const Type &, const DC &,
          const OF &)>(instanceNormParamGradients);
  is<T(Graph &, const T &, const T &, const T &, const T &, const T &,
       Sequence &, const Type &, const DC &, const OF &)>(
      instanceNormGradients);
  is<T(Graph &, const T &, const T &, const T &, const T &, Sequence &,
       const Type &, const DC &, const OF &)>(instanceNormGradients);
  is<void(Graph &, const T &, const T &, float, T &, T &, Sequence &,
          const DC &, const OF &)>(instanceNormParamUpdate);
  is<void(Graph &, const T &, const T &, const T &, T &, T &, Sequence &,
          const DC &, const OF &)>(instanceNormParamUpdate);
  is<uint64_t(uint64_t, uint64_t, bool)>(getFwdFlops);
  is<uint64_t(uint64_t, uint64_t)>(getBwdFlops);
  is<uint64_t(uint64_t, uint64_t)>(getWuFlops);
}

void ofAllKinds() {
  using namespace popnn;
  is<std::uint64_t(std::size_t, std::size_t, bool)>(getNormFwdFlops);
  is<std::uint64_t(std::size_t, std::size_t)>(getNormBwdFlops);
  is<std::uint64_t(std::size_t, std::size_t)>(getNormWuFlops);
  is<T(Graph &, const T &, const DC &)>(createNormGamma);
  is<T(Graph &, const T &, const DC &)>(createNormBeta);
  is<Pair(Graph &, T, const DC &)>(createNormParams);
}

void defaults(Graph &graph, Tensor t, Sequence &prog, const Callback &sum) {
  poplin::createNormGamma(graph, t, poplar::FLOAT);
  poplin::createNormBeta(graph, t, poplar::FLOAT);
  poplin::createNormParams(graph, t);
  poplin::normStatistics(graph, t, 0.1f, prog, true);
  poplin::distributedNormStatistics(graph, t, 0.1f, prog, true, sum, 2);
  poplin::normWhiten(graph, t, t, t, prog);
  poplin::normalise(graph, t, t, t, prog);
  poplin::normParamGradients(graph, t, t, prog);
  poplin::normGradients(graph, t, t, prog);
  poplin::normStatisticsGradients(graph, t, t, t, prog);
  poplin::distributedNormStatisticsGradients(graph, t, t, t, prog, sum, 2);
  popnn::bn::batchNormStatistics(graph, t, 0.1f, prog, true);
  popnn::bn::distributedBatchNormStatistics(graph, t, 0.1f, prog, true, sum, 2);
  popnn::bn::batchNormalise(graph, t, t, t, t, t, prog);
  popnn::bn::batchNormParamGradients(graph, t, t, prog);
  popnn::bn::batchNormGradients(graph, t, t, t, t, prog);
  popnn::bn::distributedBatchNormGradients(graph, t, t, t, t, prog, sum, 2);
  popnn::bn::batchNormParamUpdate(graph, t, t, 0.1f, t, t, prog);
  popnn::gn::groupNormStatistics(graph, t, 0.1f, prog, 2, true);
  popnn::gn::groupNormalise(graph, t, t, t, t, t, prog);
  popnn::gn::groupNormParamGradients(graph, t, t, prog);
  popnn::gn::groupNormGradients(graph, t, t, t, t, prog);
  popnn::gn::groupNormParamUpdate(graph, t, t, t, t, t, prog);
  popnn::ln::layerNormStatistics(graph, t, 0.1f, prog, true);
  popnn::ln::layerNormWhiten(graph, t, t, t, prog);
  popnn::ln::layerNormalise(graph, t, t, t, t, t, prog);
  popnn::ln::layerNormParamGradients(graph, t, t, prog);
  popnn::ln::layerNormParamGradients(graph, t, t, t, t, prog);
  popnn::ln::layerNormGradients(graph, t, t, t, t, prog);
  popnn::ln::layerNormGradients(graph, t, t, t, t, t, prog);
  popnn::ln::layerNormParamUpdate(graph, t, t, 0.1f, t, t, prog);
  popnn::ln::layerNormParamUpdate(graph, t, t, t, t, t, prog);
  popnn::in::instanceNormStatistics(graph, t, 0.1f, prog, true, true);
  popnn::in::instanceNormWhiten(graph, t, t, t, prog);
  popnn::in::instanceNormalise(graph, t, t, t, t, t, prog);
  popnn::in::instanceNormParamGradients(graph, t, t, prog);
  popnn::in::instanceNormParamGradients(graph, t, t, t, t, prog);
  popnn::in::instanceNormGradients(graph, t, t, t, t, prog);
  popnn::in::instanceNormGradients(graph, t, t, t, t, t, prog);
  popnn::in::instanceNormParamUpdate(graph, t, t, 0.1f, t, t, prog);
  popnn::in::instanceNormParamUpdate(graph, t, t, t, t, t, prog);
  popnn::getNormFwdFlops(1, 2);
  popnn::createNormGamma(graph, t);
  popnn::createNormBeta(graph, t);
  popnn::createNormParams(graph, t);
}

} // namespace

void usePopnnNormSignatures(Graph &graph, const Tensor &t, Sequence &prog,
                            const Callback &sum) {
  ofPoplin();
  ofBatches();
  ofGroups();
  ofLayers();
  ofInstances();
  ofAllKinds();
  defaults(graph, t, prog, sum);
}
