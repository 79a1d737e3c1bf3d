// Conversion of images of three channels to normalised ones of four.
#pragma once

#include <poplar/ArrayRef.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>

namespace popops {

// UNSIGNED_CHAR, HALF or FLOAT, with an innermost dimension of 3.
poplar::Tensor
createNormaliseImageInput(poplar::Graph &graph, const poplar::Type &type,
                          const poplar::ArrayRef<std::size_t> shape,
                          const poplar::DebugContext &debugContext = {});

// (tIn * inScale - offsets[c]) * scales[c] for each channel c, rounded once,
// and a fourth channel of zeros. UNSIGNED_CHAR becomes HALF. Offsets and scales
// are [3], of the type of the result.
poplar::Tensor normaliseImage(poplar::Graph &graph,
                              poplar::program::Sequence &seq,
                              poplar::Tensor tIn, float inScale,
                              poplar::Tensor offsets, poplar::Tensor scales,
                              const poplar::DebugContext &debugContext = {});

} // namespace popops
