// The files that autoReport options ask for: profile.pop and debug.cbor in
// autoReport.directory, or in a directory there named after the engine.
#pragma once

#include "poplar/engine_impl.hpp"
#include "poplar/profile.hpp"

#include <string>

namespace ipumodel {

// These throw std::runtime_error naming a file that cannot be written.

// An engine that has no profile writes none and logs it.
void writeProfileFiles(const EngineImpl &engine, ExecutionProfile execution);

// Of a graph that cannot be run. Returns the path of profile.pop, or nothing
// if it was not asked for.
std::string writeGraphProfile(const ExecutableData &executable,
                              const EngineSettings &settings);

} // namespace ipumodel
