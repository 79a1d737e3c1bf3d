#include "poplin/matmul/matmul_kernel.hpp"

#include "poplar/operators/scale_factor.hpp"
#include "poplar/plan/float_operand.hpp"
#include "poplar/values/type_info.hpp"
#include "poplin/matmul/gemm.hpp"
#include "poplin/matmul/matmul_stage.hpp"
#include "poplin/matmul/strided_matrix.hpp"
#include "popops/map/scaled_sum.hpp"

#include <poplar/Type.hpp>

#include <algorithm>

namespace ipumodel {

namespace {

constexpr std::size_t kTaskColumns = 64;
// A multiple of all row counts of the product's tiles.
constexpr std::size_t kTileRows = 12;

// Divides `m` rows, with sums of `k` terms, about equally between tasks that
// are worth their overhead and few enough that threads finish at about the same
// time. Each task reads its columns of B, so a few rows are not divided, and
// more are together if there are enough tasks with other columns.
std::size_t rowsPerTask(std::size_t m, std::size_t k, std::size_t columnTasks) {
  constexpr std::size_t kRowTerms = 48 * 128;
  constexpr std::size_t kManyRows = 8 * kTileRows, kManyTasks = 16;
  const std::size_t least =
      m / kManyRows * columnTasks >= kManyTasks ? kManyRows : 2 * kTileRows;
  const std::size_t most =
      std::max(least, kRowTerms / std::max<std::size_t>(1, k));
  const std::size_t tasks = m < 2 * most ? 1 : (m + most - 1) / most;
  const std::size_t tiles = (m + kTileRows - 1) / kTileRows;
  return std::max<std::size_t>(1, (tiles + tasks - 1) / tasks) * kTileRows;
}

TensorData transposed(const TensorData &tensor) {
  TensorData result = tensor;
  result.view = tensor.view.dimShuffle({0, 2, 1});
  return result;
}

// C = A B, or equivalently C' = B' A', and what to do with the result.
struct MatMul {
  TensorData a, b, c;
  ScaleFactor scale;
  bool accumulate; // to C

  MatMul transpose() const {
    return {transposed(b), transposed(a), transposed(c), scale, accumulate};
  }
  // The number of elements that must be copied into or out of the layout the
  // product needs.
  std::size_t staged(PlanBuilder &builder) const {
    const auto isReadInPlace = [&](const TensorData &tensor, bool unitColumns) {
      const std::optional<Strided> strides =
          stridesOf(tensor.view, builder.memory());
      return strides && (!unitColumns || tensor.view.shape()[2] <= 1 ||
                         strides->column == 1);
    };
    return (isReadInPlace(a, false) ? 0 : a.view.numElements()) +
           (isReadInPlace(b, true) ? 0 : b.view.numElements()) +
           (builder.contiguousOffset(c.view, sizeOf(c.type))
                ? 0
                : c.view.numElements());
  }
};

class MatMulInstruction : public Instruction {
public:
  MatMulInstruction(const MatMul &product, PlanBuilder &builder,
                    ScratchFrame frame, StepId step)
      : a_(product.a, false, builder, frame),
        b_(product.b, true, builder, frame),
        c_(product.c, product.accumulate ? Access::readWrite : Access::write,
           builder, frame),
        scale_(product.scale), accumulate_(product.accumulate), step_(step) {
    const Shape &a = product.a.view.shape();
    const Shape &b = product.b.view.shape();
    groups_ = a[0];
    n_ = b[2];
    shape_ = GemmShape::matrix(a[1], n_, a_.row, a_.column, b_.row, n_);
    term_ = {0, 0, a[2]};
    taskRows_ = rowsPerTask(a[1], a[2], groups_ * numColumnTasks());
  }

  void run(ExecutionState &state) const override {
    state.count(step_);
    for (const Replica &replica : state.replicas)
      runReplica(replica, state.pool);
  }

private:
  void runReplica(const Replica &replica, ThreadPool &pool) const {
    const float *a = a_.load(replica, pool);
    const float *b = b_.load(replica, pool);
    float *c = accumulate_ ? c_.loadTarget(replica, pool) : c_.target(replica);
    GemmEpilogue epilogue;
    epilogue.alpha = scale_.in(replica);
    epilogue.accumulate = accumulate_;
    const std::size_t rows = (shape_.m + taskRows_ - 1) / taskRows_;
    const std::size_t columns = numColumnTasks();
    // A thread has neighbouring tasks: of the same rows, which it has made or
    // will use in other operations on the batch, or of the same columns of
    // weights, which it then multiplies by.
    pool.run(groups_ * rows * columns, [&](std::size_t task) {
      const std::size_t inGroup = task % (rows * columns);
      const std::size_t row =
          (accumulate_ ? inGroup % rows : inGroup / columns) * taskRows_;
      const std::size_t column =
          (accumulate_ ? inGroup / rows : inGroup % columns) * kTaskColumns;
      const std::size_t group = task / (rows * columns);
      GemmShape part = shape_;
      part.n = std::min(kTaskColumns, n_ - column);
      gemm(part, row, std::min(shape_.m, row + taskRows_), a + group * a_.group,
           b + group * b_.group + column, &term_, 1,
           c + group * shape_.m * n_ + column, epilogue);
    });
    c_.store(replica, pool);
  }

  std::size_t numColumnTasks() const {
    return (n_ + kTaskColumns - 1) / kTaskColumns;
  }

  Matrix a_;
  Matrix b_;
  FloatOperand c_;
  ScaleFactor scale_;
  bool accumulate_;
  std::size_t groups_, n_, taskRows_;
  GemmShape shape_;
  GemmTerm term_;
  StepId step_;
};

MatMul productOf(const MatrixProduct &what, const NativeOp &op,
                 const PlanBuilder &builder) {
  return {*op.inputs[0], *op.inputs[1], *op.outputs[0],
          what.hasScaleTensor ? ScaleFactor(what.scale, *op.inputs[2], builder)
                              : ScaleFactor(what.scale),
          what.accumulate};
}

// Eight floating-point operations per tile and cycle.
Step stepOf(const MatMul &product, const std::string &name,
            const PlanBuilder &builder) {
  const std::size_t flops =
      2 * product.c.view.numElements() * product.a.view.shape()[2];
  return {MatrixProduct::kName, name, flops / (8 * builder.sharingTiles()) + 1};
}

} // namespace

// The division into groups would be a poor one for a product alone.
StagePtr MatrixProduct::stage(const NativeOp &op, const std::string &name,
                              StageOperands &operands) const {
  if (accumulate || hasScaleTensor)
    return operands.refuse("it adds to what is there, or scales by a tensor");
  return stageOfRows(
      op, scale,
      stepOf(productOf(*this, op, operands.builder), name, operands.builder),
      operands);
}

InstructionPtr MatrixProduct::lower(const NativeOp &op, const std::string &name,
                                    PlanBuilder &builder) const {
  const MatMul product = productOf(*this, op, builder);
  const MatMul turned = product.transpose();
  return std::make_shared<MatMulInstruction>(
      turned.staged(builder) < product.staged(builder) ? turned : product,
      builder, ScratchFrame(builder.memory()),
      builder.addStep(stepOf(product, name, builder)));
}

// A product whose multiple is added to a tensor: an optimiser's update by a
// gradient that nothing else uses.
JoinedPtr MatrixProduct::join(const ProgramNode &first,
                              const ProgramNode &second,
                              const PlanBuilder &builder) const {
  if (accumulate || hasScaleTensor || scale != 1)
    return nullptr;
  const TensorData &product = *first.op->outputs[0];
  const std::optional<ScaledSum> update = asScaledSum(second, builder);
  if (!update || !(update->term.view.flatten() == product.view.flatten()))
    return nullptr;
  if (update->scale && update->scale->view.overlaps(product.view))
    return nullptr; // it would use a value that is no longer stored
  for (const TensorPtr &input : first.op->inputs)
    if (input->view.overlaps(update->sum.view))
      return nullptr;
  TensorData sum = update->sum;
  sum.view = sum.view.reshape(product.view.shape());
  const TensorPtr target = std::make_shared<TensorData>(std::move(sum));
  std::vector<TensorPtr> inputs = {first.op->inputs[0], first.op->inputs[1]};
  if (update->scale)
    inputs.push_back(std::make_shared<TensorData>(*update->scale));
  inputs.push_back(target);
  return std::make_shared<Joined>(
      Joined{{std::make_shared<OperatorModel<MatrixProduct>>(MatrixProduct{
                  update->factor, update->scale.has_value(), true}),
              {target},
              std::move(inputs)},
             update->step});
}

} // namespace ipumodel
