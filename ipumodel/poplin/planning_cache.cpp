#include "poplin/planning_cache.hpp"

#include "poplin/plan_options.hpp"

#include <poplin/ConvPreplan.hpp>

namespace poplin {

PlanningCache::PlanningCache() : impl(new PlanningCacheImpl) {}
PlanningCache::~PlanningCache() = default;

std::size_t PlanningCache::size() const {
  const std::lock_guard<std::mutex> lock(impl->mutex);
  return impl->plans.size();
}

void preplanConvolutions(const std::set<ConvPlanParams> &convs,
                         PlanningCache &cache) {
  for (const ConvPlanParams &conv : convs) {
    const poplar::OptionFlags &options = *std::get<2>(conv);
    ipumodel::checkConvolutionOptions(options);
    ipumodel::notePlan(&cache, std::get<1>(conv), options);
  }
}

void preplanConvolutions(poplar::Graph &, const std::set<ConvPlanParams> &convs,
                         PlanningCache &cache) {
  preplanConvolutions(convs, cache);
}

void preplan(const std::set<ConvPlanParams> &convs,
             const std::set<MatMulPlanParams> &matmuls, PlanningCache &cache) {
  preplanConvolutions(convs, cache);
  for (const MatMulPlanParams &matmul : matmuls) {
    const MatMulParams &params = std::get<1>(matmul);
    const poplar::OptionFlags &options = *std::get<2>(matmul);
    ipumodel::checkMatMulOptions(options);
    const bool grouped = params.aShape.size() == 3;
    const std::size_t m = params.aShape[grouped ? 1 : 0];
    const std::size_t k = params.aShape[grouped ? 2 : 1];
    ipumodel::notePlan(&cache,
                       ConvParams(params.inputType, params.outputType, m, {1},
                                  {1}, k, params.bShape.back(),
                                  grouped ? params.aShape[0] : 1),
                       options);
  }
}

} // namespace poplin

namespace ipumodel {

void notePlan(poplin::PlanningCache *cache, const poplin::ConvParams &params,
              const poplar::OptionFlags &options) {
  if (!cache)
    return;
  const std::lock_guard<std::mutex> lock(cache->impl->mutex);
  cache->impl->plans.emplace(params.canonicalize(), options);
}

} // namespace ipumodel
