// Profiles in the form of SDK 1, from the report that later SDKs give.
#include "poplar/engine/engine_impl.hpp"
#include "poplar/profile/profile.hpp"

#include <poplar/Engine.hpp>

namespace poplar {
namespace {

using Map = ProfileValue::Map;
using Vector = ProfileValue::Vector;
namespace profile = ipumodel::profile;

Map targetOf(const profile::Target &target) {
  return {{"type", target.type},
          {"architecture", target.architecture},
          {"numIPUs", target.numIpus},
          {"numTiles", target.numTiles()},
          {"tilesPerIpu", target.tilesPerIpu},
          {"bytesPerTile", target.bytesPerTile},
          {"bytesPerIPU", target.bytesPerTile * target.tilesPerIpu},
          {"totalMemory", target.bytesPerTile * target.numTiles()},
          {"clockFrequency", target.clockFrequency}};
}

Map memoryOf(const profile::Compilation &compilation) {
  Vector total;
  for (std::size_t tile = 0; tile < compilation.target.numTiles(); ++tile)
    total.emplace_back(compilation.memory.total(tile));
  return {{"byTile", Map{{"total", total}}}};
}

Map computeSetsOf(const profile::Compilation &compilation) {
  Vector names, counts;
  for (const auto &set : compilation.computeSets) {
    names.emplace_back(set.name);
    counts.emplace_back(set.vertexTypes.size());
  }
  return {{"names", names}, {"vertexCounts", counts}};
}

Map graphOf(const profile::Compilation &compilation) {
  std::size_t numVertices = 0;
  for (const auto &set : compilation.computeSets)
    numVertices += set.vertexTypes.size();
  return {{"numComputeSets", compilation.computeSets.size()},
          {"numEdges", compilation.numEdges},
          {"numVars", compilation.variables.size()},
          {"numVertices", numVertices}};
}

const char *stepType(profile::ProgramType type) {
  switch (type) {
  case profile::ProgramType::onTileExecute:
    return "OnTileExecute";
  case profile::ProgramType::doExchange:
    return "DoExchange";
  case profile::ProgramType::globalExchange:
    return "GlobalExchange";
  case profile::ProgramType::streamCopyBegin:
  case profile::ProgramType::streamCopyMid:
  case profile::ProgramType::streamCopyEnd:
    return "StreamCopy";
  default:
    return "Other";
  }
}

} // namespace

ProfileValue Engine::getGraphProfile(const OptionFlags &) {
  const auto report = ipumodel::gatherProfile(
      impl_->profiled(), ipumodel::ExecutionProfile::without);
  const auto &compilation = report.compilation;
  Vector vertexTypes(compilation.vertexTypes.begin(),
                     compilation.vertexTypes.end());
  return Map{{"target", targetOf(compilation.target)},
             {"graph", graphOf(compilation)},
             {"memory", memoryOf(compilation)},
             {"computeSets", computeSetsOf(compilation)},
             {"vertexTypes", Map{{"names", vertexTypes}}}};
}

ProfileValue Engine::getExecutionProfile(const OptionFlags &) {
  const auto report = ipumodel::gatherProfile(impl_->profiled(),
                                              ipumodel::ExecutionProfile::with);
  std::uint64_t cycles = 0;
  Vector steps;
  for (const auto &run : report.execution.runs) {
    cycles += run.cyclesTo - run.cyclesFrom;
    for (const auto step : run.steps) {
      const auto &program = report.compilation.programs[step];
      steps.emplace_back(Map{{"type", stepType(program.type)},
                             {"name", program.name},
                             {"cycles", program.cycles}});
    }
  }
  return Map{{"simulation", Map{{"cycles", cycles}, {"steps", steps}}}};
}

} // namespace poplar
