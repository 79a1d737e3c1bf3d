#include "poplar/engine/engine_impl.hpp"
#include "poplar/profile/profile.hpp"
#include "poplar/profile/profile_summary.hpp"

#include <poplar/Engine.hpp>
#include <pva/pva.hpp>

namespace poplar {

using ipumodel::ExecutionProfile;

void Engine::printProfileSummary(std::ostream &os, const OptionFlags &options) {
  const ipumodel::SummarySettings settings =
      ipumodel::resolveSummaryOptions(options);
  ipumodel::printSummary(
      os, ipumodel::gatherProfile(impl_->profiled(), ExecutionProfile::with),
      settings);
}

pva::Report Engine::getReport(bool reportExecution) {
  return pva::Report(
      std::make_shared<ipumodel::profile::Report>(ipumodel::gatherProfile(
          impl_->profiled(), reportExecution ? ExecutionProfile::with
                                             : ExecutionProfile::without)));
}

void Engine::resetExecutionProfile() { impl_->resetExecutionProfile(); }

void Engine::disableExecutionProfiling() { impl_->state().profiling = false; }

void Engine::enableExecutionProfiling() { impl_->state().profiling = true; }

} // namespace poplar
