#include "popops/slices/slice_kernel.hpp"
#include "popops/slices/sliceable_tensor.hpp"

#include <popops/DynamicSlice.hpp>
#include <poputil/exceptions.hpp>

#include <algorithm>

namespace popops {

using namespace ipumodel;
using namespace poplar;
using poplar::program::Copy;
using poplar::program::Sequence;
using poputil::poplibs_error;

namespace {

using Sizes = std::vector<std::size_t>;

std::size_t numOffsets(const Tensor &offset) {
  if (offset.rank() > 2)
    throw poplibs_error("The offset of a slice has a rank of at most 2, not " +
                        offset.shapeToString());
  return offset.rank() == 0 ? 0 : offset.dim(0);
}

// [1, dims]; all elements of an offset's row are equal, one per tile.
Tensor asRow(const Tensor &offset) {
  const Tensor values = offset.rank() == 2 ? offset.slice(0, 1, 1) : offset;
  return values.reshape({1, offset.dim(0)});
}

bool isEmpty(const Sizes &sizes) {
  return std::find(sizes.begin(), sizes.end(), 0) != sizes.end();
}

Tensor firstSlice(Tensor t, const Sizes &dims, const Sizes &sizes) {
  for (std::size_t i = 0; i < dims.size(); ++i)
    t = t.slice(0, sizes[i], dims[i]);
  return t;
}

void checkShape(const char *function, const Tensor &slice, const Tensor &t,
                const Sizes &dims, const Sizes &sizes) {
  const Sizes shape = sliceShape(t.shape(), dims, sizes);
  if (slice.shape() != shape)
    throw graph_connection_error(
        std::string(function) + ": a tensor of shape " + slice.shapeToString() +
        " is not a slice of " + t.shapeToString() + " of these sizes");
}

} // namespace

Tensor createSliceableTensor(Graph &graph, const Type &type, const Sizes &shape,
                             const Sizes &dims, const Sizes &sizes,
                             std::size_t minGrainSize,
                             const DebugContext &debugContext) {
  poputil::PoplibsOpDebugInfo di(
      debugContext, DI_ARGS(type, shape, dims, sizes, minGrainSize));
  checkSlice("createSliceableTensor", shape, dims, sizes);
  Sizes outer;
  for (const std::size_t i : sliceOrder(shape, dims, sizes))
    outer.push_back(dims[i]);
  const Tensor t =
      addSliceable(graph, type, shape, outer, minGrainSize, {di, "sliceable"});
  di.addOutput(t);
  return t;
}

Tensor createSliceableTensorFromSlice(Graph &graph, const Tensor &s,
                                      const Sizes &dims, const Sizes &numSlices,
                                      const DebugContext &debugContext) {
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(s, dims, numSlices));
  Sizes sizes;
  for (const std::size_t d : dims)
    sizes.push_back(d < s.rank() ? s.dim(d) : 0);
  checkSlice("createSliceableTensorFromSlice", s.shape(), dims, sizes,
             numSlices.size());
  Sizes shape = s.shape();
  std::size_t count = 1;
  for (std::size_t i = 0; i < dims.size(); ++i) {
    shape[dims[i]] *= numSlices[i];
    count *= numSlices[i];
  }
  const Sizes order = sliceOrder(shape, dims, sizes);
  Sizes cloned;
  for (const std::size_t i : order)
    cloned.push_back(numSlices[i]);
  for (std::size_t d = 0; d < s.rank(); ++d)
    cloned.push_back(s.dim(d));
  Tensor t = addSlicesLike(graph, s, count, {di, "sliceable"}).reshape(cloned);
  // Each number of slices goes before the dimension it multiplies.
  for (std::size_t i = 0; i < order.size(); ++i) {
    const auto last = static_cast<unsigned>(order.size() - i - 1);
    const std::size_t dim = last + dims[order[i]];
    t = t.dimRoll(0, static_cast<unsigned>(dim))
            .flatten(static_cast<unsigned>(dim),
                     static_cast<unsigned>(dim + 2));
  }
  di.addOutput(t);
  return t;
}

Tensor createSliceTensor(Graph &graph, const Tensor &t, const Sizes &dims,
                         const Sizes &sizes, std::size_t numIndices,
                         const DebugContext &debugContext) {
  if (numIndices != 1)
    return createSliceTensor(graph, t.elementType(), t.shape(), dims, sizes,
                             numIndices, SlicePlan(), {}, debugContext);
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(t, dims, sizes));
  checkSlice("createSliceTensor", t.shape(), dims, sizes);
  const Tensor slice =
      cloneSlice(graph, firstSlice(t, dims, sizes), {di, "slice"}).expand({0});
  di.addOutput(slice);
  return slice;
}

Graph::TileToTensorMapping getSliceMapping(Graph &graph, const Tensor &t,
                                           const Sizes &dims,
                                           const Sizes &sizes) {
  checkSlice("getSliceMapping", t.shape(), dims, sizes);
  return graph.getTileMapping(firstSlice(t, dims, sizes));
}

Tensor createDynamicSliceOutput(Graph &graph, const Tensor &t,
                                const Tensor &offset, const Sizes &dims,
                                const Sizes &sizes,
                                const DebugContext &debugContext,
                                const OptionFlags &options) {
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(t, offset, dims, sizes));
  parseSliceOptions(options);
  checkSlice("dynamicSlice", t.shape(), dims, sizes, numOffsets(offset));
  const Tensor first = firstSlice(t, dims, sizes);
  if (dims.empty() || isEmpty(sizes))
    return first;
  const Tensor out = cloneSlice(graph, first, {di});
  di.addOutput(out);
  return out;
}

void dynamicSliceWithOutput(Graph &graph, const Tensor &output, const Tensor &t,
                            const Tensor &offset, const Sizes &dims,
                            const Sizes &sizes, Sequence &prog,
                            const DebugContext &debugContext,
                            const OptionFlags &options) {
  poputil::PoplibsOpDebugInfo di(debugContext,
                                 DI_ARGS(output, t, offset, dims, sizes));
  checkSlice("dynamicSlice", t.shape(), dims, sizes, numOffsets(offset));
  checkShape("dynamicSlice", output, t, dims, sizes);
  const SliceOptions parsed = parseSliceOptions(options);
  if (dims.empty())
    prog.add(Copy(t, output, false, {di}));
  else if (!isEmpty(sizes))
    addSliceCopy(graph, SliceCopy::fromBase, t, asRow(offset),
                 output.expand({0}), dims, parsed, prog, {di});
}

Tensor dynamicSlice(Graph &graph, const Tensor &t, const Tensor &offset,
                    const Sizes &dims, const Sizes &sizes, Sequence &prog,
                    const DebugContext &debugContext,
                    const OptionFlags &options) {
  const Tensor out = createDynamicSliceOutput(graph, t, offset, dims, sizes,
                                              debugContext, options);
  if (!dims.empty())
    dynamicSliceWithOutput(graph, out, t, offset, dims, sizes, prog,
                           debugContext, options);
  return out;
}

void dynamicUpdate(Graph &graph, const Tensor &t, const Tensor &s,
                   const Tensor &offset, const Sizes &dims, const Sizes &sizes,
                   Sequence &prog, const DebugContext &debugContext,
                   const OptionFlags &options) {
  poputil::PoplibsOpDebugInfo di(debugContext,
                                 DI_ARGS(t, s, offset, dims, sizes));
  const SliceOptions parsed = parseSliceOptions(options);
  checkSlice("dynamicUpdate", t.shape(), dims, sizes, numOffsets(offset));
  checkShape("dynamicUpdate", s, t, dims, sizes);
  if (dims.empty())
    prog.add(Copy(s, t, false, {di}));
  else if (!isEmpty(sizes))
    addSliceCopy(graph, SliceCopy::toBase, t, asRow(offset), s.expand({0}),
                 dims, parsed, prog, {di});
}

} // namespace popops
