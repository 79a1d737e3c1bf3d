#include "graph/taps/device_stats.hpp"

#include "graph/taps/stats_vertices.hpp"
#include "graph/taps/tile_parts.hpp"

#include <algorithm>
#include <stdexcept>

namespace popscope::graph {

namespace {

// Rows that one vertex merges; more take several levels of vertices.
constexpr std::size_t kMergeFanIn = 32;

bool hasOwnOrder(const std::vector<TilePart> &parts) {
  for (const TilePart &part : parts)
    for (const auto &region : part.regions)
      if (region.size() != 1)
        return false;
  return true;
}

// Below this many elements, starting a region costs more than reading it; such
// regions are first copied together.
constexpr std::size_t kSmallRegion = 64;

bool areSmall(const std::vector<TilePart> &parts) {
  std::size_t elements = 0, regions = 0;
  for (const TilePart &part : parts)
    for (const auto &region : part.regions) {
      ++regions;
      for (const poplar::Interval &interval : region)
        elements += interval.size();
    }
  return regions > parts.size() && elements / regions < kSmallRegion;
}

// With parts inside the items of a batch, an engine may run the vertices
// between the operations on an item. There are none on the items of a matrix,
// which are the rows of one product.
std::size_t itemOf(const poplar::Tensor &tensor) {
  const std::size_t item = tensor.rank() > 1 && tensor.dim(0) > 0
                               ? tensor.numElements() / tensor.dim(0)
                               : 0;
  return tensor.rank() > 2 || item >= kPartGrain ? item : 0;
}

void joinRegions(std::vector<TilePart> &parts) {
  for (TilePart &part : parts) {
    std::vector<poplar::Interval> joined;
    for (const auto &region : part.regions)
      joined.insert(joined.end(), region.begin(), region.end());
    part.regions = {std::move(joined)};
  }
}

ElementOrder orderOf(const std::vector<TilePart> &parts) {
  ElementOrder order;
  for (const TilePart &part : parts)
    for (const auto &region : part.regions)
      for (const poplar::Interval &interval : region)
        order.append(interval);
  return order;
}

void splitAtIntervals(std::vector<TilePart> &parts) {
  for (TilePart &part : parts) {
    std::vector<std::vector<poplar::Interval>> single;
    for (const auto &region : part.regions)
      for (const poplar::Interval &interval : region)
        single.push_back({interval});
    part.regions = std::move(single);
  }
}

} // namespace

void ElementOrder::append(const poplar::Interval &indices) {
  const bool goesOn =
      !runs_.empty() &&
      runs_.back().index + (size_ - runs_.back().position) == indices.begin();
  if (!goesOn)
    runs_.push_back({size_, indices.begin()});
  size_ += indices.size();
}

unsigned ElementOrder::indexOf(unsigned position) const {
  if (runs_.empty() || position == kNoIndex)
    return position;
  const auto after = std::upper_bound(
      runs_.begin(), runs_.end(), position,
      [](std::size_t wanted, const Run &run) { return wanted < run.position; });
  const Run &run = *std::prev(after);
  return unsigned(run.index + (position - run.position));
}

PartialStats addPartialStats(poplar::Graph &graph, const poplar::Tensor &tensor,
                             StatsTier tier, poplar::ComputeSet &computeSet,
                             const poplar::DebugContext &debugContext) {
  const std::string vertexName = tileStatsVertex(tensor.elementType(), tier);
  poplar::Tensor flat = tensor.flatten();
  const std::size_t item = itemOf(tensor);
  std::vector<TilePart> parts = tileParts(graph, flat, item);
  PartialStats result;
  result.tier = tier;
  bool ownOrder = hasOwnOrder(parts);
  if (!ownOrder && tier == StatsTier::identity) {
    splitAtIntervals(parts); // a hash needs the index of every element
    ownOrder = true;
  } else if (!ownOrder) {
    // Reads in memory order. The parts still hold the same elements in the same
    // order, but in fewer intervals.
    result.order = orderOf(parts);
    graph.reorderToSimplify(&flat, {}, false);
    parts = tileParts(graph, flat, item);
  }
  if (tier != StatsTier::identity && areSmall(parts)) {
    if (ownOrder)
      result.order = orderOf(parts);
    ownOrder = false;
    joinRegions(parts);
  }
  unsigned position = 0;

  result.rows =
      graph.addVariable(poplar::UNSIGNED_INT, {parts.size(), rowWords(tier)},
                        {debugContext, "rows"});
  std::size_t rowsHere = 0;
  for (std::size_t p = 0; p < parts.size(); ++p) {
    rowsHere = p > 0 && parts[p].tile == parts[p - 1].tile ? rowsHere + 1 : 1;
    result.rowsOfATile = std::max(result.rowsOfATile, rowsHere);
    std::size_t elements = 0;
    std::vector<unsigned> firstIndex;
    for (const auto &region : parts[p].regions) {
      firstIndex.push_back(ownOrder ? unsigned(region.front().begin())
                                    : position);
      for (const poplar::Interval &interval : region) {
        elements += interval.size();
        position += unsigned(interval.size());
      }
    }
    result.largestPart = std::max(result.largestPart, elements);
    const poplar::VertexRef vertex = graph.addVertex(computeSet, vertexName);
    graph.connect(vertex["regions"], flat.slices(parts[p].regions));
    graph.connect(vertex["row"], result.rows[p]);
    graph.setInitialValue(vertex["firstIndex"],
                          poplar::ArrayRef<unsigned>(firstIndex));
    graph.setTileMapping(vertex, parts[p].tile);
    graph.setTileMapping(result.rows[p], parts[p].tile);
  }
  return result;
}

void RowMerges::add(const PartialStats &stats, const poplar::Tensor &row) {
  merges_.push_back({stats.rows, stats.tier, row});
}

void RowMerges::build(poplar::Graph &graph, poplar::program::Sequence &prog,
                      const poplar::DebugContext &debugContext) {
  const auto addVertex = [&](poplar::ComputeSet computeSet,
                             const poplar::Tensor &rows, StatsTier tier,
                             const poplar::Tensor &row, unsigned tile) {
    const poplar::VertexRef vertex =
        graph.addVertex(computeSet, mergeRowsVertex(tier),
                        {{"rows", rows.flatten()}, {"merged", row}});
    graph.setTileMapping(vertex, tile);
  };
  std::vector<Merge> level = std::move(merges_);
  merges_.clear();
  unsigned spread = 0; // spreads the work of the lower levels over tiles
  while (!level.empty()) {
    std::vector<Merge> next;
    const poplar::ComputeSet merge =
        graph.addComputeSet({debugContext, "merge"});
    for (const Merge &item : level) {
      const std::size_t count = item.rows.dim(0);
      if (count <= kMergeFanIn) {
        const auto mapping = graph.getTileMapping(item.row);
        const auto tile =
            std::find_if(mapping.begin(), mapping.end(),
                         [](const auto &m) { return !m.empty(); });
        addVertex(merge, item.rows, item.tier, item.row,
                  unsigned(tile - mapping.begin()));
        continue;
      }
      const std::size_t groups = (count + kMergeFanIn - 1) / kMergeFanIn;
      const poplar::Tensor merged =
          graph.addVariable(poplar::UNSIGNED_INT, {groups, item.rows.dim(1)},
                            {debugContext, "merged"});
      for (std::size_t g = 0; g < groups; ++g) {
        const unsigned tile = spread++ % graph.getTarget().getNumTiles();
        graph.setTileMapping(merged[g], tile);
        addVertex(merge,
                  item.rows.slice(count * g / groups, count * (g + 1) / groups),
                  item.tier, merged[g], tile);
      }
      next.push_back({merged, item.tier, item.row});
    }
    prog.add(poplar::program::Execute(merge, {debugContext, "merge"}));
    level = std::move(next);
  }
}

DeviceStats addTensorStats(poplar::Graph &graph, const poplar::Tensor &tensor,
                           StatsTier tier, poplar::program::Sequence &prog,
                           const poplar::DebugContext &debugContext) {
  poplar::ComputeSet stats = graph.addComputeSet({debugContext, "stats"});
  const PartialStats parts =
      addPartialStats(graph, tensor, tier, stats, debugContext);
  prog.add(poplar::program::Execute(stats, {debugContext, "stats"}));
  const poplar::Tensor row = graph.addVariable(
      poplar::UNSIGNED_INT, {rowWords(tier)}, {debugContext, "row"});
  graph.setTileMapping(row, 0);
  RowMerges merges;
  merges.add(parts, row);
  merges.build(graph, prog, debugContext);
  return {row, parts.order};
}

} // namespace popscope::graph
