// The C++ compiler behind popc.
#pragma once

#include <string>

namespace ipumodel {

// The program $POPC_CXX names, or else g++ or clang++, whichever is there.
// Throws std::runtime_error if none is.
std::string findCxxCompiler();

} // namespace ipumodel
