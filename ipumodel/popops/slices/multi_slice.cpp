#include "popops/slices/slice_kernel.hpp"
#include "popops/slices/slice_plan.hpp"
#include "popops/slices/sliceable_tensor.hpp"

#include <popops/DynamicSlice.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Reduce.hpp>
#include <poputil/TileMapping.hpp>
#include <poputil/exceptions.hpp>

namespace popops {

using namespace ipumodel;
using namespace poplar;
using poplar::program::Sequence;
using poputil::poplibs_error;

namespace {

using Sizes = std::vector<std::size_t>;

void check(const char *function, const Tensor &t, const Tensor &offsets,
           const Sizes &dims, const Sizes &sizes) {
  if (offsets.rank() != 2)
    throw poplibs_error(std::string(function) +
                        ": offsets have a rank of 2, not the shape " +
                        offsets.shapeToString());
  checkSlice(function, t.shape(), dims, sizes, offsets.dim(1));
}

} // namespace

Tensor createSliceableTensor(Graph &graph, const Type &type, const Sizes &shape,
                             const Sizes &dims, const Sizes &sizes,
                             const SlicePlan &plan, const OptionFlags &options,
                             const DebugContext &debugContext) {
  parseSliceOptions(options);
  if (!isPlanned(plan))
    return createSliceableTensor(graph, type, shape, dims, sizes, 0,
                                 debugContext);
  poputil::PoplibsOpDebugInfo di(debugContext,
                                 DI_ARGS(type, shape, dims, sizes));
  checkPlan("createSliceableTensor", plan, 1, shape, dims, sizes);
  checkSlice("createSliceableTensor", shape, dims, sizes);
  const Tensor t = graph.addVariable(type, shape, {di, "sliceable"});
  mapRows(graph, t, shape[1]);
  di.addOutput(t);
  return t;
}

Tensor createSliceTensor(Graph &graph, const Type &type, const Sizes &shape,
                         const Sizes &dims, const Sizes &sizes,
                         std::size_t numIndices, const SlicePlan &plan,
                         const OptionFlags &options,
                         const DebugContext &debugContext) {
  poputil::PoplibsOpDebugInfo di(debugContext,
                                 DI_ARGS(type, shape, dims, sizes, numIndices));
  parseSliceOptions(options);
  checkPlan("createSliceTensor", plan, 1, shape, dims, sizes);
  checkSlice("createSliceTensor", shape, dims, sizes);
  Sizes sliced = sliceShape(shape, dims, sizes);
  sliced.insert(sliced.begin(), numIndices);
  Tensor t;
  if (isPlanned(plan)) {
    t = graph.addVariable(type, sliced, {di, "slices"});
    mapRows(graph, t, shape[1]);
  } else {
    Sizes outer{0};
    for (const std::size_t i : sliceOrder(shape, dims, sizes))
      outer.push_back(dims[i] + 1);
    t = addSliceable(graph, type, sliced, outer, 0, {di, "slices"});
  }
  di.addOutput(t);
  return t;
}

Tensor createIndicesTensor(Graph &graph, const Sizes &dims,
                           std::size_t numIndices, const SlicePlan &,
                           const OptionFlags &options,
                           const DebugContext &debugContext) {
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(dims, numIndices));
  parseSliceOptions(options);
  const Tensor t = graph.addVariable(UNSIGNED_INT, {numIndices, dims.size()},
                                     {di, "indices"});
  poputil::mapTensorLinearly(graph, t);
  di.addOutput(t);
  return t;
}

Tensor multiSlice(Graph &graph, const Tensor &t, const Tensor &offsets,
                  const Sizes &dims, const Sizes &sizes, Sequence &prog,
                  const SlicePlan &plan, const OptionFlags &options,
                  const DebugContext &debugContext) {
  poputil::PoplibsOpDebugInfo di(debugContext,
                                 DI_ARGS(t, offsets, dims, sizes));
  check("multiSlice", t, offsets, dims, sizes);
  checkPlan("multiSlice", plan, 1, t.shape(), dims, sizes);
  const SliceOptions parsed = parseSliceOptions(options);
  addValidation(graph, t, offsets, dims, parsed, prog, {di});
  const Tensor out =
      isPlanned(plan)
          ? createSliceTensor(graph, t.elementType(), t.shape(), dims, sizes,
                              offsets.dim(0), plan, options, {di})
          : createSliceTensor(graph, t, dims, sizes, offsets.dim(0), {di});
  copyMetadata(t, out, prog, {di});
  if (dims.empty())
    prog.add(program::Copy(
        t.expand({0}).broadcast(static_cast<unsigned>(offsets.dim(0)), 0), out,
        false, {di}));
  else
    addSliceCopy(graph, SliceCopy::fromBase, t, offsets, out, dims, parsed,
                 prog, {di});
  di.addOutput(out);
  return out;
}

Tensor multiSlice(Graph &graph, const Tensor &t, ArrayRef<unsigned> offsets,
                  std::size_t dim, Sequence &prog,
                  const DebugContext &debugContext,
                  const OptionFlags &optionFlags) {
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(t, dim));
  checkStaticOffsets("multiSlice", t, offsets, dim,
                     parseSliceOptions(optionFlags));
  const Tensor constant = graph.addConstant(UNSIGNED_INT, {offsets.size(), 1},
                                            offsets, {di, "offsets"});
  poputil::mapTensorLinearly(graph, constant);
  return multiSlice(graph, t, constant, {dim}, {1}, prog, SlicePlan(),
                    optionFlags, {di});
}

void multiUpdate(Graph &graph, const Tensor &t, const Tensor &s,
                 const Tensor &offsets, const Sizes &dims, const Sizes &sizes,
                 Sequence &prog, const SlicePlan &plan,
                 const OptionFlags &options, const DebugContext &debugContext) {
  poputil::PoplibsOpDebugInfo di(debugContext,
                                 DI_ARGS(t, s, offsets, dims, sizes));
  check("multiUpdate", t, offsets, dims, sizes);
  checkPlan("multiUpdate", plan, 1, t.shape(), dims, sizes);
  Sizes shape = sliceShape(t.shape(), dims, sizes);
  shape.insert(shape.begin(), offsets.dim(0));
  if (s.shape() != shape)
    throw poplibs_error("multiUpdate: " + s.shapeToString() +
                        " does not hold slices of these sizes of " +
                        t.shapeToString());
  const SliceOptions parsed = parseSliceOptions(options);
  addValidation(graph, t, offsets, dims, parsed, prog, {di});
  if (!dims.empty())
    addSliceCopy(graph, SliceCopy::toBase, t, offsets, s, dims, parsed, prog,
                 {di});
  else if (offsets.dim(0) != 0)
    prog.add(program::Copy(s[offsets.dim(0) - 1], t, false, {di}));
}

} // namespace popops
