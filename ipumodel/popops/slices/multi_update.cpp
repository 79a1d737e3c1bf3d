// Combines slices with the present content of a tensor: multiUpdateAdd, -Max
// and -Mul, and what their grouped forms need.
#include "poplar/plan/native_kernel.hpp"
#include "poplar/values/half.hpp"
#include "poplar/values/type_info.hpp"
#include "popops/slices/slice_kernel.hpp"
#include "popops/slices/slice_plan.hpp"
#include "poputil/unaliased_input.hpp"

#include <popops/DynamicSlice.hpp>
#include <popops/Operation.hpp>
#include <poputil/TileMapping.hpp>
#include <poputil/VertexTemplates.hpp>
#include <poputil/exceptions.hpp>

#include <algorithm>

namespace ipumodel {

namespace {

using namespace poplar;
using poplar::program::Sequence;
using poputil::poplibs_error;
using Sizes = std::vector<std::size_t>;

// An element of a HALF tensor, computed in float.
struct Half {
  std::uint16_t bits;
  operator float() const { // NOLINT(google-explicit-constructor)
    return ipumodel::halfToFloat(bits);
  }
  Half &operator=(float value) {
    bits = ipumodel::floatToHalf(value);
    return *this;
  }
};

// Element and Value differ for HALF only.
template <class Element, class Value>
void combineRow(popops::Operation op, Element *t, const Element *s, Value scale,
                std::size_t n) {
  switch (op) {
  case popops::Operation::ADD:
    for (std::size_t i = 0; i < n; ++i)
      t[i] = Value(t[i]) + scale * Value(s[i]);
    return;
  case popops::Operation::MUL:
    for (std::size_t i = 0; i < n; ++i)
      t[i] = Value(t[i]) * Value(s[i]);
    return;
  default: // MAX
    for (std::size_t i = 0; i < n; ++i)
      t[i] = std::max<Value>(t[i], s[i]);
  }
}

// Operands: t [groups, rows, columns], offsets [groups, n], s [groups, n,
// columns] and for ADD a scale.
class MultiUpdate : public ipumodel::NativeInstruction {
public:
  MultiUpdate(ipumodel::StepId step, std::vector<NativeOperand> operands,
              popops::Operation op, OutOfRange outOfRange, Type type,
              Type scaleType, std::size_t groups, std::size_t rows,
              std::size_t columns, std::size_t numSlices)
      : NativeInstruction(step, std::move(operands)), op_(op),
        outOfRange_(outOfRange), type_(type), scaleType_(scaleType),
        groups_(groups), rows_(rows), columns_(columns), numSlices_(numSlices) {
  }

protected:
  void compute(char *const *operands, char *, ThreadPool &pool) const override {
    if (type_ == HALF)
      update<Half, float>(operands, pool);
    else if (type_ == FLOAT)
      update<float, float>(operands, pool);
    else if (type_ == INT) // wraps
      update<std::int32_t, std::int64_t>(operands, pool);
    else
      update<std::uint32_t, std::uint64_t>(operands, pool);
  }

private:
  // Each task owns some rows of `t`, so that slices are applied in order.
  template <class Element, class Value>
  void update(char *const *operands, ThreadPool &pool) const {
    constexpr std::size_t kTaskElements = 32768, kMaxTasks = 16;
    const std::size_t allRows = groups_ * rows_;
    const std::size_t tasks = std::clamp<std::size_t>(
        groups_ * numSlices_ * columns_ / kTaskElements, 1,
        std::min(kMaxTasks, std::max<std::size_t>(1, allRows)));
    const auto scale = scaleOf<Element, Value>(operands);
    pool.run(tasks, [&](std::size_t task) {
      const std::size_t begin = allRows * task / tasks;
      const std::size_t end = allRows * (task + 1) / tasks;
      for (std::size_t first = begin; first < end;) {
        const std::size_t group = first / rows_;
        const std::size_t last = std::min(end, (group + 1) * rows_);
        updateRows<Element>(operands, group, first - group * rows_,
                            last - group * rows_, scale);
        first = last;
      }
    });
  }

  // Applies those slices of a group that belong to rows [begin, end).
  template <class Element, class Value>
  void updateRows(char *const *operands, std::size_t group, std::size_t begin,
                  std::size_t end, Value scale) const {
    auto *t =
        reinterpret_cast<Element *>(operands[0]) + group * rows_ * columns_;
    const auto *offsets = reinterpret_cast<const std::uint32_t *>(operands[1]) +
                          group * numSlices_;
    const auto *s = reinterpret_cast<const Element *>(operands[2]) +
                    group * numSlices_ * columns_;
    for (std::size_t i = 0; i < numSlices_; ++i) {
      std::size_t row = offsets[i];
      if (row >= rows_ && outOfRange_ == OutOfRange::startAtZero)
        row = 0;
      if (row >= begin && row < end)
        combineRow(op_, t + row * columns_, s + i * columns_, scale, columns_);
    }
  }

  template <class Element, class Value>
  Value scaleOf(char *const *operands) const {
    if (op_ != popops::Operation::ADD)
      return Value(1);
    if (scaleType_ == FLOAT)
      return Value(*reinterpret_cast<const float *>(operands[3]));
    return Value(*reinterpret_cast<const Element *>(operands[3]));
  }

  popops::Operation op_;
  OutOfRange outOfRange_;
  Type type_, scaleType_;
  std::size_t groups_, rows_, columns_, numSlices_;
};

// The order of dimensions with the one at `from` moved to `to`.
std::vector<unsigned> moved(std::size_t rank, std::size_t from,
                            std::size_t to) {
  std::vector<unsigned> order;
  for (unsigned d = 0; d < rank; ++d)
    if (d != from)
      order.push_back(d);
  order.insert(order.begin() + static_cast<std::ptrdiff_t>(to),
               static_cast<unsigned>(from));
  return order;
}

// t <- t, offsets, slices, [scale]; all but the scale have a group dimension
// first, which `dim` does not count.
struct UpdateOperator {
  static constexpr const char *kName = "popops.multiUpdate";
  popops::Operation operation;
  OutOfRange outOfRange;
  std::size_t dim;

  template <class Io> void fields(Io &io) {
    io.choice(operation, popops::Operation::LOG_ADD);
    io.choice(outOfRange, OutOfRange::zero);
    io(dim);
  }
  InstructionPtr lower(const NativeOp &op, const std::string &name,
                       PlanBuilder &builder) const;
  std::string vertexType(const NativeOp &op) const {
    return poputil::templateVertex("popops::MultiUpdateOp",
                                   op.inputs.at(0)->type);
  }
};

InstructionPtr UpdateOperator::lower(const NativeOp &op,
                                     const std::string &name,
                                     PlanBuilder &builder) const {
  const ipumodel::TensorData &t = *op.inputs.at(0);
  const ipumodel::TensorData &offsets = *op.inputs.at(1);
  const ipumodel::TensorData &s = *op.inputs.at(2);
  ipumodel::ScratchFrame frame(builder.memory());
  const auto operand = [&](const ipumodel::View &view, const Type &type,
                           Access access) {
    return NativeOperand(view, ipumodel::sizeOf(type), access, builder, frame);
  };
  const std::size_t rank = t.view.shape().size();
  std::vector<NativeOperand> operands{
      operand(t.view.dimShuffle(moved(rank, dim + 1, 1)), t.type,
              Access::readWrite),
      operand(offsets.view, offsets.type, Access::read),
      operand(s.view.dimShuffle(moved(rank + 1, dim + 2, 2)), s.type,
              Access::read)};
  Type scaleType = t.type;
  if (operation == popops::Operation::ADD) {
    const ipumodel::TensorData &scale = *op.inputs.at(3);
    scaleType = scale.type;
    operands.push_back(operand(scale.view, scale.type, Access::read));
  }
  const std::size_t groups = t.view.shape().at(0);
  const std::size_t rows = t.view.shape().at(dim + 1);
  const std::size_t elements = s.view.numElements();
  return std::make_shared<MultiUpdate>(
      builder.addStep(
          {kName, name, elements / 2 + 1, elements * ipumodel::sizeOf(s.type)}),
      std::move(operands), operation, outOfRange, t.type, scaleType, groups,
      rows, rows ? t.view.numElements() / (groups * rows) : 0,
      s.view.shape().at(1));
}

// All tensors have a group dimension first, which `dim` does not count. `scale`
// is null except for ADD.
void addUpdate(Graph &graph, const char *function, const Tensor &t,
               const Tensor &s, const Tensor &offsets, const Tensor *scale,
               std::size_t dim, popops::Operation op, Sequence &prog,
               const OptionFlags &options, const DebugContext &context) {
  const auto require = [&](bool condition, const std::string &what) {
    if (!condition)
      throw poplibs_error(std::string(function) + ": " + what);
  };
  const Type type = t.elementType();
  require(type == FLOAT || type == HALF || type == INT || type == UNSIGNED_INT,
          type.toString() + " is not supported");
  require(s.elementType() == type, "slices must have the type of the tensor");
  require(offsets.elementType() == UNSIGNED_INT,
          "offsets must be UNSIGNED_INT");
  const std::size_t numSlices = offsets.dim(1);
  Sizes shape = sliceShape(t.shape(), {dim + 1}, {1});
  shape.insert(shape.begin() + 1, numSlices);
  require(s.shape() == shape, s[0].shapeToString() + " does not hold " +
                                  std::to_string(numSlices) + " slices of " +
                                  t[0].shapeToString());
  std::vector<Tensor> inputs{
      t, offsets, ipumodel::unaliasedInput(t, s, graph, prog, context)};
  if (scale) {
    const Type scaleType = scale->elementType();
    require(scale->rank() == 0, "the scale must be a scalar, not of shape " +
                                    scale->shapeToString());
    require(scaleType == type || (type == HALF && scaleType == FLOAT),
            "the scale must have the type of the tensor, or FLOAT for HALF");
    inputs.push_back(*scale);
  }
  const OutOfRange outOfRange = parseSliceOptions(options).outOfRange;
  ipumodel::addNative(prog, UpdateOperator{op, outOfRange, dim}, {t}, inputs,
                      context);
}

} // namespace

void addGroupedUpdate(Graph &graph, const char *function, const Tensor &t,
                      const Tensor &s, const Tensor &offsets,
                      const Tensor *scale, const Sizes &dims,
                      const Sizes &sizes, popops::Operation op, Sequence &prog,
                      const OptionFlags &options,
                      const DebugContext &debugContext) {
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(t, s, offsets, dims));
  if (offsets.rank() != 3 || t.rank() != 3 || dims.size() != 1)
    throw poplibs_error(std::string(function) +
                        ": offsets of shape [n, 1] for one dimension of a "
                        "matrix are needed");
  checkSlice(function, t[0].shape(), dims, sizes, offsets.dim(2));
  for (std::size_t group = 0; group < t.dim(0); ++group)
    addValidation(graph, t[group], offsets[group], dims,
                  parseSliceOptions(options), prog, {di});
  addUpdate(graph, function, t, s, offsets.squeeze({2}), scale, dims[0], op,
            prog, options, {di});
}

} // namespace ipumodel

namespace popops {

using namespace ipumodel;

namespace {

void addPlannedUpdate(Graph &graph, const char *function, const Tensor &t,
                      const Tensor &s, const Tensor &offsets,
                      const Tensor *scale, const Sizes &dims,
                      const Sizes &sizes, Operation op, Sequence &prog,
                      const SlicePlan &plan, const OptionFlags &options,
                      const DebugContext &debugContext) {
  checkPlan(function, plan, 1, t.shape(), dims, sizes);
  addGroupedUpdate(graph, function, t.expand({0}), s.expand({0}),
                   offsets.expand({0}), scale, dims, sizes, op, prog, options,
                   debugContext);
}

} // namespace

void multiUpdateAdd(Graph &graph, const Tensor &t, const Tensor &s,
                    const Tensor &offsets, const Tensor &scale,
                    const Sizes &dims, const Sizes &sizes, Sequence &prog,
                    const SlicePlan &plan, const OptionFlags &options,
                    const DebugContext &debugContext) {
  addPlannedUpdate(graph, "multiUpdateAdd", t, s, offsets, &scale, dims, sizes,
                   Operation::ADD, prog, plan, options, debugContext);
}

void multiUpdateMax(Graph &graph, const Tensor &t, const Tensor &s,
                    const Tensor &offsets, const Sizes &dims,
                    const Sizes &sizes, Sequence &prog, const SlicePlan &plan,
                    const OptionFlags &options,
                    const DebugContext &debugContext) {
  addPlannedUpdate(graph, "multiUpdateMax", t, s, offsets, nullptr, dims, sizes,
                   Operation::MAX, prog, plan, options, debugContext);
}

void multiUpdateMul(Graph &graph, const Tensor &t, const Tensor &s,
                    const Tensor &offsets, const Sizes &dims,
                    const Sizes &sizes, Sequence &prog, const SlicePlan &plan,
                    const OptionFlags &options,
                    const DebugContext &debugContext) {
  addPlannedUpdate(graph, "multiUpdateMul", t, s, offsets, nullptr, dims, sizes,
                   Operation::MUL, prog, plan, options, debugContext);
}

void multiUpdateAdd(Graph &graph, const Tensor &t, const Tensor &s,
                    ArrayRef<unsigned> offsets, const Tensor &scale,
                    std::size_t dim, Sequence &prog,
                    const DebugContext &debugContext,
                    const OptionFlags &optionFlags) {
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(t, s, scale, dim));
  checkStaticOffsets("multiUpdateAdd", t, offsets, dim,
                     parseSliceOptions(optionFlags));
  const Tensor constant = graph.addConstant(UNSIGNED_INT, {1, offsets.size()},
                                            offsets, {di, "offsets"});
  poputil::mapTensorLinearly(graph, constant);
  addUpdate(graph, "multiUpdateAdd", t.expand({0}), s.expand({0}), constant,
            &scale, dim, Operation::ADD, prog, optionFlags, {di});
}

} // namespace popops
