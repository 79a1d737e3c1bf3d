#include "poplar/profile_summary.hpp"

#include "poplar/text_table.hpp"

#include <algorithm>
#include <iomanip>
#include <numeric>
#include <sstream>
#include <string>
#include <vector>

namespace ipumodel {

namespace {

using profile::Program;
using profile::ProgramType;
using profile::Report;

constexpr std::size_t kTopTiles = 5;
constexpr std::size_t kTopComputeSets = 10;
constexpr int kBarWidth = 20;

std::uint64_t sum(const std::vector<std::uint64_t> &values) {
  return std::accumulate(values.begin(), values.end(), std::uint64_t(0));
}

std::uint64_t largest(const std::vector<std::uint64_t> &values) {
  return values.empty() ? 0 : *std::max_element(values.begin(), values.end());
}

// Indices of the largest values, descending; zeros are left out.
std::vector<std::size_t> topOf(const std::vector<std::uint64_t> &values,
                               std::size_t count) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t(0));
  std::stable_sort(
      order.begin(), order.end(),
      [&](std::size_t a, std::size_t b) { return values[a] > values[b]; });
  while (!order.empty() && (order.size() > count || values[order.back()] == 0))
    order.pop_back();
  return order;
}

// Mean over maximum: 100% if all tiles carry the same.
std::string balanceOf(const std::vector<std::uint64_t> &byTile) {
  return asPercent(static_cast<double>(sum(byTile)) /
                       static_cast<double>(byTile.size()),
                   static_cast<double>(largest(byTile)));
}

void line(std::ostream &os, const std::string &label,
          const std::string &value) {
  os << "  " << std::left << std::setw(22) << label + ":" << value << '\n';
}

std::string asTime(double seconds) {
  constexpr const char *kUnits[] = {"s", "ms", "us", "ns"};
  std::size_t unit = 0;
  for (; seconds > 0 && seconds < 1 && unit + 1 < std::size(kUnits); ++unit)
    seconds *= 1000;
  std::ostringstream text;
  text << std::setprecision(3) << seconds << ' ' << kUnits[unit];
  return text.str();
}

void printTarget(std::ostream &os, const profile::Target &target) {
  os << "Target:\n";
  line(os, "Type", target.type + " (" + target.architecture + ")");
  line(os, "IPUs", withCommas(target.numIpus));
  line(os, "Replicas", withCommas(target.numReplicas));
  line(os, "Tiles per IPU", withCommas(target.tilesPerIpu));
  line(os, "Memory per tile", withCommas(target.bytesPerTile) + " B");
  line(os, "Memory per IPU", asBytes(target.bytesPerTile * target.tilesPerIpu));
  std::ostringstream clock;
  clock << target.clockFrequency / 1e6 << " MHz";
  line(os, "Tile clock", clock.str());
}

void printGraph(std::ostream &os, const profile::Compilation &graph) {
  std::size_t vertices = 0;
  for (const profile::ComputeSet &set : graph.computeSets)
    vertices += set.vertexTypes.size();
  os << "\nGraph:\n";
  line(os, "Compute sets", withCommas(graph.computeSets.size()));
  line(os, "Vertices",
       withCommas(vertices) + " of " + withCommas(graph.vertexTypes.size()) +
           " types");
  line(os, "Edges", withCommas(graph.numEdges));
  const auto constants =
      std::count_if(graph.variables.begin(), graph.variables.end(),
                    [](const profile::Variable &v) { return v.constant; });
  line(os, "Variables",
       withCommas(graph.variables.size()) + ", of which " +
           withCommas(static_cast<std::uint64_t>(constants)) + " constant");
}

void printCategories(std::ostream &os, const profile::Memory &memory) {
  const std::uint64_t total =
      sum(memory.variables) + sum(memory.constants) + sum(memory.vertexState);
  TextTable table({"Bytes", "Share", "Category"});
  const auto add = [&](const char *name,
                       const std::vector<std::uint64_t> &byTile) {
    table.add({withCommas(sum(byTile)),
               asPercent(static_cast<double>(sum(byTile)),
                         static_cast<double>(total)),
               name});
  };
  add("Variables", memory.variables);
  add("Constants", memory.constants);
  add("Vertex state", memory.vertexState);
  table.print(os);
}

void printFullestTiles(std::ostream &os, const profile::Compilation &graph,
                       const std::vector<std::uint64_t> &byTile) {
  const auto available = static_cast<double>(graph.target.bytesPerTile);
  TextTable table({"Tile", "Bytes", "Of tile", "Variables", "Constants",
                   "Vertex state", "Fill"});
  for (const std::size_t tile : topOf(byTile, kTopTiles)) {
    const auto used = static_cast<double>(byTile[tile]);
    table.add({std::to_string(tile), withCommas(byTile[tile]),
               asPercent(used, available),
               withCommas(graph.memory.variables[tile]),
               withCommas(graph.memory.constants[tile]),
               withCommas(graph.memory.vertexState[tile]),
               asBar(used, available, kBarWidth) +
                   (used > available ? " does not fit" : "")});
  }
  os << "  Fullest tiles:\n";
  table.print(os);
}

void printMemoryByIpu(std::ostream &os, const profile::Target &target,
                      const std::vector<std::uint64_t> &byTile) {
  TextTable table({"IPU", "Bytes", "Of IPU", "Fullest tile", "Balance"});
  const auto perIpu = static_cast<std::ptrdiff_t>(target.tilesPerIpu);
  for (std::uint64_t ipu = 0; ipu < target.numIpus; ++ipu) {
    const auto first =
        byTile.begin() + static_cast<std::ptrdiff_t>(ipu) * perIpu;
    const std::vector<std::uint64_t> tiles(first, first + perIpu);
    table.add({std::to_string(ipu), withCommas(sum(tiles)),
               asPercent(static_cast<double>(sum(tiles)),
                         static_cast<double>(target.bytesPerTile *
                                             target.tilesPerIpu)),
               withCommas(largest(tiles)), balanceOf(tiles)});
  }
  os << "  By IPU:\n";
  table.print(os);
}

void printMemory(std::ostream &os, const profile::Compilation &graph,
                 const SummarySettings &settings) {
  std::vector<std::uint64_t> byTile;
  for (std::size_t tile = 0; tile < graph.target.numTiles(); ++tile)
    byTile.push_back(graph.memory.total(tile));
  const std::uint64_t available =
      graph.target.bytesPerTile * graph.target.numTiles();
  os << "\nMemory Usage:\n"
     << "  Estimated. Every variable has its own bytes; code, exchange and "
        "stacks are not\n  counted.\n";
  line(os, "Total",
       withCommas(sum(byTile)) + " B, " +
           asPercent(static_cast<double>(sum(byTile)),
                     static_cast<double>(available)) +
           " of " + asBytes(available));
  printCategories(os, graph.memory);
  line(os, "Per tile",
       "min " + withCommas(*std::min_element(byTile.begin(), byTile.end())) +
           " B, mean " + withCommas(sum(byTile) / byTile.size()) + " B, max " +
           withCommas(largest(byTile)) + " B");
  line(os, "Balance", balanceOf(byTile) + " (mean of max)");
  printFullestTiles(os, graph, byTile);
  if (graph.target.numIpus > 1 || settings.showPerIpuMemoryUsage)
    printMemoryByIpu(os, graph.target, byTile);
}

void printVariables(std::ostream &os, const profile::Compilation &graph) {
  std::vector<std::uint64_t> bytes;
  for (const profile::Variable &variable : graph.variables)
    bytes.push_back(variable.bytes);
  TextTable table({"Bytes", "Tiles", "Most on a tile", "Type", "Name"});
  for (const std::size_t i : topOf(bytes, bytes.size())) {
    const profile::Variable &variable = graph.variables[i];
    table.add({withCommas(variable.bytes), withCommas(variable.numTiles),
               withCommas(variable.maxTileBytes), variable.type,
               variable.name + (variable.constant ? " (constant)" : "")});
  }
  os << "\nVariable Storage:\n";
  table.print(os);
}

// The kinds of work a device does, in the order they are shown.
struct Work {
  const char *name;
  std::uint64_t cycles = 0;
  std::uint64_t bytes = 0;
};

enum WorkKind { kCompute, kExchange, kBetweenIpus, kHost, kNumWorkKinds };

WorkKind kindOf(ProgramType type) {
  switch (type) {
  case ProgramType::onTileExecute:
    return kCompute;
  case ProgramType::doExchange:
    return kExchange;
  case ProgramType::globalExchange:
    return kBetweenIpus;
  default:
    return kHost;
  }
}

// Bytes moved by one execution, all replicas together: an exchange is counted
// where it arrives, the host's transfers in both directions.
std::uint64_t bytesOf(const Program &program, const profile::Target &target) {
  std::uint64_t bytes = sum(program.bytesIn);
  if (kindOf(program.type) == kHost)
    bytes += sum(program.bytesOut);
  return bytes * target.numReplicas;
}

void printWork(std::ostream &os, const Report &report) {
  Work work[kNumWorkKinds] = {{"Compute"},
                              {"Exchange between tiles"},
                              {"Exchange between IPUs"},
                              {"Host streams"}};
  std::uint64_t total = 0;
  const std::vector<Program> &programs = report.compilation.programs;
  for (std::size_t i = 0; i < programs.size(); ++i) {
    const std::uint64_t executions = report.execution.executions[i];
    Work &kind = work[kindOf(programs[i].type)];
    kind.cycles += executions * programs[i].cycles;
    kind.bytes += executions * bytesOf(programs[i], report.compilation.target);
    total += executions * programs[i].cycles;
  }
  TextTable table({"Cycles", "Share", "Bytes moved", "Work"});
  for (const Work &kind : work)
    table.add({withCommas(kind.cycles),
               asPercent(static_cast<double>(kind.cycles),
                         static_cast<double>(total)),
               withCommas(kind.bytes), kind.name});
  table.print(os);
}

void printComputeSets(std::ostream &os, const Report &report) {
  const std::vector<Program> &programs = report.compilation.programs;
  std::vector<std::uint64_t> cycles(programs.size());
  for (std::size_t i = 0; i < programs.size(); ++i)
    if (programs[i].type == ProgramType::onTileExecute)
      cycles[i] = report.execution.executions[i] * programs[i].cycles;
  const auto total = static_cast<double>(sum(cycles));
  const std::vector<std::size_t> top = topOf(cycles, kTopComputeSets);
  if (top.empty())
    return;
  TextTable table({"Cycles", "Share", "Executions", "Each", "Tiles", "Name"});
  for (const std::size_t i : top)
    table.add({withCommas(cycles[i]),
               asPercent(static_cast<double>(cycles[i]), total),
               withCommas(report.execution.executions[i]),
               withCommas(programs[i].cycles),
               withCommas(programs[i].tileCycles.tiles.size()),
               programs[i].name});
  os << "  Compute sets by cycles:\n";
  table.print(os);
}

void printBusiestTiles(std::ostream &os, const Report &report) {
  std::vector<std::uint64_t> byTile(report.compilation.target.numTiles());
  const std::vector<Program> &programs = report.compilation.programs;
  for (std::size_t i = 0; i < programs.size(); ++i) {
    if (programs[i].type != ProgramType::onTileExecute)
      continue;
    const profile::TileCycles &busy = programs[i].tileCycles;
    for (std::size_t k = 0; k < busy.tiles.size(); ++k)
      byTile[busy.tiles[k]] += report.execution.executions[i] * busy.cycles[k];
  }
  const std::vector<std::size_t> top = topOf(byTile, kTopTiles);
  if (top.empty())
    return;
  line(os, "Compute balance", balanceOf(byTile) + " (mean of max)");
  TextTable table({"Tile", "Compute cycles", "Load"});
  for (const std::size_t tile : top)
    table.add({std::to_string(tile), withCommas(byTile[tile]),
               asBar(static_cast<double>(byTile[tile]),
                     static_cast<double>(byTile[top[0]]), kBarWidth)});
  os << "  Busiest tiles:\n";
  table.print(os);
}

const char *nameOf(ProgramType type) {
  switch (type) {
  case ProgramType::onTileExecute:
    return "OnTileExecute";
  case ProgramType::doExchange:
    return "DoExchange";
  case ProgramType::globalExchange:
    return "GlobalExchange";
  default:
    return "StreamCopy";
  }
}

// In the order of the programs. The phases of a stream copy are one step.
void printSteps(std::ostream &os, const Report &report) {
  TextTable table(
      {"Executions", "Cycles each", "Cycles", "Share", "Bytes each", "Step"});
  const std::vector<Program> &programs = report.compilation.programs;
  const std::vector<std::uint64_t> &executions = report.execution.executions;
  std::uint64_t total = 0;
  for (std::size_t i = 0; i < programs.size(); ++i)
    total += executions[i] * programs[i].cycles;
  for (std::size_t i = 0; i < programs.size(); ++i) {
    const Program &program = programs[i];
    if (executions[i] == 0 || program.type == ProgramType::streamCopyBegin ||
        program.type == ProgramType::streamCopyEnd)
      continue;
    const std::uint64_t cycles = executions[i] * program.cycles;
    table.add(
        {withCommas(executions[i]), withCommas(program.cycles),
         withCommas(cycles),
         asPercent(static_cast<double>(cycles), static_cast<double>(total)),
         withCommas(bytesOf(program, report.compilation.target)),
         std::string(nameOf(program.type)) + ": " + program.name});
  }
  os << "\nExecution Steps:\n";
  table.print(os);
}

void printExecution(std::ostream &os, const Report &report) {
  const profile::Execution &execution = report.execution;
  os << "\nExecution:\n";
  line(os, "Runs", withCommas(execution.numRuns));
  if (execution.numRuns == 0)
    return;
  line(os, "Estimated cycles",
       withCommas(execution.cycles) + ", " +
           asTime(static_cast<double>(execution.cycles) /
                  report.compilation.target.clockFrequency) +
           " at the tile clock");
  printWork(os, report);
  printComputeSets(os, report);
  printBusiestTiles(os, report);
}

} // namespace

void printSummary(std::ostream &os, const Report &report,
                  const SummarySettings &settings) {
  const std::ios::fmtflags flags = os.flags();
  os << "Profile summary. All figures are estimates of the tile model.\n\n";
  printTarget(os, report.compilation.target);
  printGraph(os, report.compilation);
  printMemory(os, report.compilation, settings);
  if (settings.showVarStorage)
    printVariables(os, report.compilation);
  printExecution(os, report);
  if (settings.showExecutionSteps)
    printSteps(os, report);
  os.flags(flags);
}

} // namespace ipumodel
