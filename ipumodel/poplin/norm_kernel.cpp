#include "poplin/norm_kernel.hpp"

#include "poplar/plan/batch_stage.hpp"
#include "poplin/norm_loops.hpp"

#include <poplar/Type.hpp>

#include <algorithm>
#include <cmath>

namespace ipumodel {

namespace {

// Works on rows that follow each other.
class RowsStage : public BatchStage {
public:
  bool prepareTogether(std::size_t, const MemoryPlan &) override {
    return true;
  }
  void run(const BatchItem &item) const override { runTogether(item, 1); }

protected:
  static float *at(const BatchItem &item, std::size_t operand) {
    return reinterpret_cast<float *>(item.operands[operand]);
  }
};

class StatisticsStage : public RowsStage {
public:
  StatisticsStage(const NormStatistics &what, std::size_t n)
      : what_(what), n_(n) {}

  bool runTogether(const BatchItem &first, std::size_t count) const override {
    const float *x = at(first, 2);
    for (std::size_t row = 0; row < count; ++row, x += n_) {
      const RowMoments moments = momentsOf(x, n_);
      const float mean = moments.sum * what_.meanScale;
      // Rounding can make the difference negative.
      const float variance =
          what_.isStable
              ? squaredDistance(x, mean, n_) * what_.meanScale
              : std::max(moments.squares * what_.meanScale - mean * mean, 0.0f);
      at(first, 0)[row] = mean;
      at(first, 1)[row] =
          1 / std::sqrt((variance + what_.epsilon) * what_.varianceScale);
    }
    return true;
  }

private:
  NormStatistics what_;
  std::size_t n_; // elements of a row
};

class GradientStage : public RowsStage {
public:
  GradientStage(float meanScale, std::size_t n)
      : meanScale_(meanScale), n_(n) {}

  bool runTogether(const BatchItem &first, std::size_t count) const override {
    for (std::size_t row = 0; row < count; ++row) {
      const float *whitened = at(first, 1) + row * n_;
      const float *gradients = at(first, 2) + row * n_;
      RowGradientSums means = normGradientSums(whitened, gradients, n_);
      means.products *= meanScale_;
      means.gradients *= meanScale_;
      normGradient(whitened, gradients, means, at(first, 3)[row],
                   at(first, 0) + row * n_, n_);
    }
    return true;
  }

private:
  float meanScale_;
  std::size_t n_; // elements of a row
};

// Adds all operands, whose items are rows. Returns false if there is no stage.
bool addRows(const char *kind, const NativeOp &op, const std::string &name,
             StageOperands &operands) {
  operands.isLight = true;
  for (const TensorPtr &tensor : op.outputs)
    if (!operands.addFloats(tensor->view, tensor->type, Access::write))
      return false;
  for (const TensorPtr &tensor : op.inputs)
    if (!operands.addFloats(tensor->view, tensor->type, Access::read))
      return false;
  const std::size_t count = op.inputs[0]->view.numElements();
  operands.step = {kind, name, count / operands.builder.sharingTiles() + 1};
  return true;
}

} // namespace

StagePtr NormStatistics::stage(const NativeOp &op, const std::string &name,
                               StageOperands &operands) const {
  if (!addRows(kName, op, name, operands))
    return nullptr;
  return std::make_shared<StatisticsStage>(*this,
                                           op.inputs[0]->view.shape()[1]);
}

StagePtr NormGradient::stage(const NativeOp &op, const std::string &name,
                             StageOperands &operands) const {
  if (!addRows(kName, op, name, operands))
    return nullptr;
  return std::make_shared<GradientStage>(meanScale,
                                         op.inputs[0]->view.shape()[1]);
}

} // namespace ipumodel
