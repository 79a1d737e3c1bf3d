#include "popops/map/map_interpreter.hpp"

#include "poplar/values/half.hpp"
#include "poplar/values/type_info.hpp"
#include "popops/map/block_copy.hpp"
#include "popops/map/map_fusion.hpp"
#include "popops/map/map_operator.hpp"

#include <poputil/exceptions.hpp>

#include <algorithm>
#include <alloca.h>
#include <cstring>
#include <memory>
#include <string>

namespace ipumodel {

namespace {

// Of a task, which runs on a thread of the pool or of the user.
constexpr std::size_t kMaxStackBytes = 256 * 1024;
// And tensors: callers have a word for each of these on the stack.
constexpr std::size_t kMaxValues = 16 * 1024;

std::ptrdiff_t rowBytes(const MapBlock &block, std::size_t size) {
  return static_cast<std::ptrdiff_t>(block.length * size);
}

// The content of an input's register.
struct Loaded {
  const BlockOperand *operand; // for its strides
  const char *from;
  std::size_t rows, length;
};

} // namespace

struct MapInterpreter::Task {
  char *registers;
  std::size_t registerBytes;
  const void **values; // by value, for the current block
  Loaded *loaded;      // by input

  char *at(std::uint32_t reg) const {
    return reg == kNone ? nullptr : registers + reg * registerBytes;
  }
};

MapInterpreter::MapInterpreter(const NativeOp &op, MapProgram program,
                               const std::vector<bool> &isUniform,
                               bool writesInPlace) {
  const std::size_t numValues = program.firstStep() + program.steps.size();
  if (std::max(numValues, op.inputs.size() + op.outputs.size()) > kMaxValues)
    throw poputil::poplibs_error("an element-wise expression has more than " +
                                 std::to_string(kMaxValues) +
                                 " values or tensors; divide it");
  const auto port = [](const TensorPtr &tensor, std::uint32_t value) {
    return Port{value, sizeOf(tensor->type), tensor->type == poplar::HALF,
                kNone};
  };
  for (std::uint32_t i = 0; i < program.numInputs; ++i)
    inputs_.push_back(port(op.inputs.at(i), i));
  for (std::size_t i = 0; i < program.outputs.size(); ++i) {
    std::uint32_t value = program.outputs[i];
    // Storing rounds to half anyway.
    if (op.outputs.at(i)->type == poplar::HALF &&
        value >= program.firstStep()) {
      const MapProgram::Step &step = program.steps[value - program.firstStep()];
      if (step.op == MapOp::roundHalf)
        value = step.args[0];
    }
    outputs_.push_back(port(op.outputs[i], value));
  }

  uniform_.assign(numValues, true);
  std::copy(isUniform.begin(), isUniform.end(), uniform_.begin());
  for (std::uint32_t i = 0; i < program.steps.size(); ++i)
    for (unsigned a = 0; a < arityOf(program.steps[i]); ++a)
      if (!uniform_[program.steps[i].args[a]])
        uniform_[program.firstStep() + i] = false;
  simplifyForZero(program);
  fuseProducts(program, uniform_);
  const std::vector<bool> used = findUsed(program);
  for (std::uint32_t i = 0; i < program.steps.size(); ++i) {
    const MapProgram::Step &step = program.steps[i];
    const std::uint32_t value = program.firstStep() + i;
    if (used[value])
      (uniform_[value] ? prologue_ : steps_)
          .push_back({findPrimitive(step.op, step.code, step.lane),
                      arityOf(step), step.args, value});
  }

  directOutput_.assign(numValues, kNone);
  for (std::uint32_t i = 0; i < outputs_.size(); ++i) {
    const std::uint32_t value = outputs_[i].value;
    if (value >= program.firstStep() && !uniform_[value] &&
        !outputs_[i].isHalf && (!writesInPlace || outputs_.size() == 1))
      directOutput_[value] = i;
  }
  allocate(program, used);
  fillConstants(program);
  isDirect_ = steps_.size() == 1 && prologue_.empty() && outputs_.size() == 1 &&
              directOutput_[steps_[0].value] == 0;
  for (unsigned a = 0; isDirect_ && a < steps_[0].arity; ++a) {
    const std::uint32_t arg = steps_[0].args[a];
    isDirect_ = arg >= program.numInputs || !inputs_[arg].isHalf;
  }
}

std::vector<bool> MapInterpreter::findUsed(const MapProgram &program) const {
  std::vector<bool> used(uniform_.size());
  for (const Port &output : outputs_)
    used[output.value] = true;
  for (std::size_t i = program.steps.size(); i-- > 0;)
    if (used[program.firstStep() + i])
      for (unsigned a = 0; a < arityOf(program.steps[i]); ++a)
        used[program.steps[i].args[a]] = true;
  return used;
}

// Inputs and values that are the same for all elements keep their registers;
// others release them after their last use.
void MapInterpreter::allocate(const MapProgram &program,
                              const std::vector<bool> &used) {
  std::size_t widest = 1;
  const auto laneSize = [&](std::uint32_t value) {
    if (value < program.numInputs)
      return inputs_[value].isHalf ? sizeof(float) : inputs_[value].size;
    if (value < program.firstStep())
      return sizeOf(program.constants[value - program.numInputs].lane);
    return sizeOf(program.steps[value - program.firstStep()].result);
  };
  registers_.assign(uniform_.size(), kNone);
  for (std::uint32_t value = 0; value < uniform_.size(); ++value) {
    widest = std::max(widest, laneSize(value));
    const bool isConstant =
        value >= program.numInputs && value < program.firstStep();
    if (used[value] && !isConstant &&
        (value < program.numInputs || uniform_[value]))
      registers_[value] = static_cast<std::uint32_t>(numRegisters_++);
  }
  registerBytes_ = kBlockElements * widest;

  std::vector<std::size_t> lastUse(uniform_.size(), 0);
  for (std::size_t i = 0; i < steps_.size(); ++i)
    for (unsigned a = 0; a < steps_[i].arity; ++a)
      lastUse[steps_[i].args[a]] = i;
  for (const Port &output : outputs_)
    lastUse[output.value] = steps_.size();
  std::vector<std::uint32_t> unused;
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    const Step &step = steps_[i];
    std::vector<std::uint32_t> freed;
    bool sameSize = true;
    for (unsigned a = 0; a < step.arity; ++a) {
      const std::uint32_t arg = step.args[a];
      sameSize = sameSize && laneSize(arg) == laneSize(step.value);
      if (arg >= program.firstStep() && !uniform_[arg] && lastUse[arg] == i &&
          std::find(freed.begin(), freed.end(), registers_[arg]) == freed.end())
        freed.push_back(registers_[arg]);
    }
    // An array may be overwritten while it is read only if the element sizes
    // are equal.
    if (sameSize)
      unused.insert(unused.end(), freed.begin(), freed.end());
    if (unused.empty()) {
      registers_[step.value] = static_cast<std::uint32_t>(numRegisters_++);
    } else {
      registers_[step.value] = unused.back();
      unused.pop_back();
    }
    if (!sameSize)
      unused.insert(unused.end(), freed.begin(), freed.end());
  }
  for (Port &input : inputs_)
    input.reg = registers_[input.value];
}

void MapInterpreter::fillConstants(const MapProgram &program) {
  constants_.resize(program.firstStep());
  for (std::uint32_t value = program.numInputs; value < program.firstStep();
       ++value) {
    const MapProgram::Constant &constant =
        program.constants[value - program.numInputs];
    const std::size_t size = sizeOf(constant.lane);
    constants_[value].resize(kBlockElements * size);
    for (std::size_t i = 0; i < kBlockElements; ++i)
      std::memcpy(constants_[value].data() + i * size, &constant.bits, size);
  }
}

void MapInterpreter::loadUniform(const Port &port, std::size_t count,
                                 const char *from, Task &task) const {
  char *const reg = task.at(port.reg);
  float number;
  if (port.isHalf) {
    std::uint16_t half;
    std::memcpy(&half, from, sizeof half);
    number = halfToFloat(half);
    from = reinterpret_cast<const char *>(&number);
  }
  const std::size_t size = port.isHalf ? sizeof number : port.size;
  fillElements(size, reg, from, count);
}

// Sets an input's value to point at its elements: in place, or in its register.
void MapInterpreter::load(const Port &port, const BlockOperand &operand,
                          const MapBlock &block, const char *from,
                          Task &task) const {
  if (operand.isContiguous && !port.isHalf) {
    task.values[port.value] = from;
    return;
  }
  char *const reg = task.at(port.reg);
  task.values[port.value] = reg;
  // Broadcast rows are the same in consecutive blocks.
  Loaded &loaded = task.loaded[port.value];
  if (loaded.operand == &operand && loaded.from == from &&
      loaded.rows == block.rows && loaded.length == block.length)
    return;
  loaded = {&operand, from, block.rows, block.length};
  if (!operand.isContiguous) {
    char *const to = port.isHalf ? task.at(0) : reg;
    copyRows(port.size, to, rowBytes(block, port.size),
             static_cast<std::ptrdiff_t>(port.size), from, operand.rowStride,
             operand.elementStride, block);
    from = to;
  }
  if (port.isHalf)
    halvesToFloats(reinterpret_cast<const std::uint16_t *>(from),
                   reinterpret_cast<float *>(reg), block.count());
}

void MapInterpreter::store(const Port &port, const BlockOperand &operand,
                           const MapBlock &block, char *to, Task &task) const {
  auto *value = static_cast<const char *>(task.values[port.value]);
  if (port.isHalf) {
    char *const halves = operand.isContiguous ? to : task.at(0);
    floatsToHalves(reinterpret_cast<const float *>(value),
                   reinterpret_cast<std::uint16_t *>(halves), block.count());
    value = halves;
  }
  if (value == to)
    return;
  if (operand.isContiguous)
    std::memcpy(to, value, block.count() * port.size);
  else
    copyRows(port.size, to, operand.rowStride, operand.elementStride, value,
             rowBytes(block, port.size), static_cast<std::ptrdiff_t>(port.size),
             block);
}

void MapInterpreter::runDirectly(const MapLayout &layout, std::size_t index,
                                 char *const *bases) const {
  const MapLayout::Elements elements = layout.elementsOf(index);
  const auto at = [&](std::size_t operand) {
    return bases[operand] + layout.offsetInRow(operand, elements.first);
  };
  const Step &step = steps_[0];
  const void *args[kMaxArity];
  std::size_t sizes[kMaxArity]; // of an element; 0 for repeated values
  std::size_t most = elements.count;
  for (unsigned a = 0; a < step.arity; ++a) {
    const std::uint32_t arg = step.args[a];
    const bool isInput = arg < inputs_.size();
    const std::size_t operand = outputs_.size() + arg;
    if (isInput && !layout.isRepeated(operand)) {
      args[a] = at(operand);
      sizes[a] = inputs_[arg].size;
      continue;
    }
    most = std::min(most, kBlockElements);
    sizes[a] = 0;
    if (isInput) {
      auto *repeated = static_cast<char *>(alloca(most * inputs_[arg].size));
      fillElements(inputs_[arg].size, repeated, at(operand), most);
      args[a] = repeated;
    } else {
      args[a] = constants_[arg].data();
    }
  }
  char *out = at(0);
  for (std::size_t left = elements.count; left > 0;) {
    const std::size_t count = std::min(left, most);
    step.run(out, args, count);
    left -= count;
    out += count * outputs_[0].size;
    for (unsigned a = 0; a < step.arity; ++a)
      args[a] = static_cast<const char *>(args[a]) + count * sizes[a];
  }
}

Step MapInterpreter::profile(const std::string &name, std::size_t elements,
                             const PlanBuilder &builder) const {
  constexpr std::uint64_t kCallCycles = 20;
  const std::uint64_t perTile = elements / builder.sharingTiles() + 1;
  return {MapOperator::kName, name,
          kCallCycles + perTile * std::max<std::size_t>(steps_.size(), 1) / 2};
}

void MapInterpreter::runTask(const MapLayout &layout, std::size_t index,
                             char *const *bases) const {
  if (isDirect_ && layout.isOneRow())
    return runDirectly(layout, index, bases);
  // On the stack, whose few pages are already in this thread's cache.
  constexpr std::uintptr_t kAlign = 64;
  const std::size_t numOperands = outputs_.size() + inputs_.size();
  const std::size_t registerBytes = numRegisters_ * registerBytes_;
  const std::size_t bytes = kAlign + registerBytes +
                            inputs_.size() * sizeof(Loaded) +
                            uniform_.size() * sizeof(const void *) +
                            numOperands * sizeof(std::ptrdiff_t);
  std::unique_ptr<char[]> large; // of an expression too big for the stack
  char *space;
  if (bytes > kMaxStackBytes) {
    large.reset(new char[bytes]);
    space = large.get();
  } else {
    space = static_cast<char *>(alloca(bytes));
  }
  space += kAlign - reinterpret_cast<std::uintptr_t>(space) % kAlign;
  // The registers fill whole words, and so does what comes after them.
  auto *const loaded = reinterpret_cast<Loaded *>(space + registerBytes);
  auto *const values = reinterpret_cast<const void **>(loaded + inputs_.size());
  auto *const offsets =
      reinterpret_cast<std::ptrdiff_t *>(values + uniform_.size());
  Task task{space, registerBytes_, values, loaded};
  std::uninitialized_fill_n(loaded, inputs_.size(), Loaded{});
  for (std::uint32_t value = 0; value < uniform_.size(); ++value)
    task.values[value] = value < constants_.size() && !constants_[value].empty()
                             ? constants_[value].data()
                             : task.at(registers_[value]);

  const auto run = [&](const Step &step, void *out, std::size_t count) {
    const void *args[kMaxArity];
    for (unsigned a = 0; a < step.arity; ++a)
      args[a] = task.values[step.args[a]];
    step.run(out, args, count);
  };
  const auto at = [&](std::size_t operand) {
    return bases[operand] + offsets[operand];
  };
  bool first = true;
  const auto runBlock = [&](const BlockNest &nest, const MapBlock &block) {
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      const Port &input = inputs_[i];
      const std::size_t n = outputs_.size() + i;
      const char *const from = at(n);
      if (input.reg == kNone)
        continue;
      if (!uniform_[input.value])
        load(input, nest.operands[n], block, from, task);
      else if (first)
        loadUniform(input, layout.maxBlock(), from, task);
    }
    if (first)
      for (const Step &step : prologue_)
        run(step, task.at(registers_[step.value]), layout.maxBlock());
    first = false;
    for (const Step &step : steps_) {
      const std::uint32_t direct = directOutput_[step.value];
      void *out = task.at(registers_[step.value]);
      if (direct != kNone && nest.operands[direct].isContiguous)
        out = at(direct);
      run(step, out, block.count());
      task.values[step.value] = out;
    }
    for (std::size_t i = 0; i < outputs_.size(); ++i)
      store(outputs_[i], nest.operands[i], block, at(i), task);
  };
  layout.forBlocks(index, offsets, runBlock);
}

} // namespace ipumodel
