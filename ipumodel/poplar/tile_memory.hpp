// How much of each tile's memory a graph takes, and whether it fits.
//
// The figures are estimates: every variable counts for itself, as if all were
// live at once, and vertices count as the device would lay them out, with
// pointers of four bytes. Code, exchange and stacks are not counted.
#pragma once

#include "poplar/graph_data.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace ipumodel {

// In bytes.
struct TileMemory {
  std::uint64_t variables = 0;
  std::uint64_t constants = 0; // those that are mapped
  std::uint64_t vertexState = 0;

  std::uint64_t total() const { return variables + constants + vertexState; }
};

// One per tile of the target; what is not mapped counts nowhere.
std::vector<TileMemory> tileMemory(const GraphData &graph);

// Throws graph_memory_allocation_error for the fullest tile if it holds more
// than it has. IPU targets are always checked, the IPU Model only if
// debug.allowOutOfMemory is set to false, the CPU never.
void checkTileMemory(const GraphData &graph,
                     std::optional<bool> allowOutOfMemory);

} // namespace ipumodel
