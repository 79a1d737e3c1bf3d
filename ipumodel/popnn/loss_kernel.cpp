#include "popnn/loss_kernel.hpp"

#include "poplar/operators/scale_factor.hpp"
#include "poplar/plan/float_operand.hpp"
#include "popnn/parallel_rows.hpp"

#include <poplar/Type.hpp>
#include <popnn/Loss.hpp>

#include <cmath>
#include <cstring>

namespace ipumodel {

namespace {

class LossInstruction : public Instruction {
public:
  LossInstruction(const NativeOp &op, const std::string &name,
                  PlanBuilder &builder, popnn::LossType type,
                  ScratchFrame frame)
      : rows_(op.inputs[0]->view.shape()[0]),
        classes_(op.inputs[0]->view.shape()[1]),
        step_(builder.addStep(
            {Loss::kName, name,
             (rows_ / builder.sharingTiles() + 1) * classes_ / 2 + 1})),
        outputs_(*op.inputs[0], Access::read, builder, frame),
        expected_(op.inputs[1]->view, sizeof(std::uint32_t), Access::read,
                  builder, frame),
        loss_(*op.outputs[0], Access::write, builder, frame),
        deltas_(*op.outputs[1], Access::write, builder, frame), type_(type),
        epsilon_(op.inputs[0]->type == poplar::HALF ? EPS_LOG_N_HALF
                                                    : EPS_LOG_N_FLOAT) {
    if (op.inputs.size() > 2) {
      deltasScale_ = ScaleFactor(1.0f, *op.inputs[2], builder);
      outputScaling_ = ScaleFactor(1.0f, *op.inputs[3], builder);
    }
  }

  void run(ExecutionState &state) const override {
    state.count(step_);
    for (const Replica &replica : state.replicas) {
      const float *outputs = outputs_.load(replica, state.pool);
      expected_.load(replica, state.pool);
      const auto *expected =
          reinterpret_cast<const std::uint32_t *>(expected_.at(replica));
      float *loss = loss_.target(replica);
      float *deltas = deltas_.target(replica);
      const float deltasScale = deltasScale_.in(replica);
      const float scaling = outputScaling_.in(replica);
      parallelForRows(rows_, state.pool, [&](std::size_t row) {
        const float *p = outputs + row * classes_;
        float *d = deltas + row * classes_;
        loss[row] =
            type_ == popnn::CROSS_ENTROPY_LOSS
                ? crossEntropy(p, d, expected[row], deltasScale, scaling)
                : sumSquared(p, d, expected[row]);
        // With a single row PopLibs does not mask the gradient.
        if (expected[row] == MASKED_LABEL_CODE && rows_ > 1)
          std::memset(d, 0, classes_ * sizeof(float));
      });
      loss_.store(replica, state.pool);
      deltas_.store(replica, state.pool);
    }
  }

private:
  float crossEntropy(const float *p, float *d, std::uint32_t label,
                     float deltasScale, float scaling) const {
    const float factor = deltasScale / scaling;
    for (std::size_t k = 0; k < classes_; ++k)
      d[k] = factor * (p[k] - (k == label ? scaling : 0.0f));
    if (label >= classes_)
      return 0.0f;
    return std::log(scaling) - std::log(p[label] + epsilon_);
  }

  float sumSquared(const float *p, float *d, std::uint32_t label) const {
    float sum = 0;
    for (std::size_t k = 0; k < classes_; ++k) {
      d[k] = p[k] - (k == label ? 1.0f : 0.0f);
      sum += 0.5f * d[k] * d[k];
    }
    return label == MASKED_LABEL_CODE ? 0.0f : sum;
  }

  std::size_t rows_, classes_;
  StepId step_;
  FloatOperand outputs_;
  NativeOperand expected_;
  FloatOperand loss_;
  FloatOperand deltas_;
  popnn::LossType type_;
  float epsilon_;
  ScaleFactor deltasScale_{1.0f};
  ScaleFactor outputScaling_{1.0f};
};

// The first of the largest values, or of the smallest ones if negated.
template <class T>
std::size_t extremeIndex(const T *values, std::size_t n, bool largest) {
  std::size_t best = 0;
  for (std::size_t i = 1; i < n; ++i)
    if (largest ? values[i] > values[best] : values[i] < values[best])
      best = i;
  return best;
}

class AccuracyInstruction : public Instruction {
public:
  AccuracyInstruction(const NativeOp &op, const std::string &name,
                      PlanBuilder &builder, ScratchFrame frame)
      : rows_(op.inputs[0]->view.shape()[0]),
        classes_(op.inputs[0]->view.shape()[1]),
        step_(builder.addStep(
            {Accuracy::kName, name,
             (rows_ / builder.sharingTiles() + 1) * classes_ / 2 + 1})),
        outputs_(*op.inputs[0], Access::read, builder, frame),
        expected_(op.inputs[1]->view, sizeof(std::uint32_t), Access::read,
                  builder, frame),
        numCorrect_(op.outputs[0]->view, sizeof(std::uint32_t),
                    Access::readWrite, builder, frame) {}

  void run(ExecutionState &state) const override {
    state.count(step_);
    for (const Replica &replica : state.replicas) {
      const float *outputs = outputs_.load(replica, state.pool);
      expected_.load(replica, state.pool);
      const auto *expected =
          reinterpret_cast<const std::uint32_t *>(expected_.at(replica));
      numCorrect_.load(replica, state.pool);
      std::uint32_t &count =
          *reinterpret_cast<std::uint32_t *>(numCorrect_.at(replica));
      for (std::size_t row = 0; row < rows_; ++row)
        count += extremeIndex(outputs + row * classes_, classes_, true) ==
                 expected[row];
      numCorrect_.store(replica, state.pool);
    }
  }

private:
  std::size_t rows_, classes_;
  StepId step_;
  FloatOperand outputs_;
  NativeOperand expected_;
  NativeOperand numCorrect_;
};

class ArgExtremeInstruction : public Instruction {
public:
  ArgExtremeInstruction(const NativeOp &op, const std::string &name,
                        PlanBuilder &builder, bool largest, ScratchFrame frame)
      : rows_(op.inputs[0]->view.shape()[0]),
        columns_(op.inputs[0]->view.shape()[1]),
        step_(builder.addStep(
            {ArgExtreme::kName, name,
             (rows_ / builder.sharingTiles() + 1) * columns_ / 2 + 1})),
        type_(op.inputs[0]->type),
        input_(op.inputs[0]->view, sizeOf(type_), Access::read, builder, frame),
        wide_(type_, op.inputs[0]->view.numElements(), frame),
        indices_(op.outputs[0]->view, sizeof(std::uint32_t), Access::write,
                 builder, frame),
        largest_(largest) {
    if (op.outputs.size() > 1)
      values_.emplace(op.outputs[1]->view, sizeOf(type_), Access::write,
                      builder, frame);
  }

  void run(ExecutionState &state) const override {
    state.count(step_);
    for (const Replica &replica : state.replicas) {
      input_.load(replica, state.pool);
      if (type_ == poplar::INT)
        find<std::int32_t>(replica, state.pool, input_.at(replica));
      else if (type_ == poplar::UNSIGNED_INT)
        find<std::uint32_t>(replica, state.pool, input_.at(replica));
      else
        find<float>(replica, state.pool,
                    wide_.widen(input_.at(replica), replica, state.pool));
      indices_.store(replica, state.pool);
      if (values_)
        values_->store(replica, state.pool);
    }
  }

private:
  template <class T>
  void find(const Replica &replica, ThreadPool &pool, const void *data) const {
    const T *values = static_cast<const T *>(data);
    auto *indices = reinterpret_cast<std::uint32_t *>(indices_.at(replica));
    const std::size_t size = sizeOf(type_);
    const char *stored = input_.at(replica);
    char *out = values_ ? values_->at(replica) : nullptr;
    parallelForRows(rows_, pool, [&](std::size_t row) {
      const std::size_t at =
          extremeIndex(values + row * columns_, columns_, largest_);
      indices[row] = static_cast<std::uint32_t>(at);
      if (out)
        std::memcpy(out + row * size, stored + (row * columns_ + at) * size,
                    size);
    });
  }

  std::size_t rows_, columns_;
  StepId step_;
  poplar::Type type_;
  NativeOperand input_;
  FloatArray wide_;
  NativeOperand indices_;
  std::optional<NativeOperand> values_;
  bool largest_;
};

} // namespace

InstructionPtr Loss::lower(const NativeOp &op, const std::string &name,
                           PlanBuilder &builder) const {
  return std::make_shared<LossInstruction>(op, name, builder, type,
                                           ScratchFrame(builder.memory()));
}

InstructionPtr Accuracy::lower(const NativeOp &op, const std::string &name,
                               PlanBuilder &builder) const {
  return std::make_shared<AccuracyInstruction>(op, name, builder,
                                               ScratchFrame(builder.memory()));
}

InstructionPtr ArgExtreme::lower(const NativeOp &op, const std::string &name,
                                 PlanBuilder &builder) const {
  return std::make_shared<ArgExtremeInstruction>(
      op, name, builder, largest, ScratchFrame(builder.memory()));
}

} // namespace ipumodel
