#include "poputil/tile_uses.hpp"

#include <gccs/Algorithm.hpp>
#include <poputil/TileMapping.hpp>
#include <poputil/exceptions.hpp>

#include <algorithm>
#include <map>
#include <string>

namespace poputil {

using ipumodel::TileUse;
using poplar::Graph;
using poplar::Interval;
using poplar::Tensor;

class TensorUseTrackerState {
public:
  unsigned numTiles;
  unsigned startTile;
  bool ascending;
  std::map<poplar::VariableRef, std::vector<TileUse>> uses;
};

TensorUseTracker::TensorUseTracker(unsigned numTiles, unsigned startTile,
                                   bool ascendingMappingOrder)
    : state_(new TensorUseTrackerState{
          numTiles, startTile, ascendingMappingOrder, {}}) {}

TensorUseTracker::TensorUseTracker(const TensorUseTracker &other)
    : state_(new TensorUseTrackerState(*other.state_)) {}

TensorUseTracker &TensorUseTracker::operator=(const TensorUseTracker &other) {
  return *this = TensorUseTracker(other);
}

TensorUseTracker::TensorUseTracker(TensorUseTracker &&other) noexcept = default;
TensorUseTracker &
TensorUseTracker::operator=(TensorUseTracker &&other) noexcept = default;
TensorUseTracker::~TensorUseTracker() = default;

void TensorUseTracker::add(const Graph &graph, unsigned tile, const Tensor &t) {
  if (tile >= state_->numTiles)
    throw poplibs_error("TensorUseTracker: tile " + std::to_string(tile) +
                        " of " + std::to_string(state_->numTiles));
  // The order of uses does not matter; choose the one with the fewest regions.
  Tensor flat = t.flatten();
  graph.reorderToSimplify(&flat, {}, false);
  for (const poplar::VariableInterval &region : flat.getVarRegions())
    if (!graph.isConstant(region.var))
      state_->uses[region.var].push_back({region.interval, tile});
}

void TensorUseTracker::add(TensorUseTracker other) {
  if (other.state_->numTiles != state_->numTiles)
    throw poplibs_error(
        "TensorUseTracker: uses of " + std::to_string(other.state_->numTiles) +
        " tiles added to those of " + std::to_string(state_->numTiles));
  for (const auto &entry : other.state_->uses) {
    auto &uses = state_->uses[entry.first];
    uses.insert(uses.end(), entry.second.begin(), entry.second.end());
  }
}

void TensorUseTracker::resolve(const Graph &graph, unsigned grainSize,
                               unsigned minElementsPerTile,
                               bool extendPartialUsage,
                               MappingMethod mappingMethod) {
  // Either whole grains go to the users of any of their elements, or the
  // elements of each set of users are divided into grains.
  const bool constrain =
      mappingMethod == MappingMethod::ConstrainMappingToUsedTiles;
  const std::size_t sharedGrain = constrain ? 1 : grainSize;
  const unsigned splitGrain = constrain ? grainSize : 1;

  for (auto &entry : state_->uses) {
    const auto numElements = graph.getVariable(entry.first).numElements();
    auto segments =
        ipumodel::inGrains(ipumodel::segmentsOf(entry.second), sharedGrain);
    if (extendPartialUsage)
      segments = ipumodel::withoutGaps(std::move(segments),
                                       gccs::ceildiv(numElements, sharedGrain));
    if (mappingMethod == MappingMethod::OptimizeHaloRegions)
      segments = ipumodel::withoutHalos(segments);
    if (constrain)
      segments = ipumodel::joinSharedTiles(segments);
    entry.second = ipumodel::shareOut(
        segments, splitGrain, gccs::ceildiv(minElementsPerTile, sharedGrain));
    for (TileUse &use : entry.second)
      use.elements =
          Interval(use.elements.begin() * sharedGrain,
                   std::min(use.elements.end() * sharedGrain, numElements));
  }
}

void TensorUseTracker::mapTensorsByUse(Graph &graph, unsigned grainSize,
                                       unsigned minElementsPerTile,
                                       bool extendPartialUsage,
                                       MappingMethod mappingMethod) {
  resolve(graph, grainSize, minElementsPerTile, extendPartialUsage,
          mappingMethod);
  const auto numTiles = graph.getTarget().getNumTiles();
  for (const auto &entry : state_->uses) {
    Graph::TileToTensorMapping mapping(numTiles);
    for (const TileUse &use : entry.second)
      mapping[invTransformTileIndex(use.tile, numTiles, state_->startTile,
                                    state_->ascending)]
          .push_back(use.elements);
    graph.setTileMapping(graph.getVariable(entry.first), mapping);
  }
}

bool TensorUseTracker::empty() const { return state_->uses.empty(); }

} // namespace poputil
