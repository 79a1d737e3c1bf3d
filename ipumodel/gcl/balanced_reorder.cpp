#include <gcl/CollectiveBalancedReorder.hpp>
#include <poputil/exceptions.hpp>

#include <algorithm>
#include <cstring>

namespace gcl {

using namespace poplar;
using poputil::poplibs_error;

std::size_t
CollectiveBalancedHostRearrangement::getNumRearrangedTensorElems() const {
  return replicationFactor * totalElementsPerReplica;
}

void CollectiveBalancedHostRearrangement::rearrangeForCollective(
    const char *in, char *out, std::int64_t elemByteSize) const {
  const auto size = static_cast<std::size_t>(elemByteSize);
  for (const Interval &slice : gatheredToRefSlices) {
    std::memcpy(out + slice.begin() * size, in, slice.size() * size);
    in += slice.size() * size;
  }
}

void CollectiveBalancedHostRearrangement::undoRearrangeForCollective(
    const char *in, char *out, std::int64_t elemByteSize) const {
  const auto size = static_cast<std::size_t>(elemByteSize);
  for (const Interval &slice : gatheredToRefSlices) {
    std::memcpy(out, in + slice.begin() * size, slice.size() * size);
    out += slice.size() * size;
  }
}

namespace {

// Consecutive elements of the reference that are on one tile.
struct Region {
  std::size_t tile;
  std::size_t onTile; // position among the tile's elements
  Interval elements;
};

std::vector<Region> regionsOf(const Graph &graph, const Tensor &reference) {
  const Tensor flat = reference.flatten();
  const auto mapping = graph.getTileMapping(flat);
  std::vector<Region> regions;
  for (std::size_t tile = 0; tile < mapping.size(); ++tile) {
    std::size_t onTile = 0;
    for (const auto &sorted :
         graph.getSortedContiguousRegions(flat, mapping[tile]))
      for (const Interval &elements : sorted) {
        regions.push_back({tile, onTile, elements});
        onTile += elements.size();
      }
  }
  std::sort(regions.begin(), regions.end(),
            [](const Region &a, const Region &b) {
              return a.elements.begin() < b.elements.begin();
            });
  return regions;
}

std::size_t divideUp(std::size_t a, std::size_t b) { return (a + b - 1) / b; }

} // namespace

CollectiveBalancedReorder::CollectiveBalancedReorder(Graph &graph,
                                                     Tensor tensor,
                                                     unsigned replicationFactor,
                                                     const DebugNameAndId &dnai,
                                                     bool, unsigned grainSize)
    : graph(graph), dnai(dnai), referenceShape(tensor.shape()) {
  if (replicationFactor == 0 || grainSize == 0)
    throw poplibs_error("CollectiveBalancedReorder: the replication factor and "
                        "the grain size must be positive");
  const std::vector<Region> regions = regionsOf(graph, tensor);
  elementsPerTile.resize(graph.getTarget().getNumTiles());
  for (const Region &region : regions)
    elementsPerTile[region.tile] += region.elements.size();
  std::vector<std::size_t> firstOfTile; // in the part of a replica
  std::size_t total = 0;
  for (std::size_t &elements : elementsPerTile) {
    elements =
        divideUp(divideUp(elements, replicationFactor), grainSize) * grainSize;
    firstOfTile.push_back(total);
    total += elements;
  }
  hostRearrangement.replicationFactor = replicationFactor;
  hostRearrangement.totalElementsPerReplica = total;
  std::vector<Interval> &slices = hostRearrangement.gatheredToRefSlices;
  for (const Region &region : regions) {
    const std::size_t part = elementsPerTile[region.tile];
    const std::size_t end = region.onTile + region.elements.size();
    for (std::size_t i = region.onTile; i < end;) {
      const std::size_t count = std::min(end - i, part - i % part);
      const std::size_t begin =
          i / part * total + firstOfTile[region.tile] + i % part;
      if (!slices.empty() && slices.back().end() == begin)
        slices.back() = Interval(slices.back().begin(), begin + count);
      else
        slices.emplace_back(begin, begin + count);
      i += count;
    }
  }
}

Tensor CollectiveBalancedReorder::createReplicaSlice(const Type &type) {
  const Tensor t =
      graph.addVariable(type, {hostRearrangement.totalElementsPerReplica},
                        {dnai, "replicaSlice"});
  std::size_t begin = 0;
  for (std::size_t tile = 0; tile < elementsPerTile.size(); ++tile) {
    const std::size_t end = begin + elementsPerTile[tile];
    graph.setTileMapping(t.slice(begin, end), static_cast<unsigned>(tile));
    begin = end;
  }
  return t;
}

Tensor CollectiveBalancedReorder::createCollectivesTensor(
    const Type &type, const std::string &debugPrefix) {
  const std::size_t elements = hostRearrangement.totalElementsPerReplica;
  const Tensor t =
      graph.addVariable(type, {hostRearrangement.replicationFactor, elements},
                        {dnai, debugPrefix + "/collectives"});
  std::size_t begin = 0;
  for (std::size_t tile = 0; tile < elementsPerTile.size(); ++tile) {
    const std::size_t end = begin + elementsPerTile[tile];
    graph.setTileMapping(t.slice(begin, end, 1), static_cast<unsigned>(tile));
    begin = end;
  }
  return t;
}

Tensor CollectiveBalancedReorder::undoRearrangeForCollective(
    const Tensor &tensor) const {
  const Tensor flat = tensor.flatten();
  const std::size_t elements = hostRearrangement.getNumRearrangedTensorElems();
  if (flat.numElements() != elements)
    throw poplibs_error("undoRearrangeForCollective: a tensor of shape " +
                        tensor.shapeToString() + " does not have " +
                        std::to_string(elements) + " elements");
  std::vector<Tensor> slices{flat.slice(0, 0)};
  for (const Interval &slice : hostRearrangement.gatheredToRefSlices)
    slices.push_back(flat.slice(slice));
  return concat(slices).reshape(referenceShape);
}

} // namespace gcl
