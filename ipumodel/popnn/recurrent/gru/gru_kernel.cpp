#include "popnn/recurrent/gru/gru_kernel.hpp"

#include "poplar/plan/float_operand.hpp"
#include "popnn/recurrent/sequence_rows.hpp"
#include "popnn/recurrent/weight_panels.hpp"

#include <algorithm>

namespace ipumodel {

namespace {

class GruForwardInstruction : public Instruction {
public:
  GruForwardInstruction(const GruForward &what, const NativeOp &op,
                        const std::string &name, PlanBuilder &builder,
                        ScratchFrame frame)
      : cell_(what.cell), steps_(op.inputs[0]->view.shape()[0]),
        batch_(op.inputs[0]->view.shape()[1]),
        inputs_(op.inputs[0]->view.shape()[2]),
        size_(op.inputs[4]->view.shape()[1]),
        isHalf_(op.outputs[0]->type == poplar::HALF),
        step_(builder.addStep(
            {GruForward::kName, name, cyclesOf(builder.sharingTiles())})),
        in_(*op.inputs[0], Access::read, builder, frame),
        inputWeights_(*op.inputs[1], Access::read, builder, frame),
        weights_(*op.inputs[2], Access::read, builder, frame),
        biases_(*op.inputs[3], Access::read, builder, frame),
        initial_(*op.inputs[4], Access::read, builder, frame),
        lengths_(cell_.hasLengths ? op.inputs.back().get() : nullptr, builder,
                 frame),
        outputs_(*op.outputs[0], Access::write, builder, frame),
        inputPanels_(inputs_, kGruUnits * size_, frame),
        gates_(size_, 2 * size_, frame), candidate_(size_, size_, frame),
        h_(batch_ * size_, frame), reset_(batch_ * size_, frame),
        sums_(kGruUnits * size_, frame),
        rows_(what.keepsStates ? 0 : batch_ * cell_.rowsKept() * size_, frame) {
    if (cell_.hasAttention)
      attention_.emplace(*op.inputs[5], Access::read, builder, frame);
    if (what.keepsStates)
      kept_.emplace(*op.outputs[1], Access::write, builder, frame);
  }

  void run(ExecutionState &state) const override {
    state.count(step_);
    for (const Replica &replica : state.replicas) {
      ThreadPool &pool = state.pool;
      inputPanels_.pack(inputWeights_.load(replica, pool),
                        {kGruUnits * size_, 1}, replica, pool);
      const float *weights = weights_.load(replica, pool);
      gates_.pack(weights, {kGruUnits * size_, 1}, replica, pool);
      candidate_.pack(weights + 2 * size_, {kGruUnits * size_, 1}, replica,
                      pool);
      const SequenceLengths lengths =
          lengths_.load(batch_, steps_, replica, pool);
      const Arrays a{in_.load(replica, pool),
                     biases_.load(replica, pool),
                     attention_ ? attention_->load(replica, pool) : nullptr,
                     h_.at(replica),
                     reset_.at(replica),
                     sums_.at(replica),
                     outputs_.target(replica),
                     kept_ ? kept_->target(replica) : rows_.at(replica)};
      sumBiases(a);
      std::copy_n(initial_.load(replica, pool), batch_ * size_, a.h);
      forRowBlocks(batch_, pool, [&](RowRange block) {
        for (std::size_t t = 0; t < steps_; ++t)
          lengths.runs(t, block, [&](RowRange rows, bool isActive) {
            if (isActive)
              advance(t, rows, a, replica);
            else
              clear(t, rows, a);
          });
        if (!cell_.allOutputs)
          std::copy_n(a.h + block.first * size_, block.count * size_,
                      a.outputs + block.first * size_);
      });
      outputs_.store(replica, pool);
      if (kept_)
        kept_->store(replica, pool);
    }
  }

private:
  struct Arrays {
    const float *in, *biases, *attention;
    float *h;     // of the current step
    float *reset; // r h
    float *sums;  // of the two biases, where both are added
    float *outputs, *kept;
  };

  std::uint64_t cyclesOf(unsigned tiles) const {
    const std::size_t units = steps_ * batch_ * size_;
    return 2 * units * kGruUnits * (inputs_ + size_) / (8 * tiles) +
           8 * units / tiles + 1;
  }

  std::size_t rowStep() const { return cell_.rowsKept() * size_; }
  float *keptRow(std::size_t t, std::size_t row, const Arrays &a) const {
    return a.kept + ((kept_ ? t * batch_ : 0) + row) * rowStep();
  }

  void sumBiases(const Arrays &a) const {
    const std::size_t biases = cell_.resetAfter ? 2 : 1;
    for (std::size_t unit = 0; unit < kGruUnits; ++unit) {
      const float *own = a.biases + unit * biases * size_;
      std::copy_n(own, size_, a.sums + unit * size_);
      if (cell_.resetAfter && unit != 2)
        add(own + size_, a.sums + unit * size_, size_);
    }
  }

  void advance(std::size_t t, RowRange rows, const Arrays &a,
               const Replica &replica) const {
    const std::size_t n = size_, end = rows.first + rows.count;
    float *first = keptRow(t, rows.first, a);
    const float *h = a.h + rows.first * n;
    inputPanels_.multiply(replica, a.in + (t * batch_ + rows.first) * inputs_,
                          inputs_, rows.count, first, rowStep(), false, a.sums);
    gates_.multiply(replica, h, n, rows.count, first, rowStep(), true);
    for (std::size_t row = rows.first; row < end; ++row) {
      float *gates = keptRow(t, row, a);
      activate(cell_.recurrentActivation, gates, n);
      activate(cell_.recurrentActivation, gates + n, n);
      round(gates, 2 * n);
    }
    if (cell_.resetAfter) {
      float *product = first + cell_.productRow() * n;
      candidate_.multiply(replica, h, n, rows.count, product, rowStep(), false,
                          a.biases + (2 * 2 + 1) * n);
      for (std::size_t row = rows.first; row < end; ++row)
        resetProduct(keptRow(t, row, a));
    } else {
      for (std::size_t row = rows.first; row < end; ++row) {
        multiply(keptRow(t, row, a), a.h + row * n, a.reset + row * n, n);
        round(a.reset + row * n, n);
      }
      candidate_.multiply(replica, a.reset + rows.first * n, n, rows.count,
                          first + 2 * n, rowStep(), true);
    }
    for (std::size_t row = rows.first; row < end; ++row)
      finishRow(t, row, a);
  }

  void resetProduct(float *kept) const {
    float *product = kept + cell_.productRow() * size_;
    float *candidate = kept + 2 * size_;
    round(product, size_);
    multiplyAdd(kept, product, candidate, size_);
  }

  void finishRow(std::size_t t, std::size_t row, const Arrays &a) const {
    const std::size_t n = size_;
    float *kept = keptRow(t, row, a);
    float *candidate = kept + 2 * n, *h = a.h + row * n;
    activate(cell_.activation, candidate, n);
    round(candidate, n);
    const float *update = kept + n;
    if (a.attention) {
      float *scaled = a.reset + row * n; // which is not needed any more
      const float factor = 1 - a.attention[row * steps_ + t];
      for (std::size_t i = 0; i < n; ++i)
        scaled[i] = factor * update[i];
      round(scaled, n);
      update = scaled;
    }
    blend(update, h, candidate, h, n);
    round(h, n);
    if (cell_.allOutputs)
      std::copy_n(h, n, a.outputs + (t * batch_ + row) * n);
    else if (kept_)
      std::copy_n(h, n, kept + cell_.outputRow() * n);
  }

  void clear(std::size_t t, RowRange rows, const Arrays &a) const {
    if (kept_)
      std::fill_n(keptRow(t, rows.first, a), rows.count * rowStep(), 0.0f);
    if (cell_.allOutputs)
      std::fill_n(a.outputs + (t * batch_ + rows.first) * size_,
                  rows.count * size_, 0.0f);
  }

  void round(float *x, std::size_t n) const {
    if (isHalf_)
      roundToHalf(x, n);
  }

  GruCell cell_;
  std::size_t steps_, batch_, inputs_, size_;
  bool isHalf_;
  StepId step_;
  FloatOperand in_, inputWeights_, weights_, biases_, initial_;
  std::optional<FloatOperand> attention_;
  LengthsOperand lengths_;
  FloatOperand outputs_;
  std::optional<FloatOperand> kept_;
  WeightPanels inputPanels_, gates_, candidate_;
  ScratchFloats h_, reset_, sums_;
  ScratchFloats rows_; // in place of those kept
};

} // namespace

InstructionPtr GruForward::lower(const NativeOp &op, const std::string &name,
                                 PlanBuilder &builder) const {
  return std::make_shared<GruForwardInstruction>(
      *this, op, name, builder, ScratchFrame(builder.memory()));
}

} // namespace ipumodel
