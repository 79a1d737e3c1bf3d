#include <popops/DynamicSlice.hpp>
#include <popops/Gather.hpp>
#include <poputil/exceptions.hpp>

#include <algorithm>

namespace popops {

using namespace poplar;
using poplar::program::Sequence;

namespace {

void check(const char *function, const std::vector<std::size_t> &shape,
           unsigned axis) {
  if (axis >= shape.size())
    throw poputil::poplibs_error(
        std::string(function) + ": there is no dimension " +
        std::to_string(axis) + " in a tensor of rank " +
        std::to_string(shape.size()));
}

// For slices of several dimensions: one size for each, and valid index
// dimensions.
void check(const char *function, const std::vector<std::size_t> &shape,
           const std::vector<std::size_t> &sliceSizes,
           const std::vector<unsigned> &startIndexMap) {
  if (sliceSizes.size() != shape.size())
    throw poputil::poplibs_error(
        std::string(function) + ": " + std::to_string(sliceSizes.size()) +
        " slice sizes for a tensor of rank " + std::to_string(shape.size()));
  for (const unsigned dim : startIndexMap)
    check(function, shape, dim);
}

} // namespace

Tensor createGatherInput(Graph &graph, const Type &type,
                         const std::vector<std::size_t> &operandShape,
                         unsigned axis, GatherParams,
                         const DebugContext &debugContext) {
  check("createGatherInput", operandShape, axis);
  return createSliceableTensor(graph, type, operandShape, {axis}, {1}, 0,
                               debugContext);
}

Tensor gather(Graph &graph, const Tensor &input, const Tensor &indices,
              unsigned axis, Sequence &prog, GatherParams,
              const DebugContext &debugContext,
              const OptionFlags &optionFlags) {
  check("gather", input.shape(), axis);
  const Tensor slices =
      multiSlice(graph, input, indices.reshape({indices.numElements(), 1}),
                 {axis}, {1}, prog, SlicePlan(), optionFlags, debugContext);
  // The slices replace their dimension, which has size one.
  return slices.dimRoll(0, axis).squeeze({axis + 1});
}

Tensor createGatherInput(Graph &graph, const Type &type,
                         const std::vector<std::size_t> &inputShape,
                         const std::vector<std::size_t> &sliceSizes,
                         std::vector<unsigned> startIndexMap,
                         const DebugContext &debugContext) {
  check("createGatherInput", inputShape, sliceSizes, startIndexMap);
  std::vector<std::size_t> dims, sizes;
  for (const unsigned dim : startIndexMap) {
    dims.push_back(dim);
    sizes.push_back(sliceSizes[dim]);
  }
  return createSliceableTensor(graph, type, inputShape, dims, sizes, 0,
                               debugContext);
}

Tensor gather(Graph &graph, const Tensor &input, const Tensor &indices,
              std::size_t indexVectorDim,
              const std::vector<std::size_t> &offsetDims,
              const std::vector<std::size_t> &sliceSizes,
              const std::vector<std::size_t> &collapsedSliceDims,
              const std::vector<unsigned> &startIndexMap, Sequence &prog,
              const DebugContext &debugContext,
              const OptionFlags &optionFlags) {
  check("gather", input.shape(), sliceSizes, startIndexMap);
  const std::size_t resultRank =
      std::max<std::size_t>(indices.rank(), indexVectorDim + 1) - 1 +
      offsetDims.size();
  if (indexVectorDim > indices.rank() ||
      offsetDims.size() + collapsedSliceDims.size() != input.rank() ||
      std::any_of(offsetDims.begin(), offsetDims.end(),
                  [&](std::size_t dim) { return dim >= resultRank; }) ||
      std::any_of(collapsedSliceDims.begin(), collapsedSliceDims.end(),
                  [&](std::size_t dim) { return dim >= input.rank(); }))
    throw poputil::poplibs_error("gather: the dimensions do not match an input "
                                 "of shape " +
                                 input.shapeToString() + " and indices of " +
                                 indices.shapeToString());
  const Tensor withVectors = indexVectorDim == indices.rank()
                                 ? indices.expand({indices.rank()})
                                 : indices;
  const Tensor vectors = withVectors.dimRoll(
      static_cast<unsigned>(indexVectorDim), withVectors.rank() - 1);
  std::vector<std::size_t> shape = vectors.shape();
  const std::size_t vectorSize = shape.back();
  shape.pop_back();
  const std::size_t numBatchDims = shape.size();
  std::size_t numSlices = 1;
  for (const std::size_t size : shape)
    numSlices *= size;

  // Of a dimension without an index only the beginning is used.
  Tensor base = input;
  std::vector<std::size_t> dims(startIndexMap.begin(), startIndexMap.end());
  std::vector<std::size_t> sizes;
  for (unsigned d = 0; d < input.rank(); ++d)
    if (std::find(dims.begin(), dims.end(), d) == dims.end())
      base = base.slice(0, sliceSizes[d], d);
  for (const std::size_t dim : dims)
    sizes.push_back(sliceSizes[dim]);
  const Tensor slices =
      multiSlice(graph, base, vectors.reshape({numSlices, vectorSize}), dims,
                 sizes, prog, SlicePlan(), optionFlags, debugContext);

  for (std::size_t d = 0; d < sliceSizes.size(); ++d) {
    if (std::find(collapsedSliceDims.begin(), collapsedSliceDims.end(), d) ==
        collapsedSliceDims.end())
      shape.push_back(sliceSizes[d]);
    else if (sliceSizes[d] != 1)
      throw poputil::poplibs_error("gather: dimension " + std::to_string(d) +
                                   " of slices does not have size one");
  }
  std::vector<unsigned> order;
  unsigned nextBatchDim = 0;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    const auto offset = std::find(offsetDims.begin(), offsetDims.end(), d);
    order.push_back(offset == offsetDims.end()
                        ? nextBatchDim++
                        : static_cast<unsigned>(
                              numBatchDims + static_cast<std::size_t>(
                                                 offset - offsetDims.begin())));
  }
  return slices.reshape(shape).dimShuffle(order);
}

} // namespace popops
