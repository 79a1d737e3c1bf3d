#include <popnn/codelets.hpp>

namespace popnn {

// Nothing to add: the operations are native kernels of the engine.
void addCodelets(poplar::Graph &) {}

} // namespace popnn
