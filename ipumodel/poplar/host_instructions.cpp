#include "poplar/host_instructions.hpp"

#include "poplar/print_tensor.hpp"

#include <poplar/exceptions.hpp>

#include <sstream>

namespace ipumodel {

void TensorPrinter::print(Machine &machine, std::ostream &os) const {
  for (const Replica &replica : machine.replicas) {
    gather_.run(replica.scratch.data(), replica.memory.data(), machine.pool);
    printTensor(os, title_, type_, shape_, replica.scratch.data(), format_);
  }
}

void PrintInstruction::run(Machine &machine) const {
  machine.count(step_);
  printer_.print(machine, *machine.printTensorStream);
}

void AbortInstruction::run(Machine &machine) const {
  if (predicate_ && !predicate_->testAny(machine))
    return;
  throw poplar::application_runtime_error(
      "Abort Program" + (message_.empty() ? "" : ": " + message_));
}

void ErrorInstruction::run(Machine &machine) const {
  std::ostringstream text;
  text << message_ << '\n';
  printer_.print(machine, text);
  throw poplar::application_runtime_error(text.str());
}

void HostCallInstruction::run(Machine &machine) const {
  machine.count(step_);
  HostFunctionPort &port = machine.hostFunctions[function_];
  for (std::size_t r = 0; r < machine.replicas.size(); ++r) {
    if (r >= port.replicas.size() || !port.replicas[r])
      throw poplar::stream_connection_error(
          "host function '" + handle_ + "' is called for replica " +
          std::to_string(r) + " but not connected: call connectHostFunction");
    char *memory = machine.replicas[r].memory.data();
    for (std::size_t i = 0; i < inputs_.size(); ++i)
      inputs_[i].run(port.buffers[i].data(), memory, machine.pool);
    (*port.replicas[r])(port.inputs, port.outputs);
    for (std::size_t i = 0; i < outputs_.size(); ++i)
      outputs_[i].run(memory, port.buffers[inputs_.size() + i].data(),
                      machine.pool);
  }
}

void CycleStampInstruction::run(Machine &machine) const {
  machine.count(step_);
  const std::uint32_t words[2] = {
      static_cast<std::uint32_t>(machine.cycles),
      static_cast<std::uint32_t>(machine.cycles >> 32)};
  for (const Replica &replica : machine.replicas)
    scatter_.run(replica.memory.data(), reinterpret_cast<const char *>(words),
                 machine.pool);
}

} // namespace ipumodel
