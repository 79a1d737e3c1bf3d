// Recognises an element-wise operation that adds a multiple of one tensor to
// another.
#pragma once

#include "poplar/plan/plan_builder.hpp"
#include "poplar/program/program_node.hpp"

#include <optional>

namespace ipumodel {

// sum += factor * term, or with a scale of one element, factor * scale * term:
// rounds the product, then the sum.
struct ScaledSum {
  TensorData sum, term;
  float factor;
  std::optional<TensorData> scale;
  Step step; // for the profile
};

// Empty if it is another operation, or not of FLOAT.
std::optional<ScaledSum> asScaledSum(const ProgramNode &native,
                                     const PlanBuilder &builder);

} // namespace ipumodel
