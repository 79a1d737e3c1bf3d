// Instructions that run others: sequences, loops, branches and calls.
#pragma once

#include "poplar/run/instruction.hpp"

#include <cstdint>
#include <string>

namespace ipumodel {

// A single element in the memory of every replica that controls a program. All
// replicas must have the same value, since they run in lockstep. Those of other
// instances are compared at the next exchange.
class Predicate {
public:
  Predicate(std::size_t offset, std::size_t size, std::string name)
      : offset_(offset), size_(size), name_(std::move(name)) {}
  std::int64_t value(ExecutionState &state) const; // sign-extended if 32 bits
  bool test(ExecutionState &state) const { return value(state) != 0; }
  bool testAny(const ExecutionState &state) const; // true in any replica

private:
  std::int64_t valueIn(const Replica &replica) const;

  std::size_t offset_;
  std::size_t size_;
  std::string name_; // of the tensor, for messages
};

class SequenceInstruction : public Instruction {
public:
  explicit SequenceInstruction(std::vector<InstructionPtr> parts)
      : parts_(std::move(parts)) {}
  void run(ExecutionState &state) const override;

private:
  std::vector<InstructionPtr> parts_;
};

// Of a step that another instruction does.
class CountInstruction : public Instruction {
public:
  explicit CountInstruction(StepId step) : step_(step) {}
  void run(ExecutionState &state) const override { state.count(step_); }

private:
  StepId step_;
};

class RepeatInstruction : public Instruction {
public:
  RepeatInstruction(std::uint64_t count, InstructionPtr body)
      : count_(count), body_(std::move(body)) {}
  void run(ExecutionState &state) const override;

private:
  std::uint64_t count_;
  InstructionPtr body_;
};

class WhileInstruction : public Instruction {
public:
  WhileInstruction(InstructionPtr condition, Predicate predicate,
                   bool continueOn, InstructionPtr body)
      : condition_(std::move(condition)), predicate_(std::move(predicate)),
        continueOn_(continueOn), body_(std::move(body)) {}
  void run(ExecutionState &state) const override;

private:
  InstructionPtr condition_;
  Predicate predicate_;
  bool continueOn_;
  InstructionPtr body_;
};

// Runs its body until the engine is stopped.
class EndlessInstruction : public Instruction {
public:
  explicit EndlessInstruction(InstructionPtr body) : body_(std::move(body)) {}
  void run(ExecutionState &state) const override;

private:
  InstructionPtr body_;
};

class SwitchInstruction : public Instruction {
public:
  struct Case {
    std::int64_t value;
    InstructionPtr body;
  };
  // Without a default, a value without a case is an error.
  SwitchInstruction(Predicate control, std::vector<Case> cases,
                    InstructionPtr defaultBody, std::string name)
      : control_(std::move(control)), cases_(std::move(cases)),
        default_(std::move(defaultBody)), name_(std::move(name)) {}
  void run(ExecutionState &state) const override;

private:
  Predicate control_;
  std::vector<Case> cases_;
  InstructionPtr default_;
  std::string name_;
};

// A line of operations and branches. If no branch is taken, which is known from
// the start, runs the operations alone, which were combined across branches.
class RareBranchesInstruction : public Instruction {
public:
  RareBranchesInstruction(std::vector<Predicate> branches, InstructionPtr all,
                          InstructionPtr withoutBranches)
      : branches_(std::move(branches)), all_(std::move(all)),
        withoutBranches_(std::move(withoutBranches)) {}
  void run(ExecutionState &state) const override;

private:
  std::vector<Predicate> branches_;
  InstructionPtr all_;
  InstructionPtr withoutBranches_;
};

class BranchInstruction : public Instruction {
public:
  BranchInstruction(Predicate predicate, InstructionPtr whenTrue,
                    InstructionPtr whenFalse)
      : predicate_(std::move(predicate)), whenTrue_(std::move(whenTrue)),
        whenFalse_(std::move(whenFalse)) {}
  void run(ExecutionState &state) const override {
    (predicate_.test(state) ? whenTrue_ : whenFalse_)->run(state);
  }

private:
  Predicate predicate_;
  InstructionPtr whenTrue_;
  InstructionPtr whenFalse_;
};

} // namespace ipumodel
