// Consecutive batch stages as one instruction.
#pragma once

#include "poplar/plan/fusion/chain.hpp"

#include <cstddef>
#include <vector>

namespace ipumodel {

class VertexOutput;

class BatchChain : public Instruction {
public:
  struct Operand {
    std::size_t offset;     // of item 0 in memory, or of group 0 in scratch
    std::size_t bytes;      // of one item
    std::size_t groupBytes; // of items that run together, if private; else 0
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

  // Stages run `together` items at once, which is one if there are vertices or
  // copies.
  BatchChain(std::size_t batch, std::size_t together, std::vector<Link> links);
  void run(ExecutionState &state) const override;

private:
  class Readers;

  static char *placeOf(const Operand &operand, const Replica &replica,
                       std::size_t group, std::size_t index);
  static void findPlaces(const Link &link, const Replica &replica,
                         std::size_t group, std::size_t index, char **operands);
  void runGroup(const Replica &replica, std::size_t group,
                VertexOutput &output) const;
  void runItems(BatchItem first) const;
  void runItem(BatchItem item, VertexOutput &output) const;
  void finish(const Replica &replica, std::size_t task) const;

  std::size_t batch_, together_;
  std::vector<Link> links_;
  std::size_t numFinishTasks_ = 0;
};

InstructionPtr lowerChain(Chain chain, PlanBuilder &builder);

} // namespace ipumodel
