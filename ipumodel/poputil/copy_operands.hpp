// The elements that a copy between a tensor and its clone has to move.
#pragma once

#include <poplar/Graph.hpp>
#include <poplar/Tensor.hpp>
#include <poplar/TensorCloneMethod.hpp>

namespace ipumodel {

struct CopyOperands {
  poplar::Tensor src;
  poplar::Tensor dst;
};

// All of `src`, or if the clone has the same aliases, each element once.
CopyOperands copyOperands(const poplar::Graph &graph, const poplar::Tensor &src,
                          const poplar::Tensor &clone,
                          poplar::TensorCloneMethod method);

} // namespace ipumodel
