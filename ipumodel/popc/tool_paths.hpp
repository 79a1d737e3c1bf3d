// Where popc finds the files it needs.
#pragma once

#include <string>

namespace ipumodel::popc {

struct ToolPaths {
  std::string poplarIncludes;  // holds poplar/Vertex.hpp
  std::string codeletIncludes; // holds print.h and the like
  std::string abiHeader;       // codelet_abi.hpp
};

// Those beside this program in an installed prefix, otherwise those of the
// source tree it was built from. Throws std::runtime_error if neither is there.
ToolPaths findToolPaths();

} // namespace ipumodel::popc
