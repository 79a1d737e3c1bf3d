// The points of a program, and from which of them each is computed.
#pragma once

#include "outfeed/rules/tensor_traits.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace popscope::outfeed {

class PointGraph {
public:
  struct Input {
    std::size_t point;   // by its place in the program
    bool ofUpdateBefore; // its value of the update before is read
    std::size_t number;  // among the inputs of the derivation
  };

  // `points` are in the order of the program and outlive the graph. A name
  // that no point has is left out.
  explicit PointGraph(const std::vector<TensorTraits> &points);

  const TensorTraits &point(std::size_t number) const {
    return points_[number];
  }
  const std::vector<Input> &inputs(std::size_t number) const {
    return inputs_[number];
  }
  std::size_t size() const { return points_.size(); }
  // The place of the point of this name and moment; size() if there is none.
  std::size_t find(const TensorTraits &tensor) const;

private:
  const std::vector<TensorTraits> &points_;
  std::vector<std::vector<Input>> inputs_;
};

} // namespace popscope::outfeed
