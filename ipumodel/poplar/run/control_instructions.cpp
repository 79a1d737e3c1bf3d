#include "poplar/run/control_instructions.hpp"

#include <poplar/exceptions.hpp>

#include <algorithm>
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

std::int64_t Predicate::value(ExecutionState &state) const {
  const std::int64_t first = valueIn(state.replicas[0]);
  for (std::size_t r = 1; r < state.replicas.size(); ++r)
    if (valueIn(state.replicas[r]) != first)
      throw poplar::application_runtime_error(
          "control flow differs between replicas: '" + name_ + "' is " +
          std::to_string(first) + " in replica " +
          std::to_string(state.firstReplica) + " and " +
          std::to_string(valueIn(state.replicas[r])) + " in replica " +
          std::to_string(state.firstReplica + r));
  if (state.instances)
    state.instances->decided(name_, first);
  return first;
}

bool Predicate::testAny(const ExecutionState &state) const {
  for (const Replica &replica : state.replicas)
    if (valueIn(replica) != 0)
      return true;
  return false;
}

void SequenceInstruction::run(ExecutionState &state) const {
  for (const InstructionPtr &part : parts_)
    part->run(state);
}

void RepeatInstruction::run(ExecutionState &state) const {
  for (std::uint64_t i = 0; i < count_; ++i)
    body_->run(state);
}

void WhileInstruction::run(ExecutionState &state) const {
  for (;;) {
    condition_->run(state);
    if (predicate_.test(state) != continueOn_)
      return;
    body_->run(state);
  }
}

void EndlessInstruction::run(ExecutionState &state) const {
  while (!state.stopRequested.exchange(false))
    body_->run(state);
}

void SwitchInstruction::run(ExecutionState &state) const {
  const std::int64_t value = control_.value(state);
  for (const Case &candidate : cases_)
    if (candidate.value == value) {
      candidate.body->run(state);
      return;
    }
  if (!default_)
    throw poplar::application_runtime_error("Switch '" + name_ +
                                            "': no case for control value " +
                                            std::to_string(value));
  default_->run(state);
}

void RareBranchesInstruction::run(ExecutionState &state) const {
  const bool anyTaken =
      std::any_of(branches_.begin(), branches_.end(),
                  [&](const Predicate &branch) { return branch.test(state); });
  (anyTaken ? all_ : withoutBranches_)->run(state);
}

} // namespace ipumodel
