// Plants faults in a program as it is built: each spoils a tensor at one
// execution.
#pragma once

#include "graph/taps/tap_point.hpp"
#include "outfeed/health/injection.hpp"
#include "outfeed/rules/tensor_traits.hpp"

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>

#include <functional>
#include <vector>

namespace popscope::outfeed {

class FaultProgram {
public:
  // Before its tensor is visited.
  void inject(Injection injection);

  // Appends the faults of the point, if any; returns whether there were.
  // `execution` makes the number of executions so far, of which an update has
  // `perUpdate`. Throws std::invalid_argument, naming the fault, for one that
  // the tensor cannot have.
  bool add(poplar::Graph &graph, poplar::program::Sequence &prog,
           const graph::TapPoint &point, unsigned perUpdate,
           const std::function<poplar::Tensor()> &execution);

  // Throws std::invalid_argument if a tensor to spoil was not among those
  // visited, or not at this moment.
  void require(const std::vector<TensorTraits> &visited) const;

private:
  struct Planned {
    Injection injection;
    bool isAdded;
  };
  std::vector<Planned> faults_;
};

} // namespace popscope::outfeed
