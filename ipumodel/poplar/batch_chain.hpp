// Consecutive batch stages as one instruction, and vertices that read what they
// make.
#pragma once

#include "poplar/batch_stage.hpp"
#include "poplar/batch_vertices.hpp"
#include "poplar/variable_uses.hpp"

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

namespace ipumodel {

class BatchChain : public Instruction {
public:
  struct Operand {
    std::size_t offset; // of item 0 in memory, or of group 0 in scratch
    std::size_t bytes;  // of one item
    bool isPrivate;     // one item per group, in scratch
  };
  // Has either a stage or vertices.
  struct Link {
    StepId step;
    std::unique_ptr<BatchStage> stage;
    std::vector<Operand> operands;
    bool isAbsorbed = false; // by one before it
    std::unique_ptr<BatchVertices> vertices;
    std::size_t firstOutput = 0; // of what they print
  };

  BatchChain(std::size_t batch, std::vector<Link> links);
  void run(Machine &machine) const override;

private:
  void runGroup(const Replica &replica, std::size_t group,
                VertexOutput &output) const;
  static void runStage(const Link &link, const Replica &replica,
                       std::size_t group, std::size_t index, bool isFirst);
  void finish(const Replica &replica, std::size_t task,
              VertexOutput &output) const;

  std::size_t batch_;
  std::vector<Link> links_;
  std::size_t numFinishTasks_ = 0;
  std::size_t numOutputs_ = 0;
};

// Collects operations for one chain.
class BatchChainBuilder {
public:
  BatchChainBuilder(PlanBuilder &builder, const VariableUses &uses)
      : builder_(builder), uses_(uses) {}

  // False if the operation cannot follow those added before it.
  bool add(const ProgramNode &native);
  // The same for a compute set; a chain does not begin with one.
  bool add(const ProgramNode &execute,
           const std::shared_ptr<const ComputeSetPlan> &computeSet);
  bool empty() const { return added_.empty(); }
  InstructionPtr finish();

private:
  struct Added {
    const ProgramNode *node;
    std::unique_ptr<BatchStage> stage;
    std::vector<StageOperands::Item> items;
    std::vector<StageOperands::Whole> wholes;
    Step step;
    bool isAbsorbed = false;
    std::unique_ptr<BatchVertices> vertices; // then there is none of the others
  };

  std::size_t batch() const { return added_[0].items[0].view.shape()[0]; }
  bool fits(const Added &next) const;
  bool fits(const BatchVertices &next) const;
  bool isAbsorbed(const Added &next);
  bool isPrivate(const View &view) const;

  PlanBuilder &builder_;
  const VariableUses &uses_;
  std::optional<ScratchFrame> frame_; // of the chain being built
  std::vector<Added> added_;
};

} // namespace ipumodel
