// The values that weights start with.
#pragma once

#include "graph/training_graph.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace popscope::graph {

// Uniform in +-sqrt(6 / (fanIn + fanOut)), for a kernel of shape
// [..., in, out].
std::vector<float> glorotUniform(const std::vector<std::size_t> &shape,
                                 std::uint64_t seed);

// The first value of a trainable tensor: Glorot uniform for kernels, zeros for
// biases. It depends only on the seed, the name and the shape.
std::vector<float> initialValue(const StateTensor &state, std::uint64_t seed);

} // namespace popscope::graph
