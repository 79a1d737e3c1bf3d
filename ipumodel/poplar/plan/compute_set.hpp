// A compute set ready to run: the vertices as arrays of objects whose fields
// point into the replica's memory, or as columns.
#pragma once

#include "poplar/plan/plan_builder.hpp"
#include "poplar/plan/vertex_columns.hpp"
#include "poplar/run/instruction.hpp"
#include "poplar/run/strided_copy.hpp"

#include <memory>
#include <optional>
#include <vector>

namespace ipumodel {

// An operand of a chain.
struct ChainItems {
  std::size_t offset; // of item 0, in memory
  std::size_t bytes;  // of one item
  std::size_t batch;
};

// A pointer inside a vertex to elements of an item.
struct ItemPointer {
  std::size_t vertex;   // among those of the compute set
  std::size_t position; // in the memory
  std::size_t target;   // what it points at outside of the chain, in the memory
  std::size_t operand;  // of the chain
  std::size_t offset;   // in the item
};

class ComputeSetPlan {
public:
  ComputeSetPlan(PlanBuilder &builder, Plan &plan, const FusionFacts &facts,
                 const ProgramNode &execute);

  StepId step() const { return step_; }
  // Those to the items of a chain, by vertex; a chain sets them before it calls
  // runRange, and sets them back. There are no columns.
  std::vector<ItemPointer> pointersTo(const std::vector<ChainItems> &items,
                                      const Plan &plan) const;

  // If `exitStatus` is set, stores at this offset a BOOL that is true if every
  // compute() returned true.
  void run(ExecutionState &state,
           const std::optional<std::size_t> &exitStatus) const;
  // Runs a part of the vertices, in their order.
  bool runRange(const Replica &replica, std::size_t begin,
                std::size_t end) const;

private:
  // Vertices of one class.
  struct Group {
    std::size_t first; // position of its first vertex among all
    std::size_t count;
    std::optional<VertexColumns> columns; // instead of objects
    abi::RunFunction run;
    std::size_t offset; // of the objects, in memory
    std::size_t stride;
  };

  bool runReplica(ExecutionState &state, const Replica &replica) const;

  friend class ComputeSetBuilder;
  StepId step_ = 0;
  CopyPlan gather_;  // staged inputs, and the old values of staged outputs
  CopyPlan scatter_; // staged outputs
  std::size_t firstRelocation_ = 0;         // of the plan
  std::vector<std::size_t> relocationEnds_; // by vertex
  std::vector<Group> groups_;
  std::size_t numVertices_ = 0;
  std::size_t work_ = 0; // bytes touched, roughly
  std::vector<InstructionPtr> beforeVertices_, afterVertices_; // native ones
};

class ExecuteInstruction : public Instruction {
public:
  ExecuteInstruction(std::shared_ptr<const ComputeSetPlan> computeSet,
                     std::optional<std::size_t> exitStatus)
      : computeSet_(std::move(computeSet)), exitStatus_(exitStatus) {}
  void run(ExecutionState &state) const override;

private:
  std::shared_ptr<const ComputeSetPlan> computeSet_;
  std::optional<std::size_t> exitStatus_;
};

} // namespace ipumodel
