// Instructions that involve the host program: printing, errors, host functions
// and the cycle counter.
#pragma once

#include "poplar/run/control_instructions.hpp"
#include "poplar/run/strided_copy.hpp"
#include "poplar/view/view.hpp"

#include <poplar/PrintTensor.hpp>
#include <poplar/Type.hpp>

#include <optional>
#include <string>

namespace ipumodel {

// Prints a tensor, which it gathers in scratch memory.
class TensorPrinter {
public:
  TensorPrinter(std::string title, poplar::Type type, Shape shape,
                poplar::PrintTensorFmt format, CopyPlan gather)
      : title_(std::move(title)), type_(type), shape_(std::move(shape)),
        format_(format), gather_(std::move(gather)) {}
  void print(ExecutionState &state, std::ostream &os) const;

private:
  std::string title_;
  poplar::Type type_;
  Shape shape_;
  poplar::PrintTensorFmt format_;
  CopyPlan gather_;
};

class PrintInstruction : public Instruction {
public:
  PrintInstruction(StepId step, TensorPrinter printer)
      : step_(step), printer_(std::move(printer)) {}
  void run(ExecutionState &state) const override;

private:
  StepId step_;
  TensorPrinter printer_;
};

// Ends the run if the predicate is true in any replica.
class AbortInstruction : public Instruction {
public:
  AbortInstruction(std::string message, std::optional<Predicate> predicate)
      : message_(std::move(message)), predicate_(std::move(predicate)) {}
  void run(ExecutionState &state) const override;

private:
  std::string message_;
  std::optional<Predicate> predicate_;
};

class ErrorInstruction : public Instruction {
public:
  ErrorInstruction(std::string message, TensorPrinter printer)
      : message_(std::move(message)), printer_(std::move(printer)) {}
  [[noreturn]] void run(ExecutionState &state) const override;

private:
  std::string message_;
  TensorPrinter printer_;
};

class HostCallInstruction : public Instruction {
public:
  HostCallInstruction(StepId step, std::uint32_t function, std::string handle,
                      std::vector<CopyPlan> inputs,
                      std::vector<CopyPlan> outputs)
      : step_(step), function_(function), handle_(std::move(handle)),
        inputs_(std::move(inputs)), outputs_(std::move(outputs)) {}
  void run(ExecutionState &state) const override;

private:
  StepId step_;
  std::uint32_t function_;
  std::string handle_;
  std::vector<CopyPlan> inputs_;
  std::vector<CopyPlan> outputs_;
};

// Stores the counter of estimated cycles, low word first.
class CycleStampInstruction : public Instruction {
public:
  CycleStampInstruction(StepId step, CopyPlan scatter)
      : step_(step), scatter_(std::move(scatter)) {}
  void run(ExecutionState &state) const override;

private:
  StepId step_;
  CopyPlan scatter_;
};

} // namespace ipumodel
