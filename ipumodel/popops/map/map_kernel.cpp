#include "poplar/plan/batch_stage.hpp"
#include "poplar/plan/float_operand.hpp"
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

// A tensor of a map that runs item by item.
struct ItemTensor {
  std::size_t elementSize;
  Shape stored; // of an item; 1 where the map repeats what is stored
  std::optional<View> same; // [1, stored...] of all items
};

// The tensors of `count` items that follow each other in memory.
std::vector<MapTensor> tensorsOf(const std::vector<ItemTensor> &tensors,
                                 const Shape &item, std::size_t count) {
  std::vector<MapTensor> result;
  for (const ItemTensor &tensor : tensors) {
    Shape shape = tensor.stored;
    shape.insert(shape.begin(), count);
    View view =
        tensor.same
            ? tensor.same->broadcast(count, 0)
            : flatView(0, product(shape), tensor.elementSize).reshape(shape);
    for (std::size_t d = 0; d < item.size(); ++d)
      if (tensor.stored[d] != item[d])
        view = view.broadcast(item[d], d + 1);
    result.push_back({std::move(view), tensor.elementSize});
  }
  return result;
}

// The items of a map.
struct MapItems {
  Shape shape;
  std::vector<ItemTensor> tensors;
};

// An element-wise operation: item by item of a batch, or on tensors of any
// layout, which then are one item.
class MapStage : public BatchStage {
public:
  MapStage(MapLayout layout, MapInterpreter interpreter,
           std::vector<Source> sources, CopyPlan staging)
      : layout_(std::move(layout)), interpreter_(std::move(interpreter)),
        sources_(std::move(sources)), staging_(std::move(staging)) {}
  MapStage(MapItems items, MapInterpreter interpreter,
           std::vector<Source> sources, Epilogue epilogue,
           std::optional<FloatOperand> bias, const MemoryPlan &memory)
      : layout_(tensorsOf(items.tensors, items.shape, 1), memory),
        items_(std::move(items)), interpreter_(std::move(interpreter)),
        sources_(std::move(sources)), epilogue_(epilogue),
        bias_(std::move(bias)) {}

  Epilogue epilogue() const override {
    return bias_
               ? Epilogue{Epilogue::Kind::addBias, &*bias_, items_.shape.back()}
               : epilogue_;
  }
  bool prepareTogether(std::size_t count, const MemoryPlan &memory) override {
    numTogether_ = count;
    together_.emplace(tensorsOf(items_.tensors, items_.shape, count), memory);
    return true;
  }
  void prepare(const Replica &replica, ThreadPool &pool) const override {
    staging_.run(replica.scratch.data(), replica.memory.data(), pool);
    if (bias_)
      bias_->load(replica, pool);
  }
  void run(const BatchItem &item) const override {
    runTasks(item, layout_, 0, layout_.numTasks());
  }
  bool runTogether(const BatchItem &first, std::size_t count) const override {
    if (!together_ || count != numTogether_)
      return false;
    runTasks(first, *together_, 0, together_->numTasks());
    return true;
  }
  std::size_t numParts() const override { return layout_.numTasks(); }
  void runPart(const BatchItem &item, std::size_t part) const override {
    runTasks(item, layout_, part, part + 1);
  }

private:
  void runTasks(const BatchItem &item, const MapLayout &layout,
                std::size_t begin, std::size_t end) const {
    // The interpreter limits how many there are.
    auto **bases =
        static_cast<char **>(alloca(sources_.size() * sizeof(char *)));
    std::size_t next = 0;
    for (std::size_t i = 0; i < sources_.size(); ++i)
      bases[i] = baseOf(sources_[i], item, next);
    for (std::size_t task = begin; task < end; ++task)
      interpreter_.runTask(layout, task, bases);
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
  MapItems items_;   // if there is a batch
  std::size_t numTogether_ = 0;
  std::optional<MapLayout> together_; // of so many items
  MapInterpreter interpreter_;
  std::vector<Source> sources_; // by operand
  CopyPlan staging_;            // inputs that outputs would overwrite too early
  Epilogue epilogue_;
  std::optional<FloatOperand> bias_; // if it only adds that
};

// max(x, 0) of one FLOAT tensor, the sum of two, or one that another gates.
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
  if (op.inputs.size() == 2 && last == 0 && step.op == MapOp::binary &&
      popops::expr::BinaryOpType(step.code) ==
          popops::expr::BinaryOpType::ADD &&
      step.args[0] < 2 && step.args[1] == 1 - step.args[0])
    work.kind = Epilogue::Kind::sum;
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
                                    std::move(sources), std::move(staging));
}

// What the program adds to each row of the items, the first input; null if it
// does something else. The last input is no value repeated, whose view is not
// that of a variable.
const View *biasOf(const NativeOp &op, const MapProgram &program,
                   const MapItems &items) {
  const auto isFloat = [](const TensorPtr &tensor) {
    return tensor->type == poplar::FLOAT;
  };
  if (program.steps.size() != 1 || op.inputs.size() != 2 ||
      op.outputs.size() != 1 || !isFloat(op.outputs[0]) ||
      !std::all_of(op.inputs.begin(), op.inputs.end(), isFloat) ||
      !isFloatOp(program.steps[0], popops::expr::BinaryOpType::ADD) ||
      program.steps[0].args[0] + program.steps[0].args[1] != 1)
    return nullptr;
  const ItemTensor &bias = items.tensors.back();
  return !items.shape.empty() && !items.tensors[1].same && bias.same &&
                 bias.stored.back() == items.shape.back() &&
                 product(bias.stored) == items.shape.back()
             ? &*bias.same
             : nullptr;
}

// The shape of what is stored of each item.
Shape storedOf(const View &items) {
  Shape stored(items.shape().begin() + 1, items.shape().end());
  for (std::size_t d = 0; d < stored.size(); ++d)
    if (repeatsAlong(items, d + 1))
      stored[d] = 1;
  return stored;
}

// Of each item.
View onlyStored(View items, const Shape &stored) {
  for (std::size_t d = 0; d < stored.size(); ++d)
    items = items.slice(d + 1, 0, stored[d]);
  return items;
}

} // namespace

StagePtr MapOperator::stage(const NativeOp &op, const std::string &name,
                            StageOperands &operands) const {
  const View &first = op.outputs[0]->view;
  if (operands.where == StageOperands::Items::staged)
    return wholeStage(op, program, name, operands);
  operands.isLight = true;
  if (first.shape().empty())
    return operands.refuse("its tensors have no batch");
  const std::vector<unsigned> order = storageOrder(first);
  MapItems items;
  for (const unsigned d : order)
    items.shape.push_back(first.shape()[d]);
  items.shape.erase(items.shape.begin());
  std::vector<Source> sources;
  std::vector<bool> isUniform;
  bool writesInPlace = false;
  const auto addItems = [&](const TensorData &tensor, Access access) {
    const std::size_t size = sizeOf(tensor.type);
    const View view = tensor.view.dimShuffle(order);
    const Shape stored = storedOf(view);
    items.tensors.push_back({size, stored, std::nullopt});
    sources.push_back({Source::Kind::item});
    return operands.addItems(onlyStored(view, stored), size, access);
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
    const View view = input->view.dimShuffle(order);
    if (!isUniform.back() && !repeatsAlong(view, 0)) {
      if (!addItems(*input, Access::read))
        return nullptr;
      continue;
    }
    // What every item reads.
    const std::size_t size = sizeOf(input->type);
    const Shape stored = storedOf(view);
    View same = onlyStored(view.slice(0, 0, 1), stored);
    sources.push_back({Source::Kind::memory});
    if (isUniform.back()) {
      sources.back().offset =
          operands.builder.contiguousOffset(same, size).value();
      same = flatView(0, 1, size).reshape(same.shape());
    }
    items.tensors.push_back({size, stored, std::move(same)});
    operands.addWhole(input->view, Access::read);
  }
  // Operands are numbered as the tensors are.
  const bool areWholeItems = std::all_of(
      items.tensors.begin(), items.tensors.end(),
      [&](const ItemTensor &t) { return !t.same && t.stored == items.shape; });
  std::optional<FloatOperand> bias;
  const bool mayBeBias = !isUniform.empty() && !isUniform.back();
  if (const View *row = mayBeBias ? biasOf(op, program, items) : nullptr)
    bias.emplace(*row, poplar::FLOAT, Access::read, operands.builder,
                 operands.frame);
  MapInterpreter interpreter(op, program, isUniform, writesInPlace);
  operands.step =
      interpreter.profile(name, first.numElements(), operands.builder);
  return std::make_shared<MapStage>(
      std::move(items), std::move(interpreter), std::move(sources),
      areWholeItems ? epilogueOf(op, program) : Epilogue(), std::move(bias),
      operands.builder.memory());
}

} // namespace ipumodel
