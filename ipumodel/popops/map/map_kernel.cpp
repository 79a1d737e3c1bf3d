#include "poplar/plan/batch_stage.hpp"
#include "poplar/values/type_info.hpp"
#include "poplar/view/layout.hpp"
#include "popops/map/map_fusion.hpp"
#include "popops/map/map_interpreter.hpp"
#include "popops/map/map_operator.hpp"

#include <algorithm>
#include <alloca.h>

namespace ipumodel {

namespace {

// Where an operand's elements are found.
struct Source {
  enum class Kind { item, memory, scratch };
  Kind kind;
  std::size_t offset = 0; // in memory or scratch
};

// An element-wise operation: item by item of a batch, on tensors of the same
// layout, or on tensors of any layout, which then are one item.
class MapStage : public BatchStage {
public:
  MapStage(MapLayout layout, MapInterpreter interpreter,
           std::vector<Source> sources, CopyPlan staging, Epilogue epilogue)
      : layout_(std::move(layout)), interpreter_(std::move(interpreter)),
        sources_(std::move(sources)), staging_(std::move(staging)),
        epilogue_(epilogue) {}

  Epilogue epilogue() const override { return epilogue_; }
  void prepare(const Replica &replica, ThreadPool &pool) const override {
    staging_.run(replica.scratch.data(), replica.memory.data(), pool);
  }
  void run(const BatchItem &item) const override {
    runTasks(item, 0, layout_.numTasks());
  }
  std::size_t numParts() const override { return layout_.numTasks(); }
  void runPart(const BatchItem &item, std::size_t part) const override {
    runTasks(item, part, part + 1);
  }

private:
  void runTasks(const BatchItem &item, std::size_t begin,
                std::size_t end) const {
    // The interpreter limits how many there are.
    auto **bases =
        static_cast<char **>(alloca(sources_.size() * sizeof(char *)));
    std::size_t next = 0;
    for (std::size_t i = 0; i < sources_.size(); ++i)
      bases[i] = baseOf(sources_[i], item, next);
    for (std::size_t task = begin; task < end; ++task)
      interpreter_.runTask(layout_, task, bases);
  }

  static char *baseOf(const Source &source, const BatchItem &item,
                      std::size_t &next) {
    switch (source.kind) {
    case Source::Kind::item:
      return item.operands[next++];
    case Source::Kind::memory:
      return item.replica->memory.data() + source.offset;
    case Source::Kind::scratch:
      break;
    }
    return item.replica->scratch.data() + source.offset;
  }

  MapLayout layout_; // of one item
  MapInterpreter interpreter_;
  std::vector<Source> sources_; // by operand
  CopyPlan staging_;            // inputs that outputs would overwrite too early
  Epilogue epilogue_;
};

// max(x, 0) of one FLOAT tensor, or one that another of FLOAT gates.
Epilogue epilogueOf(const NativeOp &op, MapProgram program) {
  const auto isFloat = [](const TensorPtr &tensor) {
    return tensor->type == poplar::FLOAT;
  };
  if (program.steps.empty() || op.outputs.size() != 1 ||
      !isFloat(op.outputs[0]) ||
      !std::all_of(op.inputs.begin(), op.inputs.end(), isFloat))
    return {};
  simplifyForZero(program);
  const std::size_t last = program.steps.size() - 1;
  const MapProgram::Step &step = program.steps[last];
  if (program.outputs[0] != program.firstStep() + last)
    return {};
  Epilogue work;
  if (op.inputs.size() == 1 && last == 0 && step.op == MapOp::unary &&
      popops::expr::UnaryOpType(step.code) == popops::expr::UnaryOpType::RELU)
    work.kind = Epilogue::Kind::relu;
  // The other step is the condition.
  if (op.inputs.size() == 2 && last == 1 && step.op == MapOp::gate &&
      step.args[0] < 2 && step.args[1] == 1 - step.args[0]) {
    work.kind = Epilogue::Kind::gate;
    work.gated = 1 + step.args[0];
    work.by = 1 + step.args[1];
  }
  return work;
}

// All tensors as one item.
StagePtr wholeStage(const NativeOp &op, const MapProgram &program,
                    const std::string &name, StageOperands &operands) {
  const MemoryPlan &memory = operands.builder.memory();
  std::vector<MapTensor> tensors;
  for (const TensorPtr &output : op.outputs)
    tensors.push_back({output->view, sizeOf(output->type)});
  CopyPlan staging;
  std::vector<bool> isUniform;
  bool writesInPlace = false;
  for (const TensorPtr &input : op.inputs) {
    const std::size_t size = sizeOf(input->type);
    View view = input->view;
    isUniform.push_back(repeatsOneElement(view));
    bool isStaged = false;
    for (const TensorPtr &output : op.outputs) {
      const bool overlaps = output->view.overlaps(input->view);
      writesInPlace = writesInPlace || overlaps;
      isStaged = isStaged || (overlaps && !(output->view == input->view));
    }
    if (isStaged) {
      const std::size_t count = view.numElements();
      const std::size_t at =
          operands.frame.take(count * size, Buffer::kAlignment);
      const View flat = flatView(at, count, size);
      staging.append(memory.lowerCopy(flat, view, size));
      view = flat.reshape(view.shape());
      isUniform.back() = count == 1;
    }
    tensors.push_back({std::move(view), size});
  }
  MapInterpreter interpreter(op, program, isUniform, writesInPlace);
  MapLayout layout(tensors, memory);
  std::vector<Source> sources;
  for (std::size_t i = 0; i < tensors.size(); ++i)
    sources.push_back(
        {layout.isInScratch(i) ? Source::Kind::scratch : Source::Kind::memory});
  operands.batch = 1;
  operands.step =
      interpreter.profile(name, layout.numElements(), operands.builder);
  return std::make_shared<MapStage>(std::move(layout), std::move(interpreter),
                                    std::move(sources), std::move(staging),
                                    Epilogue());
}

} // namespace

StagePtr MapOperator::stage(const NativeOp &op, const std::string &name,
                            StageOperands &operands) const {
  const View &first = op.outputs[0]->view;
  if (operands.where == StageOperands::Items::staged)
    return wholeStage(op, program, name, operands);
  operands.isLight = true;
  if (first.shape().size() < 2)
    return operands.refuse("its tensors have no batch");
  const std::vector<unsigned> order = storageOrder(first, 1);
  const std::size_t perItem =
      first.shape()[0] ? first.numElements() / first.shape()[0] : 0;
  std::vector<MapTensor> tensors;
  std::vector<Source> sources;
  std::vector<bool> isUniform;
  bool writesInPlace = false;
  const auto addItems = [&](const TensorData &tensor, Access access) {
    const std::size_t size = sizeOf(tensor.type);
    tensors.push_back({flatView(0, perItem, size), size});
    sources.push_back({Source::Kind::item});
    return operands.addItems(tensor.view.dimShuffle(order), size, access);
  };
  for (const TensorPtr &output : op.outputs)
    if (!addItems(*output, Access::write))
      return nullptr;
  for (const TensorPtr &input : op.inputs) {
    isUniform.push_back(repeatsOneElement(input->view));
    for (const TensorPtr &output : op.outputs)
      if (output->view.overlaps(input->view)) {
        if (!(output->view == input->view))
          return operands.refuse("it changes a part of what it reads");
        writesInPlace = true;
      }
    const View items = input->view.dimShuffle(order);
    if (!isUniform.back() && repeatsFirstItem(items)) {
      sources.push_back({Source::Kind::memory});
      tensors.push_back({items.slice(0, 0, 1).flatten(), sizeOf(input->type)});
      operands.addWhole(input->view, Access::read);
      continue;
    }
    if (!isUniform.back()) {
      if (!addItems(*input, Access::read))
        return nullptr;
      continue;
    }
    const std::size_t size = sizeOf(input->type);
    const std::optional<std::size_t> place = operands.builder.contiguousOffset(
        input->view.flatten().slice(0, 0, 1), size);
    sources.push_back({Source::Kind::memory, place.value()});
    tensors.push_back({flatView(0, 1, size).broadcast(perItem, 0), size});
    operands.addWhole(input->view, Access::read);
  }
  // Operands are numbered as the tensors are.
  const Epilogue work = operands.items.size() == tensors.size()
                            ? epilogueOf(op, program)
                            : Epilogue();
  MapInterpreter interpreter(op, program, isUniform, writesInPlace);
  MapLayout layout(tensors, operands.builder.memory());
  operands.step =
      interpreter.profile(name, first.numElements(), operands.builder);
  return std::make_shared<MapStage>(std::move(layout), std::move(interpreter),
                                    std::move(sources), CopyPlan(), work);
}

} // namespace ipumodel
