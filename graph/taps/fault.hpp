// A fault planted in a program: for practice, and to test what watches it.
#pragma once

#include "codelets/fault_kind.hpp"

#include <poplar/DebugContext.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>

#include <cstddef>
#include <optional>

namespace popscope::graph {

struct Fault {
  FaultKind kind = FaultKind::nan;
  std::optional<std::size_t> index; // of the flattened tensor; absent: all
  unsigned bit = 0;                 // to flip, from the lowest
  float factor = 1.0f;              // to multiply with
  std::optional<unsigned> replica;  // absent: all of them
};

// Appends the fault, which happens when `execution`, an UNSIGNED_INT, is
// `wanted`. The tensor is FLOAT or HALF and no constant. Throws
// std::invalid_argument for another type, an index or a bit that it has not.
void addFault(poplar::Graph &graph, const poplar::Tensor &tensor,
              const Fault &fault, const poplar::Tensor &execution,
              unsigned wanted, poplar::program::Sequence &prog,
              const poplar::DebugContext &debugContext = {});

} // namespace popscope::graph
