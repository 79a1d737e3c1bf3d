#include "poplar/run/host_instructions.hpp"

#include "poplar/run/print_tensor.hpp"

#include <poplar/exceptions.hpp>

#include <sstream>

namespace ipumodel {

void TensorPrinter::print(ExecutionState &state, std::ostream &os) const {
  for (const Replica &replica : state.replicas) {
    gather_.run(replica.scratch.data(), replica.memory.data(), state.pool);
    printTensor(os, title_, type_, shape_, replica.scratch.data(), format_);
  }
}

void PrintInstruction::run(ExecutionState &state) const {
  state.count(step_);
  printer_.print(state, *state.printTensorStream);
}

void AbortInstruction::run(ExecutionState &state) const {
  if (predicate_ && !predicate_->testAny(state))
    return;
  throw poplar::application_runtime_error(
      "Abort Program" + (message_.empty() ? "" : ": " + message_));
}

void ErrorInstruction::run(ExecutionState &state) const {
  std::ostringstream text;
  text << message_ << '\n';
  printer_.print(state, text);
  throw poplar::application_runtime_error(text.str());
}

void HostCallInstruction::run(ExecutionState &state) const {
  state.count(step_);
  HostFunctionPort &port = state.hostFunctions[function_];
  for (std::size_t r = 0; r < state.replicas.size(); ++r) {
    if (r >= port.replicas.size() || !port.replicas[r])
      throw poplar::stream_connection_error(
          "host function '" + handle_ + "' is called for replica " +
          std::to_string(r) + " but not connected: call connectHostFunction");
    char *memory = state.replicas[r].memory.data();
    for (std::size_t i = 0; i < inputs_.size(); ++i)
      inputs_[i].run(port.buffers[i].data(), memory, state.pool);
    (*port.replicas[r])(port.inputs, port.outputs);
    for (std::size_t i = 0; i < outputs_.size(); ++i)
      outputs_[i].run(memory, port.buffers[inputs_.size() + i].data(),
                      state.pool);
  }
}

void CycleStampInstruction::run(ExecutionState &state) const {
  state.count(step_);
  const std::uint32_t words[2] = {
      static_cast<std::uint32_t>(state.cycles),
      static_cast<std::uint32_t>(state.cycles >> 32)};
  for (const Replica &replica : state.replicas)
    scatter_.run(replica.memory.data(), reinterpret_cast<const char *>(words),
                 state.pool);
}

} // namespace ipumodel
