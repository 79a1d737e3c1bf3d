// A product that only an update uses is added to the updated tensor directly.
#pragma once

#include "poplar/plan/fusion/fusion_facts.hpp"
#include "poplar/plan/native_kernel.hpp"

#include <vector>

namespace ipumodel {

// A program of a line; with `joined`, the operation that replaces it and
// `second`.
struct Unit {
  ProgramPtr program;
  bool isSkipped = false; // a branch that is not taken when the line runs
  ProgramPtr second = nullptr;
  JoinedPtr joined = nullptr;
};
using Line = std::vector<Unit>;

// Moves the first operation of a possible pair to just before the second, if
// nothing in between changes its inputs: a gradient is computed long before the
// update that uses it, because the weights are needed until then.
std::vector<ProgramPtr> bringPairsTogether(std::vector<ProgramPtr> line,
                                           const FusionFacts &facts);

// Joins pairs of which the second follows the first; see Operator::join.
Line joinPairs(Line line, const FusionFacts &facts, const PlanBuilder &builder);

} // namespace ipumodel
