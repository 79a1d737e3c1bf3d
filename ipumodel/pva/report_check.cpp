#include "pva/report_check.hpp"

#include <stdexcept>

namespace ipumodel {

namespace {

using namespace profile;

void require(bool holds, const std::string &object, const char *problem) {
  if (!holds)
    throw std::runtime_error(object + " " + problem);
}

bool allBelow(const std::vector<std::uint32_t> &indices, std::uint64_t end) {
  for (const std::uint32_t index : indices)
    if (index >= end)
      return false;
  return true;
}

std::string nameOf(const char *kind, std::size_t index) {
  return std::string(kind) + " " + std::to_string(index);
}

void check(const TileCycles &busy, const Target &target,
           const std::string &object) {
  require(busy.tiles.size() == busy.cycles.size() &&
              allBelow(busy.tiles, target.numTiles()),
          object, "has cycles on tiles that the target does not have");
}

void check(const Compilation &c) {
  const std::uint64_t numTiles = c.target.numTiles();
  // Each is at most the number of entries, so that the product does not
  // overflow.
  const std::size_t most = c.memory.variables.size();
  require(c.target.tilesPerIpu > 0 && c.target.tilesPerIpu <= most &&
              c.target.numIpus > 0 && c.target.numIpus <= most,
          "the target",
          "has no tiles, or more tiles than the memory has entries");
  require(c.memory.variables.size() == numTiles &&
              c.memory.constants.size() == numTiles &&
              c.memory.vertexState.size() == numTiles,
          "the memory", "does not match the target's tiles");
  for (std::size_t i = 0; i < c.computeSets.size(); ++i) {
    const ComputeSet &set = c.computeSets[i];
    const std::string object = nameOf("compute set", i);
    check(set.tileCycles, c.target, object);
    require(set.vertexTypes.size() == set.vertexTiles.size() &&
                set.vertexTypes.size() == set.vertexCycles.size() &&
                allBelow(set.vertexTypes, c.vertexTypes.size()),
            object, "has vertices without a type");
  }
  for (std::size_t i = 0; i < c.programs.size(); ++i) {
    const Program &program = c.programs[i];
    const std::string object = nameOf("program", i);
    check(program.tileCycles, c.target, object);
    require(allBelow(program.children, i), object,
            "has children that do not come before it");
    require(allBelow(program.ipus, c.target.numIpus), object,
            "runs on IPUs that the target does not have");
    require(allBelow(program.variables, c.variables.size()), object,
            "uses variables that do not exist");
    require(program.computeSet == kNone ||
                program.computeSet < c.computeSets.size(),
            object, "executes a compute set that does not exist");
    for (const auto *bytes : {&program.bytesIn, &program.bytesOut})
      require(bytes->empty() || bytes->size() == c.target.numIpus, object,
              "moves bytes of IPUs that the target does not have");
  }
}

void check(const Execution &e, const Compilation &c) {
  require(e.executions.size() == c.programs.size(), "the execution",
          "does not match the programs");
  for (std::size_t i = 0; i < e.runs.size(); ++i)
    require(allBelow(e.runs[i].steps, c.programs.size()), nameOf("run", i),
            "has steps that are not programs");
  for (std::size_t i = 0; i < e.blocks.size(); ++i) {
    const Block &block = e.blocks[i];
    const std::string object = nameOf("block", i);
    require(block.program < c.programs.size() ||
                (block.program == kNone && block.kind == BlockKind::overflow),
            object, "has no program");
    require(block.cyclesFrom <= block.cyclesTo, object,
            "ends before it begins");
  }
}

} // namespace

void checkReferences(const Report &report) {
  check(report.compilation);
  if (report.hasExecution)
    check(report.execution, report.compilation);
}

} // namespace ipumodel
