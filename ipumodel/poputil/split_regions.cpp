#include <gccs/Algorithm.hpp>
#include <poputil/Util.hpp>
#include <poputil/exceptions.hpp>

#include <numeric>

namespace poputil {

using poplar::Interval;

namespace {

struct Limits {
  unsigned grainSize;
  unsigned maxPartitions;
  unsigned minElementsPerPartition;
  unsigned maxElementsPerPartition;
  unsigned maxElementsPerRegion;
};

// A part of one of the divided items.
struct Piece {
  std::size_t item;
  std::size_t offset;
  std::size_t size;
};

void check(const Limits &limits) {
  const auto grain = limits.grainSize;
  if (grain == 0 || limits.maxPartitions == 0 ||
      limits.maxElementsPerPartition < grain ||
      limits.maxElementsPerRegion < grain)
    throw poplibs_error("splitRegions: no room for a grain of " +
                        std::to_string(grain) + " elements in " +
                        std::to_string(limits.maxPartitions) +
                        " partitions of at most " +
                        std::to_string(limits.maxElementsPerPartition) +
                        " elements and regions of at most " +
                        std::to_string(limits.maxElementsPerRegion));
}

std::size_t numPartitions(std::size_t numGrains, const Limits &limits) {
  auto grainsPerPartition =
      std::min<std::size_t>(gccs::ceildiv(numGrains, limits.maxPartitions),
                            limits.maxElementsPerPartition / limits.grainSize);
  if (limits.minElementsPerPartition != 0) {
    const auto minGrains =
        gccs::ceildiv(limits.minElementsPerPartition, limits.grainSize);
    const auto most = std::max<std::size_t>(1, numGrains / minGrains);
    grainsPerPartition =
        std::max(grainsPerPartition, gccs::ceildiv(numGrains, most));
  }
  return gccs::ceildiv(numGrains, grainsPerPartition);
}

// Divides items of the given sizes into partitions.
std::vector<std::vector<Piece>> split(const std::vector<std::size_t> &sizes,
                                      const Limits &limits) {
  check(limits);
  const auto total =
      std::accumulate(sizes.begin(), sizes.end(), std::size_t(0));
  if (total == 0)
    return {};
  const std::size_t grain = limits.grainSize;
  const auto numGrains = gccs::ceildiv(total, grain);
  const auto maxPiece = gccs::alignPrev(limits.maxElementsPerRegion, grain);

  std::vector<std::vector<Piece>> partitions(numPartitions(numGrains, limits));
  std::size_t item = 0, offset = 0, done = 0;
  for (std::size_t i = 0; i < partitions.size(); ++i) {
    const auto end =
        std::min(total, (i + 1) * numGrains / partitions.size() * grain);
    while (done < end) {
      if (offset == sizes[item]) {
        ++item;
        offset = 0;
        continue;
      }
      const auto size = std::min({end - done, maxPiece, sizes[item] - offset});
      partitions[i].push_back({item, offset, size});
      offset += size;
      done += size;
    }
  }
  return partitions;
}

std::size_t numElements(const Interval &region) { return region.size(); }

std::size_t numElements(const std::vector<Interval> &sequence) {
  return intervalSequenceNumElements({sequence});
}

Interval cut(const Interval &region, std::size_t offset, std::size_t size) {
  return Interval(region.begin() + offset, region.begin() + offset + size);
}

std::vector<Interval> cut(const std::vector<Interval> &sequence,
                          std::size_t offset, std::size_t size) {
  std::vector<Interval> part;
  for (const Interval &region : sequence) {
    if (size == 0)
      break;
    if (offset >= region.size()) {
      offset -= region.size();
      continue;
    }
    part.push_back(cut(region, offset, std::min(size, region.size() - offset)));
    size -= part.back().size();
    offset = 0;
  }
  return part;
}

template <class Item>
std::vector<std::vector<Item>> splitItems(const std::vector<Item> &items,
                                          const Limits &limits) {
  std::vector<std::size_t> sizes;
  sizes.reserve(items.size());
  for (const Item &item : items)
    sizes.push_back(numElements(item));
  std::vector<std::vector<Item>> result;
  for (const std::vector<Piece> &pieces : split(sizes, limits)) {
    result.emplace_back();
    for (const Piece &piece : pieces)
      result.back().push_back(cut(items[piece.item], piece.offset, piece.size));
  }
  return result;
}

} // namespace

std::vector<std::vector<Interval>>
splitRegions(const std::vector<Interval> &regions, unsigned grainSize,
             unsigned maxPartitions, unsigned minElementsPerPartition,
             unsigned maxElementsPerPartition, unsigned maxElementsPerRegion) {
  return splitItems(regions, {grainSize, maxPartitions, minElementsPerPartition,
                              maxElementsPerPartition, maxElementsPerRegion});
}

std::vector<std::vector<std::vector<Interval>>>
splitRegions(const std::vector<std::vector<Interval>> &regions,
             unsigned grainSize, unsigned maxPartitions,
             unsigned minElementsPerPartition, unsigned maxElementsPerPartition,
             unsigned maxElementsPerRegion) {
  return splitItems(regions, {grainSize, maxPartitions, minElementsPerPartition,
                              maxElementsPerPartition, maxElementsPerRegion});
}

std::vector<std::vector<Interval>> splitRegionsBetweenWorkers(
    const poplar::Target &target, const std::vector<Interval> &regions,
    unsigned grainSize, unsigned minElementsPerPartition,
    unsigned maxElementsPerPartition, unsigned maxElementsPerRegion) {
  return splitRegions(regions, grainSize, target.getNumWorkerContexts(),
                      minElementsPerPartition, maxElementsPerPartition,
                      maxElementsPerRegion);
}

std::vector<std::vector<std::vector<Interval>>>
splitRegionsBetweenWorkers(const poplar::Target &target,
                           const std::vector<std::vector<Interval>> &regions,
                           unsigned grainSize, unsigned minElementsPerPartition,
                           unsigned maxElementsPerPartition,
                           unsigned maxElementsPerRegion) {
  return splitRegions(regions, grainSize, target.getNumWorkerContexts(),
                      minElementsPerPartition, maxElementsPerPartition,
                      maxElementsPerRegion);
}

std::vector<int> balancedPartition(int rangeUpperBound, int splitCount) {
  if (splitCount <= 0)
    throw poplibs_error("balancedPartition: cannot split into " +
                        std::to_string(splitCount) + " parts");
  std::vector<int> sizes(splitCount, rangeUpperBound / splitCount);
  for (int i = 0; i < rangeUpperBound % splitCount; ++i)
    ++sizes[i];
  return sizes;
}

} // namespace poputil
