// The places of a program at which the host may change tensors.
#pragma once

#include "graph/taps/tap_point.hpp"
#include "outfeed/program/tap_mask.hpp"
#include "outfeed/rules/tensor_filter.hpp"

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>

#include <vector>

namespace popscope::outfeed {

// What is computed only to be watched, as an update is, and constants cannot be
// changed, whatever the filters say.
class InterventionProgram {
public:
  void allow(std::vector<TensorFilter> filters) {
    filters_ = std::move(filters);
  }

  // Whether anything may be changed.
  bool isWanted() const { return !filters_.empty(); }

  // Appends the change of a tensor that a filter matches, and its words to the
  // mask. Returns whether there is one.
  bool add(poplar::Graph &graph, poplar::program::Sequence &prog,
           const graph::TapPoint &point, TapMask &mask);

  // In the order of the program; their positions are the places in the mask.
  const std::vector<TensorTraits> &tensors() const { return tensors_; }

  // Throws std::invalid_argument if a filter allows none of the program's
  // tensors to be changed.
  void requireMatches(const std::vector<TensorTraits> &all) const;

private:
  std::vector<TensorFilter> filters_;
  std::vector<TensorTraits> tensors_;
  std::vector<poplar::Tensor> words_; // of each
};

} // namespace popscope::outfeed
