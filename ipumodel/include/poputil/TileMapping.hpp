// The tiles of a tensor's elements: linear mapping, clones, queries.
#pragma once

#include <poplar/DebugContext.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poplar/Target.hpp>
#include <poplar/Tensor.hpp>
#include <poplar/TensorCloneMethod.hpp>
#include <poplar/Type.hpp>

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace poputil {

// Linear mappings spread the flattened tensor over consecutive tiles in whole
// grains, at least minElementsPerTile on each. By default the grain is the
// vector width of the type and the minimum 128 bytes.
//
// The first tile is `offset`, counted upwards from the first tile or, unless
// ascendingOrder, downwards from the last one; tiles wrap around. Mappings that
// start at the first tile have entries up to the last tile used; others have
// entries for all tiles.
std::vector<std::vector<poplar::Interval>>
calcLinearTileMapping(const poplar::Graph &graph,
                      std::vector<std::size_t> shape,
                      unsigned minElementsPerTile, unsigned grainSize,
                      unsigned offset = 0, bool ascendingOrder = true);
std::vector<std::vector<poplar::Interval>>
calcLinearTileMapping(const poplar::Target &target,
                      std::vector<std::size_t> shape,
                      unsigned minElementsPerTile, unsigned grainSize,
                      unsigned offset = 0, bool ascendingOrder = true);
std::vector<std::vector<poplar::Interval>>
calcLinearTileMapping(const poplar::Graph &graph, const poplar::Tensor &t,
                      unsigned offset = 0, bool ascendingOrder = true);
std::vector<std::vector<poplar::Interval>> calcLinearTileMapping(
    const poplar::Target &target, const std::vector<std::size_t> shape,
    poplar::Type elementType, unsigned offset = 0, bool ascendingOrder = true);
// Second: the tile after the last one used. The mapping has entries for all
// tiles.
std::pair<poplar::Graph::TileToTensorMapping, unsigned>
calcLinearTileMappingAndNewOffset(const poplar::Graph &graph,
                                  const poplar::Tensor &t, unsigned offset = 0);

void mapTensorLinearly(poplar::Graph &graph, const poplar::Tensor &t,
                       unsigned minElementsPerTile, unsigned grainSize);
void mapTensorLinearlyWithOffset(poplar::Graph &graph, const poplar::Tensor &t,
                                 unsigned minElementsPerTile,
                                 unsigned grainSize, unsigned offset,
                                 bool ascendingOrder = true);
void mapTensorLinearly(poplar::Graph &graph, const poplar::Tensor &t);
void mapTensorLinearlyWithOffset(poplar::Graph &graph, const poplar::Tensor &t,
                                 unsigned offset = 0,
                                 bool ascendingOrder = true);

// A tile in [0, numTiles) derived from the shape, so that small tensors start
// on different tiles. Throws poplibs_error if numTiles is 0.
std::size_t chooseMappingOffset(std::size_t numTiles,
                                const std::vector<std::size_t> &shape);
std::size_t chooseMappingOffset(std::size_t numTiles,
                                const std::vector<std::size_t> &shape,
                                std::size_t seed);

// The number of elements by which the fullest tile exceeds an even
// distribution, in which a tile holds at least the minimum and one grain.
unsigned getTileImbalance(const poplar::Graph::TileToTensorMapping &mapping,
                          unsigned minElementsPerTile = 0,
                          unsigned grainSize = 1);
unsigned getTileImbalance(const poplar::Graph &graph, const poplar::Tensor &t,
                          unsigned minElementsPerTile = 0,
                          unsigned grainSize = 1);

class TensorUseTrackerState;

// Maps variables to the tiles that use them; a region that several tiles use is
// spread over these tiles. Not thread-safe.
class TensorUseTracker {
public:
  // Tiles are recorded starting at 0 and mapped starting at startTile, upwards
  // or downwards as by invTransformTileIndex.
  TensorUseTracker(unsigned numTiles, unsigned startTile = 0,
                   bool ascendingMappingOrder = true);
  TensorUseTracker(const TensorUseTracker &other);
  TensorUseTracker(TensorUseTracker &&other) noexcept;
  TensorUseTracker &operator=(const TensorUseTracker &other);
  TensorUseTracker &operator=(TensorUseTracker &&other) noexcept;
  ~TensorUseTracker();

  enum class MappingMethod {
    // If the users of a region are exactly the users of both its neighbours
    // together, it is mapped like the neighbour before it.
    OptimizeHaloRegions,
    // Elements are mapped only to tiles that use them or the regions next to
    // them, even if this breaks a grain.
    ConstrainMappingToUsedTiles,
    None
  };

  // Ignores constants. Throws poplibs_error for a tile out of range.
  void add(const poplar::Graph &graph, unsigned tile, const poplar::Tensor &t);
  // Throws poplibs_error if the numbers of tiles differ.
  void add(TensorUseTracker other);

  // Replaces the recorded uses by one tile per element. With
  // extendPartialUsage, elements between and around the used ones are added to
  // them.
  void resolve(const poplar::Graph &graph, unsigned grainSize,
               unsigned minElementsPerTile, bool extendPartialUsage = false,
               TensorUseTracker::MappingMethod mappingMethod =
                   TensorUseTracker::MappingMethod::None);
  // Resolves, and maps the variables. Unused elements keep their mapping.
  void mapTensorsByUse(poplar::Graph &graph, unsigned grainSize,
                       unsigned minElementsPerTile,
                       bool extendPartialUsage = false,
                       TensorUseTracker::MappingMethod mappingMethod =
                           TensorUseTracker::MappingMethod::None);

  bool empty() const;

private:
  std::unique_ptr<TensorUseTrackerState> state_;
};

// Clones and copies that keep, for each element, the index of its tile within
// the IPU or the graph. The functions named after IPUs take a graph that covers
// all IPUs and throw poplibs_error if there is no such IPU.
poplar::Tensor
cloneToIpu(poplar::Graph &graph, const poplar::Tensor &t, unsigned dstIPU,
           const poplar::DebugContext &debugContext = {},
           poplar::TensorCloneMethod method =
               poplar::TensorCloneMethod::PRESERVE_ORDER_UNLESS_ALIASES);
// Throws poplibs_error if the replication factors differ or if dstGraph lacks
// one of the tiles used.
poplar::Tensor
cloneToGraph(poplar::Graph &srcGraph, poplar::Graph &dstGraph,
             const poplar::Tensor &t,
             const poplar::DebugContext &debugContext = {},
             poplar::TensorCloneMethod method =
                 poplar::TensorCloneMethod::PRESERVE_ORDER_UNLESS_ALIASES);
// The clone has no aliases: elements that repeat an earlier one are mapped
// linearly, starting at tile `offset`. Second: the tile after the last of
// these.
std::pair<poplar::Tensor, unsigned>
cloneAndExpandAliasing(poplar::Graph &graph, const poplar::Tensor &t,
                       unsigned offset = 0,
                       const poplar::DebugContext &debugContext = {});
// Returns the clone, and adds the copy into it to `prog`.
poplar::Tensor
copyToIpu(poplar::Graph &masterGraph, const poplar::Tensor &t,
          poplar::program::Sequence &prog, unsigned dstIPU,
          const poplar::DebugContext &debugContext = {},
          poplar::TensorCloneMethod method =
              poplar::TensorCloneMethod::PRESERVE_ORDER_UNLESS_ALIASES);
// Returns the clone; the caller adds Copy(copySrc, copyDst) to fill it.
poplar::Tensor
createIpuCopy(poplar::Graph &graph, const poplar::Tensor &t, unsigned dstIpu,
              poplar::Tensor &copySrc, poplar::Tensor &copyDst,
              const poplar::DebugContext &debugContext = {},
              poplar::TensorCloneMethod method =
                  poplar::TensorCloneMethod::PRESERVE_ORDER_AND_ALIASES);

// True if elements that differ only in their index of this dimension are on
// different tiles (IPUs).
bool dimIsSplitOverTiles(const poplar::Graph &graph, const poplar::Tensor &t,
                         unsigned dimension);
bool dimIsSplitOverIPUs(const poplar::Graph &graph, const poplar::Tensor &t,
                        unsigned dimension);

// A variable of one dimension, as long as that dimension of the full tensor.
// Its elements are on tiles that hold matching elements or, where neighbouring
// elements share tiles, elements matching a neighbour. With ditherMapping, all
// are shifted by chooseMappingOffset.
poplar::Tensor
createBroadcastOperand(poplar::Graph &graph, const poplar::Tensor &fullTensor,
                       const poplar::Type &type, unsigned dim,
                       bool ditherMapping = false,
                       const poplar::DebugContext &debugContext = {});

// From the tiles of a mapping that starts at `offset` and runs up or down to
// tiles counted up from 0, and back. A mapping that runs down starts at
// numTiles - offset.
unsigned transformTileIndex(unsigned tile, unsigned numTiles, unsigned offset,
                            bool ascending);
unsigned invTransformTileIndex(unsigned tile, unsigned numTiles,
                               unsigned offset, bool ascending);

} // namespace poputil
