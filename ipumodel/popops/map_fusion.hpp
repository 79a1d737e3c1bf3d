// Steps of a program joined into one, whose intermediate value never leaves the
// CPU's registers, or replaced by simpler ones. Results stay the same to the
// bit.
#pragma once

#include "popops/map_program.hpp"

#include <vector>

namespace popops {

// Joins products of floats with the sums and differences that alone use them.
// Values that are the same for all elements, by number, are left alone: they
// are computed only once anyway. Steps that are no longer used stay.
void fuseProducts(MapProgram &program, const std::vector<bool> &isUniform);

// Writes the ReLU, max(x, 0), and its gradient, x > 0 ? y : 0, as the one step
// without a constant that they are.
void simplifyForZero(MapProgram &program);

} // namespace popops
