// Finds operations that can be combined across branches that are not taken.
#pragma once

#include "poplar/plan/fusion/fusion_facts.hpp"

#include <vector>

namespace ipumodel {

// A copy, or one from or to a stream.
bool isTransfer(const ProgramNode &program);

// Programs that follow each other, from an operation to an operation, with a
// branch that has no else part. Whether its branches are taken is known where
// it begins, unless one is taken.
struct BranchLine {
  std::vector<ProgramPtr>::const_iterator begin, end;
};

// What a line goes across besides vertices and branches.
enum class Reach { operations, transfers };

// In the order of the programs.
std::vector<BranchLine> findBranchLines(const std::vector<ProgramPtr> &programs,
                                        Reach reach, const FusionFacts &facts);

} // namespace ipumodel
