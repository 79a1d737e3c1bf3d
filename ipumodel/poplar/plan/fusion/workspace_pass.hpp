// Which operations save work for which later ones.
#pragma once

#include "poplar/plan/fusion/fusion_facts.hpp"

#include <cstddef>
#include <vector>

namespace ipumodel {

// An edge from an operation that saves something to one that uses it. Nothing
// that changes the tensors of either can run without the maker running again
// before the user.
struct Workspace {
  const ProgramNode *maker;
  const ProgramNode *user;
  std::size_t bytes;
};

// In the order of the users in the programs; each has at most one.
std::vector<Workspace> findWorkspaces(const std::vector<ProgramPtr> &programs,
                                      const FusionFacts &facts);

} // namespace ipumodel
