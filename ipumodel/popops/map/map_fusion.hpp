// Combines steps of a program into one, whose intermediate value stays in the
// CPU's registers, or replaces them by simpler ones. Results have the same
// bits.
#pragma once

#include "popops/map/map_program.hpp"

#include <vector>

namespace ipumodel {

// Combines products of floats with the sums and differences that are their only
// users, differences with products that are theirs, and two products with the
// choice between them. Values that are the
// same for all elements are left alone, since they are computed only once.
// Steps that are no longer used are kept.
void fuseProducts(MapProgram &program, const std::vector<bool> &isUniform);

// Writes the ReLU, max(x, 0), and its gradient, x > 0 ? y : 0, as one step
// without a constant.
void simplifyForZero(MapProgram &program);

} // namespace ipumodel
