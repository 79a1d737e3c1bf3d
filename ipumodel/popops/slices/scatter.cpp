#include "popops/slices/slice_kernel.hpp"

#include <popops/DynamicSlice.hpp>
#include <popops/Loop.hpp>
#include <popops/Scatter.hpp>
#include <poputil/exceptions.hpp>

#include <algorithm>

namespace popops {

using namespace ipumodel;
using namespace poplar;
using poplar::program::Sequence;

namespace {

using Sizes = std::vector<std::size_t>;

void require(bool condition, const std::string &what) {
  if (!condition)
    throw poputil::poplibs_error("scatter: " + what);
}

// The operands in the form of multiUpdate.
struct Updates {
  Tensor base;
  Tensor offsets; // [n, dims]
  Tensor slices;  // [n, slice...]
  Sizes dims;     // of the base
  Sizes sizes;    // of the slices in those
};

// [n, vector size], UNSIGNED_INT
Tensor indexVectors(const Tensor &indices, std::size_t indexVectorDim) {
  require(indexVectorDim <= indices.rank(),
          "indices of shape " + indices.shapeToString() +
              " have no dimension " + std::to_string(indexVectorDim));
  require(indices.elementType() == UNSIGNED_INT || indices.elementType() == INT,
          "indices must be UNSIGNED_INT or INT, not " +
              indices.elementType().toString());
  Tensor vectors = indices.reinterpret(UNSIGNED_INT);
  if (indexVectorDim == indices.rank())
    vectors = vectors.expand({indices.rank()});
  vectors = vectors.dimRoll(static_cast<unsigned>(indexVectorDim),
                            vectors.rank() - 1);
  const std::size_t size = vectors.dim(vectors.rank() - 1);
  return vectors.reshape({size == 0 ? 0 : vectors.numElements() / size, size});
}

// [n, window...], with the inserted dimensions. Window dimensions that
// `updates` do not have are ignored, as PopLibs does.
Tensor windows(const Tensor &updates, const std::vector<unsigned> &windowDims,
               Sizes insertDims, std::size_t count, std::size_t rank) {
  std::vector<unsigned> order, inWindow;
  Sizes shape{count};
  for (unsigned d = 0; d < updates.rank(); ++d) {
    const bool isWindow =
        std::find(windowDims.begin(), windowDims.end(), d) != windowDims.end();
    (isWindow ? inWindow : order).push_back(d);
    if (isWindow)
      shape.push_back(updates.dim(d));
  }
  require(inWindow.size() + insertDims.size() == rank,
          "slices of updates of shape " + updates.shapeToString() +
              " do not have the rank of the operand");
  order.insert(order.end(), inWindow.begin(), inWindow.end());
  std::sort(insertDims.begin(), insertDims.end());
  for (const std::size_t d : insertDims) {
    require(d < rank, "the operand has no dimension " + std::to_string(d));
    shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(d + 1), 1);
  }
  std::size_t elements = 1;
  for (const std::size_t size : shape)
    elements *= size;
  require(elements == updates.numElements(),
          "updates of shape " + updates.shapeToString() + " do not hold " +
              std::to_string(count) + " slices");
  return updates.dimShuffle(order).reshape(shape);
}

Updates prepare(const Tensor &operand, const Tensor &indices,
                const Tensor &updates, std::size_t indexVectorDim,
                const std::vector<unsigned> &windowDims,
                const Sizes &insertDims,
                const std::vector<unsigned> &operandDims) {
  require(operand.elementType() == updates.elementType(),
          "updates must have the type of the operand");
  const Tensor offsets = indexVectors(indices, indexVectorDim);
  require(offsets.dim(1) == operandDims.size(),
          "there are " + std::to_string(offsets.dim(1)) + " offsets for " +
              std::to_string(operandDims.size()) + " dimensions");
  const Tensor slices =
      windows(updates, windowDims, insertDims, offsets.dim(0), operand.rank());
  Updates result{operand, offsets, slices, {}, {}};
  for (const unsigned dim : operandDims) {
    require(dim < operand.rank(),
            "the operand has no dimension " + std::to_string(dim));
    result.dims.push_back(dim);
    result.sizes.push_back(slices.dim(dim + 1));
  }
  for (unsigned d = 0; d < operand.rank(); ++d) {
    require(slices.dim(d + 1) <= operand.dim(d),
            "slices do not fit in dimension " + std::to_string(d) + " of " +
                operand.shapeToString());
    // Without an offset, a slice is at the beginning.
    if (std::find(operandDims.begin(), operandDims.end(), d) ==
        operandDims.end())
      result.base = result.base.slice(0, slices.dim(d + 1), d);
  }
  checkSlice("scatter", result.base.shape(), result.dims, result.sizes);
  return result;
}

} // namespace

void scatter(Graph &graph, const Tensor &operand, const Tensor &indices,
             const Tensor &updates, std::size_t indexVectorDim,
             std::vector<unsigned> updateWindowDims, Sizes insertWindowDims,
             std::vector<unsigned> scatterDimsToOperandDims, Sequence &prog,
             const DebugContext &debugContext, const OptionFlags &optionFlags) {
  poputil::PoplibsOpDebugInfo di(debugContext,
                                 DI_ARGS(operand, indices, updates));
  const SliceOptions options = parseSliceOptions(optionFlags);
  if (updates.numElements() == 0)
    return;
  const Updates u =
      prepare(operand, indices, updates, indexVectorDim, updateWindowDims,
              insertWindowDims, scatterDimsToOperandDims);
  addSliceCopy(graph, SliceCopy::toBase, u.base, u.offsets, u.slices, u.dims,
               options, prog, {di});
}

void scatter(Graph &graph, const Tensor &operand, const Tensor &indices,
             const Tensor &updates, std::size_t indexVectorDim,
             std::vector<unsigned> updateWindowDims, Sizes insertWindowDims,
             std::vector<unsigned> scatterDimsToOperandDims,
             UpdateComputationFunc &updateComputation, Sequence &prog,
             const DebugContext &debugContext, const OptionFlags &optionFlags) {
  poputil::PoplibsOpDebugInfo di(debugContext,
                                 DI_ARGS(operand, indices, updates));
  parseSliceOptions(optionFlags);
  if (updates.numElements() == 0)
    return;
  const Updates u =
      prepare(operand, indices, updates, indexVectorDim, updateWindowDims,
              insertWindowDims, scatterDimsToOperandDims);
  prog.add(countedLoop(
      graph, u.offsets.dim(0),
      [&](const Tensor &i) {
        Sequence body({}, {di});
        const Tensor offset =
            dynamicSlice(graph, u.offsets, i, {0}, {1}, body, {di})
                .squeeze({0});
        Tensor update =
            dynamicSlice(graph, u.slices, i, {0}, {1}, body, {di}).squeeze({0});
        Tensor present = dynamicSlice(graph, u.base, offset, u.dims, u.sizes,
                                      body, {di}, optionFlags);
        const Tensor combined = updateComputation(graph, present, update, body);
        dynamicUpdate(graph, u.base, combined, offset, u.dims, u.sizes, body,
                      {di}, optionFlags);
        return body;
      },
      {di}));
}

} // namespace popops
