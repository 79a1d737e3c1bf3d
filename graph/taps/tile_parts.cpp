#include "graph/taps/tile_parts.hpp"

#include <poputil/Util.hpp>

namespace popscope::graph {

namespace {

void appendParts(std::vector<TilePart> &parts, const poplar::Graph &graph,
                 const poplar::Tensor &flat, unsigned tile,
                 const std::vector<poplar::Interval> &intervals) {
  const auto regions = graph.getSortedContiguousRegions(flat, intervals);
  for (auto &share : poputil::splitRegionsBetweenWorkers(
           graph.getTarget(), regions, 1, unsigned(kPartGrain)))
    parts.push_back({tile, std::move(share)});
}

} // namespace

std::vector<TilePart> tileParts(const poplar::Graph &graph,
                                const poplar::Tensor &tensor) {
  const poplar::Tensor flat = tensor.flatten();
  const auto mapping = graph.getTileMapping(flat);
  std::vector<TilePart> parts;
  std::vector<poplar::Interval> gathered; // of tiles with few elements
  std::size_t elements = 0;
  unsigned lastTile = 0;
  for (unsigned tile = 0; tile < mapping.size(); ++tile) {
    if (mapping[tile].empty())
      continue;
    lastTile = tile;
    for (const poplar::Interval &interval : mapping[tile]) {
      gathered.push_back(interval);
      elements += interval.size();
    }
    if (elements >= kPartGrain) {
      appendParts(parts, graph, flat, tile, gathered);
      gathered.clear();
      elements = 0;
    }
  }
  if (elements != 0)
    appendParts(parts, graph, flat, lastTile, gathered);
  return parts;
}

} // namespace popscope::graph
