#include "poplar/base/text_table.hpp"
#include "poplar/profile/profile_summary_parts.hpp"

#include <algorithm>

namespace ipumodel {

namespace {

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
    table.add(
        {std::to_string(tile), withCommas(byTile[tile]),
         asPercent(used, available), withCommas(graph.memory.variables[tile]),
         withCommas(graph.memory.constants[tile]),
         withCommas(graph.memory.vertexState[tile]),
         asBar(used, available) + (used > available ? " does not fit" : "")});
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

} // namespace

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
  printLine(os, "Total",
            withCommas(sum(byTile)) + " B, " +
                asPercent(static_cast<double>(sum(byTile)),
                          static_cast<double>(available)) +
                " of " + asBytes(available));
  printCategories(os, graph.memory);
  printLine(os, "Per tile",
            "min " +
                withCommas(*std::min_element(byTile.begin(), byTile.end())) +
                " B, mean " + withCommas(sum(byTile) / byTile.size()) +
                " B, max " + withCommas(largest(byTile)) + " B");
  printLine(os, "Balance", balanceOf(byTile) + " (mean of max)");
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

} // namespace ipumodel
