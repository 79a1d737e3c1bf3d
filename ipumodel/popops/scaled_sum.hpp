// An element-wise operation that adds a multiple of one tensor to another.
#pragma once

#include "poplar/plan_builder.hpp"
#include "poplar/program_node.hpp"

#include <optional>

namespace popops {

// sum += factor * term, or with the scale's one element, factor * scale * term:
// the product rounded, then the sum.
struct ScaledSum {
  ipumodel::TensorData sum, term;
  float factor;
  std::optional<ipumodel::TensorData> scale;
  ipumodel::Step step; // for the profile
};

// None if the operation is another one, or not of FLOAT.
std::optional<ScaledSum> asScaledSum(const ipumodel::ProgramNode &native,
                                     const ipumodel::PlanBuilder &builder);

} // namespace popops
