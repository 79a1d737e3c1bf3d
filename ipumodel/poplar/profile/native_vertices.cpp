#include "poplar/profile/native_vertices.hpp"

namespace ipumodel {

NativeVertices::NativeVertices(const ExecutableData &executable,
                               profile::Compilation &compilation)
    : compilation_(compilation) {
  const std::vector<ComputeSetInfo> &computeSets = executable.graph.computeSets;
  for (std::uint32_t set = 0; set < computeSets.size(); ++set)
    for (const ProgramPtr &native : computeSets[set].natives)
      owners_[native.get()] = set;
  for (std::uint32_t i = 0; i < compilation.vertexTypes.size(); ++i)
    vertexTypes_.emplace(compilation.vertexTypes[i], i);
}

std::uint32_t NativeVertices::vertexType(const std::string &name) {
  const auto [known, isNew] = vertexTypes_.emplace(
      name, static_cast<std::uint32_t>(compilation_.vertexTypes.size()));
  if (isNew)
    compilation_.vertexTypes.push_back(name);
  return known->second;
}

std::uint32_t NativeVertices::add(const ProgramNode &native,
                                  const profile::TileCycles &tileCycles) {
  const auto owner = owners_.find(&native);
  const bool isPart = owner != owners_.end();
  const auto [entry, isNew] = computeSets_.emplace(
      &native,
      isPart ? owner->second
             : static_cast<std::uint32_t>(compilation_.computeSets.size()));
  const std::uint32_t result = isPart ? profile::kNone : entry->second;
  if (!isNew) // an operation may have several steps
    return result;
  if (!isPart)
    compilation_.computeSets.push_back(
        {computeSetNameOf(native), tileCycles, {}, {}, {}});
  profile::ComputeSet &set = compilation_.computeSets[entry->second];
  set.vertexTypes.insert(set.vertexTypes.end(), tileCycles.tiles.size(),
                         vertexType(native.op->what->vertexType(*native.op)));
  set.vertexTiles.insert(set.vertexTiles.end(), tileCycles.tiles.begin(),
                         tileCycles.tiles.end());
  set.vertexCycles.insert(set.vertexCycles.end(), tileCycles.cycles.begin(),
                          tileCycles.cycles.end());
  compilation_.numEdges +=
      tileCycles.tiles.size() *
      (native.op->outputs.size() + native.op->inputs.size());
  return result;
}

} // namespace ipumodel
