#include "poplar/plan/batch_stage.hpp"
#include "poplar/values/type_info.hpp"
#include "poplar/view/layout.hpp"
#include "popops/map_interpreter.hpp"
#include "popops/map_operator.hpp"

#include <algorithm>
#include <alloca.h>

namespace popops {

namespace {

using ipumodel::CopyPlan;
using ipumodel::ExecutionState;
using ipumodel::InstructionPtr;
using ipumodel::NativeOp;
using ipumodel::PlanBuilder;
using ipumodel::Replica;
using ipumodel::TensorPtr;
using ipumodel::View;

class MapInstruction : public ipumodel::Instruction {
public:
  MapInstruction(ipumodel::StepId step, CopyPlan stage, MapLayout layout,
                 MapInterpreter interpreter, std::size_t numOperands)
      : step_(step), stage_(std::move(stage)), layout_(std::move(layout)),
        interpreter_(std::move(interpreter)), numOperands_(numOperands) {}

  void run(ExecutionState &state) const override {
    state.count(step_);
    for (const Replica &replica : state.replicas) {
      char *const memory = replica.memory.data();
      char *const scratch = replica.scratch.data();
      stage_.run(scratch, memory, state.pool);
      auto **bases =
          static_cast<char **>(alloca(numOperands_ * sizeof(char *)));
      for (std::size_t i = 0; i < numOperands_; ++i)
        bases[i] = layout_.isInScratch(i) ? scratch : memory;
      state.pool.run(layout_.numTasks(), [&](std::size_t task) {
        interpreter_.runTask(layout_, task, bases);
      });
    }
  }

private:
  ipumodel::StepId step_;
  CopyPlan stage_; // inputs that outputs would overwrite too early
  MapLayout layout_;
  MapInterpreter interpreter_;
  std::size_t numOperands_;
};

} // namespace

InstructionPtr MapOperator::lower(const NativeOp &op, const std::string &name,
                                  PlanBuilder &builder) const {
  std::vector<MapTensor> operands;
  for (const TensorPtr &output : op.outputs)
    operands.push_back({output->view, ipumodel::sizeOf(output->type)});
  ipumodel::ScratchFrame frame(builder.memory());
  CopyPlan stage;
  std::vector<bool> isUniform;
  bool writesInPlace = false;
  for (const TensorPtr &input : op.inputs) {
    const std::size_t size = ipumodel::sizeOf(input->type);
    View view = input->view;
    isUniform.push_back(ipumodel::repeatsOneElement(view));
    bool isStaged = false;
    for (const TensorPtr &output : op.outputs) {
      const bool overlaps = output->view.overlaps(input->view);
      writesInPlace = writesInPlace || overlaps;
      isStaged = isStaged || (overlaps && !(output->view == input->view));
    }
    if (isStaged) {
      const std::size_t count = view.numElements();
      const std::size_t at =
          frame.take(count * size, ipumodel::Buffer::kAlignment);
      const View flat = ipumodel::flatView(at, count, size);
      stage.append(builder.memory().lowerCopy(flat, view, size));
      view = flat.reshape(view.shape());
      isUniform.back() = count == 1;
    }
    operands.push_back({std::move(view), size});
  }
  MapInterpreter interpreter(op, program, isUniform, writesInPlace);
  MapLayout layout(operands, builder.memory());
  return std::make_shared<MapInstruction>(
      builder.addStep(interpreter.profile(name, layout.numElements(), builder)),
      std::move(stage), std::move(layout), std::move(interpreter),
      operands.size());
}

namespace {

// An element-wise operation on tensors of the same layout, item by item of a
// batch.
class MapStage : public ipumodel::BatchStage {
public:
  MapStage(MapLayout layout, MapInterpreter interpreter,
           std::vector<std::size_t> uniform, bool isRelu)
      : layout_(std::move(layout)), interpreter_(std::move(interpreter)),
        uniform_(std::move(uniform)), isRelu_(isRelu) {}

  ipumodel::Epilogue epilogue() const override {
    using Kind = ipumodel::Epilogue::Kind;
    return {isRelu_ ? Kind::relu : Kind::none};
  }

  void run(const ipumodel::BatchItem &item) const override {
    auto **bases =
        static_cast<char **>(alloca(uniform_.size() * sizeof(char *)));
    std::size_t next = 0;
    for (std::size_t i = 0; i < uniform_.size(); ++i)
      bases[i] = uniform_[i] == kIsItem
                     ? item.operands[next++]
                     : item.replica->memory.data() + uniform_[i];
    for (std::size_t task = 0; task < layout_.numTasks(); ++task)
      interpreter_.runTask(layout_, task, bases);
  }

  static constexpr std::size_t kIsItem = ~std::size_t(0);

private:
  MapLayout layout_; // of one item
  MapInterpreter interpreter_;
  std::vector<std::size_t> uniform_; // by operand: the position of its element
  bool isRelu_;
};

// max(x, 0) of one FLOAT tensor, in place or not.
bool isRelu(const NativeOp &op, const MapProgram &program) {
  if (op.inputs.size() != 1 || op.outputs.size() != 1 ||
      op.inputs[0]->type != poplar::FLOAT || program.steps.size() != 1 ||
      program.constants.size() != 1 || program.constants[0].bits != 0)
    return false;
  const MapProgram::Step &step = program.steps[0];
  return step.op == MapOp::binary && step.lane == Lane::float32 &&
         expr::BinaryOpType(step.code) == expr::BinaryOpType::MAXIMUM &&
         step.args[0] == 0 && step.args[1] == 1 &&
         program.outputs[0] == program.firstStep();
}

} // namespace

ipumodel::StagePtr MapOperator::stage(const NativeOp &op,
                                      const std::string &name,
                                      ipumodel::StageOperands &operands) const {
  using ipumodel::Access;
  const View &first = op.outputs[0]->view;
  if (operands.where == ipumodel::StageOperands::Items::staged)
    return nullptr; // lower() needs no copies
  if (operands.isFirst)
    return operands.refuse("it can follow operations in a chain, not begin it");
  if (first.shape().size() < 2)
    return operands.refuse("its tensors have no batch");
  const std::vector<unsigned> order = ipumodel::storageOrder(first, 1);
  const std::size_t perItem =
      first.shape()[0] ? first.numElements() / first.shape()[0] : 0;
  std::vector<MapTensor> tensors;
  std::vector<std::size_t> uniform;
  std::vector<bool> isUniform;
  bool writesInPlace = false;
  const auto addItems = [&](const ipumodel::TensorData &tensor, Access access) {
    const std::size_t size = ipumodel::sizeOf(tensor.type);
    tensors.push_back({ipumodel::flatView(0, perItem, size), size});
    uniform.push_back(MapStage::kIsItem);
    return operands.addItems(tensor.view.dimShuffle(order), size, access);
  };
  for (const TensorPtr &output : op.outputs)
    if (!addItems(*output, Access::write))
      return nullptr;
  for (const TensorPtr &input : op.inputs) {
    isUniform.push_back(ipumodel::repeatsOneElement(input->view));
    for (const TensorPtr &output : op.outputs)
      if (output->view.overlaps(input->view)) {
        if (!(output->view == input->view))
          return operands.refuse("it changes a part of what it reads");
        writesInPlace = true;
      }
    if (!isUniform.back()) {
      if (!addItems(*input, Access::read))
        return nullptr;
      continue;
    }
    const std::size_t size = ipumodel::sizeOf(input->type);
    const std::optional<std::size_t> place = operands.builder.contiguousOffset(
        input->view.flatten().slice(0, 0, 1), size);
    uniform.push_back(place.value());
    tensors.push_back(
        {ipumodel::flatView(0, 1, size).broadcast(perItem, 0), size});
    operands.addWhole(input->view, Access::read);
  }
  MapInterpreter interpreter(op, program, isUniform, writesInPlace);
  MapLayout layout(tensors, operands.builder.memory());
  operands.step =
      interpreter.profile(name, first.numElements(), operands.builder);
  return std::make_shared<MapStage>(std::move(layout), std::move(interpreter),
                                    std::move(uniform), isRelu(op, program));
}

} // namespace popops
