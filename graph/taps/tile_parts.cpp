#include "graph/taps/tile_parts.hpp"

#include <poputil/Util.hpp>

#include <algorithm>

namespace popscope::graph {

namespace {

// A part begins so many elements, or a multiple of them, after the tile's
// first: loops then read whole vectors.
constexpr unsigned kVectorElements = 64;

void appendParts(std::vector<TilePart> &parts, const poplar::Graph &graph,
                 const poplar::Tensor &flat, unsigned tile,
                 const std::vector<poplar::Interval> &intervals) {
  const auto regions = graph.getSortedContiguousRegions(flat, intervals);
  for (auto &share : poputil::splitRegionsBetweenWorkers(
           graph.getTarget(), regions, kVectorElements, unsigned(kPartGrain)))
    parts.push_back({tile, std::move(share)});
}

// Cut where items begin.
std::vector<poplar::Interval>
cutAtItems(const std::vector<poplar::Interval> &intervals, std::size_t item) {
  std::vector<poplar::Interval> cut;
  for (const poplar::Interval &interval : intervals)
    for (std::size_t at = interval.begin(); at < interval.end();) {
      const std::size_t end = std::min(interval.end(), (at / item + 1) * item);
      cut.emplace_back(at, end);
      at = end;
    }
  return cut;
}

} // namespace

std::vector<TilePart> tileParts(const poplar::Graph &graph,
                                const poplar::Tensor &tensor,
                                std::size_t itemElements) {
  const poplar::Tensor flat = tensor.flatten();
  const std::size_t item =
      itemElements < kFewestOfItem ? flat.numElements() : itemElements;
  const auto mapping = graph.getTileMapping(flat);
  std::vector<TilePart> parts;
  std::vector<poplar::Interval> gathered; // of tiles with few elements
  std::size_t elements = 0;
  unsigned lastTile = 0;
  const auto endParts = [&] {
    if (elements != 0)
      appendParts(parts, graph, flat, lastTile, gathered);
    gathered.clear();
    elements = 0;
  };
  for (unsigned tile = 0; tile < mapping.size(); ++tile) {
    for (const poplar::Interval &interval : cutAtItems(mapping[tile], item)) {
      if (elements != 0 &&
          gathered.back().begin() / item != interval.begin() / item)
        endParts();
      lastTile = tile;
      gathered.push_back(interval);
      elements += interval.size();
    }
    if (elements >= kPartGrain)
      endParts();
  }
  endParts();
  return parts;
}

} // namespace popscope::graph
