// The transforms of the gradient of a 3x3 kernel by Winograd's method,
// vectorised for the CPU at hand; see winograd_deltas.hpp.
#pragma once

#include "poplin/conv/winograd_loops.hpp"

namespace ipumodel {

// Writes a row of channels for each tile of the output's gradient to planes
// `step` apart.
void transformDeltas(const WinogradField &field, std::size_t first,
                     std::size_t count, const float *deltas, float *planes,
                     std::size_t step);
// Adds to the gradient of each kernel element, `size` elements, the transform
// of the sums of products, planes of that size.
void addKernelDeltas(const float *planes, std::size_t size, float *gradient);

} // namespace ipumodel
