// Convolutions of [N, channels, field...] with [groups, out, in, kernel...].
#pragma once

#include <poplar/Graph.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/Program.hpp>
#include <poplin/ConvParams.hpp>

#include <cstdint>
#include <limits>
#include <memory>
#include <ostream>
#include <set>
#include <tuple>

namespace poplin {

class PlanningCache;

// Floating-point operations, two per multiply-add.
std::uint64_t getFwdFlops(const ConvParams &params);
std::uint64_t getBwdFlops(const ConvParams &params);
std::uint64_t getWuFlops(const ConvParams &params);

// Cycles if all tiles did multiply-adds at their peak rate all the time.
double getFwdPerfectCycleCount(const poplar::Graph &graph,
                               const ConvParams &params);
double getBwdPerfectCycleCount(const poplar::Graph &graph,
                               const ConvParams &params);
double getWuPerfectCycleCount(const poplar::Graph &graph,
                              const ConvParams &params);

// Tensors in the layout that suits convolutions best.
poplar::Tensor createWeights(poplar::Graph &graph, const ConvParams &params,
                             const poplar::DebugContext &debugContext = {},
                             const poplar::OptionFlags &options = {},
                             PlanningCache *cache = nullptr);
poplar::Tensor
createBiases(poplar::Graph &graph, const poplar::Tensor &activations,
             const poplar::DebugContext &debugContext = {"biases"});
poplar::Tensor
createBiases(poplar::Graph &graph, const poplar::Tensor &activations,
             const ConvParams &params,
             const poplar::DebugContext &debugContext = {"biases"},
             const poplar::OptionFlags &options = {},
             PlanningCache *cache = nullptr);
poplar::Tensor createInput(poplar::Graph &graph, const ConvParams &params,
                           const poplar::DebugContext &debugContext = {},
                           const poplar::OptionFlags &options = {},
                           PlanningCache *cache = nullptr);
poplar::Tensor createConvOutput(poplar::Graph &graph, const ConvParams &params,
                                const poplar::DebugContext &debugContext = {},
                                const poplar::OptionFlags &options = {},
                                PlanningCache *cache = nullptr);

// With transposeAndFlipWeights, the kernel is reversed and its input and output
// channels are swapped, as for the gradient of the input.
poplar::Tensor convolution(poplar::Graph &graph, const poplar::Tensor &in,
                           const poplar::Tensor &weights,
                           const ConvParams &params,
                           bool transposeAndFlipWeights,
                           poplar::program::Sequence &prog,
                           const poplar::DebugContext &debugContext = {},
                           const poplar::OptionFlags &options = {},
                           PlanningCache *cache = nullptr);
void convolutionWithOutput(poplar::Graph &graph, const poplar::Tensor &in,
                           const poplar::Tensor &weights,
                           const poplar::Tensor &out, const ConvParams &params,
                           bool transposeAndFlipWeights,
                           poplar::program::Sequence &prog,
                           const poplar::DebugContext &debugContext = {},
                           const poplar::OptionFlags &options = {},
                           PlanningCache *cache = nullptr);

using ConvPlanParams = std::tuple<const poplar::Target *, const ConvParams,
                                  const poplar::OptionFlags *>;
void preplanConvolutions(const std::set<ConvPlanParams> &convs,
                         PlanningCache &cache);
void preplanConvolutions(poplar::Graph &graph,
                         const std::set<ConvPlanParams> &convs,
                         PlanningCache &cache);

void weightsTransposeChansFlipXY(poplar::Graph &graph,
                                 const poplar::Tensor &weightsIn,
                                 const poplar::Tensor &weightsOut,
                                 poplar::program::Sequence &prog,
                                 const poplar::DebugContext &debugContext = {},
                                 const poplar::OptionFlags &options = {});

// The gradient of the weights; `params` are those of the forward pass.
poplar::Tensor
calculateWeightDeltas(poplar::Graph &graph, const poplar::Tensor &zDeltas,
                      const poplar::Tensor &activations,
                      const ConvParams &params, poplar::program::Sequence &prog,
                      const poplar::DebugContext &debugContext = {},
                      const poplar::OptionFlags &options = {},
                      PlanningCache *cache = nullptr);
// weights += scale * gradient.
void convolutionWeightUpdate(poplar::Graph &graph,
                             const poplar::Tensor &zDeltas,
                             const poplar::Tensor &weights,
                             const poplar::Tensor &activations,
                             ConvParams params, const poplar::Tensor &scale,
                             poplar::program::Sequence &prog,
                             const poplar::DebugContext &debugContext = {},
                             const poplar::OptionFlags &options = {},
                             PlanningCache *cache = nullptr);
void convolutionWeightUpdate(
    poplar::Graph &graph, const poplar::Tensor &zDeltas,
    const poplar::Tensor &weights, const poplar::Tensor &activations,
    ConvParams params, float scale, poplar::program::Sequence &prog,
    const poplar::DebugContext &debugContext = {},
    const poplar::OptionFlags &options = {}, PlanningCache *cache = nullptr);
// biases += scale * sum of zDeltas over all dimensions except channels.
void convolutionBiasUpdate(poplar::Graph &graph, const poplar::Tensor &zDeltas,
                           const poplar::Tensor &biases,
                           const poplar::Tensor &scale,
                           const poplar::OptionFlags &options,
                           poplar::program::Sequence &prog,
                           const poplar::DebugContext &debugContext = {});
void convolutionBiasUpdate(poplar::Graph &graph, const poplar::Tensor &zDeltas,
                           const poplar::Tensor &biases, float scale,
                           const poplar::OptionFlags &options,
                           poplar::program::Sequence &prog,
                           const poplar::DebugContext &debugContext = {});
// in[n, c, ...] += biases[c]; a tensor of rank 2 is allowed too.
void addBias(poplar::Graph &graph, const poplar::Tensor &in,
             const poplar::Tensor &biases, poplar::program::Sequence &prog,
             const poplar::DebugContext &debugContext = {});

// How the engine performs a convolution, as text and as estimates.
void reportPlanInfo(std::ostream &out, const poplar::Graph &graph,
                    const ConvParams &params,
                    const poplar::OptionFlags &options = {},
                    PlanningCache *cache = nullptr);
struct PlanCosts {
  std::size_t cycles;
  std::size_t memory;
  constexpr static std::size_t unknown =
      std::numeric_limits<std::size_t>::max();
};
PlanCosts reportPlanEstimatedCosts(const poplar::Graph &graph,
                                   const ConvParams &params,
                                   const poplar::OptionFlags &options = {},
                                   PlanningCache *cache = nullptr);

namespace internal {

// The estimate by part. A convolution here has no exchanges, casts and splits
// of its own: all cycles are those of `compute`, and the memory is that of
// `transform`.
struct DetailedPlanCosts {
  std::size_t parallelSplit = 1;
  std::size_t serialSplit = 1;
  PlanCosts broadcast = {};
  PlanCosts rearrangement = {};
  PlanCosts dynamicSlice = {};
  PlanCosts transform = {};
  PlanCosts exchange = {};
  PlanCosts tileLevelTransform = {};
  PlanCosts inputsCast = {};
  PlanCosts compute = {};
  PlanCosts reduction = {};
  PlanCosts dynamicUpdate = {};
  PlanCosts addInPlace = {};
  PlanCosts outputCast = {};
  PlanCosts total = {};

  // Calls fn(PlanCosts &) for each part in this order; serialSplitOnly leaves
  // out what is done once, before and after a serial split.
  template <typename Function>
  void apply(Function fn, bool includeTotal = true,
             bool serialSplitOnly = false) {
    each(*this, fn, includeTotal, serialSplitOnly);
  }
  template <typename Function>
  void apply(Function fn, bool includeTotal = true,
             bool serialSplitOnly = false) const {
    each(*this, fn, includeTotal, serialSplitOnly);
  }

private:
  template <typename Costs, typename Function>
  static void each(Costs &costs, Function &fn, bool includeTotal,
                   bool serialSplitOnly) {
    if (!serialSplitOnly)
      for (auto *part : {&costs.broadcast, &costs.rearrangement})
        fn(*part);
    for (auto *part : {&costs.dynamicSlice, &costs.transform, &costs.exchange,
                       &costs.tileLevelTransform, &costs.inputsCast,
                       &costs.compute, &costs.reduction, &costs.dynamicUpdate})
      fn(*part);
    if (!serialSplitOnly)
      for (auto *part : {&costs.addInPlace, &costs.outputCast})
        fn(*part);
    if (includeTotal)
      fn(costs.total);
  }
};

// Two numbers per line: the splits, then cycles and bytes of each part.
std::ostream &operator<<(std::ostream &os, const DetailedPlanCosts &c);
std::istream &operator>>(std::istream &is, DetailedPlanCosts &c);

DetailedPlanCosts reportDetailedPlanEstimatedCosts(
    const poplar::Graph &graph, const ConvParams &params,
    const poplar::OptionFlags &options = {}, PlanningCache *cache = nullptr);

} // namespace internal

void reportWeightUpdatePlanInfo(std::ostream &out, const poplar::Graph &graph,
                                const ConvParams &fwdParams,
                                const poplar::OptionFlags &fwdOptions = {},
                                PlanningCache *cache = nullptr);

// The weights [groups, outputs, inputs, 1] of a fully connected layer as the
// pass `params` needs them, which swaps inputs and outputs.
poplar::Tensor fullyConnectedWeightTranspose(
    poplar::Graph &graph, poplar::Tensor weights, const ConvParams &params,
    poplar::program::Sequence &prog,
    const poplar::DebugContext &debugContext = {},
    const poplar::OptionFlags &options = {}, PlanningCache *cache = nullptr);

// Throws poplar::invalid_option for an unknown option or a bad value.
void convolutionValidateOptions(const poplar::OptionFlags &options);

class PlanningCacheImpl;

// Shared by calls that build one model; counts the distinct plans requested.
class PlanningCache {
public:
  PlanningCache();
  ~PlanningCache();
  std::size_t size() const;
  std::unique_ptr<PlanningCacheImpl> impl;
};

} // namespace poplin
