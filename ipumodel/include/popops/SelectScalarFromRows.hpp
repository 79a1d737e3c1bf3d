// Selection of one element per row.
#pragma once

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>

namespace popops {

// out[i] = params[i][indices[i]]; 0 for MASKED_LABEL_CODE, and NaN for other
// indices out of range. `params` [N, K] is HALF or FLOAT, `indices` [N]
// UNSIGNED_INT; otherwise throws poplibs_error.
poplar::Tensor
selectScalarFromRows(poplar::Graph &graph, const poplar::Tensor &params,
                     const poplar::Tensor &indices,
                     poplar::program::Sequence &prog,
                     const poplar::DebugContext &debugContext = {});

} // namespace popops
