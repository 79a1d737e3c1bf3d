// An update of one element of each row.
#pragma once

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <popops/ExprOp.hpp>

#include <string>

namespace popops {

// params[i][indices[i]] -= 1; a row is left as it is for MASKED_LABEL_CODE, and
// becomes NaN for other indices out of range. `params` [N, K] is HALF or FLOAT,
// `indices` [N] UNSIGNED_INT; else poplibs_error is thrown.
void updateScalarInRows(poplar::Graph &graph, const poplar::Tensor &params,
                        const poplar::Tensor &indices,
                        poplar::program::Sequence &program,
                        const poplar::DebugContext &debugContext = {});

} // namespace popops
