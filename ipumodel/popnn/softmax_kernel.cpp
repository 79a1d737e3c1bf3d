#include "popnn/softmax_kernel.hpp"

#include "poplar/plan/float_operand.hpp"
#include "poplar/values/half.hpp"
#include "popnn/parallel_rows.hpp"

#include <algorithm>
#include <cmath>

namespace ipumodel {

namespace {

struct Rows {
  explicit Rows(const View &view)
      : length(view.shape().empty() ? 1 : view.shape().back()),
        count(length ? view.numElements() / length : 0) {}
  std::size_t length, count;
};

class SoftmaxInstruction : public Instruction {
public:
  SoftmaxInstruction(const NativeOp &op, const std::string &name,
                     PlanBuilder &builder, SoftmaxKind kind, float factor,
                     ScratchFrame frame)
      : rows_(op.inputs[0]->view),
        step_(builder.addStep(
            {Softmax::kName, name,
             (rows_.count / builder.sharingTiles() + 1) * rows_.length / 2 +
                 1})),
        in_(*op.inputs[0], Access::read, builder, frame),
        out_(*op.outputs[0], Access::write, builder, frame), kind_(kind),
        factor_(factor), isHalf_(op.outputs[0]->type == poplar::HALF) {}

  void run(ExecutionState &state) const override {
    state.count(step_);
    for (const Replica &replica : state.replicas) {
      const float *in = in_.load(replica, state.pool);
      float *out = out_.target(replica);
      parallelForRows(rows_.count, state.pool, [&](std::size_t row) {
        softmax(in + row * rows_.length, out + row * rows_.length);
      });
      out_.store(replica, state.pool);
    }
  }

private:
  void softmax(const float *x, float *y) const {
    const std::size_t n = rows_.length;
    const float shift =
        kind_ == SoftmaxKind::plain ? 0.0f : *std::max_element(x, x + n);
    float sum = 0;
    if (kind_ == SoftmaxKind::log) {
      for (std::size_t i = 0; i < n; ++i)
        sum += std::exp(x[i] - shift);
      const float total = shift + std::log(sum);
      for (std::size_t i = 0; i < n; ++i)
        y[i] = x[i] - total;
      return;
    }
    if (isHalf_) {
      halfSoftmax(x, y, shift);
      return;
    }
    // A sum in the same loop would pass through memory at each call.
    for (std::size_t i = 0; i < n; ++i)
      y[i] = std::exp(x[i] - shift);
    for (std::size_t i = 0; i < n; ++i)
      sum += y[i];
    const float scale = factor_ / sum;
    for (std::size_t i = 0; i < n; ++i)
      y[i] *= scale;
  }

  // Rounds every step except the sum, because PopLibs composes it of operators
  // on halves: without the shift, exponentials above the largest half are
  // infinite. A factor increases the exponentials, so that small ones keep more
  // precision.
  void halfSoftmax(const float *x, float *y, float shift) const {
    const std::size_t n = rows_.length;
    const float raise = rounded(std::log(factor_));
    float sum = 0;
    for (std::size_t i = 0; i < n; ++i) {
      y[i] = rounded(std::exp(rounded(rounded(x[i] - shift) + raise)));
      sum += y[i];
    }
    const float scale = rounded(factor_ / sum);
    for (std::size_t i = 0; i < n; ++i)
      y[i] *= scale;
  }

  static float rounded(float value) { return halfToFloat(floatToHalf(value)); }

  Rows rows_;
  StepId step_;
  FloatOperand in_;
  FloatOperand out_;
  SoftmaxKind kind_;
  float factor_;
  bool isHalf_;
};

class SoftmaxGradientInstruction : public Instruction {
public:
  SoftmaxGradientInstruction(const NativeOp &op, const std::string &name,
                             PlanBuilder &builder, ScratchFrame frame)
      : rows_(op.inputs[0]->view),
        step_(builder.addStep(
            {SoftmaxGradient::kName, name,
             (rows_.count / builder.sharingTiles() + 1) * rows_.length / 2 +
                 1})),
        act_(*op.inputs[0], Access::read, builder, frame),
        gradient_(*op.inputs[1], Access::read, builder, frame),
        result_(*op.outputs[0], Access::write, builder, frame) {}

  void run(ExecutionState &state) const override {
    state.count(step_);
    for (const Replica &replica : state.replicas) {
      const float *act = act_.load(replica, state.pool);
      const float *gradient = gradient_.load(replica, state.pool);
      float *result = result_.target(replica);
      parallelForRows(rows_.count, state.pool, [&](std::size_t row) {
        const float *y = act + row * rows_.length;
        const float *g = gradient + row * rows_.length;
        float *x = result + row * rows_.length;
        float sum = 0;
        for (std::size_t i = 0; i < rows_.length; ++i)
          sum += g[i] * y[i];
        for (std::size_t i = 0; i < rows_.length; ++i)
          x[i] = y[i] * (g[i] - sum);
      });
      result_.store(replica, state.pool);
    }
  }

private:
  Rows rows_;
  StepId step_;
  FloatOperand act_;
  FloatOperand gradient_;
  FloatOperand result_;
};

} // namespace

InstructionPtr Softmax::lower(const NativeOp &op, const std::string &name,
                              PlanBuilder &builder) const {
  return std::make_shared<SoftmaxInstruction>(op, name, builder, kind, factor,
                                              ScratchFrame(builder.memory()));
}

InstructionPtr SoftmaxGradient::lower(const NativeOp &op,
                                      const std::string &name,
                                      PlanBuilder &builder) const {
  return std::make_shared<SoftmaxGradientInstruction>(
      op, name, builder, ScratchFrame(builder.memory()));
}

} // namespace ipumodel
