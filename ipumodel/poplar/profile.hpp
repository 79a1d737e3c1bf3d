// An engine's profile, made from its executable, its plan and its counters.
#pragma once

#include "poplar/engine_impl.hpp"
#include "pva/report_data.hpp"

namespace ipumodel {

enum class ExecutionProfile { with, without };

// Throws profiling_disabled for a CPU device and missing_graph_profile for an
// executable that was deserialized.
profile::Report gatherProfile(const EngineImpl &engine,
                              ExecutionProfile execution);

} // namespace ipumodel
