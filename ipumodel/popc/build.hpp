// From popc's inputs to an archive.
#pragma once

#include "popc/options.hpp"
#include "poplar/codelet/gp_archive.hpp"

namespace ipumodel::popc {

// Compilers write their messages to standard error. Throws UsageError for an
// input of the wrong kind, CompileError, VertexError, and std::exception for
// all else.
GpArchive buildArchive(const Options &options);

} // namespace ipumodel::popc
