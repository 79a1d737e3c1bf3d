// Prints points as they are written.
#pragma once

#include "host/events/printing/value_lines.hpp"

namespace popscope::host::events {

// Prints what is there, then what is added, until SIGINT or SIGTERM; returns
// the exit code. Runs and files that appear later are followed too, and a path
// that does not exist is waited for. Throws BadInput if a path is neither a
// file nor a directory, std::runtime_error if standard output fails.
int follow(const CatOptions &options);

} // namespace popscope::host::events
