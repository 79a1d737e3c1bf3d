#include "popops/slice_kernel.hpp"

#include "poplar/plan/native_kernel.hpp"
#include "poplar/values/type_info.hpp"
#include "poputil/unaliased_input.hpp"

#include <poputil/exceptions.hpp>

#include <algorithm>
#include <cstring>

namespace popops {

namespace {

using ipumodel::Access;
using ipumodel::InstructionPtr;
using ipumodel::NativeOp;
using ipumodel::NativeOperand;
using ipumodel::PlanBuilder;
using ipumodel::ThreadPool;
using namespace poplar;
using poplar::program::Sequence;
using poputil::poplibs_error;

// A dimension of the tensor, from the outermost to the innermost sliced one.
struct Axis {
  std::size_t base;
  std::size_t slice;
  std::optional<std::size_t> offset; // index of its offset; empty if not sliced
};

// The layout of slices in the tensor. The elements inside the innermost sliced
// dimension are copied as one row.
struct Geometry {
  Geometry(const ipumodel::TensorData &base, const ipumodel::TensorData &slices,
           const std::vector<std::size_t> &dims)
      : numSlices(slices.view.shape().at(0)), numOffsets(dims.size()),
        rowBytes(ipumodel::sizeOf(base.type)) {
    const ipumodel::Shape &shape = base.view.shape();
    for (std::size_t d = 0; d < shape.size(); ++d)
      axes.push_back({shape[d], slices.view.shape().at(d + 1), std::nullopt});
    for (std::size_t i = 0; i < dims.size(); ++i)
      axes.at(dims[i]).offset = i;
    while (!axes.empty() && !axes.back().offset) {
      rowBytes *= axes.back().base;
      axes.pop_back();
    }
    for (const Axis &axis : axes)
      rowsPerSlice *= axis.slice;
  }

  std::vector<Axis> axes; // the last one is sliced
  std::size_t numSlices;
  std::size_t numOffsets;
  std::size_t rowBytes;
  std::size_t rowsPerSlice = 1;
};

// Operands: base, offsets, slices.
class SliceInstruction : public ipumodel::NativeInstruction {
public:
  SliceInstruction(ipumodel::StepId step, std::vector<NativeOperand> operands,
                   SliceCopy direction, OutOfRange outOfRange,
                   Geometry geometry)
      : NativeInstruction(step, std::move(operands)), direction_(direction),
        outOfRange_(outOfRange), geometry_(std::move(geometry)) {}

protected:
  void compute(char *const *operands, char *, ThreadPool &pool) const override {
    const std::size_t rows = geometry_.rowsPerSlice;
    if (direction_ == SliceCopy::fromBase) {
      copyRows(operands, 0, geometry_.numSlices * rows, pool);
      return;
    }
    // Slices may overlap in the tensor, so they are copied in order.
    for (std::size_t slice = 0; slice < geometry_.numSlices; ++slice)
      copyRows(operands, slice * rows, (slice + 1) * rows, pool);
  }

private:
  void copyRows(char *const *operands, std::size_t begin, std::size_t end,
                ThreadPool &pool) const {
    constexpr std::size_t kTaskBytes = 128 * 1024;
    const std::size_t perTask = std::max<std::size_t>(
        1, kTaskBytes / std::max<std::size_t>(1, geometry_.rowBytes));
    pool.run((end - begin + perTask - 1) / perTask, [&](std::size_t task) {
      const std::size_t first = begin + task * perTask;
      copyTask(operands, first, std::min(end, first + perTask));
    });
  }

  // Rows are numbered over all slices.
  void copyTask(char *const *operands, std::size_t row, std::size_t end) const {
    const std::size_t bytes = geometry_.rowBytes;
    while (row < end) {
      const std::size_t slice = row / geometry_.rowsPerSlice;
      const auto *offsets =
          reinterpret_cast<const std::uint32_t *>(operands[1]) +
          slice * geometry_.numOffsets;
      char *const inSlices = operands[2] + row * bytes;
      if (outOfRange_ != OutOfRange::startAtZero && !isInside(offsets)) {
        const std::size_t next =
            std::min(end, (slice + 1) * geometry_.rowsPerSlice);
        if (outOfRange_ == OutOfRange::zero &&
            direction_ == SliceCopy::fromBase)
          std::memset(inSlices, 0, (next - row) * bytes);
        row = next;
        continue;
      }
      const Axis &inner = geometry_.axes.back();
      const std::size_t baseRow =
          rowInBase(row % geometry_.rowsPerSlice, offsets);
      const std::size_t count =
          std::min({end - row, inner.slice - row % inner.slice,
                    inner.base - baseRow % inner.base});
      char *const inBase = operands[0] + baseRow * bytes;
      if (direction_ == SliceCopy::fromBase)
        std::memcpy(inSlices, inBase, count * bytes);
      else
        std::memcpy(inBase, inSlices, count * bytes);
      row += count;
    }
  }

  bool isInside(const std::uint32_t *offsets) const {
    return std::all_of(
        geometry_.axes.begin(), geometry_.axes.end(), [&](const Axis &axis) {
          return !axis.offset || offsets[*axis.offset] < axis.base;
        });
  }

  std::size_t rowInBase(std::size_t row, const std::uint32_t *offsets) const {
    std::size_t result = 0, stride = 1;
    for (auto axis = geometry_.axes.rbegin(); axis != geometry_.axes.rend();
         ++axis) {
      std::size_t index = row % axis->slice;
      row /= axis->slice;
      if (axis->offset && offsets[*axis->offset] < axis->base)
        index = (index + offsets[*axis->offset]) % axis->base;
      result += index * stride;
      stride *= axis->base;
    }
    return result;
  }

  SliceCopy direction_;
  OutOfRange outOfRange_;
  Geometry geometry_;
};

} // namespace

InstructionPtr SliceOperator::lower(const NativeOp &op, const std::string &name,
                                    PlanBuilder &builder) const {
  const ipumodel::TensorData &base = *op.inputs.at(0);
  const ipumodel::TensorData &slices = *op.inputs.at(2);
  ipumodel::ScratchFrame frame(builder.memory());
  const auto operand = [&](const ipumodel::TensorData &tensor, Access access) {
    return NativeOperand(tensor.view, ipumodel::sizeOf(tensor.type), access,
                         builder, frame);
  };
  // The destination is also read: an offset out of range leaves it unchanged.
  const bool fromBase = direction == SliceCopy::fromBase;
  std::vector<NativeOperand> operands{
      operand(base, fromBase ? Access::read : Access::readWrite),
      operand(*op.inputs.at(1), Access::read),
      operand(slices, fromBase ? Access::readWrite : Access::read)};
  const std::size_t bytes =
      slices.view.numElements() * ipumodel::sizeOf(slices.type);
  return std::make_shared<SliceInstruction>(
      builder.addStep(
          {kName, name, bytes / 8 / builder.sharingTiles() + 1, bytes}),
      std::move(operands), direction, outOfRange, Geometry(base, slices, dims));
}

void checkSlice(const char *function, const std::vector<std::size_t> &shape,
                const std::vector<std::size_t> &dims,
                const std::vector<std::size_t> &sizes,
                std::optional<std::size_t> numOffsets) {
  const std::string name = std::string(function) + ": ";
  if (numOffsets && *numOffsets != dims.size())
    throw poplibs_error(name + std::to_string(*numOffsets) + " offsets for " +
                        std::to_string(dims.size()) + " dimensions");
  if (dims.size() != sizes.size())
    throw poplibs_error(name + std::to_string(sizes.size()) + " sizes for " +
                        std::to_string(dims.size()) + " dimensions");
  std::vector<bool> isSliced(shape.size());
  for (std::size_t i = 0; i < dims.size(); ++i) {
    const std::string dim = "dimension " + std::to_string(dims[i]);
    if (dims[i] >= shape.size())
      throw graph_connection_error(name + "there is no " + dim);
    if (sizes[i] > shape[dims[i]])
      throw graph_connection_error(
          name + "slices of " + std::to_string(sizes[i]) + " do not fit in " +
          dim + " of size " + std::to_string(shape[dims[i]]));
    if (isSliced[dims[i]])
      throw graph_connection_error(name + dim + " is given twice");
    isSliced[dims[i]] = true;
  }
}

std::vector<std::size_t> sliceShape(std::vector<std::size_t> shape,
                                    const std::vector<std::size_t> &dims,
                                    const std::vector<std::size_t> &sizes) {
  for (std::size_t i = 0; i < dims.size(); ++i)
    shape[dims[i]] = sizes[i];
  return shape;
}

namespace {

// The order of dimensions in which sliced ones are the outer ones, if only that
// is the order of `base` in memory; else empty.
std::vector<unsigned> storedOrder(const Tensor &base,
                                  const std::vector<std::size_t> &dims) {
  if (base.isContiguous())
    return {};
  std::vector<unsigned> sliced(dims.begin(), dims.end()), others;
  for (unsigned d = 0; d < base.rank(); ++d)
    if (std::find(dims.begin(), dims.end(), d) == dims.end())
      others.push_back(d);
  std::sort(sliced.begin(), sliced.end());
  do {
    std::vector<unsigned> order = sliced;
    order.insert(order.end(), others.begin(), others.end());
    if (base.dimShuffle(order).isContiguous())
      return order;
  } while (sliced.size() <= 3 &&
           std::next_permutation(sliced.begin(), sliced.end()));
  return {};
}

} // namespace

void addSliceCopy(Graph &graph, SliceCopy direction, const Tensor &givenBase,
                  const Tensor &offsets, const Tensor &givenSlices,
                  const std::vector<std::size_t> &givenDims,
                  const SliceOptions &options, Sequence &prog,
                  const DebugContext &debugContext) {
  Tensor base = givenBase, slices = givenSlices;
  std::vector<std::size_t> dims = givenDims;
  const std::vector<unsigned> order = storedOrder(base, dims);
  if (!order.empty()) {
    base = base.dimShuffle(order);
    std::vector<unsigned> sliceOrder{0};
    for (const unsigned d : order)
      sliceOrder.push_back(d + 1);
    slices = slices.dimShuffle(sliceOrder);
    for (std::size_t &dim : dims)
      dim = static_cast<std::size_t>(
          std::find(order.begin(), order.end(), dim) - order.begin());
  }
  if (offsets.elementType() != UNSIGNED_INT)
    throw poplibs_error("Offsets of slices must be UNSIGNED_INT, not " +
                        offsets.elementType().toString());
  if (base.elementType() != slices.elementType())
    throw poplibs_error("Slices of a tensor of " +
                        base.elementType().toString() + " are not " +
                        slices.elementType().toString());
  const bool fromBase = direction == SliceCopy::fromBase;
  const Tensor &destination = fromBase ? slices : base;
  const Tensor source = ipumodel::unaliasedInput(
      destination, fromBase ? base : slices, graph, prog, debugContext);
  ipumodel::addNative(
      prog, SliceOperator{direction, options.outOfRange, dims}, {destination},
      {fromBase ? source : base, offsets, fromBase ? slices : source},
      debugContext);
}

void addGroupedSliceCopy(Graph &graph, SliceCopy direction, const Tensor &base,
                         const Tensor &offsets, const Tensor &slices,
                         const std::vector<std::size_t> &dims,
                         const SliceOptions &options, Sequence &prog,
                         const DebugContext &debugContext) {
  // The group is one more offset.
  const std::size_t groups = offsets.dim(0), n = offsets.dim(1);
  std::vector<unsigned> group(groups * n);
  for (std::size_t i = 0; i < group.size(); ++i)
    group[i] = static_cast<unsigned>(i / n);
  const Tensor column =
      graph.addConstant(UNSIGNED_INT, {group.size(), 1},
                        ArrayRef<unsigned>(group), {debugContext, "groups"});
  graph.setTileMapping(column, 0);
  std::vector<std::size_t> allDims{0};
  for (const std::size_t dim : dims)
    allDims.push_back(dim + 1);
  addSliceCopy(graph, direction, base, concat(column, offsets.flatten(0, 2), 1),
               slices.flatten(0, 2).expand({1}), allDims, options, prog,
               debugContext);
}

} // namespace popops
