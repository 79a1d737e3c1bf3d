#include "poplar/estimate/tile_memory.hpp"

#include "poplar/values/type_info.hpp"

#include <poplar/exceptions.hpp>

#include <algorithm>

namespace ipumodel {

namespace {

constexpr std::uint64_t kPointerBytes = 4;
constexpr std::uint64_t kSpanBytes = 2 * kPointerBytes; // pointer and size

std::uint64_t fieldBytes(const GraphData &graph, const abi::Field &field,
                         const FieldValue &value) {
  std::uint64_t bytes = 0;
  if (value.kind == FieldValue::Kind::stateVectors)
    for (std::uint32_t i = 0; i < value.count; ++i)
      bytes += graph.stateVectors[value.value + i].count * field.elementSize;
  switch (field.form) {
  case abi::Form::scalar:
    return field.direction == abi::Direction::state ? field.elementSize
                                                    : kPointerBytes;
  case abi::Form::vector:
    return bytes + kSpanBytes;
  case abi::Form::vectorOfScalars:
    return bytes + kSpanBytes + value.count * kPointerBytes;
  case abi::Form::vectorOfVectors:
    return bytes + kSpanBytes + value.count * kSpanBytes;
  }
  return bytes;
}

std::uint64_t vertexBytes(const GraphData &graph, const Vertex &vertex) {
  const abi::VertexType &type = *graph.vertexTypes[vertex.type].codelet;
  std::uint64_t bytes = 0;
  for (std::uint32_t i = 0; i < type.numFields; ++i)
    bytes +=
        fieldBytes(graph, type.fields[i], graph.fields[vertex.firstField + i]);
  return bytes;
}

bool isLimited(const GraphData &graph, std::optional<bool> allowOutOfMemory) {
  switch (graph.target.getTargetType()) {
  case poplar::TargetType::IPU:
    return true;
  case poplar::TargetType::IPU_MODEL:
    return allowOutOfMemory == false;
  default:
    return false;
  }
}

} // namespace

std::vector<TileMemory> tileMemory(const GraphData &graph) {
  std::vector<TileMemory> tiles(graph.target.getNumTiles());
  for (const Variable &variable : graph.variables) {
    const auto member = variable.kind == Variable::Kind::variable
                            ? &TileMemory::variables
                            : &TileMemory::constants;
    const std::size_t size = sizeOf(variable.type);
    variable.mapping.forEach(
        0, variable.numElements,
        [&](std::size_t begin, std::size_t end, TileId tile) {
          if (tile != kNoTile)
            tiles[tile].*member += (end - begin) * size;
        });
  }
  for (const Vertex &vertex : graph.vertices)
    if (vertex.tile != kNoTile)
      tiles[vertex.tile].vertexState += vertexBytes(graph, vertex);
  return tiles;
}

void checkTileMemory(const GraphData &graph,
                     std::optional<bool> allowOutOfMemory) {
  if (!isLimited(graph, allowOutOfMemory))
    return;
  const std::vector<TileMemory> tiles = tileMemory(graph);
  const auto fullest = std::max_element(
      tiles.begin(), tiles.end(), [](const TileMemory &a, const TileMemory &b) {
        return a.total() < b.total();
      });
  const std::uint64_t available = graph.target.getBytesPerTile();
  if (fullest == tiles.end() || fullest->total() <= available)
    return;
  throw poplar::graph_memory_allocation_error(
      "Out of memory: Cannot fit all variable data onto one or more tiles: "
      "tile " +
      std::to_string(fullest - tiles.begin()) + " needs " +
      std::to_string(fullest->total()) + " bytes and has " +
      std::to_string(available));
}

} // namespace ipumodel
