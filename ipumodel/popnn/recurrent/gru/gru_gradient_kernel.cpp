#include "poplar/plan/float_operand.hpp"
#include "popnn/recurrent/gru/gru_kernel.hpp"
#include "popnn/recurrent/sequence_rows.hpp"
#include "popnn/recurrent/weight_panels.hpp"

#include <algorithm>

namespace ipumodel {

namespace {

class GruBackwardInstruction : public Instruction {
public:
  GruBackwardInstruction(const GruBackward &what, const NativeOp &op,
                         const std::string &name, PlanBuilder &builder,
                         ScratchFrame frame)
      : cell_(what.cell), activation_(derivativeOf(cell_.activation)),
        recurrent_(derivativeOf(cell_.recurrentActivation)),
        steps_(op.inputs[0]->view.shape()[0]),
        batch_(op.inputs[0]->view.shape()[1]),
        size_(op.inputs[0]->view.shape()[3]),
        isHalf_(op.outputs[0]->type == poplar::HALF),
        step_(builder.addStep(
            {GruBackward::kName, name, cyclesOf(builder.sharingTiles())})),
        kept_(*op.inputs[0], Access::read, builder, frame),
        weights_(*op.inputs[1], Access::read, builder, frame),
        outputs_(*op.inputs[2], Access::read, builder, frame),
        initial_(*op.inputs[3], Access::read, builder, frame),
        outputGrads_(*op.inputs[4], Access::read, builder, frame),
        lengths_(cell_.hasLengths ? op.inputs.back().get() : nullptr, builder,
                 frame),
        gateGrads_(*op.outputs[0], Access::write, builder, frame),
        outputGrad_(*op.outputs[1], Access::write, builder, frame),
        gates_(2 * size_, size_, frame), candidate_(size_, size_, frame),
        rows_(batch_ * size_, frame) {
    if (cell_.hasAttention) {
      attention_.emplace(*op.inputs[5], Access::read, builder, frame);
      attentionGrad_.emplace(*op.outputs[2], Access::write, builder, frame);
    }
  }

  void run(ExecutionState &state) const override {
    state.count(step_);
    for (const Replica &replica : state.replicas) {
      ThreadPool &pool = state.pool;
      const float *weights = weights_.load(replica, pool);
      gates_.pack(weights, {1, kGruUnits * size_}, replica, pool);
      candidate_.pack(weights + 2 * size_, {1, kGruUnits * size_}, replica,
                      pool);
      const SequenceLengths lengths =
          lengths_.load(batch_, steps_, replica, pool);
      const Arrays a{kept_.load(replica, pool),
                     outputs_.load(replica, pool),
                     initial_.load(replica, pool),
                     outputGrads_.load(replica, pool),
                     attention_ ? attention_->load(replica, pool) : nullptr,
                     attentionGrad_ ? attentionGrad_->target(replica) : nullptr,
                     gateGrads_.target(replica),
                     outputGrad_.target(replica),
                     rows_.at(replica)};
      if (cell_.allOutputs)
        std::fill_n(a.h, batch_ * size_, 0.0f);
      else
        std::copy_n(a.outputGrads, batch_ * size_, a.h);
      forRowBlocks(batch_, pool, [&](RowRange block) {
        for (std::size_t t = steps_; t-- > 0;)
          lengths.runs(t, block, [&](RowRange rows, bool isActive) {
            if (isActive)
              goBack(t, rows, a, replica);
            else
              clear(t, rows, a);
          });
      });
      gateGrads_.store(replica, pool);
      outputGrad_.store(replica, pool);
      if (attentionGrad_)
        attentionGrad_->store(replica, pool);
    }
  }

private:
  struct Arrays {
    const float *kept, *outputs, *initial, *outputGrads, *attention;
    float *attentionGrad, *gateGrads;
    float *h;    // gradient of the output of the current step
    float *rows; // for one row of H of each sequence
  };

  std::uint64_t cyclesOf(unsigned tiles) const {
    const std::size_t units = steps_ * batch_ * size_;
    return 2 * units * kGruUnits * size_ / (8 * tiles) + 8 * units / tiles + 1;
  }

  float *gateGrad(std::size_t t, std::size_t row, const Arrays &a) const {
    return a.gateGrads + (t * batch_ + row) * kGruUnits * size_;
  }
  const float *keptRow(std::size_t t, std::size_t row, const Arrays &a) const {
    return a.kept + (t * batch_ + row) * cell_.rowsKept() * size_;
  }
  // The output before a step.
  const float *before(std::size_t t, std::size_t row, const Arrays &a) const {
    return t == 0 ? a.initial + row * size_
                  : a.outputs + ((t - 1) * batch_ + row) * size_;
  }

  void goBack(std::size_t t, RowRange rows, const Arrays &a,
              const Replica &replica) const {
    const std::size_t n = size_, units = kGruUnits * n;
    const std::size_t end = rows.first + rows.count;
    float *grads = gateGrad(t, rows.first, a);
    float *h = a.h + rows.first * n, *scratch = a.rows + rows.first * n;
    for (std::size_t row = rows.first; row < end; ++row)
      startRow(t, row, a);
    if (cell_.resetAfter) {
      for (std::size_t row = rows.first; row < end; ++row)
        resetGradAfter(t, row, a);
      candidate_.multiply(replica, scratch, n, rows.count, h, n, true);
    } else {
      candidate_.multiply(replica, grads + 2 * n, units, rows.count, scratch, n,
                          false);
      for (std::size_t row = rows.first; row < end; ++row)
        resetGradBefore(t, row, a);
    }
    gates_.multiply(replica, grads, units, rows.count, h, n, true);
    round(h, rows.count * n);
  }

  // Of the candidate and the update gate; h becomes what reaches the output
  // before the step without passing a gate's sum.
  void startRow(std::size_t t, std::size_t row, const Arrays &a) const {
    const std::size_t n = size_;
    const float *gates = keptRow(t, row, a), *update = gates + n;
    float *grads = gateGrad(t, row, a), *h = a.h + row * n;
    if (cell_.allOutputs) {
      add(a.outputGrads + (t * batch_ + row) * n, h, n);
      round(h, n);
    }
    const float factor = a.attention ? 1 - a.attention[row * steps_ + t] : 1;
    if (a.attention) {
      float *scaled = a.rows + row * n;
      for (std::size_t i = 0; i < n; ++i)
        scaled[i] = factor * update[i];
      round(scaled, n);
      update = scaled;
    }
    gruStepGradient({update, gates + 2 * n, before(t, row, a), h, h, grads + n,
                     grads + 2 * n},
                    activation_, n);
    if (activation_.kind == Derivative::Kind::softmax)
      scaleByDerivative(activation_, gates + 2 * n, grads + 2 * n, n);
    if (a.attention) {
      float sum = 0;
      for (std::size_t i = 0; i < n; ++i) {
        sum -= gates[n + i] * grads[n + i];
        grads[n + i] *= factor;
      }
      a.attentionGrad[row * steps_ + t] = sum;
    }
    scaleByDerivative(recurrent_, gates + n, grads + n, n);
    round(grads + n, 2 * n);
  }

  // From the gradient of r h, in rows.
  void resetGradBefore(std::size_t t, std::size_t row, const Arrays &a) const {
    const float *reset = keptRow(t, row, a), *product = a.rows + row * size_;
    float *grad = gateGrad(t, row, a);
    multiply(product, before(t, row, a), grad, size_);
    scaleByDerivative(recurrent_, reset, grad, size_);
    round(grad, size_);
    multiplyAdd(product, reset, a.h + row * size_, size_);
  }

  // Leaves the gradient of the product in rows.
  void resetGradAfter(std::size_t t, std::size_t row, const Arrays &a) const {
    const float *reset = keptRow(t, row, a);
    const float *product = reset + cell_.productRow() * size_;
    float *grad = gateGrad(t, row, a);
    const float *candidate = grad + 2 * size_;
    multiply(candidate, product, grad, size_);
    scaleByDerivative(recurrent_, reset, grad, size_);
    round(grad, size_);
    multiply(candidate, reset, a.rows + row * size_, size_);
    round(a.rows + row * size_, size_);
  }

  void clear(std::size_t t, RowRange rows, const Arrays &a) const {
    std::fill_n(gateGrad(t, rows.first, a), rows.count * kGruUnits * size_,
                0.0f);
    if (a.attentionGrad)
      for (std::size_t i = 0; i < rows.count; ++i)
        a.attentionGrad[(rows.first + i) * steps_ + t] = 0;
  }

  void round(float *x, std::size_t n) const {
    if (isHalf_)
      roundToHalf(x, n);
  }

  GruCell cell_;
  Derivative activation_, recurrent_;
  std::size_t steps_, batch_, size_;
  bool isHalf_;
  StepId step_;
  FloatOperand kept_, weights_, outputs_, initial_, outputGrads_;
  std::optional<FloatOperand> attention_;
  LengthsOperand lengths_;
  FloatOperand gateGrads_, outputGrad_;
  std::optional<FloatOperand> attentionGrad_;
  WeightPanels gates_, candidate_;
  ScratchFloats rows_;
};

} // namespace

InstructionPtr GruBackward::lower(const NativeOp &op, const std::string &name,
                                  PlanBuilder &builder) const {
  return std::make_shared<GruBackwardInstruction>(
      *this, op, name, builder, ScratchFrame(builder.memory()));
}

} // namespace ipumodel
