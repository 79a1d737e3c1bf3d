#include "poplar/control_instructions.hpp"

#include <poplar/exceptions.hpp>

#include <cstring>

namespace ipumodel {

std::int64_t Predicate::valueIn(const Replica &replica) const {
  const char *at = replica.memory.data() + offset_;
  if (size_ == 1)
    return static_cast<unsigned char>(*at);
  std::int32_t value;
  std::memcpy(&value, at, sizeof(value));
  return value;
}

std::int64_t Predicate::value(const Machine &machine) const {
  const std::int64_t first = valueIn(machine.replicas[0]);
  for (std::size_t r = 1; r < machine.replicas.size(); ++r)
    if (valueIn(machine.replicas[r]) != first)
      throw poplar::application_runtime_error(
          "control flow differs between replicas: '" + name_ + "' is " +
          std::to_string(first) + " in replica 0 and " +
          std::to_string(valueIn(machine.replicas[r])) + " in replica " +
          std::to_string(r));
  return first;
}

bool Predicate::testAny(const Machine &machine) const {
  for (const Replica &replica : machine.replicas)
    if (valueIn(replica) != 0)
      return true;
  return false;
}

void SequenceInstruction::run(Machine &machine) const {
  for (const InstructionPtr &part : parts_)
    part->run(machine);
}

void RepeatInstruction::run(Machine &machine) const {
  for (std::uint64_t i = 0; i < count_; ++i)
    body_->run(machine);
}

void WhileInstruction::run(Machine &machine) const {
  for (;;) {
    condition_->run(machine);
    if (predicate_.test(machine) != continueOn_)
      return;
    body_->run(machine);
  }
}

void EndlessInstruction::run(Machine &machine) const {
  while (!machine.stopRequested.exchange(false))
    body_->run(machine);
}

void SwitchInstruction::run(Machine &machine) const {
  const std::int64_t value = control_.value(machine);
  for (const Case &candidate : cases_)
    if (candidate.value == value) {
      candidate.body->run(machine);
      return;
    }
  if (!default_)
    throw poplar::application_runtime_error("Switch '" + name_ +
                                            "': no case for control value " +
                                            std::to_string(value));
  default_->run(machine);
}

} // namespace ipumodel
