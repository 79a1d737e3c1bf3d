// Softmax cross-entropy loss with integer labels.
#pragma once

#include <poplar/DebugContext.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>

namespace popscope::graph {

struct SoftmaxLoss {
  poplar::Tensor losses;      // float [batch]
  poplar::Tensor gradients;   // float [batch, classes], d loss / d logits
  poplar::Tensor predictions; // unsigned [batch], the class with most weight
};

// Appends the loss of each row of logits [batch, classes] against labels,
// unsigned [batch]. A label that is no class reads outside its row: the host
// checks labels before they are sent.
SoftmaxLoss addSoftmaxLoss(poplar::Graph &graph, const poplar::Tensor &logits,
                           const poplar::Tensor &labels,
                           poplar::program::Sequence &prog,
                           const poplar::DebugContext &debugContext = {});

} // namespace popscope::graph
