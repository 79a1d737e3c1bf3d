// What is known of a tensor before the program runs.
#pragma once

#include "graph/taps/tap_point.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace popscope::outfeed {

// As rules spell them.
const char *nameOf(graph::TensorKind kind);
const char *nameOf(graph::TapMoment moment);

struct TensorTraits {
  std::string name;
  graph::TensorKind kind = graph::TensorKind::activation;
  graph::TapMoment moment = graph::TapMoment::microBatch;
  unsigned stage = 0;
  std::string dtype; // float, half, int or unsigned
  std::vector<std::size_t> shape;
  std::size_t numElements = 0;
  graph::Derivation derivation = {};
  std::vector<std::size_t> partOf = {}; // as in TapPoint

  // Of all elements, on the host.
  std::size_t bytes() const { return numElements * (dtype == "half" ? 2 : 4); }
  // The name without _acts, _preacts and _grad of these, or up to its last '/';
  // all of it if it has none of them.
  std::string_view layer() const;
};

TensorTraits traitsOf(const graph::TapPoint &point);

// The name under which the tensor is shown. That of a micro-batch's gradient
// ends in _per_micro_batch and that of a gradient reduced over the replicas in
// _reduced, so that neither is mistaken for the accumulated gradient.
std::string tagOf(const TensorTraits &tensor);

// The name of the weight that the update of this name was added to; empty if
// the name does not say.
std::string weightOf(const std::string &update);

} // namespace popscope::outfeed
