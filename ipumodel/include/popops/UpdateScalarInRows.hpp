// Update of one element per row.
#pragma once

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <popops/ExprOp.hpp>

#include <string>

namespace popops {

// params[i][indices[i]] -= 1; the row is unchanged for MASKED_LABEL_CODE, and
// NaN for other indices out of range. `params` [N, K] is HALF or FLOAT,
// `indices` [N] UNSIGNED_INT; otherwise throws poplibs_error.
void updateScalarInRows(poplar::Graph &graph, const poplar::Tensor &params,
                        const poplar::Tensor &indices,
                        poplar::program::Sequence &program,
                        const poplar::DebugContext &debugContext = {});

} // namespace popops
