#include "poplar/plan/float_operand.hpp"
#include "popnn/recurrent/lstm/lstm_kernel.hpp"
#include "popnn/recurrent/sequence_rows.hpp"
#include "popnn/recurrent/weight_panels.hpp"

#include <algorithm>

namespace ipumodel {

namespace {

class LstmBackwardInstruction : public Instruction {
public:
  LstmBackwardInstruction(const LstmBackward &what, const NativeOp &op,
                          const std::string &name, PlanBuilder &builder,
                          ScratchFrame frame)
      : activation_(derivativeOf(what.activation)),
        recurrent_(derivativeOf(what.recurrentActivation)),
        allOutputs_(what.allOutputs), steps_(op.inputs[0]->view.shape()[0]),
        batch_(op.inputs[0]->view.shape()[1]),
        rowsKept_(op.inputs[0]->view.shape()[2]),
        size_(op.inputs[0]->view.shape()[3]),
        isHalf_(op.outputs[0]->type == poplar::HALF),
        step_(builder.addStep(
            {LstmBackward::kName, name, cyclesOf(builder.sharingTiles())})),
        kept_(*op.inputs[0], Access::read, builder, frame),
        weights_(*op.inputs[1], Access::read, builder, frame),
        outputGrads_(*op.inputs[2], Access::read, builder, frame),
        lengths_(what.hasLengths ? op.inputs.back().get() : nullptr, builder,
                 frame),
        gateGrads_(*op.outputs[0], Access::write, builder, frame),
        outputGrad_(*op.outputs[1], Access::write, builder, frame),
        stateGrad_(*op.outputs[2], Access::write, builder, frame),
        panels_(kLstmGates * size_, size_, frame) {
    std::size_t next = 3;
    if (what.hasOutputGrad)
      lastOutputGrad_.emplace(*op.inputs[next++], Access::read, builder, frame);
    if (what.hasStateGrad)
      lastStateGrad_.emplace(*op.inputs[next], Access::read, builder, frame);
  }

  void run(ExecutionState &state) const override {
    state.count(step_);
    for (const Replica &replica : state.replicas) {
      ThreadPool &pool = state.pool;
      panels_.pack(weights_.load(replica, pool), {1, kLstmGates * size_},
                   replica, pool);
      const SequenceLengths lengths =
          lengths_.load(batch_, steps_, replica, pool);
      const Arrays a{kept_.load(replica, pool),
                     outputGrads_.load(replica, pool),
                     gateGrads_.target(replica), outputGrad_.target(replica),
                     stateGrad_.target(replica)};
      start(a, replica, pool);
      forRowBlocks(batch_, pool, [&](RowRange block) {
        for (std::size_t t = steps_; t-- > 0;)
          lengths.runs(t, block, [&](RowRange rows, bool isActive) {
            if (isActive)
              goBack(t, rows, a, replica);
            else
              std::fill_n(gateGrad(t, rows.first, a),
                          rows.count * kLstmGates * size_, 0.0f);
          });
      });
      gateGrads_.store(replica, pool);
      outputGrad_.store(replica, pool);
      stateGrad_.store(replica, pool);
    }
  }

private:
  struct Arrays {
    const float *kept, *outputGrads;
    float *gateGrads;
    float *h, *c; // gradients of the state of the current step
  };

  std::uint64_t cyclesOf(unsigned tiles) const {
    const std::size_t units = steps_ * batch_ * size_;
    return 2 * units * kLstmGates * size_ / (8 * tiles) + 8 * units / tiles + 1;
  }

  float *gateGrad(std::size_t t, std::size_t row, const Arrays &a) const {
    return a.gateGrads + (t * batch_ + row) * kLstmGates * size_;
  }

  // The gradients of the state after the last step. That of a single output is
  // one of them, also for sequences that ended before.
  void start(const Arrays &a, const Replica &replica, ThreadPool &pool) const {
    const std::size_t n = batch_ * size_;
    const auto fill = [&](const std::optional<FloatOperand> &from, float *to) {
      if (from)
        std::copy_n(from->load(replica, pool), n, to);
      else
        std::fill_n(to, n, 0.0f);
    };
    fill(lastOutputGrad_, a.h);
    fill(lastStateGrad_, a.c);
    if (!allOutputs_) {
      add(a.outputGrads, a.h, n);
      round(a.h, n);
    }
  }

  void goBack(std::size_t t, RowRange rows, const Arrays &a,
              const Replica &replica) const {
    const std::size_t n = size_;
    for (std::size_t row = rows.first; row < rows.first + rows.count; ++row) {
      float *h = a.h + row * n, *c = a.c + row * n;
      if (allOutputs_) {
        add(a.outputGrads + (t * batch_ + row) * n, h, n);
        round(h, n);
      }
      const float *kept = a.kept + (t * batch_ + row) * rowsKept_ * n;
      float *grads = gateGrad(t, row, a);
      stepGradient({{kept, kept + n, kept + 2 * n, kept + 3 * n},
                    kept + 4 * n,
                    kept + 5 * n,
                    h,
                    c,
                    {grads, grads + n, grads + 2 * n, grads + 3 * n}},
                   n);
      round(grads, kLstmGates * n);
      round(c, n);
    }
    float *h = a.h + rows.first * n;
    panels_.multiply(replica, gateGrad(t, rows.first, a), kLstmGates * n,
                     rows.count, h, n, false);
    round(h, rows.count * n);
  }

  void stepGradient(const LstmStep &step, std::size_t n) const {
    using Kind = Derivative::Kind;
    if (activation_.kind != Kind::softmax && recurrent_.kind != Kind::softmax)
      return lstmStepGradient(step, activation_, recurrent_, n);
    float *const *grads = step.gateGrads;
    multiply(step.outputGrad, step.gates[3], grads[2], n);
    scaleByDerivative(activation_, step.activated, grads[2], n);
    add(grads[2], step.stateGrad, n);
    multiply(step.stateGrad, step.before, grads[0], n);
    multiply(step.stateGrad, step.gates[2], grads[1], n);
    multiply(step.stateGrad, step.gates[1], grads[2], n);
    multiply(step.outputGrad, step.activated, grads[3], n);
    multiply(step.stateGrad, step.gates[0], step.stateGrad, n);
    for (const std::size_t gate : {0, 1, 3})
      scaleByDerivative(recurrent_, step.gates[gate], grads[gate], n);
    scaleByDerivative(activation_, step.gates[2], grads[2], n);
  }

  void round(float *x, std::size_t n) const {
    if (isHalf_)
      roundToHalf(x, n);
  }

  Derivative activation_, recurrent_;
  bool allOutputs_;
  std::size_t steps_, batch_, rowsKept_, size_;
  bool isHalf_;
  StepId step_;
  FloatOperand kept_, weights_, outputGrads_;
  std::optional<FloatOperand> lastOutputGrad_, lastStateGrad_;
  LengthsOperand lengths_;
  FloatOperand gateGrads_, outputGrad_, stateGrad_;
  WeightPanels panels_;
};

} // namespace

InstructionPtr LstmBackward::lower(const NativeOp &op, const std::string &name,
                                   PlanBuilder &builder) const {
  return std::make_shared<LstmBackwardInstruction>(
      *this, op, name, builder, ScratchFrame(builder.memory()));
}

} // namespace ipumodel
