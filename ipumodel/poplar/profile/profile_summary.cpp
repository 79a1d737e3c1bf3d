#include "poplar/profile/profile_summary.hpp"

#include "poplar/base/text_table.hpp"
#include "poplar/profile/profile_summary_parts.hpp"

#include <algorithm>
#include <iomanip>
#include <numeric>
#include <sstream>
#include <string>
#include <vector>

namespace ipumodel {

std::uint64_t sum(const std::vector<std::uint64_t> &values) {
  return std::accumulate(values.begin(), values.end(), std::uint64_t(0));
}

std::uint64_t largest(const std::vector<std::uint64_t> &values) {
  return values.empty() ? 0 : *std::max_element(values.begin(), values.end());
}

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

std::string balanceOf(const std::vector<std::uint64_t> &byTile) {
  return asPercent(static_cast<double>(sum(byTile)) /
                       static_cast<double>(byTile.size()),
                   static_cast<double>(largest(byTile)));
}

void printLine(std::ostream &os, const std::string &label,
               const std::string &value) {
  os << "  " << std::left << std::setw(22) << label + ":" << value << '\n';
}

namespace {

void printTarget(std::ostream &os, const profile::Target &target) {
  os << "Target:\n";
  printLine(os, "Type", target.type + " (" + target.architecture + ")");
  printLine(os, "IPUs", withCommas(target.numIpus));
  printLine(os, "Replicas", withCommas(target.numReplicas));
  printLine(os, "Tiles per IPU", withCommas(target.tilesPerIpu));
  printLine(os, "Memory per tile", withCommas(target.bytesPerTile) + " B");
  printLine(os, "Memory per IPU",
            asBytes(target.bytesPerTile * target.tilesPerIpu));
  std::ostringstream clock;
  clock << target.clockFrequency / 1e6 << " MHz";
  printLine(os, "Tile clock", clock.str());
}

void printGraph(std::ostream &os, const profile::Compilation &graph) {
  std::size_t vertices = 0;
  for (const profile::ComputeSet &set : graph.computeSets)
    vertices += set.vertexTypes.size();
  os << "\nGraph:\n";
  printLine(os, "Compute sets", withCommas(graph.computeSets.size()));
  printLine(os, "Vertices",
            withCommas(vertices) + " of " +
                withCommas(graph.vertexTypes.size()) + " types");
  printLine(os, "Edges", withCommas(graph.numEdges));
  const auto constants =
      std::count_if(graph.variables.begin(), graph.variables.end(),
                    [](const profile::Variable &v) { return v.constant; });
  printLine(os, "Variables",
            withCommas(graph.variables.size()) + ", of which " +
                withCommas(static_cast<std::uint64_t>(constants)) +
                " constant");
}

} // namespace

void printSummary(std::ostream &os, const profile::Report &report,
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
  if (settings.showOptimizations)
    os << "\nOptimizations:\n  This engine reports none.\n";
  os.flags(flags);
}

} // namespace ipumodel
