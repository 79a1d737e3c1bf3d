#include "poplar/program/program_walk.hpp"

#include <unordered_set>

namespace ipumodel {

std::vector<const ProgramNode *>
nodesOf(const std::vector<ProgramPtr> &programs) {
  struct Visit {
    const ProgramNode *node;
    std::size_t nextChild;
  };
  std::vector<const ProgramNode *> nodes;
  std::unordered_set<const ProgramNode *> seen;
  std::vector<Visit> path; // no recursion: programs may nest deeply
  for (const ProgramPtr &program : programs) {
    if (seen.insert(program.get()).second)
      path.push_back({program.get(), 0});
    while (!path.empty()) {
      Visit &visit = path.back();
      if (visit.nextChild == visit.node->children.size()) {
        nodes.push_back(visit.node);
        path.pop_back();
        continue;
      }
      const ProgramNode *child = visit.node->children[visit.nextChild++].get();
      if (seen.insert(child).second)
        path.push_back({child, 0});
    }
  }
  return nodes;
}

std::vector<ProgramPtr> rootsOf(const GraphData &graph,
                                std::vector<ProgramPtr> programs) {
  for (const FunctionInfo &function : graph.functions)
    programs.push_back(function.body);
  for (const ComputeSetInfo &computeSet : graph.computeSets)
    programs.insert(programs.end(), computeSet.natives.begin(),
                    computeSet.natives.end());
  return programs;
}

} // namespace ipumodel
