// A matrix as the product of an orthogonal and an upper triangular one.
#pragma once

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>

#include <array>
#include <cstddef>

namespace poplin {
namespace experimental {

// A [m, n] and Q [m, m] for QRFactorization(). Throws poputil::poplibs_error if
// there are more columns than rows.
std::array<poplar::Tensor, 2>
createQRFactorizationMatrices(poplar::Graph &graph, const poplar::Type &type,
                              const std::size_t m, const std::size_t n,
                              const poplar::DebugContext &debugContext);

// Replaces A [M, N] by an upper triangular R, and Q [M, M], the identity, by an
// orthogonal matrix with Q * R = A; by reflections, so elements of R's diagonal
// may be negative. Both are FLOAT or both HALF, and M >= N. Option
// "rowsPerIteration" (32) changes nothing. Throws poputil::poplibs_error for
// other shapes and types.
void QRFactorization(poplar::Graph &graph, poplar::Tensor &A, poplar::Tensor &Q,
                     poplar::program::Sequence &prog,
                     const poplar::DebugContext &debugContext = {},
                     const poplar::OptionFlags &options = {});

} // namespace experimental
} // namespace poplin
