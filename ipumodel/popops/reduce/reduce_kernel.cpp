#include "popops/reduce/reduce_kernel.hpp"

#include "poplar/operators/scale_factor.hpp"
#include "poplar/plan/batch_stage.hpp"
#include "poplar/values/type_info.hpp"
#include "poplar/view/layout.hpp"
#include "popops/reduce/reduce_loops.hpp"

#include <poplar/Type.hpp>

#include <algorithm>
#include <set>

namespace ipumodel {

using popops::Operation;

namespace {

// Input elements per task; partial results are combined in order.
constexpr std::size_t kTaskElements = 16384;

// A reduction by loops over memory: a dimension that is several loops, such as
// the groups of all samples, is as many dimensions. Not dimension 0, which may
// be the items of a batch.
struct ByLoops {
  View input;
  Shape kept;                    // the shape of the output
  std::set<std::size_t> reduced; // dimensions of the input
};

ByLoops loopsOf(const View &in, const std::set<std::size_t> &reduced) {
  ByLoops result;
  Shape shape;
  for (std::size_t d = 0; d < in.shape().size(); ++d) {
    Shape counts;
    if (in.blocks().size() == 1 && (d != 0 || !reduced.count(d)))
      for (const Loop &loop : in.blocks()[0].dims[d].loops)
        counts.push_back(loop.count);
    if (counts.size() < 2)
      counts = {in.shape()[d]};
    for (const std::size_t count : counts) {
      if (reduced.count(d))
        result.reduced.insert(shape.size());
      else
        result.kept.push_back(count);
      shape.push_back(count);
    }
  }
  result.input = in.reshape(shape);
  return result;
}

// The order in which the input is read, as memory has it: kept dimensions,
// reduced ones, and kept ones inside of these, each maybe none.
struct Arrangement {
  std::vector<unsigned> input;  // dimension order of the input
  std::vector<unsigned> output; // dimension order of the output
  bool columns;                 // kept dimensions are inside
  std::size_t outer;            // elements of the kept dimensions outside
};

Arrangement arrange(const View &in, const std::set<std::size_t> &reduced) {
  std::vector<unsigned> order = storageOrder(in);
  // The position of dimensions of size one means nothing; judge by the
  // innermost larger one.
  bool keptInside = false;
  for (const unsigned d : order)
    if (in.shape()[d] > 1)
      keptInside = reduced.count(d) == 0;
  Arrangement result;
  result.columns = keptInside;
  result.outer = 1;
  const auto isReduced = [&](unsigned d) { return reduced.count(d) != 0; };
  auto first = order.begin(); // after the kept dimensions outside
  if (keptInside)
    first = std::find_if(first, order.end(), [&](unsigned d) {
      return isReduced(d) && in.shape()[d] > 1;
    });
  std::stable_partition(first, order.end(),
                        [&](unsigned d) { return isReduced(d) == keptInside; });
  for (auto d = order.begin(); d != (keptInside ? first : order.end()); ++d)
    if (!isReduced(*d))
      result.outer *= in.shape()[*d];
  result.input = order;
  std::vector<unsigned> position(
      order.size()); // of a kept dimension in the output
  unsigned next = 0;
  for (unsigned d = 0; d < order.size(); ++d)
    if (!reduced.count(d))
      position[d] = next++;
  for (const unsigned d : order)
    if (!reduced.count(d))
      result.output.push_back(position[d]);
  return result;
}

// True if the reduction is over the items of a batch, each in rows of kept
// elements.
bool reducesBatch(const Arrangement &arrangement, const ByLoops &loops) {
  return arrangement.columns && loops.reduced.count(0) &&
         arrangement.input[0] == 0 && loops.input.shape()[0] >= kBatchGroups &&
         loops.input.numElements() > 0;
}

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
    partLength_ = std::max<std::size_t>(
        1, kTaskElements / std::max<std::size_t>(1, inner_));
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
        1, kTaskElements / std::max<std::size_t>(1, length_ * inner_));
    const std::size_t tasks = (arrangement_.outer + perTask - 1) / perTask;
    auto run = [&](std::size_t i) {
      const std::size_t part = i / tasks, task = i % tasks;
      const std::size_t end =
          std::min(arrangement_.outer, (task + 1) * perTask);
      const std::size_t first = part * partLength_;
      const std::size_t n =
          length_ ? std::min(partLength_, length_ - first) : 0;
      for (std::size_t table = task * perTask; table < end; ++table)
        reduceTable(in + (table * length_ + first) * inner_, n,
                    partial + part * outCount_ + table * inner_);
    };
    if (inCount_ > kTaskElements) {
      pool.run(parts_ * tasks, run);
      return;
    }
    for (std::size_t i = 0; i < parts_ * tasks; ++i)
      run(i);
  }

  void reduceTable(const float *in, std::size_t n, float *acc) const {
    if (!arrangement_.columns) {
      *acc = reduceRow(operation_, in, n);
      return;
    }
    std::fill(acc, acc + inner_, identityOf(operation_));
    reduceColumns(operation_, in, n, inner_, acc);
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

// Over the batch, item by item.
class ReduceStage : public BatchStage {
public:
  ReduceStage(Operation operation, std::size_t rows, std::size_t columns,
              FloatOperand out, ScaleFactor scale, bool update,
              StageOperands &operands)
      : operation_(operation), rows_(rows), columns_(columns),
        out_(std::move(out)), scale_(scale), update_(update),
        partial_(operands.takePerGroup(columns * sizeof(float))) {}

  void prepare(const Replica &replica, ThreadPool &pool) const override {
    if (update_)
      out_.load(replica, pool);
  }
  void run(const BatchItem &item) const override { runTogether(item, 1); }
  bool runTogether(const BatchItem &first, std::size_t count) const override {
    float *acc = partialOf(*first.replica) + first.group * columns_;
    if (first.isFirst)
      std::fill(acc, acc + columns_, identityOf(operation_));
    reduceColumns(operation_,
                  reinterpret_cast<const float *>(first.operands[0]),
                  count * rows_, columns_, acc);
    return true;
  }

  std::size_t numFinishTasks() const override { return 1; }
  void finish(const Replica &replica, std::size_t) const override {
    storeResult({operation_, scale_.in(replica), update_}, partialOf(replica),
                kBatchGroups, columns_, out_.target(replica));
  }
  void conclude(const Replica &replica, ThreadPool &pool) const override {
    out_.store(replica, pool);
  }

private:
  float *partialOf(const Replica &replica) const {
    return reinterpret_cast<float *>(replica.scratch.data() + partial_);
  }

  Operation operation_;
  std::size_t rows_, columns_; // of an item
  FloatOperand out_;
  ScaleFactor scale_;
  bool update_;
  std::size_t partial_;
};

} // namespace

StagePtr Reduction::stage(const NativeOp &op, const std::string &name,
                          StageOperands &operands) const {
  const std::set<std::size_t> reduced(dims.begin(), dims.end());
  const TensorData &in = *op.inputs[0], &out = *op.outputs[0];
  const ByLoops loops = loopsOf(in.view, reduced);
  const Arrangement arrangement = arrange(loops.input, loops.reduced);
  operands.isLight = true;
  if (!infoOf(in.type).isFloat || !reducesBatch(arrangement, loops))
    return operands.refuse("it does not reduce the floats of a batch");
  if (!operands.addFloats(loops.input.dimShuffle(arrangement.input), in.type,
                          Access::read))
    return nullptr;
  const std::size_t count = in.view.numElements();
  const std::size_t columns = out.view.numElements();
  operands.step = {kName, name, count / 4 / operands.builder.sharingTiles() + 1,
                   count * sizeOf(in.type)};
  if (hasScale)
    operands.addLateWhole(op.inputs[1]->view, Access::read);
  return std::make_shared<ReduceStage>(
      operation, count / columns / operands.batch, columns,
      operands.addWhole(
          out.view, out.view.reshape(loops.kept).dimShuffle(arrangement.output),
          out.type, update ? Access::readWrite : Access::write),
      hasScale ? ScaleFactor(1.0f, *op.inputs[1], operands.builder)
               : ScaleFactor(operation == Operation::LOG_ADD ? 0.0f : 1.0f),
      update, operands);
}

InstructionPtr Reduction::lower(const NativeOp &op, const std::string &name,
                                PlanBuilder &builder) const {
  return std::make_shared<ReduceInstruction>(
      op, name, builder, operation,
      loopsOf(op.inputs[0]->view,
              std::set<std::size_t>(dims.begin(), dims.end())),
      hasScale, update, ScratchFrame(builder.memory()));
}

} // namespace ipumodel
