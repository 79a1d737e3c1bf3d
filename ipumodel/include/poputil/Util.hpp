// Intervals of tensors, copies of tensors, and conversion to device numbers.
#pragma once

#include <poplar/Device.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Interval.hpp>
#include <poplar/Program.hpp>
#include <poplar/Quarter.hpp>
#include <poplar/Target.hpp>
#include <poplar/Tensor.hpp>

// Programs expect this header to include these.
#include <algorithm>
#include <cassert>
#include <climits>
#include <cstddef>
#include <string>
#include <vector>

namespace poputil {

// Sorts, drops empty regions and joins adjacent ones. The regions must not
// overlap. The second form does this for each tile.
void mergeAdjacentRegions(std::vector<poplar::Interval> &regions);
void mergeAdjacentRegions(std::vector<std::vector<poplar::Interval>> &mapping);

std::vector<poplar::Interval>
flattenIntervals(const std::vector<std::vector<poplar::Interval>> &intervals);

std::size_t intervalSequenceNumElements(
    const std::vector<std::vector<poplar::Interval>> &seq);

// The intervals `inverse` with
// concat(concat(t.slices(intervals)).slices(inverse)) == t. `intervals` must
// cover each element of t once.
std::vector<poplar::Interval>
calculateUnshufflingIntervals(const std::vector<poplar::Interval> &intervals);

// Divides the regions, in order, into at most maxPartitions lists of nearly
// equal numbers of elements. All lists but the last hold whole grains. Makes as
// few lists as possible without enlarging the largest one; the minimum per
// partition takes precedence over the maximum number. Pieces have at most
// maxElementsPerRegion elements, rounded down to grains. Throws poplibs_error
// if the grain or the number of partitions is 0, or if the maximum is less than
// a grain.
std::vector<std::vector<poplar::Interval>>
splitRegions(const std::vector<poplar::Interval> &regions, unsigned grainSize,
             unsigned maxPartitions, unsigned minElementsPerPartition = 0,
             unsigned maxElementsPerPartition = UINT_MAX,
             unsigned maxElementsPerRegion = UINT_MAX);
// The same for sequences of regions, which are divided and limited by
// maxElementsPerRegion as if each were one region.
std::vector<std::vector<std::vector<poplar::Interval>>>
splitRegions(const std::vector<std::vector<poplar::Interval>> &regions,
             unsigned grainSize, unsigned maxPartitions,
             unsigned minElementsPerPartition = 0,
             unsigned maxElementsPerPartition = UINT_MAX,
             unsigned maxElementsPerRegion = UINT_MAX);

// One list per worker of a tile.
std::vector<std::vector<poplar::Interval>> splitRegionsBetweenWorkers(
    const poplar::Target &target, const std::vector<poplar::Interval> &regions,
    unsigned grainSize, unsigned minElementsPerPartition = 0,
    unsigned maxElementsPerPartition = UINT_MAX,
    unsigned maxElementsPerRegion = UINT_MAX);
std::vector<std::vector<std::vector<poplar::Interval>>>
splitRegionsBetweenWorkers(
    const poplar::Target &target,
    const std::vector<std::vector<poplar::Interval>> &regions,
    unsigned grainSize, unsigned minElementsPerPartition = 0,
    unsigned maxElementsPerPartition = UINT_MAX,
    unsigned maxElementsPerRegion = UINT_MAX);

// The index in each dimension of an element of the flattened tensor, and the
// reverse. The index must be in range.
template <class T>
std::vector<T> unflattenIndex(const std::vector<T> &shape, std::size_t index) {
  std::vector<T> indices(shape.size());
  for (std::size_t d = shape.size(); d-- > 0; index /= shape[d])
    indices[d] = index % shape[d];
  assert(index == 0 && "index is beyond the shape");
  return indices;
}

template <class T>
std::size_t flattenIndex(const std::vector<T> &shape,
                         const std::vector<T> &indices) {
  assert(shape.size() == indices.size() && "one index per dimension");
  std::size_t index = 0;
  for (std::size_t d = 0; d < shape.size(); ++d)
    index = index * shape[d] + indices[d];
  return index;
}

// Divides [0, rangeUpperBound) into splitCount parts and returns their sizes,
// which differ by at most one, larger ones first.
std::vector<int> balancedPartition(int rangeUpperBound, int splitCount);

// Returns a clone and adds the copy into it. Aliases that the method preserves
// are copied once.
poplar::Tensor
duplicate(poplar::Graph &graph, const poplar::Tensor &in,
          poplar::program::Sequence &p,
          const poplar::DebugContext &debugContext = {},
          poplar::TensorCloneMethod method =
              poplar::TensorCloneMethod::PRESERVE_ORDER_UNLESS_ALIASES);

// N clones along a new first dimension.
poplar::Tensor
cloneN(poplar::Graph &graph, const poplar::Tensor &t, unsigned N,
       const poplar::DebugContext &debugContext = {},
       poplar::TensorCloneMethod method =
           poplar::TensorCloneMethod::PRESERVE_ORDER_UNLESS_ALIASES);

// The value after conversion to FLOAT and then to HALF.
double castToDeviceHalfValue(const poplar::Target &target, double input);

// True if the cast changes the value by less than `tolerance`, relative to the
// value. Always true from HALF to FLOAT; never true from FLOAT to HALF for 0,
// whose relative error is undefined. Throws poplibs_error for other types.
bool checkAccuracyWhenCast(const poplar::Target &target, double input,
                           poplar::Type inputType, poplar::Type outputType,
                           double tolerance);

// Splits each dimension d from startDim on into [size / factor, factor] and
// moves all factors after the quotients: [4,6,4] by {1,2} is [4,3,1,2,4].
// Throws poplibs_error if a factor does not divide its dimension.
poplar::Tensor factorDims(const poplar::Tensor &t,
                          const std::vector<std::size_t> &factors,
                          unsigned startDim = 0);
// Reverses factorDims of numDims dimensions.
poplar::Tensor unfactorDims(const poplar::Tensor &t, unsigned numDims,
                            unsigned startDim = 0);

// One QUARTER_METADATA element on tile 0. Prefer the functions of the same name
// in poplar.
poplar::Tensor
createConstantMetadataTensor(poplar::Graph &graph,
                             poplar::QuarterMetadata::Format fp8Format,
                             int fp8Scale);
poplar::Tensor
createVariableMetadataTensor(poplar::Graph &graph,
                             poplar::QuarterMetadata::Format fp8Format,
                             int fp8Scale);

} // namespace poputil
