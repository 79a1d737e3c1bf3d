// A checked graph with its programs: the content of an Executable, from which
// an Engine makes its plan.
#pragma once

#include "poplar/program/program_node.hpp"

#include <poplar/OptionFlags.hpp>

#include <cstdint>
#include <istream>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

namespace ipumodel {

struct ExecutableData {
  std::string name; // of the engine, for its reports; not stored
  GraphData graph;
  std::vector<ProgramPtr> programs;
  std::vector<std::uint64_t> vertexCycles; // estimates, by vertex
  poplar::OptionFlags options;             // given when it was compiled
  bool deserialized = false;               // if so, there is no graph profile
};

// For the first error found, throws the exception the SDK would throw; the
// message names the culprit.
void checkGraph(const GraphData &graph,
                const std::vector<ProgramPtr> &programs);

void writeExecutable(std::ostream &out, const ExecutableData &executable);
std::shared_ptr<const ExecutableData> readExecutable(std::istream &in);

} // namespace ipumodel
