#include "poplar/operators/scale_factor.hpp"
#include "poplar/plan/batch_stage.hpp"
#include "poplar/values/type_info.hpp"
#include "popops/reduce/reduce_arrangement.hpp"
#include "popops/reduce/reduce_kernel.hpp"
#include "popops/reduce/reduce_loops.hpp"

#include <poplar/Type.hpp>

#include <algorithm>

namespace ipumodel {

using popops::Operation;

namespace {

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
  bool prepareTogether(std::size_t, const MemoryPlan &) override {
    return true;
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

// Each item of a batch to its own results.
class ReduceItemsStage : public BatchStage {
public:
  ReduceItemsStage(Operation operation, bool columns, std::size_t tables,
                   std::size_t length, std::size_t inner, ScaleFactor scale)
      : operation_(operation), columns_(columns), tables_(tables),
        length_(length), inner_(inner), scale_(scale) {}

  bool prepareTogether(std::size_t, const MemoryPlan &) override {
    return true;
  }
  void run(const BatchItem &item) const override { runTogether(item, 1); }
  bool runTogether(const BatchItem &first, std::size_t count) const override {
    const auto *in = reinterpret_cast<const float *>(first.operands[0]);
    auto *out = reinterpret_cast<float *>(first.operands[1]);
    for (std::size_t table = 0; table < count * tables_; ++table)
      reduceTable(operation_, columns_, in + table * length_ * inner_, length_,
                  inner_, out + table * inner_);
    storeResult({operation_, scale_.in(*first.replica), false}, out, 1,
                count * tables_ * inner_, out);
    return true;
  }

private:
  Operation operation_;
  bool columns_;
  std::size_t tables_; // of an item
  std::size_t length_, inner_;
  ScaleFactor scale_;
};

} // namespace

StagePtr Reduction::stage(const NativeOp &op, const std::string &name,
                          StageOperands &operands) const {
  const std::set<std::size_t> reduced(dims.begin(), dims.end());
  const TensorData &in = *op.inputs[0], &out = *op.outputs[0];
  const ByLoops loops = loopsOf(in.view, reduced);
  const Arrangement arrangement = arrange(loops.input, loops.reduced);
  operands.isLight = true;
  const Over over = overWhat(arrangement, loops);
  if (!infoOf(in.type).isFloat || over == Over::other)
    return operands.refuse("it does not reduce the floats of a batch");
  const std::size_t count = in.view.numElements();
  const std::size_t results = out.view.numElements();
  const std::size_t inner = results / arrangement.outer;
  if (over == Over::items) {
    if (operands.where == StageOperands::Items::staged || update)
      return operands.refuse("it adds to what is there");
    if (count / results > reducePartLength(inner))
      return operands.refuse("it reduces items in parts");
  }
  if (!operands.addFloats(loops.input.dimShuffle(arrangement.input), in.type,
                          Access::read))
    return nullptr;
  operands.step = {kName, name, count / 4 / operands.builder.sharingTiles() + 1,
                   count * sizeOf(in.type)};
  if (hasScale && over == Over::batch)
    operands.addLateWhole(op.inputs[1]->view, Access::read);
  else if (hasScale)
    operands.addWhole(op.inputs[1]->view, Access::read);
  const ScaleFactor scale =
      hasScale ? ScaleFactor(1.0f, *op.inputs[1], operands.builder)
               : ScaleFactor(operation == Operation::LOG_ADD ? 0.0f : 1.0f);
  const View arranged =
      out.view.reshape(loops.kept).dimShuffle(arrangement.output);
  if (over == Over::batch)
    return std::make_shared<ReduceStage>(
        operation, count / results / operands.batch, results,
        operands.addWhole(out.view, arranged, out.type,
                          update ? Access::readWrite : Access::write),
        scale, update, operands);
  if (!operands.addFloats(arranged, out.type, Access::write))
    return nullptr;
  return std::make_shared<ReduceItemsStage>(operation, arrangement.columns,
                                            arrangement.outer / operands.batch,
                                            count / results, inner, scale);
}

} // namespace ipumodel
