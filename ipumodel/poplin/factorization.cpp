// Factors of matrices: LU by elimination, QR by Householder's reflections. Rows
// and groups of columns are independent, so sums have one order on any number
// of threads.
#include "poplar/plan/float_operand.hpp"

#include <poplin/experimental/LuFactorization.hpp>
#include <poplin/experimental/QRFactorization.hpp>
#include <poputil/DebugInfo.hpp>
#include <poputil/OptionParsing.hpp>
#include <poputil/TileMapping.hpp>
#include <poputil/exceptions.hpp>

#include <algorithm>
#include <cmath>

namespace poplin {
namespace experimental {

namespace {

using ipumodel::Access;
using ipumodel::FloatOperand;
using ipumodel::InstructionPtr;
using ipumodel::NativeOp;
using ipumodel::PlanBuilder;
using ipumodel::Replica;
using ipumodel::ScratchFrame;
using ipumodel::ThreadPool;
using namespace poplar;
using poplar::program::Sequence;
using poputil::poplibs_error;

// Calls f(begin, end) for parts of [first, last).
template <class F>
void forParts(std::size_t first, std::size_t last, std::size_t part,
              ThreadPool &pool, F &&f) {
  pool.run((last - first + part - 1) / part, [&](std::size_t task) {
    const std::size_t begin = first + task * part;
    f(begin, std::min(last, begin + part));
  });
}

constexpr std::size_t kRows = 32, kColumns = 256; // per task

class Lu : public ipumodel::Instruction {
public:
  Lu(const NativeOp &op, ipumodel::StepId step, PlanBuilder &builder,
     ScratchFrame frame)
      : step_(step), rows_(op.inputs[0]->view.shape()[0]),
        columns_(op.inputs[0]->view.shape()[1]),
        input_(*op.inputs[0], Access::read, builder, frame),
        lower_(*op.outputs[0], Access::write, builder, frame),
        upper_(*op.outputs[1], Access::write, builder, frame) {}

  void run(ipumodel::ExecutionState &state) const override {
    state.count(step_);
    for (const Replica &replica : state.replicas) {
      const float *input = input_.load(replica, state.pool);
      float *lower = lower_.target(replica), *upper = upper_.target(replica);
      std::copy_n(input, rows_ * columns_, upper);
      std::fill_n(lower, rows_ * rows_, 0.0f);
      for (std::size_t i = 0; i < rows_; ++i)
        lower[i * rows_ + i] = 1;
      for (std::size_t k = 0; k < std::min(rows_, columns_); ++k)
        forParts(k + 1, rows_, kRows, state.pool,
                 [&](std::size_t begin, std::size_t end) {
                   for (std::size_t i = begin; i < end; ++i)
                     eliminate(k, i, lower, upper);
                 });
      lower_.store(replica, state.pool);
      upper_.store(replica, state.pool);
    }
  }

private:
  void eliminate(std::size_t k, std::size_t i, float *lower,
                 float *upper) const {
    const float *pivot = upper + k * columns_;
    float *row = upper + i * columns_;
    const float factor = row[k] / pivot[k];
    lower[i * rows_ + k] = factor;
    row[k] = 0;
    for (std::size_t j = k + 1; j < columns_; ++j)
      row[j] -= factor * pivot[j];
  }

  ipumodel::StepId step_;
  std::size_t rows_, columns_;
  FloatOperand input_, lower_, upper_;
};

// L, U <- input.
struct LuOperator {
  static constexpr const char *kName = "poplin.luFactorization";

  InstructionPtr lower(const NativeOp &op, const std::string &name,
                       PlanBuilder &builder) const {
    const auto &shape = op.inputs[0]->view.shape();
    return std::make_shared<Lu>(
        op,
        builder.addStep(
            {kName, name, shape[0] * shape[1] * std::min(shape[0], shape[1])}),
        builder, ScratchFrame(builder.memory()));
  }
};

class Qr : public ipumodel::Instruction {
public:
  Qr(const NativeOp &op, ipumodel::StepId step, PlanBuilder &builder,
     ScratchFrame frame)
      : step_(step), rows_(op.inputs[0]->view.shape()[0]),
        columns_(op.inputs[0]->view.shape()[1]),
        a_(*op.inputs[0], Access::readWrite, builder, frame),
        q_(*op.inputs[1], Access::readWrite, builder, frame),
        normal_(
            frame.take(rows_ * sizeof(float), ipumodel::Buffer::kAlignment)),
        sums_(frame.take(columns_ * sizeof(float),
                         ipumodel::Buffer::kAlignment)) {}

  void run(ipumodel::ExecutionState &state) const override {
    state.count(step_);
    for (const Replica &replica : state.replicas) {
      float *a = a_.loadTarget(replica, state.pool);
      float *q = q_.loadTarget(replica, state.pool);
      auto *normal =
          reinterpret_cast<float *>(replica.scratch.data() + normal_);
      auto *sums = reinterpret_cast<float *>(replica.scratch.data() + sums_);
      for (std::size_t k = 0; k < std::min(columns_, rows_ - 1); ++k)
        if (const float scale = reflection(a, k, normal); scale != 0) {
          forParts(k, columns_, kColumns, state.pool,
                   [&](std::size_t begin, std::size_t end) {
                     reflectColumns(a, k, begin, end, normal, scale, sums);
                   });
          forParts(0, rows_, kRows, state.pool,
                   [&](std::size_t begin, std::size_t end) {
                     reflectRows(q, k, begin, end, normal, scale);
                   });
        }
      a_.store(replica, state.pool);
      q_.store(replica, state.pool);
    }
  }

private:
  // The normal v of the plane whose reflection I - scale v v' clears column k
  // below the diagonal; 0 if it is clear.
  float reflection(const float *a, std::size_t k, float *normal) const {
    double square = 0;
    for (std::size_t i = k; i < rows_; ++i) {
      normal[i] = a[i * columns_ + k];
      square += double(normal[i]) * normal[i];
    }
    const double length = std::sqrt(square);
    const double rest = square - double(normal[k]) * normal[k];
    if (rest == 0)
      return 0;
    const double first = normal[k] + std::copysign(length, normal[k]);
    normal[k] = static_cast<float>(first);
    return static_cast<float>(2 / (rest + first * first));
  }

  void reflectColumns(float *a, std::size_t k, std::size_t begin,
                      std::size_t end, const float *normal, float scale,
                      float *sums) const {
    std::fill(sums + begin, sums + end, 0.0f);
    for (std::size_t i = k; i < rows_; ++i)
      for (std::size_t j = begin; j < end; ++j)
        sums[j] += normal[i] * a[i * columns_ + j];
    for (std::size_t i = k; i < rows_; ++i)
      for (std::size_t j = begin; j < end; ++j)
        a[i * columns_ + j] -= scale * sums[j] * normal[i];
    if (begin == k)
      for (std::size_t i = k + 1; i < rows_; ++i)
        a[i * columns_ + k] = 0;
  }

  void reflectRows(float *q, std::size_t k, std::size_t begin, std::size_t end,
                   const float *normal, float scale) const {
    for (std::size_t i = begin; i < end; ++i) {
      float *row = q + i * rows_;
      float sum = 0;
      for (std::size_t j = k; j < rows_; ++j)
        sum += row[j] * normal[j];
      for (std::size_t j = k; j < rows_; ++j)
        row[j] -= scale * sum * normal[j];
    }
  }

  ipumodel::StepId step_;
  std::size_t rows_, columns_;
  FloatOperand a_, q_;
  std::size_t normal_, sums_; // in scratch memory
};

// A, Q <- A, Q.
struct QrOperator {
  static constexpr const char *kName = "poplin.qrFactorization";

  InstructionPtr lower(const NativeOp &op, const std::string &name,
                       PlanBuilder &builder) const {
    const auto &shape = op.inputs[0]->view.shape();
    return std::make_shared<Qr>(
        op,
        builder.addStep(
            {kName, name, 2 * shape[0] * shape[1] * (shape[0] + shape[1])}),
        builder, ScratchFrame(builder.memory()));
  }
};

bool isMatrix(const Tensor &t) {
  return t.rank() == 2 && t.numElements() != 0 &&
         (t.elementType() == FLOAT || t.elementType() == HALF);
}

std::string described(const Tensor &t) {
  return t.elementType().toString() + " " + t.shapeToString();
}

} // namespace

std::pair<Tensor, Tensor> LUFactorization(Graph &graph, Tensor &input,
                                          Sequence &seq,
                                          const DebugContext &debugContext) {
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(input));
  if (!isMatrix(input))
    throw poplibs_error(
        "LUFactorization: the input is a matrix of FLOAT or HALF, not " +
        described(input));
  const Tensor lower =
      graph.addVariable(FLOAT, {input.dim(0), input.dim(0)}, {di, "lower"});
  const Tensor upper = graph.addVariable(FLOAT, input.shape(), {di, "upper"});
  poputil::mapTensorLinearly(graph, lower);
  poputil::mapTensorLinearly(graph, upper);
  ipumodel::addNative(seq, LuOperator{}, {lower, upper}, {input}, {di});
  return {lower, upper};
}

std::array<Tensor, 2>
createQRFactorizationMatrices(Graph &graph, const Type &type,
                              const std::size_t m, const std::size_t n,
                              const DebugContext &debugContext) {
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(type, m, n));
  if (m < n)
    throw poplibs_error("createQRFactorizationMatrices: " + std::to_string(m) +
                        " rows are less than " + std::to_string(n) +
                        " columns");
  const Tensor a = graph.addVariable(type, {m, n}, {di, "A"});
  const Tensor q = graph.addVariable(type, {m, m}, {di, "Q"});
  poputil::mapTensorLinearly(graph, a, static_cast<unsigned>(n),
                             static_cast<unsigned>(n));
  poputil::mapTensorLinearly(graph, q, static_cast<unsigned>(m),
                             static_cast<unsigned>(m));
  return {a, q};
}

void QRFactorization(Graph &, Tensor &A, Tensor &Q, Sequence &prog,
                     const DebugContext &debugContext,
                     const OptionFlags &options) {
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(A, Q));
  unsigned rowsPerIteration = 32;
  const poplibs::OptionSpec spec{
      {"rowsPerIteration",
       poplibs::OptionHandler::createWithInteger(rowsPerIteration)}};
  for (const auto &option : options)
    spec.parse(option.first, option.second);
  if (!isMatrix(A) || A.dim(0) < A.dim(1))
    throw poplibs_error("QRFactorization: A is a matrix of FLOAT or HALF with "
                        "no more columns than rows, not " +
                        described(A));
  if (Q.shape() != std::vector<std::size_t>(2, A.dim(0)) ||
      Q.elementType() != A.elementType())
    throw poplibs_error("QRFactorization: Q is square with the rows and the "
                        "type of A, not " +
                        described(Q));
  ipumodel::addNative(prog, QrOperator{}, {A, Q}, {A, Q}, {di});
}

} // namespace experimental
} // namespace poplin
