#include "poplar/base/text_table.hpp"
#include "poplar/profile/profile_summary_parts.hpp"

#include <iomanip>
#include <sstream>

namespace ipumodel {

namespace {

using profile::Program;
using profile::ProgramType;
using profile::Report;

constexpr std::size_t kTopOperations = 10;

std::string asTime(double seconds) {
  constexpr const char *kUnits[] = {"s", "ms", "us", "ns"};
  std::size_t unit = 0;
  for (; seconds > 0 && seconds < 1 && unit + 1 < std::size(kUnits); ++unit)
    seconds *= 1000;
  std::ostringstream text;
  text << std::setprecision(3) << seconds << ' ' << kUnits[unit];
  return text.str();
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

// Sum over all executions.
std::uint64_t totalCycles(const Report &report) {
  const std::vector<Program> &programs = report.compilation.programs;
  std::uint64_t total = 0;
  for (std::size_t i = 0; i < programs.size(); ++i)
    total += report.execution.executions[i] * programs[i].cycles;
  return total;
}

// Bytes moved by one execution, all replicas together: an exchange is counted
// at its destination, host transfers in both directions.
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
  const auto total = static_cast<double>(totalCycles(report));
  const std::vector<Program> &programs = report.compilation.programs;
  for (std::size_t i = 0; i < programs.size(); ++i) {
    const std::uint64_t executions = report.execution.executions[i];
    Work &kind = work[kindOf(programs[i].type)];
    kind.cycles += executions * programs[i].cycles;
    kind.bytes += executions * bytesOf(programs[i], report.compilation.target);
  }
  TextTable table({"Cycles", "Share", "Bytes moved", "Work"});
  for (const Work &kind : work)
    table.add({withCommas(kind.cycles),
               asPercent(static_cast<double>(kind.cycles), total),
               withCommas(kind.bytes), kind.name});
  table.print(os);
}

void printOperations(std::ostream &os, const Report &report) {
  const std::vector<Program> &programs = report.compilation.programs;
  std::vector<std::uint64_t> cycles(programs.size());
  for (std::size_t i = 0; i < programs.size(); ++i)
    if (programs[i].type == ProgramType::onTileExecute)
      cycles[i] = report.execution.executions[i] * programs[i].cycles;
  const auto total = static_cast<double>(sum(cycles));
  const std::vector<std::size_t> top = topOf(cycles, kTopOperations);
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
  os << "  Operations by cycles:\n";
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
  printLine(os, "Compute balance", balanceOf(byTile) + " (mean of max)");
  TextTable table({"Tile", "Compute cycles", "Load"});
  for (const std::size_t tile : top)
    table.add({std::to_string(tile), withCommas(byTile[tile]),
               asBar(static_cast<double>(byTile[tile]),
                     static_cast<double>(byTile[top[0]]))});
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

} // namespace

// In the order of the programs. The phases of a stream copy are one step.
void printSteps(std::ostream &os, const Report &report) {
  TextTable table(
      {"Executions", "Cycles each", "Cycles", "Share", "Bytes each", "Step"});
  const std::vector<Program> &programs = report.compilation.programs;
  const std::vector<std::uint64_t> &executions = report.execution.executions;
  const auto total = static_cast<double>(totalCycles(report));
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
  os << "\nExecution:\n";
  printLine(os, "Runs", withCommas(report.execution.numRuns));
  if (report.execution.numRuns == 0)
    return;
  const std::uint64_t cycles = totalCycles(report);
  printLine(os, "Estimated cycles",
            withCommas(cycles) + ", " +
                asTime(static_cast<double>(cycles) /
                       report.compilation.target.clockFrequency) +
                " at the tile clock");
  printWork(os, report);
  printOperations(os, report);
  printBusiestTiles(os, report);
}

} // namespace ipumodel
