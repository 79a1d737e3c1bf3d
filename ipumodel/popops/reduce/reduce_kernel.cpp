#include "popops/reduce/reduce_kernel.hpp"

#include "poplar/operators/scale_factor.hpp"
#include "poplar/plan/float_array.hpp"
#include "poplar/values/type_info.hpp"
#include "popops/reduce/reduce_arrangement.hpp"
#include "popops/reduce/reduce_loops.hpp"

#include <poplar/Type.hpp>

#include <algorithm>

namespace ipumodel {

using popops::Operation;

namespace {

class ReduceInstruction : public Instruction {
public:
  ReduceInstruction(const NativeOp &op, const std::string &name,
                    PlanBuilder &builder, Operation operation,
                    const ByLoops &loops, bool hasScale, bool update,
                    ScratchFrame frame)
      : operation_(operation), update_(update),
        arrangement_(arrange(loops.input, loops.reduced)),
        inType_(op.inputs[0]->type), outType_(op.outputs[0]->type),
        inCount_(op.inputs[0]->view.numElements()),
        outCount_(op.outputs[0]->view.numElements()),
        step_(builder.addStep({Reduction::kName, name,
                               inCount_ / 4 / builder.sharingTiles() + 1,
                               inCount_ * sizeOf(inType_)})),
        input_(loops.input.dimShuffle(arrangement_.input), sizeOf(inType_),
               Access::read, builder, frame),
        wideInput_(inType_, inCount_, frame),
        output_(op.outputs[0]
                    ->view.reshape(loops.kept)
                    .dimShuffle(arrangement_.output),
                sizeOf(outType_), update ? Access::readWrite : Access::write,
                builder, frame),
        wideOutput_(outType_, outCount_, frame),
        scale_(hasScale ? ScaleFactor(1.0f, *op.inputs[1], builder)
                        : ScaleFactor(operation == Operation::LOG_ADD ? 0.0f
                                                                      : 1.0f)) {
    length_ = outCount_ ? inCount_ / outCount_ : 0;
    inner_ = outCount_ ? outCount_ / arrangement_.outer : 0;
    partLength_ = reducePartLength(inner_);
    parts_ = length_ ? (length_ + partLength_ - 1) / partLength_ : 1;
    partial_ =
        frame.take(parts_ * outCount_ * sizeof(float), Buffer::kAlignment);
  }

  void run(ExecutionState &state) const override {
    state.count(step_);
    if (outCount_ == 0)
      return;
    for (const Replica &replica : state.replicas) {
      input_.load(replica, state.pool);
      output_.load(replica, state.pool);
      if (infoOf(inType_).isFloat)
        runFloat(replica, state.pool);
      else if (sizeOf(inType_) == 1)
        runIntegers<std::uint8_t>(replica);
      else if (infoOf(inType_).isSigned)
        runIntegers<std::int32_t>(replica);
      else
        runIntegers<std::uint32_t>(replica);
      output_.store(replica, state.pool);
    }
  }

private:
  void runFloat(const Replica &replica, ThreadPool &pool) const {
    const float *in = wideInput_.widen(input_.at(replica), replica, pool);
    char *const stored = output_.at(replica);
    if (update_)
      wideOutput_.widen(stored, replica, pool);
    float *out = wideOutput_.target(stored, replica);
    float *partial =
        reinterpret_cast<float *>(replica.scratch.data() + partial_);
    reduceParts(in, partial, pool);
    storeResult({operation_, scale_.in(replica), update_}, partial, parts_,
                outCount_, out);
    wideOutput_.narrow(stored, replica, pool);
  }

  // A task has several short tables [reduced, kept inside], or a part of a long
  // one.
  void reduceParts(const float *in, float *partial, ThreadPool &pool) const {
    const std::size_t perTask = std::max<std::size_t>(
        1, kReduceTaskElements / std::max<std::size_t>(1, length_ * inner_));
    const std::size_t tasks = (arrangement_.outer + perTask - 1) / perTask;
    auto run = [&](std::size_t i) {
      const std::size_t part = i / tasks, task = i % tasks;
      const std::size_t end =
          std::min(arrangement_.outer, (task + 1) * perTask);
      const std::size_t first = part * partLength_;
      const std::size_t n =
          length_ ? std::min(partLength_, length_ - first) : 0;
      for (std::size_t table = task * perTask; table < end; ++table)
        reduceTable(operation_, arrangement_.columns,
                    in + (table * length_ + first) * inner_, n, inner_,
                    partial + part * outCount_ + table * inner_);
    };
    if (inCount_ > kReduceTaskElements) {
      pool.run(parts_ * tasks, run);
      return;
    }
    for (std::size_t i = 0; i < parts_ * tasks; ++i)
      run(i);
  }

  template <class T> void runIntegers(const Replica &replica) const {
    const T *in = reinterpret_cast<const T *>(input_.at(replica));
    T *out = reinterpret_cast<T *>(output_.at(replica));
    for (std::size_t i = 0; i < outCount_; ++i) {
      const T *from = in + i / inner_ * length_ * inner_ + i % inner_;
      T result = start<T>();
      for (std::size_t k = 0; k < length_; ++k)
        result = step(result, from[k * inner_]);
      out[i] = update_ ? static_cast<T>(out[i] + result) : result;
    }
  }

  template <class T> T start() const {
    switch (operation_) {
    case Operation::MUL:
    case Operation::LOGICAL_AND:
      return 1;
    case Operation::MIN:
      return std::numeric_limits<T>::max();
    case Operation::MAX:
      return std::numeric_limits<T>::lowest();
    default:
      return 0;
    }
  }

  // Integers wrap around, as on the device.
  template <class T> T step(T acc, T x) const {
    using U = std::make_unsigned_t<T>;
    switch (operation_) {
    case Operation::MUL:
      return static_cast<T>(U(acc) * U(x));
    case Operation::MIN:
      return std::min(acc, x);
    case Operation::MAX:
      return std::max(acc, x);
    case Operation::LOGICAL_AND:
      return acc && x;
    case Operation::LOGICAL_OR:
      return acc || x;
    case Operation::SQUARE_ADD:
      return static_cast<T>(U(acc) + U(x) * U(x));
    default:
      return static_cast<T>(U(acc) + U(x));
    }
  }

  Operation operation_;
  bool update_;
  Arrangement arrangement_;
  poplar::Type inType_, outType_;
  std::size_t inCount_, outCount_;
  StepId step_;
  NativeOperand input_;
  FloatArray wideInput_;
  NativeOperand output_;
  FloatArray wideOutput_;
  ScaleFactor scale_;
  std::size_t length_; // elements reduced to one
  std::size_t inner_;  // results of a table [reduced, kept inside]
  std::size_t parts_, partLength_;
  std::size_t partial_;
};

} // namespace

InstructionPtr Reduction::lower(const NativeOp &op, const std::string &name,
                                PlanBuilder &builder) const {
  return std::make_shared<ReduceInstruction>(
      op, name, builder, operation,
      loopsOf(op.inputs[0]->view,
              std::set<std::size_t>(dims.begin(), dims.end())),
      hasScale, update, ScratchFrame(builder.memory()));
}

} // namespace ipumodel
