#include "popnn/recurrent/lstm/lstm_kernel.hpp"

#include "poplar/plan/float_operand.hpp"
#include "popnn/recurrent/sequence_rows.hpp"
#include "popnn/recurrent/weight_panels.hpp"

#include <algorithm>

namespace ipumodel {

namespace {

// Steps whose inputs are weighed at once, so that their weights are read less
// often; the sequences of one step are enough if they are many.
constexpr std::size_t kMostSteps = 4;
std::size_t stepsTogether(std::size_t sequences) {
  constexpr std::size_t kManyRows = 128;
  std::size_t steps = kMostSteps; // which it divides
  while (steps > 1 && steps * sequences > kManyRows)
    steps /= 2;
  return steps;
}

class LstmForwardInstruction : public Instruction {
public:
  LstmForwardInstruction(const LstmForward &what, const NativeOp &op,
                         const std::string &name, PlanBuilder &builder,
                         ScratchFrame frame)
      : what_(what), steps_(op.inputs[0]->view.shape()[0]),
        batch_(op.inputs[0]->view.shape()[1]),
        inputs_(op.inputs[0]->view.shape()[2]),
        size_(op.inputs[3]->view.shape()[1]),
        isHalf_(op.outputs[0]->type == poplar::HALF),
        step_(builder.addStep(
            {LstmForward::kName, name, cyclesOf(builder.sharingTiles())})),
        in_(*op.inputs[0], Access::read, builder, frame),
        weights_(*op.inputs[1], Access::read, builder, frame),
        biases_(*op.inputs[2], Access::read, builder, frame),
        output_(*op.inputs[3], Access::read, builder, frame),
        cellState_(*op.inputs[4], Access::read, builder, frame),
        lengths_(what.hasLengths ? op.inputs.back().get() : nullptr, builder,
                 frame),
        outputs_(*op.outputs[0], Access::write, builder, frame),
        lastState_(*op.outputs[1], Access::write, builder, frame),
        panels_(size_, kLstmGates * size_, frame), h_(batch_ * size_, frame),
        c_(batch_ * size_, frame),
        rows_(what.keepsStates ? 0 : kMostSteps * batch_ * kLstmKept * size_,
              frame) {
    if (what.keepsStates)
      kept_.emplace(*op.outputs[2], Access::write, builder, frame);
    if (what.weighsInputs) {
      inputWeights_.emplace(*op.inputs[5], Access::read, builder, frame);
      inputPanels_.emplace(inputs_, kLstmGates * size_, frame);
    }
  }

  void run(ExecutionState &state) const override {
    state.count(step_);
    for (const Replica &replica : state.replicas) {
      ThreadPool &pool = state.pool;
      panels_.pack(weights_.load(replica, pool), {kLstmGates * size_, 1},
                   replica, pool);
      if (inputWeights_)
        inputPanels_->pack(inputWeights_->load(replica, pool),
                           {kLstmGates * size_, 1}, replica, pool);
      const SequenceLengths lengths =
          lengths_.load(batch_, steps_, replica, pool);
      Arrays a{in_.load(replica, pool),  biases_.load(replica, pool),
               h_.at(replica),           c_.at(replica),
               outputs_.target(replica), lastState_.target(replica),
               rows_.at(replica),        kLstmKept};
      if (kept_) {
        a.kept = kept_->target(replica);
        a.rowsKept = kLstmKept + (what_.allOutputs ? 0 : 1);
      }
      std::copy_n(output_.load(replica, pool), batch_ * size_, a.h);
      std::copy_n(cellState_.load(replica, pool), batch_ * size_, a.c);
      forRowBlocks(batch_, pool, [&](RowRange block) {
        const std::size_t together = stepsTogether(block.count);
        for (std::size_t t = 0; t < steps_; ++t) {
          if (inputPanels_ && t % together == 0)
            weighInputs(t, std::min(together, steps_ - t), block, a, replica);
          lengths.runs(t, block, [&](RowRange rows, bool isActive) {
            if (isActive)
              advance(t, rows, a, replica);
            else
              clear(t, rows, a);
          });
        }
        finish(block, lengths, a);
      });
      outputs_.store(replica, pool);
      lastState_.store(replica, pool);
      if (kept_)
        kept_->store(replica, pool);
    }
  }

private:
  struct Arrays {
    const float *in, *biases;
    float *h, *c; // of the current step
    float *outputs, *lastState;
    float *kept;
    std::size_t rowsKept;
  };

  std::uint64_t cyclesOf(unsigned tiles) const {
    const std::size_t units = steps_ * batch_ * size_;
    return 2 * units * kLstmGates * (inputs_ + size_) / (8 * tiles) +
           8 * units / tiles + 1;
  }

  float *keptRow(std::size_t t, std::size_t row, const Arrays &a) const {
    return a.kept +
           ((kept_ ? t : t % kMostSteps) * batch_ + row) * a.rowsKept * size_;
  }

  void weighInputs(std::size_t t, std::size_t steps, RowRange rows,
                   const Arrays &a, const Replica &replica) const {
    const std::size_t rowStep = a.rowsKept * size_;
    inputPanels_->multiply(
        replica, rows.count, steps, a.in + (t * batch_ + rows.first) * inputs_,
        {inputs_, batch_ * inputs_}, keptRow(t, rows.first, a),
        {rowStep, batch_ * rowStep}, false);
  }

  void advance(std::size_t t, RowRange rows, const Arrays &a,
               const Replica &replica) const {
    const std::size_t rowStep = a.rowsKept * size_;
    panels_.multiply(replica, a.h + rows.first * size_, size_, rows.count,
                     keptRow(t, rows.first, a), rowStep,
                     inputPanels_.has_value(), a.biases);
    for (std::size_t row = rows.first; row < rows.first + rows.count; ++row)
      advanceRow(t, row, a);
  }

  // From sums to the next state.
  void advanceRow(std::size_t t, std::size_t row, const Arrays &a) const {
    const std::size_t n = size_;
    float *forget = keptRow(t, row, a), *input = forget + n;
    float *candidate = input + n, *output = candidate + n;
    float *activated = output + n, *before = activated + n;
    float *h = a.h + row * n, *c = a.c + row * n;
    activate(what_.recurrentActivation, forget, n);
    activate(what_.recurrentActivation, input, n);
    activate(what_.activation, candidate, n);
    activate(what_.recurrentActivation, output, n);
    round(forget, kLstmGates * n);
    std::copy_n(c, n, before);
    sumOfProducts(forget, before, input, candidate, c, n);
    round(c, n);
    std::copy_n(c, n, activated);
    activate(what_.activation, activated, n);
    round(activated, n);
    multiply(output, activated, h, n);
    round(h, n);
    if (what_.allOutputs)
      std::copy_n(h, n, a.outputs + (t * batch_ + row) * n);
    else if (kept_)
      std::copy_n(h, n, before + n);
  }

  void clear(std::size_t t, RowRange rows, const Arrays &a) const {
    if (kept_)
      std::fill_n(keptRow(t, rows.first, a), rows.count * a.rowsKept * size_,
                  0.0f);
    if (what_.allOutputs)
      std::fill_n(a.outputs + (t * batch_ + rows.first) * size_,
                  rows.count * size_, 0.0f);
  }

  void finish(RowRange block, const SequenceLengths &lengths,
              const Arrays &a) const {
    const auto end = [&](std::size_t row, bool isLost, const float *from,
                         float *to) {
      if (isLost)
        std::fill_n(to + row * size_, size_, 0.0f);
      else
        std::copy_n(from + row * size_, size_, to + row * size_);
    };
    for (std::size_t row = block.first; row < block.first + block.count;
         ++row) {
      const bool isEarly = lengths.endsEarly(row);
      end(row, isEarly && !what_.preservesState, a.c, a.lastState);
      if (!what_.allOutputs)
        end(row, isEarly, a.h, a.outputs);
    }
  }

  void round(float *x, std::size_t n) const {
    if (isHalf_)
      roundToHalf(x, n);
  }

  LstmForward what_;
  std::size_t steps_, batch_, inputs_, size_;
  bool isHalf_;
  StepId step_;
  FloatOperand in_, weights_, biases_, output_, cellState_;
  LengthsOperand lengths_;
  FloatOperand outputs_, lastState_;
  std::optional<FloatOperand> kept_, inputWeights_;
  WeightPanels panels_;
  std::optional<WeightPanels> inputPanels_;
  ScratchFloats h_, c_;
  ScratchFloats rows_; // in place of those kept
};

} // namespace

InstructionPtr LstmForward::lower(const NativeOp &op, const std::string &name,
                                  PlanBuilder &builder) const {
  return std::make_shared<LstmForwardInstruction>(
      *this, op, name, builder, ScratchFrame(builder.memory()));
}

} // namespace ipumodel
