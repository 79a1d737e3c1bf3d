// A checked graph with its programs: what an Executable holds and an Engine
// makes its plan from.
#pragma once

#include "poplar/program_node.hpp"

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
  bool deserialized = false;               // then there is no graph profile
};

// Throws the exception the SDK would for the first thing wrong; messages name
// the culprit.
void checkGraph(const GraphData &graph,
                const std::vector<ProgramPtr> &programs);

void writeExecutable(std::ostream &out, const ExecutableData &executable);
std::shared_ptr<const ExecutableData> readExecutable(std::istream &in);

} // namespace ipumodel
