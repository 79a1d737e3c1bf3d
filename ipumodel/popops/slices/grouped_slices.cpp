// Slices of groups of tables, each with offsets of its own.
#include "popops/slices/slice_kernel.hpp"
#include "popops/slices/slice_plan.hpp"
#include "popops/slices/sliceable_tensor.hpp"

#include <popops/DynamicSlice.hpp>
#include <poputil/TileMapping.hpp>
#include <poputil/exceptions.hpp>

namespace popops {

using namespace ipumodel;
using namespace poplar;
using poplar::program::Sequence;
using poputil::poplibs_error;

namespace {

using Sizes = std::vector<std::size_t>;

void checkGroupedPlan(const char *function, const SlicePlan &plan,
                      std::size_t groupSize, const Sizes &shape,
                      const Sizes &dims, const Sizes &sizes) {
  if (!isPlanned(plan))
    throw poplibs_error(std::string(function) + ": a plan is needed");
  checkPlan(function, plan, groupSize, shape, dims, sizes);
  checkSlice(function, shape, dims, sizes);
}

// The tensors of a grouped operation: t, offsets, and for updates slices.
void checkGroups(const char *function, const Tensor &t, const Tensor &offsets,
                 const Tensor *slices, const Sizes &dims, const Sizes &sizes,
                 const SlicePlan &plan) {
  const std::string name = std::string(function) + ": ";
  if (t.rank() == 0 || offsets.rank() != 3)
    throw poplibs_error(name +
                        "offsets have the shape [groups, n, dimensions], "
                        "not " +
                        offsets.shapeToString());
  if (offsets.dim(0) != t.dim(0) ||
      (slices && slices->rank() != 0 && slices->dim(0) != t.dim(0)))
    throw poplibs_error(name + "the tensors have different numbers of groups");
  Sizes shape = t.shape();
  shape.erase(shape.begin());
  checkGroupedPlan(function, plan, t.dim(0), shape, dims, sizes);
  checkSlice(function, shape, dims, sizes, offsets.dim(2));
  if (!slices)
    return;
  shape = sliceShape(shape, dims, sizes);
  shape.insert(shape.begin(), {t.dim(0), offsets.dim(1)});
  if (slices->shape() != shape)
    throw poplibs_error(name + slices->shapeToString() +
                        " does not hold slices of these sizes of " +
                        t.shapeToString());
}

void addGroupValidation(Graph &graph, const Tensor &t, const Tensor &offsets,
                        const Sizes &dims, const SliceOptions &options,
                        Sequence &prog, const DebugContext &context) {
  for (std::size_t group = 0; group < t.dim(0); ++group)
    addValidation(graph, t[group], offsets[group], dims, options, prog,
                  context);
}

} // namespace

Tensor createGroupedSliceableTensor(Graph &graph, const Type &type,
                                    const std::size_t groupSize,
                                    const Sizes &shape, const Sizes &dims,
                                    const Sizes &sizes, const SlicePlan &plan,
                                    const OptionFlags &options,
                                    const DebugContext &debugContext) {
  poputil::PoplibsOpDebugInfo di(debugContext,
                                 DI_ARGS(type, groupSize, shape, dims, sizes));
  parseSliceOptions(options);
  checkGroupedPlan("createGroupedSliceableTensor", plan, groupSize, shape, dims,
                   sizes);
  Sizes grouped = shape;
  grouped.insert(grouped.begin(), groupSize);
  const Tensor t = graph.addVariable(type, grouped, {di, "sliceable"});
  mapRows(graph, t, shape[1]);
  di.addOutput(t);
  return t;
}

Tensor createGroupedSliceTensor(Graph &graph, const Type &type,
                                const std::size_t groupSize, const Sizes &shape,
                                const Sizes &dims, const Sizes &sizes,
                                const std::size_t numIndices,
                                const SlicePlan &plan,
                                const OptionFlags &options,
                                const DebugContext &debugContext) {
  poputil::PoplibsOpDebugInfo di(
      debugContext, DI_ARGS(type, groupSize, shape, dims, sizes, numIndices));
  parseSliceOptions(options);
  checkGroupedPlan("createGroupedSliceTensor", plan, groupSize, shape, dims,
                   sizes);
  Sizes sliced = sliceShape(shape, dims, sizes);
  sliced.insert(sliced.begin(), {groupSize, numIndices});
  const Tensor t = graph.addVariable(type, sliced, {di, "slices"});
  mapRows(graph, t, shape[1]);
  di.addOutput(t);
  return t;
}

Tensor createGroupedIndicesTensor(Graph &graph, const std::size_t groupSize,
                                  const Sizes &dims,
                                  const std::size_t numIndices,
                                  const SlicePlan &plan,
                                  const OptionFlags &options,
                                  const DebugContext &debugContext) {
  poputil::PoplibsOpDebugInfo di(debugContext,
                                 DI_ARGS(groupSize, dims, numIndices));
  parseSliceOptions(options);
  if (isPlanned(plan) && plan.getImpl().problem->groupSize != groupSize)
    throw poplibs_error("createGroupedIndicesTensor: the plan is for " +
                        std::to_string(plan.getImpl().problem->groupSize) +
                        " groups, not " + std::to_string(groupSize));
  const Tensor t = graph.addVariable(
      UNSIGNED_INT, {groupSize, numIndices, dims.size()}, {di, "indices"});
  poputil::mapTensorLinearly(graph, t);
  di.addOutput(t);
  return t;
}

Tensor groupedMultiSlice(Graph &graph, const Tensor &t, const Tensor &offsets,
                         const Sizes &dims, const Sizes &sizes, Sequence &prog,
                         const SlicePlan &plan, const OptionFlags &options,
                         const DebugContext &debugContext) {
  poputil::PoplibsOpDebugInfo di(debugContext,
                                 DI_ARGS(t, offsets, dims, sizes));
  const SliceOptions parsed = parseSliceOptions(options);
  checkGroups("groupedMultiSlice", t, offsets, nullptr, dims, sizes, plan);
  addGroupValidation(graph, t, offsets, dims, parsed, prog, {di});
  const Tensor out = createGroupedSliceTensor(
      graph, t.elementType(), t.dim(0), t[0].shape(), dims, sizes,
      offsets.dim(1), plan, options, {di});
  copyMetadata(t, out, prog, {di});
  addGroupedSliceCopy(graph, SliceCopy::fromBase, t, offsets, out, parsed, prog,
                      {di});
  di.addOutput(out);
  return out;
}

void groupedMultiUpdate(Graph &graph, const Tensor &t, const Tensor &s,
                        const Tensor &offsets, const Sizes &dims,
                        const Sizes &sizes, Sequence &prog,
                        const SlicePlan &plan, const OptionFlags &options,
                        const DebugContext &debugContext) {
  poputil::PoplibsOpDebugInfo di(debugContext,
                                 DI_ARGS(t, s, offsets, dims, sizes));
  const SliceOptions parsed = parseSliceOptions(options);
  checkGroups("groupedMultiUpdate", t, offsets, &s, dims, sizes, plan);
  addGroupValidation(graph, t, offsets, dims, parsed, prog, {di});
  addGroupedSliceCopy(graph, SliceCopy::toBase, t, offsets, s, parsed, prog,
                      {di});
}

void groupedMultiUpdateAdd(Graph &graph, const Tensor &t, const Tensor &s,
                           const Tensor &offsets, const Tensor &scale,
                           const Sizes &dims, const Sizes &sizes,
                           Sequence &prog, const SlicePlan &plan,
                           const OptionFlags &options,
                           const DebugContext &debugContext) {
  checkGroups("groupedMultiUpdateAdd", t, offsets, &s, dims, sizes, plan);
  addGroupedUpdate(graph, "groupedMultiUpdateAdd", t, s, offsets, &scale, dims,
                   sizes, Operation::ADD, prog, options, debugContext);
}

void groupedMultiUpdateMax(Graph &graph, const Tensor &t, const Tensor &s,
                           const Tensor &offsets, const Sizes &dims,
                           const Sizes &sizes, Sequence &prog,
                           const SlicePlan &plan, const OptionFlags &options,
                           const DebugContext &debugContext) {
  checkGroups("groupedMultiUpdateMax", t, offsets, &s, dims, sizes, plan);
  addGroupedUpdate(graph, "groupedMultiUpdateMax", t, s, offsets, nullptr, dims,
                   sizes, Operation::MAX, prog, options, debugContext);
}

void groupedMultiUpdateMul(Graph &graph, const Tensor &t, const Tensor &s,
                           const Tensor &offsets, const Sizes &dims,
                           const Sizes &sizes, Sequence &prog,
                           const SlicePlan &plan, const OptionFlags &options,
                           const DebugContext &debugContext) {
  checkGroups("groupedMultiUpdateMul", t, offsets, &s, dims, sizes, plan);
  addGroupedUpdate(graph, "groupedMultiUpdateMul", t, s, offsets, nullptr, dims,
                   sizes, Operation::MUL, prog, options, debugContext);
}

} // namespace popops
