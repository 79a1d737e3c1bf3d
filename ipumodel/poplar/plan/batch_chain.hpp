// Consecutive batch stages as one instruction.
#pragma once

#include "poplar/plan/batch_stage.hpp"
#include "poplar/plan/item_vertices.hpp"
#include "poplar/plan/variable_accesses.hpp"

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

namespace ipumodel {

class VertexOutput;

class BatchChain : public Instruction {
public:
  struct Operand {
    std::size_t offset;     // of item 0 in memory, or of group 0 in scratch
    std::size_t bytes;      // of one item
    bool isPrivate;         // one item per group, in scratch
    const BatchStage *copy; // if set, the item is at this stage's otherPlace()
  };
  struct Link {
    StagePtr stage;
    StepId step;
    std::vector<Operand> operands;
    bool isAbsorbed;              // an earlier stage does its work
    const ItemVertices *vertices; // the stage, if it is one
    // Links of vertices that run while this stage makes its operand 0.
    std::vector<std::size_t> readers;
    bool isReader; // of an earlier link
  };

  BatchChain(std::size_t batch, std::vector<Link> links);
  void run(ExecutionState &state) const override;

private:
  class Readers;

  static char *placeOf(const Operand &operand, const Replica &replica,
                       std::size_t group, std::size_t index);
  static void findPlaces(const Link &link, const Replica &replica,
                         std::size_t group, std::size_t index, char **operands);
  void runGroup(const Replica &replica, std::size_t group,
                VertexOutput &output) const;
  void finish(const Replica &replica, std::size_t task) const;

  std::size_t batch_;
  std::vector<Link> links_;
  std::size_t numFinishTasks_ = 0;
};

// Collects operations for one chain.
class BatchChainBuilder {
public:
  BatchChainBuilder(PlanBuilder &builder, const VariableAccesses &accesses)
      : builder_(builder), accesses_(accesses) {}

  // Adds a native operation. False if it cannot follow those added before it.
  bool add(const ProgramNode &native);
  // Adds the execution of vertices that each read a single item. False if they
  // cannot follow the operations added before.
  bool addVertices(const ProgramNode &execute);
  // Of a program that comes next, occurs once and does not run when the chain
  // does: what only it reads of the operations added before is not stored.
  void skip(const ProgramPtr &program);
  bool empty() const { return added_.empty(); }
  InstructionPtr finish();

private:
  struct Added {
    const ProgramNode *node;
    StagePtr stage;
    std::vector<StageOperands::Item> items;
    std::vector<StageOperands::Whole> wholes;
    Step step;
    bool isAbsorbed = false;
    bool isAfterVertices = false;     // and absorbed: vertices read before it
    ItemVertices *vertices = nullptr; // the stage, if it is one
  };

  struct Skipped {
    const ProgramNode *node;
    std::size_t position; // number of operations added before
  };

  bool fits(const Added &next) const;
  void absorb(Added &next);
  std::vector<std::size_t> readersOf(std::size_t stage) const;
  bool isPrivate(const View &view) const;
  const BatchStage *copyOf(const StageOperands::Item &item) const;

  PlanBuilder &builder_;
  const VariableAccesses &accesses_;
  std::optional<ScratchFrame> frame_; // of the chain being built
  std::vector<Added> added_;
  std::vector<Skipped> skipped_;
};

} // namespace ipumodel
