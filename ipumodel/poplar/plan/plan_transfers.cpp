// Copies between tensors, and transfers to and from the host.
#include "poplar/estimate/exchange.hpp"
#include "poplar/graph/graph_impl.hpp"
#include "poplar/plan/plan_builder.hpp"
#include "poplar/run/copy_instructions.hpp"
#include "poplar/run/host_instructions.hpp"
#include "poplar/values/type_info.hpp"

namespace ipumodel {

namespace {

using Kind = ProgramNode::Kind;

std::size_t bytesOf(const TensorData &tensor) {
  return tensor.view.numElements() * sizeOf(tensor.type);
}

// Cycles to move a tensor to or from the host, assuming that the host link is
// as fast as the exchange.
std::uint64_t hostCycles(const GraphData &graph, std::size_t bytes) {
  return bytes / std::max(1u, graph.target.getExchangeBytesPerCycle()) + 1;
}

} // namespace

// Reserves scratch for the whole tensor, at the start of the scratch memory.
std::size_t PlanBuilder::needScratch(const TensorData &tensor) {
  return ScratchFrame(memory()).take(bytesOf(tensor), Buffer::kAlignment);
}

InstructionPtr PlanBuilder::compileCopy(const ProgramNode &program) {
  const TensorData &src = *program.tensors[0], &dst = *program.tensors[1];
  const std::size_t size = sizeOf(dst.type);
  Exchange exchange(graph());
  exchange.addCopy(dst.view, src.view, size);
  const StepId step =
      addStep({"Copy", program.name, exchange.cycles() + 1, exchange.bytes()});
  if (!dst.view.overlaps(src.view))
    return std::make_shared<CopyInstruction>(
        step, memory().lowerCopy(dst.view, src.view, size));
  needScratch(src);
  return std::make_shared<StagedCopyInstruction>(
      step, memory().gather(src.view, size), memory().scatter(dst.view, size));
}

InstructionPtr
PlanBuilder::compileCrossReplicaCopy(const ProgramNode &program) {
  const TensorData &src = *program.tensors[0], &dst = *program.tensors[1];
  const std::size_t size = sizeOf(dst.type);
  needScratch(src);
  const StepId step = addStep({"CrossReplicaCopy", program.name,
                               hostCycles(graph(), bytesOf(src)),
                               bytesOf(src) * graph().replicationFactor});
  return std::make_shared<CrossReplicaCopyInstruction>(
      step, program.name, memory().gather(src.view, size),
      memory().scatter(dst.view, size), bytesOf(src), program.replicaMap);
}

InstructionPtr PlanBuilder::compileStream(const ProgramNode &program) {
  const TensorData &tensor = *program.tensors[0];
  const std::size_t size = sizeOf(tensor.type);
  const StepId step =
      addStep({"StreamCopy", graph().streams[program.id]->handle,
               hostCycles(graph(), bytesOf(tensor)),
               bytesOf(tensor) * graph().replicationFactor});
  if (program.kind == Kind::streamToTensor)
    return std::make_shared<StreamReadInstruction>(
        step, program.id, memory().scatter(tensor.view, size));
  return std::make_shared<StreamWriteInstruction>(
      step, program.id, memory().gather(tensor.view, size));
}

InstructionPtr PlanBuilder::compileRemote(const ProgramNode &program) {
  using Direction = RemoteCopyInstruction::Direction;
  const bool toDevice = program.kind == Kind::remoteToTensor;
  const TensorData &tensor = *program.tensors[0];
  const RemoteBufferInfo &buffer = *graph().remoteBuffers[program.id];
  const std::size_t size = sizeOf(tensor.type);
  const View flat = tensor.view.flatten();
  std::vector<CopyPlan> rows;
  for (std::size_t at = 0; at < flat.numElements(); at += buffer.numElements) {
    const View row = flat.slice(0, at, at + buffer.numElements);
    rows.push_back(toDevice ? memory().scatter(row, size)
                            : memory().gather(row, size));
  }
  CopyPlan offsets;
  if (program.tensors.size() > 1) {
    needScratch(*program.tensors[1]);
    offsets = memory().gather(program.tensors[1]->view, 4);
  }
  const StepId step = addStep({"RemoteCopy", buffer.handle,
                               hostCycles(graph(), bytesOf(tensor)),
                               bytesOf(tensor) * graph().replicationFactor});
  return std::make_shared<RemoteCopyInstruction>(
      step, program.id, toDevice ? Direction::toDevice : Direction::toHost,
      std::move(rows), std::move(offsets));
}

InstructionPtr PlanBuilder::compileHostCall(const ProgramNode &program) {
  std::vector<CopyPlan> inputs, outputs;
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < program.tensors.size(); ++i) {
    const TensorData &tensor = *program.tensors[i];
    const std::size_t size = sizeOf(tensor.type);
    if (i < program.count)
      inputs.push_back(memory().gather(tensor.view, size));
    else
      outputs.push_back(memory().scatter(tensor.view, size));
    bytes += bytesOf(tensor);
  }
  const std::string &handle = graph().hostFunctions[program.id].handle;
  const StepId step =
      addStep({"HostFunction", handle, hostCycles(graph(), bytes), bytes});
  return std::make_shared<HostCallInstruction>(
      step, program.id, handle, std::move(inputs), std::move(outputs));
}

InstructionPtr PlanBuilder::compilePrint(const ProgramNode &program) {
  const TensorData &tensor = *program.tensors[0];
  needScratch(tensor);
  const bool isError = program.kind == Kind::error;
  TensorPrinter printer(isError ? nameOf(graph(), tensor) : program.text,
                        tensor.type, tensor.view.shape(), program.format,
                        memory().gather(tensor.view, sizeOf(tensor.type)));
  if (isError)
    return std::make_shared<ErrorInstruction>(program.text, std::move(printer));
  return std::make_shared<PrintInstruction>(
      addStep({"PrintTensor", program.text, 0, bytesOf(tensor)}),
      std::move(printer));
}

} // namespace ipumodel
