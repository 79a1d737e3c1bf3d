// The parameters and the costs that all kinds of normalisation have in common.
#pragma once

#include <poplar/DebugContext.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>

namespace popnn {

// Operations of each pass. There are `statisticsSize` means, `paramsSize`
// elements in each of gamma and beta, and `numActsElements` activations. Square
// roots do not count.
std::uint64_t getNormFwdFlops(std::size_t statisticsSize,
                              std::size_t numActsElements,
                              bool computeStats = true);
std::uint64_t getNormBwdFlops(std::size_t statisticsSize,
                              std::size_t numActsElements);
std::uint64_t getNormWuFlops(std::size_t paramsSize,
                             std::size_t numActsElements);

// The scale and the offset of normalised activations [batch, channels,
// field...], where the field may be absent: [channels], of the type of the
// activations.
poplar::Tensor createNormGamma(poplar::Graph &graph, const poplar::Tensor &acts,
                               const poplar::DebugContext &debugContext = {});
poplar::Tensor createNormBeta(poplar::Graph &graph, const poplar::Tensor &acts,
                              const poplar::DebugContext &debugContext = {});
std::pair<poplar::Tensor, poplar::Tensor>
createNormParams(poplar::Graph &graph, const poplar::Tensor acts,
                 const poplar::DebugContext &debugContext = {});

} // namespace popnn
