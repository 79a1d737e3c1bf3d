// The values that weights start with.
#pragma once

#include "graph/training_graph.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace popscope::graph {

// Uniform within sqrt(6 / (fanIn + fanOut)), for a kernel in Keras' order:
// [..., in, out].
std::vector<float> glorotUniform(const std::vector<std::size_t> &shape,
                                 std::uint64_t seed);

// Of a trainable tensor: Glorot uniform for kernels, zeros for biases. Equal
// seeds give equal values, different names independent ones.
std::vector<float> initialValue(const StateTensor &state, std::uint64_t seed);

} // namespace popscope::graph
