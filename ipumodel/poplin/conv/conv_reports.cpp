// The cost of convolutions: operations, ideal cycles, and reports of plans.
#include "poplin/conv/conv_geometry.hpp"
#include "poplin/conv/conv_kernel.hpp"
#include "poplin/plan_options.hpp"
#include "poplin/planning_cache.hpp"

#include <poplin/ConvUtil.hpp>

#include <algorithm>
#include <istream>
#include <ostream>

namespace poplin {

using poplar::Graph;
using poplar::OptionFlags;

// Two for each product of elements that are neither padding nor dilation.
std::uint64_t getFwdFlops(const ConvParams &params) {
  params.validate();
  std::uint64_t products = params.batchSize * params.numConvGroups *
                           params.inputChannelsPerConvGroup *
                           params.outputChannelsPerConvGroup;
  for (unsigned dim = 0; dim < params.getNumFieldDims(); ++dim) {
    std::uint64_t pairs = 0;
    for (unsigned out = 0; out < params.getOutputSize(dim); ++out)
      for (unsigned k = 0; k < params.kernelShape[dim]; ++k)
        pairs += getInputIndex(dim, out, k, params) != ~0u;
    products *= pairs;
  }
  return 2 * products;
}

std::uint64_t getBwdFlops(const ConvParams &params) {
  return getFwdFlops(params);
}

std::uint64_t getWuFlops(const ConvParams &params) {
  return getFwdFlops(params);
}

namespace {

double perfectCycles(const Graph &graph, const ConvParams &params) {
  const poplar::Target &target = graph.getTarget();
  const double perTile =
      2.0 *
      std::max(1u,
               target.getNumConvUnits(params.inputType, params.outputType)) *
      std::max(1u, target.getWeightsPerConvUnit(params.inputType));
  return static_cast<double>(getFwdFlops(params)) /
         (perTile * std::max(1u, target.getNumTiles()));
}

} // namespace

double getFwdPerfectCycleCount(const Graph &graph, const ConvParams &params) {
  return perfectCycles(graph, params);
}

double getBwdPerfectCycleCount(const Graph &graph, const ConvParams &params) {
  return perfectCycles(graph, params);
}

double getWuPerfectCycleCount(const Graph &graph, const ConvParams &params) {
  return perfectCycles(graph, params);
}

PlanCosts reportPlanEstimatedCosts(const Graph &graph, const ConvParams &params,
                                   const OptionFlags &options,
                                   PlanningCache *cache) {
  params.validate();
  ipumodel::checkConvolutionOptions(options);
  ipumodel::notePlan(cache, params, options);
  const ipumodel::ConvGeometry geometry(params);
  // Scratch memory for an input that needs to be transformed first.
  const std::size_t transformed =
      params.inputTransform ==
              ConvParams::InputTransform(params.getNumFieldDims())
          ? 0
          : geometry.batch * geometry.imageSize() *
                graph.getTarget().getTypeSize(params.inputType);
  return {ipumodel::convCycles(graph.getTarget(), geometry), transformed};
}

namespace internal {

std::ostream &operator<<(std::ostream &os, const DetailedPlanCosts &c) {
  os << c.parallelSplit << ' ' << c.serialSplit << '\n';
  c.apply([&](const PlanCosts &part) {
    os << part.cycles << ' ' << part.memory << '\n';
  });
  return os;
}

std::istream &operator>>(std::istream &is, DetailedPlanCosts &c) {
  is >> c.parallelSplit >> c.serialSplit;
  c.apply([&](PlanCosts &part) { is >> part.cycles >> part.memory; });
  return is;
}

DetailedPlanCosts reportDetailedPlanEstimatedCosts(const Graph &graph,
                                                   const ConvParams &params,
                                                   const OptionFlags &options,
                                                   PlanningCache *cache) {
  DetailedPlanCosts costs;
  costs.parallelSplit = graph.getTarget().getNumTiles();
  costs.total = reportPlanEstimatedCosts(graph, params, options, cache);
  costs.compute.cycles = costs.total.cycles;
  costs.transform.memory = costs.total.memory;
  return costs;
}

} // namespace internal

void reportPlanInfo(std::ostream &out, const Graph &graph,
                    const ConvParams &params, const OptionFlags &options,
                    PlanningCache *cache) {
  const PlanCosts costs =
      reportPlanEstimatedCosts(graph, params, options, cache);
  const ipumodel::ConvGeometry geometry(params);
  out << "Convolution: " << geometry.kernelRuns() << " products of "
      << geometry.runLength() << " x " << geometry.outChannels
      << " per output row, channels last; " << geometry.flops()
      << " operations, estimated cycles " << costs.cycles
      << ", temporary bytes " << costs.memory << '\n';
}

void reportWeightUpdatePlanInfo(std::ostream &out, const Graph &graph,
                                const ConvParams &fwdParams,
                                const OptionFlags &fwdOptions,
                                PlanningCache *cache) {
  out << "Weight update of: ";
  reportPlanInfo(out, graph, fwdParams, fwdOptions, cache);
}

} // namespace poplin
