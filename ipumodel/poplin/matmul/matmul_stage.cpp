#include "poplin/matmul/matmul_stage.hpp"

#include "poplin/matmul/gemm.hpp"
#include "poplin/matmul/strided_matrix.hpp"

#include <poplar/Type.hpp>

namespace ipumodel {

namespace {

// Of a group, which reads B for some of them at a time.
constexpr std::size_t kMinGroupRows = 16;
// Elements of B that stay in the second-level cache beside the rows.
constexpr std::size_t kMaxWeights = 64 * 1024;

class MatMulStage : public BatchStage {
public:
  MatMulStage(Matrix b, const Shape &shape, float scale)
      : b_(std::move(b)), k_(shape[1]), n_(shape[2]), scale_(scale) {}

  bool absorb(const BatchStage &next) override {
    const Epilogue work = next.epilogue();
    if (relu_)
      return false;
    if (work.kind == Epilogue::Kind::addBias && !bias_ &&
        work.biasLength == n_) {
      bias_ = work.bias;
      return true;
    }
    relu_ = work.kind == Epilogue::Kind::relu;
    return relu_;
  }

  void prepare(const Replica &replica, ThreadPool &pool) const override {
    b_.load(replica, pool);
  }
  bool prepareTogether(std::size_t, const MemoryPlan &) override {
    return true;
  }
  void run(const BatchItem &item) const override { runTogether(item, 1); }
  bool runTogether(const BatchItem &first, std::size_t count) const override {
    const Replica &replica = *first.replica;
    GemmEpilogue epilogue;
    epilogue.alpha = scale_;
    epilogue.bias = bias_ ? bias_->loaded(replica) : nullptr;
    epilogue.relu = relu_;
    const GemmTerm term{0, 0, k_};
    gemm(GemmShape::matrix(count, n_, k_, 1, b_.row, n_), 0, count,
         reinterpret_cast<const float *>(first.operands[1]), b_.loaded(replica),
         &term, 1, reinterpret_cast<float *>(first.operands[0]), epilogue);
    return true;
  }

private:
  Matrix b_;
  std::size_t k_, n_;
  float scale_;
  const FloatOperand *bias_ = nullptr;
  bool relu_ = false;
};

} // namespace

StagePtr stageOfRows(const NativeOp &op, float scale, Step step,
                     StageOperands &operands) {
  const TensorData &a = *op.inputs[0], &b = *op.inputs[1], &c = *op.outputs[0];
  const Shape &left = a.view.shape(), &right = b.view.shape();
  if (left[0] != 1 || operands.where == StageOperands::Items::staged)
    return operands.refuse("it multiplies groups of matrices");
  if (left[1] < kBatchGroups * kMinGroupRows)
    return operands.refuse("it has too few rows");
  if (left[2] == 0 || b.view.numElements() > kMaxWeights)
    return operands.refuse("it has too many weights, or none");
  if (!operands.addFloats(c.view.reshape({left[1], right[2]}), c.type,
                          Access::write) ||
      !operands.addFloats(a.view.reshape({left[1], left[2]}), a.type,
                          Access::read))
    return nullptr;
  operands.addWhole(b.view, Access::read);
  operands.step = std::move(step);
  operands.isLight = operands.needsMany = true;
  return std::make_shared<MatMulStage>(
      Matrix(b, true, operands.builder, operands.frame),
      Shape{left[1], left[2], right[2]}, scale);
}

} // namespace ipumodel
