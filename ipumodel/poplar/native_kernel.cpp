#include "poplar/native_kernel.hpp"

#include "poplar/debug_access.hpp"
#include "poplar/factory_registry.hpp"
#include "poplar/graph_impl.hpp"

#include <poplar/exceptions.hpp>

namespace ipumodel {

namespace {

// On first use, since libraries register from their static initialisers.
FactoryRegistry<KernelFactory> &kernels() {
  static FactoryRegistry<KernelFactory> registry("kernel");
  return registry;
}

FactoryRegistry<PairFactory> &pairs() {
  static FactoryRegistry<PairFactory> registry("pair");
  return registry;
}

FactoryRegistry<WorkspaceSize> &workspaces() {
  static FactoryRegistry<WorkspaceSize> registry("workspace");
  return registry;
}

constexpr std::size_t kMaxOperands = 64;

std::vector<TensorPtr> dataOf(const std::vector<poplar::Tensor> &tensors) {
  std::vector<TensorPtr> data;
  for (const poplar::Tensor &tensor : tensors)
    data.push_back(tensor.getImpl());
  return data;
}

std::shared_ptr<ProgramNode>
makeNative(const char *kernel, const std::vector<poplar::Tensor> &outputs,
           const std::vector<poplar::Tensor> &inputs, Bytes parameters,
           const poplar::DebugContext &debugContext) {
  auto node = std::make_shared<ProgramNode>(ProgramNode::Kind::native);
  node->op = std::make_shared<NativeOp>(
      NativeOp{kernel, dataOf(outputs), dataOf(inputs), std::move(parameters)});
  node->name = debugContext.getPathName();
  node->location = DebugAccess::location(debugContext);
  return node;
}

} // namespace

void addNative(poplar::program::Sequence &prog, const char *kernel,
               const std::vector<poplar::Tensor> &outputs,
               const std::vector<poplar::Tensor> &inputs, Bytes parameters,
               const poplar::DebugContext &debugContext) {
  prog.add(poplar::program::Program(makeNative(
      kernel, outputs, inputs, std::move(parameters), debugContext)));
}

void addNative(poplar::Graph &graph, poplar::ComputeSet computeSet,
               const char *kernel, const std::vector<poplar::Tensor> &outputs,
               const std::vector<poplar::Tensor> &inputs, Bytes parameters,
               const poplar::DebugContext &debugContext) {
  std::vector<ComputeSetInfo> &computeSets = implOf(graph).data->computeSets;
  if (computeSet.getId() >= computeSets.size())
    throw poplar::poplar_error(
        std::string(kernel) +
        ": the compute set does not belong to this graph");
  computeSets[computeSet.getId()].natives.push_back(
      makeNative(kernel, outputs, inputs, std::move(parameters), debugContext));
}

bool registerKernel(const char *name, KernelFactory factory) {
  return kernels().add(name, factory);
}

KernelFactory findKernel(const std::string &name) {
  const KernelFactory factory = kernels().find(name);
  if (!factory)
    throw poplar::link_error("no library of this program has the operation '" +
                             name + "'");
  return factory;
}

bool registerPair(const char *first, PairFactory factory) {
  return pairs().add(first, factory);
}

PairFactory findPair(const std::string &first) { return pairs().find(first); }

bool registerWorkspace(const char *user, WorkspaceSize size) {
  return workspaces().add(user, size);
}

WorkspaceSize findWorkspace(const std::string &user) {
  return workspaces().find(user);
}

void ParameterReader::fail() {
  throw poplar::poplar_error("bad executable file: parameters of an operation "
                             "end early");
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
