// The files of the autoReport options: profile.pop and debug.cbor in
// autoReport.directory, or in a subdirectory named after the engine.
#pragma once

#include "poplar/profile/profile.hpp"

#include <string>

namespace ipumodel {

// These throw std::runtime_error with the name of a file that cannot be
// written.

// Logs a message instead if the engine has no profile.
void writeProfileFiles(const ProfiledEngine &engine,
                       ExecutionProfile execution);

// For a graph that cannot run. Returns the path of profile.pop; empty if it was
// not requested.
std::string writeGraphProfile(const ExecutableData &executable,
                              const EngineSettings &settings);

} // namespace ipumodel
