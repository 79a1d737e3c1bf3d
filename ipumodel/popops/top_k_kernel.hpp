// The native operation of top-k and sort.
#pragma once

#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>
#include <popops/TopK.hpp>

namespace ipumodel {

// The result besides the keys.
enum class TopKExtra : std::uint8_t { none, permutation, values };

// Sorts each row of `keys`. Outputs and inputs are the keys, then the extra
// tensor; a permutation is an output only. Outputs must not share elements with
// inputs.
void addTopK(poplar::program::Sequence &prog, const popops::TopKParams &params,
             TopKExtra extra, const std::vector<poplar::Tensor> &outputs,
             const std::vector<poplar::Tensor> &inputs,
             const poplar::DebugContext &debugContext);

} // namespace ipumodel
