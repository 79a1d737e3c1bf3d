#include <poplin/Norms.hpp>
#include <popnn/BatchNorm.hpp>
#include <popnn/GroupNorm.hpp>
#include <popops/ElementWise.hpp>
#include <poputil/Broadcast.hpp>
#include <poputil/OptionParsing.hpp>
#include <poputil/exceptions.hpp>

namespace popnn {

namespace gn {

using namespace poplar;
using poplar::program::Sequence;
using poputil::poplibs_error;
using TensorPair = std::pair<Tensor, Tensor>;

namespace {

// Activations as [channels of a group, batch * groups, field...], in which the
// groups of all samples are the channels of a batch normalisation.
class Groups {
public:
  Groups(const Tensor &acts, std::size_t numGroups, const OptionFlags &options)
      : numGroups_(numGroups) {
    if (acts.rank() < 2)
      throw poplibs_error("groupNorm: activations must be [batch, channels, "
                          "field...], not " +
                          acts.shapeToString());
    if (numGroups == 0 || acts.dim(1) % numGroups != 0)
      throw poplibs_error("groupNorm: " + std::to_string(acts.dim(1)) +
                          " channels cannot be divided into " +
                          std::to_string(numGroups) + " equal groups");
    const poplibs::OptionSpec spec{
        {"groupNormStridedChannelGrouping",
         poplibs::OptionHandler::createWithBool(isStrided_)}};
    for (const auto &option : options)
      spec.parse(option.first, option.second);
  }

  // With as many groups as the statistics have elements per sample.
  Groups(const Tensor &acts, const Tensor &statistics,
         const OptionFlags &options)
      : Groups(acts,
               acts.rank() && acts.dim(0)
                   ? statistics.numElements() / acts.dim(0)
                   : 1,
               options) {}

  Tensor view(const Tensor &acts) const {
    const std::size_t size = acts.dim(1) / numGroups_;
    const Tensor split =
        isStrided_ ? acts.reshapePartial(1, 2, {size, numGroups_}).dimRoll(2, 1)
                   : acts.reshapePartial(1, 2, {numGroups_, size});
    return split.flatten(0, 2).dimRoll(1, 0);
  }

  // One element for each group of each sample, broadcast to the activations.
  Tensor spread(const Tensor &statistics, const Tensor &acts) const {
    const std::vector<std::size_t> shape = view(acts).shape();
    Tensor t = statistics.flatten().expand(
        std::vector<std::size_t>(shape.size() - 2, 1));
    poputil::broadcastToMatch(t, shape);
    return unview(t);
  }

  Tensor unview(const Tensor &grouped) const {
    const std::size_t batch = grouped.dim(1) / numGroups_;
    const Tensor split =
        grouped.dimRoll(1, 0).reshapePartial(0, 1, {batch, numGroups_});
    return (isStrided_ ? split.dimRoll(1, 2) : split).flatten(1, 3);
  }

private:
  std::size_t numGroups_;
  bool isStrided_ = false;
};

} // namespace

TensorPair groupNormStatistics(Graph &graph, const Tensor acts, float eps,
                               Sequence &prog, unsigned numGroups,
                               bool unbiasedVarEstimate, bool stableAlgo,
                               const Type &partialsType,
                               const DebugContext &debugContext,
                               const OptionFlags &options) {
  return poplin::normStatistics(
      graph, Groups(acts, numGroups, options).view(acts), eps, prog,
      unbiasedVarEstimate, stableAlgo, partialsType, debugContext);
}

Tensor groupNormWhiten(Graph &graph, const Tensor &acts, const Tensor &mean,
                       const Tensor &invStdDev, Sequence &prog,
                       const DebugContext &debugContext,
                       const OptionFlags &options) {
  const Groups groups(acts, mean, options);
  return groups.unview(poplin::normWhiten(graph, groups.view(acts), mean,
                                          invStdDev, prog, debugContext));
}

TensorPair groupNormalise(Graph &graph, const Tensor &acts, const Tensor &gamma,
                          const Tensor &beta, const Tensor &mean,
                          const Tensor &invStdDev, Sequence &prog,
                          const DebugContext &debugContext,
                          const OptionFlags &options) {
  using namespace popops::expr;
  const Groups groups(acts, mean, options);
  const auto perChannel = [&](const Tensor &t) {
    return t.flatten().expand(std::vector<std::size_t>(acts.rank() - 2, 1));
  };
  const auto whitened = (_1 - _2) * _3;
  const std::vector<Tensor> results = popops::map(
      graph, {whitened * _4 + _5, whitened},
      {acts, groups.spread(mean, acts), groups.spread(invStdDev, acts),
       perChannel(gamma), perChannel(beta)},
      prog, debugContext);
  return {results.at(0), results.at(1)};
}

TensorPair groupNormParamGradients(Graph &graph, const Tensor &actsWhitened,
                                   const Tensor &gradsIn, Sequence &prog,
                                   const Type &partialsType,
                                   const DebugContext &debugContext,
                                   const OptionFlags &) {
  return poplin::normParamGradients(graph, actsWhitened, gradsIn, prog,
                                    partialsType, debugContext);
}

TensorPair groupNormParamGradients(Graph &graph, const Tensor &acts,
                                   const Tensor &gradsIn, const Tensor &mean,
                                   const Tensor &iStdDev, Sequence &prog,
                                   const Type &partialsType,
                                   const DebugContext &debugContext,
                                   const OptionFlags &options) {
  const Tensor whitened =
      groupNormWhiten(graph, acts, mean, iStdDev, prog, debugContext, options);
  return poplin::normParamGradients(graph, whitened, gradsIn, prog,
                                    partialsType, debugContext);
}

Tensor groupNormGradients(Graph &graph, const Tensor &actsWhitened,
                          const Tensor &gradsIn, const Tensor &invStdDev,
                          const Tensor &gamma, Sequence &prog,
                          const Type &partialsType,
                          const DebugContext &debugContext,
                          const OptionFlags &options) {
  const Groups groups(actsWhitened, invStdDev, options);
  const Tensor grads =
      poplin::normGradients(graph, gradsIn, gamma, prog, debugContext);
  return groups.unview(poplin::normStatisticsGradients(
      graph, groups.view(actsWhitened), groups.view(grads), invStdDev, prog,
      partialsType, debugContext));
}

Tensor groupNormGradients(Graph &graph, const Tensor &acts,
                          const Tensor &gradsIn, const Tensor &mean,
                          const Tensor &invStdDev, const Tensor &gamma,
                          Sequence &prog, const Type &partialsType,
                          const DebugContext &debugContext,
                          const OptionFlags &options) {
  const Tensor whitened = groupNormWhiten(graph, acts, mean, invStdDev, prog,
                                          debugContext, options);
  return groupNormGradients(graph, whitened, gradsIn, invStdDev, gamma, prog,
                            partialsType, debugContext, options);
}

void groupNormParamUpdate(Graph &graph, const Tensor &gammaDelta,
                          const Tensor &betaDelta, float scale, Tensor &gamma,
                          Tensor &beta, Sequence &prog,
                          const DebugContext &debugContext,
                          const OptionFlags &) {
  bn::batchNormParamUpdate(graph, gammaDelta, betaDelta, scale, gamma, beta,
                           prog, debugContext);
}

void groupNormParamUpdate(Graph &graph, const Tensor &gammaDelta,
                          const Tensor &betaDelta, const Tensor &scale,
                          Tensor &gamma, Tensor &beta, Sequence &prog,
                          const DebugContext &debugContext,
                          const OptionFlags &) {
  bn::batchNormParamUpdate(graph, gammaDelta, betaDelta, scale, gamma, beta,
                           prog, debugContext);
}

} // namespace gn

} // namespace popnn
