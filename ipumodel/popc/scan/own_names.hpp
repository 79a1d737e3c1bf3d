// Names of the device's compiler that a source declares itself, as codelets do
// for targets other than the IPU.
#pragma once

#include <clang-c/Index.h>
#include <string>
#include <vector>

namespace ipumodel::popc {

// The macros to define so that the headers of codelets leave those names to
// the source: all vector types, or all builtins, if it declares one of them,
// and the counter of a loop.
std::vector<std::string> macrosForOwnNames(CXCursor unit);

} // namespace ipumodel::popc
