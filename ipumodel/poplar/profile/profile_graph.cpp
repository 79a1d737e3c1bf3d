#include "poplar/profile/profile_graph.hpp"

#include "poplar/estimate/tile_memory.hpp"
#include "poplar/graph/graph_impl.hpp"
#include "poplar/program/program_walk.hpp"
#include "poplar/values/type_info.hpp"

#include <algorithm>

namespace ipumodel {

namespace {

profile::Target describe(const GraphData &graph) {
  const poplar::Target &target = graph.target;
  profile::Target result;
  result.type =
      target.getTargetType() == poplar::TargetType::IPU ? "IPU" : "IPU_MODEL";
  result.architecture = target.getTargetArchString().cloneAsString();
  result.numReplicas = graph.replicationFactor;
  result.numIpus = target.getNumIPUs();
  result.tilesPerIpu = target.getTilesPerIPU();
  result.bytesPerTile = target.getBytesPerTile();
  result.clockFrequency = target.getTileClockFrequency();
  return result;
}

profile::Variable describe(const GraphData &graph, VariableId id) {
  const Variable &variable = graph.variables[id];
  const std::size_t size = sizeOf(variable.type);
  std::unordered_map<TileId, std::uint64_t> bytes;
  variable.mapping.forEach(
      0, variable.numElements,
      [&](std::size_t begin, std::size_t end, TileId tile) {
        if (tile != kNoTile)
          bytes[tile] += (end - begin) * size;
      });
  profile::Variable result;
  result.name = nameOf(graph, id);
  result.type = variable.type.toString().cloneAsString();
  result.bytes = variable.numElements * size;
  result.numTiles = bytes.size();
  for (const auto &entry : bytes)
    result.maxTileBytes = std::max(result.maxTileBytes, entry.second);
  result.constant = variable.kind != Variable::Kind::variable;
  return result;
}

profile::Memory describeMemory(const GraphData &graph) {
  profile::Memory memory;
  for (const TileMemory &tile : tileMemory(graph)) {
    memory.variables.push_back(tile.variables);
    memory.constants.push_back(tile.constants);
    memory.vertexState.push_back(tile.vertexState);
  }
  return memory;
}

profile::ComputeSet describe(const ExecutableData &executable,
                             const ComputeSetInfo &info,
                             const ComputeSetEstimate &estimate) {
  const GraphData &graph = executable.graph;
  profile::ComputeSet result;
  result.name = info.name;
  result.tileCycles =
      sortedByTile(estimate.tileCycles(), graph.target.getNumTiles());
  for (const std::uint32_t id : info.vertices) {
    result.vertexTypes.push_back(graph.vertices[id].type);
    result.vertexTiles.push_back(graph.vertices[id].tile);
    result.vertexCycles.push_back(executable.vertexCycles[id]);
  }
  return result;
}

void addContext(std::vector<profile::DebugContext> &contexts, const char *kind,
                const std::string &name,
                const poplar::SourceLocation &location) {
  if (!location.isValid())
    return;
  contexts.push_back({kind, name, location.getFileName(),
                      location.getFunctionName(), location.getLineNumber()});
}

} // namespace

profile::TileCycles
sortedByTile(const std::unordered_map<TileId, std::uint64_t> &cycles,
             unsigned numTiles) {
  std::vector<std::uint64_t> sums(numTiles);
  std::vector<bool> isBusy(numTiles);
  for (const auto &[tile, count] : cycles)
    if (tile < numTiles || numTiles == 1) {
      const TileId known = tile < numTiles ? tile : 0;
      sums[known] += count;
      isBusy[known] = true;
    }
  profile::TileCycles result;
  for (TileId tile = 0; tile < numTiles; ++tile)
    if (isBusy[tile]) {
      result.tiles.push_back(tile);
      result.cycles.push_back(sums[tile]);
    }
  return result;
}

std::vector<ComputeSetEstimate>
estimateComputeSets(const ExecutableData &executable) {
  std::vector<ComputeSetEstimate> estimates;
  for (const ComputeSetInfo &info : executable.graph.computeSets)
    estimates.emplace_back(executable.graph, info, executable.vertexCycles);
  return estimates;
}

profile::Compilation
gatherGraph(const ExecutableData &executable,
            const std::vector<ComputeSetEstimate> &estimates) {
  const GraphData &graph = executable.graph;
  profile::Compilation result;
  result.target = describe(graph);
  result.numEdges = graph.edges.size();
  for (VariableId id = 0; id < graph.variables.size(); ++id)
    result.variables.push_back(describe(graph, id));
  result.memory = describeMemory(graph);
  for (const VertexType &type : graph.vertexTypes)
    result.vertexTypes.push_back(type.name);
  for (std::size_t i = 0; i < graph.computeSets.size(); ++i)
    result.computeSets.push_back(
        describe(executable, graph.computeSets[i], estimates[i]));
  return result;
}

std::vector<profile::DebugContext>
gatherDebugContexts(const ExecutableData &executable) {
  const GraphData &graph = executable.graph;
  std::vector<profile::DebugContext> contexts;
  for (VariableId id = 0; id < graph.variables.size(); ++id)
    addContext(contexts, "variable", nameOf(graph, id),
               graph.variables[id].location);
  for (const ComputeSetInfo &info : graph.computeSets)
    addContext(contexts, "computeSet", info.name, info.location);
  for (const ProgramNode *node : nodesOf(rootsOf(graph, executable.programs)))
    addContext(contexts, "program", node->name, node->location);
  return contexts;
}

} // namespace ipumodel
