// A matrix as the product of a lower and an upper triangular one.
#pragma once

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>

#include <utility>

namespace poplin {
namespace experimental {

// L [M, M] and U [M, N] of FLOAT with L * U = `input` [M, N], which is FLOAT or
// HALF; the diagonal of L is 1. Rows are not exchanged: if an element of U's
// diagonal becomes 0 the results are not finite. Throws poputil::poplibs_error
// for other shapes and types.
std::pair<poplar::Tensor, poplar::Tensor>
LUFactorization(poplar::Graph &graph, poplar::Tensor &input,
                poplar::program::Sequence &seq,
                const poplar::DebugContext &debugContext = {});

} // namespace experimental
} // namespace poplin
