// How balanced a mapping is, and which dimensions it splits.
#include <gccs/Algorithm.hpp>
#include <poputil/TileMapping.hpp>

#include <algorithm>

namespace poputil {

using poplar::Graph;
using poplar::Interval;
using poplar::Tensor;
using Mapping = Graph::TileToTensorMapping;

namespace {

// Consecutive elements of the flattened tensor in one place.
struct Run {
  std::size_t end;
  unsigned place;
};

// Places are tiles, or groups of `tilesPerPlace` tiles.
std::vector<Run> runsOf(const Mapping &mapping, unsigned tilesPerPlace) {
  std::vector<std::pair<Interval, unsigned>> pieces;
  for (unsigned tile = 0; tile < mapping.size(); ++tile)
    for (const Interval &interval : mapping[tile])
      if (interval.size() > 0)
        pieces.emplace_back(interval, tile / tilesPerPlace);
  std::sort(pieces.begin(), pieces.end());
  std::vector<Run> runs;
  runs.reserve(pieces.size());
  for (const auto &piece : pieces)
    runs.push_back({piece.first.end(), piece.second});
  return runs;
}

// True if neighbours in that dimension are ever in different places. They are a
// fixed distance apart in the flattened tensor, so two cursors at this distance
// visit all of them.
bool isSplit(const Graph &graph, const Tensor &t, unsigned dimension,
             unsigned tilesPerPlace) {
  std::size_t distance = 1;
  for (unsigned d = dimension + 1; d < t.rank(); ++d)
    distance *= t.dim(d);
  const auto block = t.dim(dimension) * distance;
  if (t.numElements() == 0 || t.dim(dimension) == 1)
    return false;

  const auto runs = runsOf(graph.getTileMapping(t), tilesPerPlace);
  auto here = runs.begin(), there = runs.begin();
  for (std::size_t i = 0; i + distance < t.numElements();) {
    const auto lastStep = i / block * block + block - distance;
    if (i >= lastStep) {
      i = lastStep + distance;
      continue;
    }
    while (here->end <= i)
      ++here;
    while (there->end <= i + distance)
      ++there;
    if (here->place != there->place)
      return true;
    i = std::min({here->end, there->end - distance, lastStep});
  }
  return false;
}

} // namespace

bool dimIsSplitOverTiles(const Graph &graph, const Tensor &t,
                         unsigned dimension) {
  return isSplit(graph, t, dimension, 1);
}

bool dimIsSplitOverIPUs(const Graph &graph, const Tensor &t,
                        unsigned dimension) {
  const auto &target = graph.getTarget();
  return target.getNumIPUs() > 1 &&
         isSplit(graph, t, dimension, target.getTilesPerIPU());
}

unsigned getTileImbalance(const Mapping &mapping, unsigned minElementsPerTile,
                          unsigned grainSize) {
  std::size_t total = 0, fullest = 0;
  for (const std::vector<Interval> &intervals : mapping) {
    std::size_t elements = 0;
    for (const Interval &interval : intervals)
      elements += interval.size();
    total += elements;
    fullest = std::max(fullest, elements);
  }
  if (total == 0)
    return 0;
  const auto expected = std::max<std::size_t>(
      {gccs::ceildiv(total, mapping.size()), minElementsPerTile, grainSize});
  return fullest > expected ? fullest - expected : 0;
}

unsigned getTileImbalance(const Graph &graph, const Tensor &t,
                          unsigned minElementsPerTile, unsigned grainSize) {
  return getTileImbalance(graph.getTileMapping(t), minElementsPerTile,
                          grainSize);
}

} // namespace poputil
