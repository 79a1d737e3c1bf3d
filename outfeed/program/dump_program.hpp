// Sends a tensor and what it was computed from to the host, the first time that
// it is not finite.
#pragma once

#include "graph/taps/device_stats.hpp"
#include "outfeed/program/tap_stream.hpp"
#include "outfeed/rules/tensor_filter.hpp"

#include <functional>
#include <string>
#include <vector>

namespace popscope::outfeed {

// Where the bad tensor is complete, its inputs are copied as they are then.
// They are those of the same micro-batch: only what was visited since the last
// flush counts, unless a later point has the same tensor, and what the point
// itself has as its weights. So a pass of a pipeline has no inputs from another
// one, a sum over micro-batches not those it added up, and an optimiser not the
// weight from before.
class DumpProgram {
public:
  // Infinities in these tensors are no fault.
  explicit DumpProgram(std::vector<TensorFilter> infinitiesIntended);

  using NewSource = std::function<TapSource &()>;
  // Appends the transfers of the point that `tap` watches by `stats`, which the
  // program has just computed: one for each type of elements.
  void add(poplar::Graph &graph, poplar::program::Sequence &prog,
           const graph::TapPoint &point, const Tap &tap,
           const graph::PartialStats &stats, const NewSource &newSource);
  // The point may be an input of those that come.
  void remember(const graph::TapPoint &point);
  void flush() { visited_.clear(); }

private:
  std::vector<graph::NamedTensor> inputsOf(const graph::TapPoint &point) const;

  const std::vector<TensorFilter> infinitiesIntended_;
  std::vector<graph::NamedTensor> visited_; // since the last flush
};

} // namespace popscope::outfeed
