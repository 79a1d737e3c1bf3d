#include <poplin/codelets.hpp>

namespace poplin {

// Nothing to add: the operations are native kernels of the engine.
void addCodelets(poplar::Graph &) {}

} // namespace poplin
