// Vertices of PopLibs that programs add to graphs by name. PopLibs' functions
// do not use them: they are native operations of the engine.
#pragma once

#include <string>

namespace ipumodel {

// The source of a vertex such as popops::Fill<float>, for popc; empty if there
// is no such vertex.
std::string poplibsCodeletSource(const std::string &name);

} // namespace ipumodel
