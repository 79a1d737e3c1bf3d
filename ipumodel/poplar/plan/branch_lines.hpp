// Finds operations that can be combined across branches that are not taken.
#pragma once

#include "poplar/graph/graph_data.hpp"
#include "poplar/program/program_node.hpp"

#include <functional>
#include <vector>

namespace ipumodel {

class BranchLines {
public:
  // A `branch` has no else part. A `transfer` is a copy, or one from or to a
  // stream.
  enum class Role { operation, vertices, transfer, branch, other };

  // All but `other`; it begins and ends with an operation and has a branch.
  // Whether its branches are taken is known where it begins, unless one is
  // taken.
  struct Line {
    std::vector<ProgramPtr>::const_iterator begin, end;
  };

  BranchLines(const GraphData &graph,
              std::function<Role(const ProgramNode &)> roleOf)
      : graph_(graph), roleOf_(std::move(roleOf)) {}

  // In the order of the programs.
  std::vector<Line> find(const std::vector<ProgramPtr> &programs) const;

private:
  using Place = std::vector<ProgramPtr>::const_iterator;
  struct Found {
    Line line;  // empty if there is none
    Place next; // where another may begin
  };
  Found findFrom(Place begin, Place end) const;

  const GraphData &graph_;
  const std::function<Role(const ProgramNode &)> roleOf_;
};

} // namespace ipumodel
