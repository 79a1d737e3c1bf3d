// Casts from and to QUARTER, whose metadata are known only at run time.
#pragma once

#include <poplar/DebugContext.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>

namespace ipumodel {

// Tensors of one shape, each QUARTER, HALF or FLOAT. Values out of QUARTER's
// range become NaN.
void addQuarterCast(poplar::program::Sequence &prog, const poplar::Tensor &src,
                    const poplar::Tensor &dst,
                    const poplar::DebugContext &debugContext);
void addQuarterCast(poplar::Graph &graph, poplar::ComputeSet computeSet,
                    const poplar::Tensor &src, const poplar::Tensor &dst,
                    const poplar::DebugContext &debugContext);

} // namespace ipumodel
