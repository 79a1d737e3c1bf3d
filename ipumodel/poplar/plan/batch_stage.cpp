#include "poplar/plan/batch_stage.hpp"

#include <poplar/Type.hpp>

#include <array>

namespace ipumodel {

namespace {

// A sum of fewer elements is done before other threads are awake.
constexpr std::size_t kFewElements = 16384;

// A stage that runs alone, on operands that may be copies.
class WholeBatch : public Instruction {
public:
  WholeBatch(StepId step, StagePtr stage, StageOperands operands)
      : step_(step), stage_(std::move(stage)), batch_(operands.batch),
        operands_(std::move(operands.staged)), inGroups_(operands.needsGroups) {
    for (const StageOperands::Staged &operand : operands_)
      elements_ += batch_ * operand.perItem;
  }

  void run(ExecutionState &state) const override {
    state.count(step_);
    for (const Replica &replica : state.replicas)
      runReplica(replica, state.pool);
  }

private:
  using Bases = std::array<float *, kMaxItemOperands>;

  void runReplica(const Replica &replica, ThreadPool &pool) const {
    stage_->prepare(replica, pool);
    Bases bases;
    for (std::size_t i = 0; i < operands_.size(); ++i)
      bases[i] = operands_[i].access == Access::write
                     ? operands_[i].floats.target(replica)
                     : operands_[i].floats.loadTarget(replica, pool);
    if (!inGroups_) {
      const std::size_t parts = stage_->numParts();
      pool.run(batch_ * parts, [&](std::size_t task) {
        withItem(replica, bases, task / parts, 0, [&](const BatchItem &item) {
          stage_->runPart(item, task % parts);
        });
      });
    } else if (elements_ > kFewElements) {
      pool.run(kBatchGroups,
               [&](std::size_t group) { runGroup(replica, bases, group); });
    } else {
      for (std::size_t group = 0; group < kBatchGroups; ++group)
        runGroup(replica, bases, group);
    }
    pool.run(stage_->numFinishTasks(),
             [&](std::size_t task) { stage_->finish(replica, task); });
    stage_->conclude(replica, pool);
    for (const StageOperands::Staged &operand : operands_)
      if (operand.access != Access::read)
        operand.floats.store(replica, pool);
  }

  void runGroup(const Replica &replica, const Bases &bases,
                std::size_t group) const {
    const std::size_t first = batch_ * group / kBatchGroups;
    const std::size_t end = batch_ * (group + 1) / kBatchGroups;
    bool isDone = false;
    for (std::size_t index = first; index < end && !isDone; ++index)
      withItem(replica, bases, index, group, [&](BatchItem &item) {
        item.isFirst = index == first;
        isDone = item.isFirst && stage_->runTogether(item, end - first);
        if (!isDone)
          stage_->run(item);
      });
  }

  template <class F>
  void withItem(const Replica &replica, const Bases &bases, std::size_t index,
                std::size_t group, F &&f) const {
    char *places[kMaxItemOperands];
    for (std::size_t i = 0; i < operands_.size(); ++i)
      places[i] =
          reinterpret_cast<char *>(bases[i] + index * operands_[i].perItem);
    BatchItem item{index, group, false, places, nullptr, &replica};
    f(item);
  }

  StepId step_;
  StagePtr stage_;
  std::size_t batch_;
  std::vector<StageOperands::Staged> operands_;
  bool inGroups_;
  std::size_t elements_ = 0;
};

} // namespace

bool StageOperands::addItems(const View &batchFirst, std::size_t elementSize,
                             Access access) {
  const Shape &shape = batchFirst.shape();
  const auto refuseItems = [&](const std::string &why) {
    refuse(why);
    return false;
  };
  if (where == Items::staged)
    return refuseItems("it is not done on copies");
  if (shape.empty() || shape[0] < kBatchGroups || batchFirst.numElements() == 0)
    return refuseItems("a tensor has fewer than " +
                       std::to_string(kBatchGroups) + " items");
  if (items.size() == kMaxItemOperands)
    return refuseItems("it has too many tensors");
  if (!items.empty() && batch != shape[0])
    return refuseItems("its tensors have batches of different sizes");
  const std::optional<std::size_t> offset =
      builder.contiguousOffset(batchFirst, elementSize);
  if (!offset)
    return refuseItems("the items of a tensor are not stored one after the "
                       "other, in the order it needs");
  batch = shape[0];
  items.push_back({batchFirst, elementSize, access, *offset,
                   batchFirst.numElements() / batch * elementSize, false});
  return true;
}

bool StageOperands::addFloats(const View &batchFirst, poplar::Type type,
                              Access access) {
  if (where == Items::inPlace) {
    if (type == poplar::FLOAT)
      return addItems(batchFirst, sizeof(float), access);
    reason = "a tensor is " + std::string(type.toString()) + ", not FLOAT";
    return false;
  }
  const std::size_t size = batchFirst.shape().at(0);
  if (staged.size() == kMaxItemOperands || (!staged.empty() && batch != size))
    return false;
  batch = size;
  staged.push_back({{batchFirst, type, access, builder, frame},
                    access,
                    batch ? batchFirst.numElements() / batch : 0});
  return true;
}

InstructionPtr lowerByItems(const Operator &what, const NativeOp &op,
                            const std::string &name, PlanBuilder &builder) {
  ScratchFrame frame(builder.memory());
  StageOperands operands(builder, frame, StageOperands::Items::staged);
  StagePtr stage = what.stage(op, name, operands);
  if (!stage || (operands.needsGroups && operands.batch < kBatchGroups))
    return nullptr;
  const StepId step = builder.addStep(std::move(operands.step));
  return std::make_shared<WholeBatch>(step, std::move(stage),
                                      std::move(operands));
}

} // namespace ipumodel
