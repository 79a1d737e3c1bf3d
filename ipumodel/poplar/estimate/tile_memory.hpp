// The memory a graph needs on each tile, and whether it fits.
//
// These are estimates: variables do not share memory, as if all were live at
// once, and vertices have the layout of the device, with pointers of four
// bytes. Code, exchange and stacks are not counted.
#pragma once

#include "poplar/graph/graph_data.hpp"

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

// One per tile of the target; unmapped elements are not counted.
std::vector<TileMemory> tileMemory(const GraphData &graph);

// Throws graph_memory_allocation_error for the fullest tile if its memory is
// exceeded. IPU targets are always checked, the IPU Model only if
// debug.allowOutOfMemory is set to false, the CPU never.
void checkTileMemory(const GraphData &graph,
                     std::optional<bool> allowOutOfMemory);

} // namespace ipumodel
