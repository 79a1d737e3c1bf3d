// An engine's profile, made from its executable, its plan and its counters.
#pragma once

#include "poplar/options/engine_options.hpp"
#include "poplar/plan/plan_builder.hpp"
#include "poplar/program/executable_data.hpp"
#include "poplar/run/execution_state.hpp"
#include "pva/report_data.hpp"

#include <optional>

namespace ipumodel {

// What an engine knows of its programs and of their runs.
struct ProfiledEngine {
  const ExecutableData &executable;
  const Plan &plan;
  const EngineSettings &settings;
  const ExecutionState &state;
  const std::optional<StepTrace> &trace; // empty if runs are not recorded
};

enum class ExecutionProfile { with, without };

// Throws profiling_disabled for a CPU device and missing_graph_profile for an
// executable that was deserialized.
profile::Report gatherProfile(const ProfiledEngine &engine,
                              ExecutionProfile execution);

} // namespace ipumodel
