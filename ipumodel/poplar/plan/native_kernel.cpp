#include "poplar/plan/native_kernel.hpp"

#include "poplar/graph/graph_impl.hpp"
#include "poplar/values/debug_access.hpp"

#include <poplar/exceptions.hpp>

namespace ipumodel {

namespace {

constexpr std::size_t kMaxOperands = 64;

std::vector<TensorPtr> dataOf(const std::vector<poplar::Tensor> &tensors) {
  std::vector<TensorPtr> data;
  for (const poplar::Tensor &tensor : tensors)
    data.push_back(tensor.getImpl());
  return data;
}

std::shared_ptr<ProgramNode>
makeNative(OperatorPtr what, const std::vector<poplar::Tensor> &outputs,
           const std::vector<poplar::Tensor> &inputs,
           const poplar::DebugContext &debugContext) {
  auto node = std::make_shared<ProgramNode>(ProgramNode::Kind::native);
  node->op = std::make_shared<NativeOp>(
      NativeOp{std::move(what), dataOf(outputs), dataOf(inputs)});
  node->name = debugContext.getPathName();
  node->location = DebugAccess::location(debugContext);
  return node;
}

char upper(char c) { return c >= 'a' && c <= 'z' ? char(c - 'a' + 'A') : c; }

} // namespace

std::string defaultVertexType(const char *name, const NativeOp &op) {
  std::string type = name;
  if (const std::size_t dot = type.find('.'); dot != std::string::npos)
    type.replace(dot, 2, std::string("::") + upper(type[dot + 1]));
  if (!op.outputs.empty())
    type += "<" + op.outputs[0]->type.toString().cloneAsString() + ">";
  return type;
}

std::string defaultComputeSetName(const char *name) {
  const std::string whole = name;
  return whole.substr(whole.find('.') + 1);
}

void addNativeOp(poplar::program::Sequence &prog, OperatorPtr what,
                 const std::vector<poplar::Tensor> &outputs,
                 const std::vector<poplar::Tensor> &inputs,
                 const poplar::DebugContext &debugContext) {
  prog.add(poplar::program::Program(
      makeNative(std::move(what), outputs, inputs, debugContext)));
}

void addNativeOp(poplar::Graph &graph, poplar::ComputeSet computeSet,
                 OperatorPtr what, const std::vector<poplar::Tensor> &outputs,
                 const std::vector<poplar::Tensor> &inputs,
                 const poplar::DebugContext &debugContext) {
  std::vector<ComputeSetInfo> &computeSets = implOf(graph).data->computeSets;
  if (computeSet.getId() >= computeSets.size())
    throw poplar::poplar_error(
        std::string(what->name()) +
        ": the compute set does not belong to this graph");
  computeSets[computeSet.getId()].natives.push_back(
      makeNative(std::move(what), outputs, inputs, debugContext));
}

NativeOperand::NativeOperand(const View &view, std::size_t elementSize,
                             Access access, PlanBuilder &builder,
                             ScratchFrame &frame) {
  const std::optional<std::size_t> place =
      builder.contiguousOffset(view, elementSize);
  staged_ = !place;
  if (place) {
    offset_ = *place;
    return;
  }
  const std::size_t count = view.numElements();
  offset_ = frame.take(count * elementSize, Buffer::kAlignment);
  const View flat = flatView(offset_, count, elementSize);
  if (access != Access::write)
    gather_ = builder.memory().lowerCopy(flat, view, elementSize);
  if (access != Access::read)
    scatter_ = builder.memory().lowerCopy(view, flat, elementSize);
}

void NativeOperand::load(const Replica &replica, ThreadPool &pool) const {
  gather_.run(replica.scratch.data(), replica.memory.data(), pool);
}

void NativeOperand::store(const Replica &replica, ThreadPool &pool) const {
  scatter_.run(replica.memory.data(), replica.scratch.data(), pool);
}

NativeInstruction::NativeInstruction(StepId step,
                                     std::vector<NativeOperand> operands)
    : step_(step), operands_(std::move(operands)) {
  if (operands_.size() > kMaxOperands)
    throw poplar::poplar_error("a native operation has at most " +
                               std::to_string(kMaxOperands) + " tensors, not " +
                               std::to_string(operands_.size()));
}

void NativeInstruction::run(ExecutionState &state) const {
  state.count(step_);
  for (const Replica &replica : state.replicas) {
    char *pointers[kMaxOperands];
    for (std::size_t i = 0; i < operands_.size(); ++i) {
      operands_[i].load(replica, state.pool);
      pointers[i] = operands_[i].at(replica);
    }
    compute(pointers, replica.scratch.data(), state.pool);
    for (const NativeOperand &operand : operands_)
      operand.store(replica, state.pool);
  }
}

} // namespace ipumodel
