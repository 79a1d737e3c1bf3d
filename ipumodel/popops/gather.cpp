#include <popops/DynamicSlice.hpp>
#include <popops/Gather.hpp>
#include <poputil/exceptions.hpp>

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
  // The slices take the place of their dimension, which is of size one.
  return slices.dimRoll(0, axis).squeeze({axis + 1});
}

} // namespace popops
