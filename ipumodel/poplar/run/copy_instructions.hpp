// Instructions that move elements: between tensors, replicas, streams and
// remote buffers.
#pragma once

#include "poplar/run/instruction.hpp"
#include "poplar/run/strided_copy.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace ipumodel {

class CopyInstruction : public Instruction {
public:
  CopyInstruction(StepId step, CopyPlan copy)
      : step_(step), copy_(std::move(copy)) {}
  void run(ExecutionState &state) const override;

private:
  StepId step_;
  CopyPlan copy_;
};

// Copies through scratch memory: for a source that overlaps the destination.
class StagedCopyInstruction : public Instruction {
public:
  StagedCopyInstruction(StepId step, CopyPlan gather, CopyPlan scatter)
      : step_(step), gather_(std::move(gather)), scatter_(std::move(scatter)) {}
  void run(ExecutionState &state) const override;

private:
  StepId step_;
  CopyPlan gather_;
  CopyPlan scatter_;
};

class CrossReplicaCopyInstruction : public Instruction {
public:
  // `bytes` of each replica.
  CrossReplicaCopyInstruction(StepId step, const std::string &name,
                              CopyPlan gather, CopyPlan scatter,
                              std::size_t bytes,
                              std::vector<std::uint32_t> destinations);
  void run(ExecutionState &state) const override;

private:
  void runWithOthers(ExecutionState &state) const;

  StepId step_;
  ExchangeStep exchange_;
  std::size_t bytes_;
  CopyPlan gather_;
  CopyPlan scatter_;
  std::vector<std::uint32_t> destinations_; // by source replica
};

class StreamReadInstruction : public Instruction {
public:
  StreamReadInstruction(StepId step, std::uint32_t stream, CopyPlan scatter);
  void run(ExecutionState &state) const override;

private:
  StepId step_;
  std::uint32_t stream_;
  CopyPlan scatter_;
  std::optional<std::ptrdiff_t> place_; // of aligned elements in order
};

class StreamWriteInstruction : public Instruction {
public:
  StreamWriteInstruction(StepId step, std::uint32_t stream, CopyPlan gather)
      : step_(step), stream_(stream), gather_(std::move(gather)) {}
  void run(ExecutionState &state) const override;

private:
  StepId step_;
  std::uint32_t stream_;
  CopyPlan gather_;
};

// Moves one row of a remote buffer per plan. The row indices are consecutive
// unsigned integers, gathered into scratch memory; without any, row 0.
class RemoteCopyInstruction : public Instruction {
public:
  enum class Direction { toDevice, toHost };
  RemoteCopyInstruction(StepId step, std::uint32_t buffer, Direction direction,
                        std::vector<CopyPlan> rows, CopyPlan gatherOffsets)
      : step_(step), buffer_(buffer), direction_(direction),
        rows_(std::move(rows)), gatherOffsets_(std::move(gatherOffsets)) {}
  void run(ExecutionState &state) const override;

private:
  StepId step_;
  std::uint32_t buffer_;
  Direction direction_;
  std::vector<CopyPlan> rows_;
  CopyPlan gatherOffsets_; // empty: row 0
};

} // namespace ipumodel
