#include "popops/slices/slice_kernel.hpp"

#include "poplar/plan/native_kernel.hpp"
#include "poplar/values/type_info.hpp"
#include "poputil/unaliased_input.hpp"

#include <poputil/exceptions.hpp>

#include <algorithm>
#include <cassert>
#include <cstring>

namespace ipumodel {

namespace {

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
  Geometry(const TensorData &base, const TensorData &slices,
           const std::vector<std::size_t> &dims, std::size_t groups)
      : numSlices(slices.view.shape().at(0)), numOffsets(dims.size()),
        slicesPerGroup(std::max<std::size_t>(1, numSlices / groups)),
        rowBytes(sizeOf(base.type)) {
    Shape shape = base.view.shape();
    if (groups != 1)
      shape.erase(shape.begin());
    for (std::size_t d = 0; d < shape.size(); ++d)
      axes.push_back({shape[d], slices.view.shape().at(d + 1), std::nullopt});
    for (std::size_t i = 0; i < dims.size(); ++i)
      axes.at(dims[i]).offset = i;
    while (!axes.empty() && !axes.back().offset) {
      rowBytes *= axes.back().base;
      axes.pop_back();
    }
    for (const Axis &axis : axes) {
      rowsPerSlice *= axis.slice;
      rowsPerGroup *= axis.base;
    }
    assert((groups == 1 || rowsPerSlice == 1) && "groups are sliced by rows");
  }

  std::vector<Axis> axes; // of a group; the last one is sliced
  std::size_t numSlices;  // of all groups
  std::size_t numOffsets;
  std::size_t slicesPerGroup;
  std::size_t rowBytes;
  std::size_t rowsPerSlice = 1;
  std::size_t rowsPerGroup = 1;
};

// Operands: base, offsets, slices.
class SliceInstruction : public NativeInstruction {
public:
  SliceInstruction(StepId step, std::vector<NativeOperand> operands,
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
    if (rows == 1) {
      copySingleRows(operands, 0, geometry_.numSlices);
      return;
    }
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

  // Slices of one row each.
  void copySingleRows(char *const *operands, std::size_t slice,
                      std::size_t end) const {
    const std::size_t bytes = geometry_.rowBytes;
    const auto *offsets = reinterpret_cast<const std::uint32_t *>(operands[1]) +
                          slice * geometry_.numOffsets;
    std::size_t group = slice / geometry_.slicesPerGroup;
    std::size_t nextGroup = (group + 1) * geometry_.slicesPerGroup;
    for (; slice < end; ++slice, offsets += geometry_.numOffsets) {
      if (slice == nextGroup) {
        ++group;
        nextGroup += geometry_.slicesPerGroup;
      }
      std::size_t baseRow = 0;
      bool isInside = true;
      for (const Axis &axis : geometry_.axes) {
        const std::size_t index = axis.offset ? offsets[*axis.offset] : 0;
        isInside = isInside && index < axis.base;
        baseRow = baseRow * axis.base + (index < axis.base ? index : 0);
      }
      char *const inSlices = operands[2] + slice * bytes;
      char *const inBase =
          operands[0] + (group * geometry_.rowsPerGroup + baseRow) * bytes;
      if (!isInside && outOfRange_ != OutOfRange::startAtZero) {
        if (outOfRange_ == OutOfRange::zero &&
            direction_ == SliceCopy::fromBase)
          std::memset(inSlices, 0, bytes);
      } else if (direction_ == SliceCopy::fromBase) {
        std::memcpy(inSlices, inBase, bytes);
      } else {
        std::memcpy(inBase, inSlices, bytes);
      }
    }
  }

  // Rows are numbered over all slices.
  void copyTask(char *const *operands, std::size_t row, std::size_t end) const {
    if (geometry_.rowsPerSlice == 1) {
      copySingleRows(operands, row, end);
      return;
    }
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
  const TensorData &base = *op.inputs.at(0);
  const TensorData &slices = *op.inputs.at(2);
  ScratchFrame frame(builder.memory());
  const auto operand = [&](const TensorData &tensor, Access access) {
    return NativeOperand(tensor.view, sizeOf(tensor.type), access, builder,
                         frame);
  };
  // The destination is also read: an offset out of range leaves it unchanged.
  const bool fromBase = direction == SliceCopy::fromBase;
  std::vector<NativeOperand> operands{
      operand(base, fromBase ? Access::read : Access::readWrite),
      operand(*op.inputs.at(1), Access::read),
      operand(slices, fromBase ? Access::readWrite : Access::read)};
  const std::size_t bytes = slices.view.numElements() * sizeOf(slices.type);
  return std::make_shared<SliceInstruction>(
      builder.addStep(
          {kName, name, bytes / 8 / builder.sharingTiles() + 1, bytes}),
      std::move(operands), direction, outOfRange,
      Geometry(base, slices, dims, groups));
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

void addCopy(Graph &graph, const Tensor &base, const Tensor &offsets,
             const Tensor &slices, SliceOperator what, Sequence &prog,
             const DebugContext &debugContext) {
  if (offsets.elementType() != UNSIGNED_INT)
    throw poplibs_error("Offsets of slices must be UNSIGNED_INT, not " +
                        offsets.elementType().toString());
  if (base.elementType() != slices.elementType())
    throw poplibs_error("Slices of a tensor of " +
                        base.elementType().toString() + " are not " +
                        slices.elementType().toString());
  const bool fromBase = what.direction == SliceCopy::fromBase;
  const Tensor &destination = fromBase ? slices : base;
  const Tensor source = unaliasedInput(destination, fromBase ? base : slices,
                                       graph, prog, debugContext);
  addNative(prog, std::move(what), {destination},
            {fromBase ? source : base, offsets, fromBase ? slices : source},
            debugContext);
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
  addCopy(graph, base, offsets, slices,
          SliceOperator{direction, options.outOfRange, dims}, prog,
          debugContext);
}

void addGroupedSliceCopy(Graph &graph, SliceCopy direction, const Tensor &base,
                         const Tensor &offsets, const Tensor &slices,
                         const SliceOptions &options, Sequence &prog,
                         const DebugContext &debugContext) {
  const Tensor rows = base.dim(0) == 1 ? base[0] : base;
  addCopy(graph, rows, offsets.flatten(0, 2), slices.flatten(0, 2),
          SliceOperator{direction, options.outOfRange, {0}, base.dim(0)}, prog,
          debugContext);
}

} // namespace ipumodel
