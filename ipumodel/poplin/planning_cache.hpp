// The problems that a PlanningCache has planned.
#pragma once

#include <poplin/Convolution.hpp>

#include <mutex>
#include <set>
#include <utility>

namespace poplin {

class PlanningCacheImpl {
public:
  std::mutex mutex;
  std::set<std::pair<ConvParams, poplar::OptionFlags>> plans;
};

} // namespace poplin

namespace ipumodel {

// Records a problem in the cache, if there is one.
void notePlan(poplin::PlanningCache *cache, const poplin::ConvParams &params,
              const poplar::OptionFlags &options);

} // namespace ipumodel
