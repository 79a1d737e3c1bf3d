// The native operation behind top-k and sort.
#pragma once

#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>
#include <popops/TopK.hpp>

namespace popops {

// What is given out beside the keys.
enum class TopKExtra : std::uint8_t { none, permutation, values };

// Of each row of `keys`. Tensors of outputs and inputs: the keys, then what is
// extra; the permutation is an output only. Outputs share no elements with
// inputs.
void addTopK(poplar::program::Sequence &prog, const TopKParams &params,
             TopKExtra extra, const std::vector<poplar::Tensor> &outputs,
             const std::vector<poplar::Tensor> &inputs,
             const poplar::DebugContext &debugContext);

} // namespace popops
