// Which tile an element of a tensor lives on: spreading, cloning, asking.
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
// grains, at least minElementsPerTile on each. Without these two arguments the
// grain is the vector width of the type and the minimum 128 bytes.
//
// The first tile is `offset`, counted from the first tile upwards or, unless
// ascendingOrder, from the last one downwards; tiles wrap around. Mappings that
// start at the first tile end with the last tile used; others name all tiles.
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
// Second: the tile after the last one used. The mapping names all tiles.
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

// A tile in [0, numTiles) that depends on the shape, to spread the first tiles
// of small tensors. Throws poplibs_error for no tiles.
std::size_t chooseMappingOffset(std::size_t numTiles,
                                const std::vector<std::size_t> &shape);
std::size_t chooseMappingOffset(std::size_t numTiles,
                                const std::vector<std::size_t> &shape,
                                std::size_t seed);

// By how many elements the fullest tile exceeds an even spread, in which no
// tile is expected to hold less than the minimum or a grain.
unsigned getTileImbalance(const poplar::Graph::TileToTensorMapping &mapping,
                          unsigned minElementsPerTile = 0,
                          unsigned grainSize = 1);
unsigned getTileImbalance(const poplar::Graph &graph, const poplar::Tensor &t,
                          unsigned minElementsPerTile = 0,
                          unsigned grainSize = 1);

class TensorUseTrackerState;

// Maps variables to the tiles that use them: a region that several tiles use is
// spread over these. For use by one thread at a time.
class TensorUseTracker {
public:
  // Tiles are recorded from 0 on and mapped from startTile on, upwards or
  // downwards as by invTransformTileIndex.
  TensorUseTracker(unsigned numTiles, unsigned startTile = 0,
                   bool ascendingMappingOrder = true);
  TensorUseTracker(const TensorUseTracker &other);
  TensorUseTracker(TensorUseTracker &&other) noexcept;
  TensorUseTracker &operator=(const TensorUseTracker &other);
  TensorUseTracker &operator=(TensorUseTracker &&other) noexcept;
  ~TensorUseTracker();

  enum class MappingMethod {
    // A region whose users include those of both its neighbours, and are as
    // many as these have together, goes where the neighbour before it goes.
    OptimizeHaloRegions,
    // Elements stay on tiles that use them or the regions next to them, even
    // where a grain would reach further.
    ConstrainMappingToUsedTiles,
    None
  };

  // Constants are not tracked. Throws poplibs_error for a tile out of range.
  void add(const poplar::Graph &graph, unsigned tile, const poplar::Tensor &t);
  // Throws poplibs_error if the numbers of tiles differ.
  void add(TensorUseTracker other);

  // Replaces the recorded uses by one tile for each element. Elements between
  // and around the used ones join them if extendPartialUsage.
  void resolve(const poplar::Graph &graph, unsigned grainSize,
               unsigned minElementsPerTile, bool extendPartialUsage = false,
               TensorUseTracker::MappingMethod mappingMethod =
                   TensorUseTracker::MappingMethod::None);
  // Resolves, and maps the variables. Elements not used stay as they are.
  void mapTensorsByUse(poplar::Graph &graph, unsigned grainSize,
                       unsigned minElementsPerTile,
                       bool extendPartialUsage = false,
                       TensorUseTracker::MappingMethod mappingMethod =
                           TensorUseTracker::MappingMethod::None);

  bool empty() const;

private:
  std::unique_ptr<TensorUseTrackerState> state_;
};

// Clones and copies that keep, for each element, the number of its tile within
// the IPU or the graph. The graph of the functions named after IPUs covers all
// IPUs; they throw poplibs_error if it has no such IPU.
poplar::Tensor
cloneToIpu(poplar::Graph &graph, const poplar::Tensor &t, unsigned dstIPU,
           const poplar::DebugContext &debugContext = {},
           poplar::TensorCloneMethod method =
               poplar::TensorCloneMethod::PRESERVE_ORDER_UNLESS_ALIASES);
// Throws poplibs_error if the replication factors differ or dstGraph lacks a
// tile that is used.
poplar::Tensor
cloneToGraph(poplar::Graph &srcGraph, poplar::Graph &dstGraph,
             const poplar::Tensor &t,
             const poplar::DebugContext &debugContext = {},
             poplar::TensorCloneMethod method =
                 poplar::TensorCloneMethod::PRESERVE_ORDER_UNLESS_ALIASES);
// The clone has no aliases: elements that repeat an earlier one are mapped
// linearly from tile `offset` on. Second: the tile after the last one so used.
std::pair<poplar::Tensor, unsigned>
cloneAndExpandAliasing(poplar::Graph &graph, const poplar::Tensor &t,
                       unsigned offset = 0,
                       const poplar::DebugContext &debugContext = {});
// The clone, and the copy into it added to `prog`.
poplar::Tensor
copyToIpu(poplar::Graph &masterGraph, const poplar::Tensor &t,
          poplar::program::Sequence &prog, unsigned dstIPU,
          const poplar::DebugContext &debugContext = {},
          poplar::TensorCloneMethod method =
              poplar::TensorCloneMethod::PRESERVE_ORDER_UNLESS_ALIASES);
// The clone; Copy(copySrc, copyDst) fills it wherever the caller wants that.
poplar::Tensor
createIpuCopy(poplar::Graph &graph, const poplar::Tensor &t, unsigned dstIpu,
              poplar::Tensor &copySrc, poplar::Tensor &copyDst,
              const poplar::DebugContext &debugContext = {},
              poplar::TensorCloneMethod method =
                  poplar::TensorCloneMethod::PRESERVE_ORDER_AND_ALIASES);

// Whether elements that differ only in that dimension's index are on different
// tiles, or different IPUs.
bool dimIsSplitOverTiles(const poplar::Graph &graph, const poplar::Tensor &t,
                         unsigned dimension);
bool dimIsSplitOverIPUs(const poplar::Graph &graph, const poplar::Tensor &t,
                        unsigned dimension);

// A variable of one dimension, as long as that dimension of the full tensor,
// whose elements are on tiles that hold matching elements of it or, where
// neighbouring elements share tiles, those of its neighbours. If ditherMapping,
// all are moved on by chooseMappingOffset.
poplar::Tensor
createBroadcastOperand(poplar::Graph &graph, const poplar::Tensor &fullTensor,
                       const poplar::Type &type, unsigned dim,
                       bool ditherMapping = false,
                       const poplar::DebugContext &debugContext = {});

// From the tiles of a mapping that starts at `offset`, and runs up or down, to
// tiles counted from 0 up, and back. Running down starts at numTiles - offset.
unsigned transformTileIndex(unsigned tile, unsigned numTiles, unsigned offset,
                            bool ascending);
unsigned invTransformTileIndex(unsigned tile, unsigned numTiles,
                               unsigned offset, bool ascending);

} // namespace poputil
