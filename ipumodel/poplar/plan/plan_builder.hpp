// Turns the programs of an executable into instructions.
#pragma once

#include "poplar/plan/block_profiling.hpp"
#include "poplar/plan/fusion/branches_pass.hpp"
#include "poplar/plan/fusion/fusion_facts.hpp"
#include "poplar/plan/memory_plan.hpp"
#include "poplar/program/executable_data.hpp"
#include "poplar/run/control_instructions.hpp"
#include "poplar/run/instruction.hpp"

#include <algorithm>
#include <deque>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

namespace ipumodel {

class ComputeSetPlan;
struct Chain;
struct Unit;

// A pointer inside a vertex, set when a replica's memory is set up.
struct Relocation {
  std::size_t position; // in the memory
  std::size_t target;   // in the memory, or in the scratch memory
  bool inScratch;
};

// A part of a replica's memory.
struct MemoryRange {
  std::size_t offset;
  std::size_t size;
};

// A compiled executable: immutable, and independent of any device.
struct Plan {
  explicit Plan(const GraphData &graph) : memory(graph) {}

  MemoryPlan memory;
  std::vector<InstructionPtr> programs;
  std::vector<InstructionPtr> functions; // by id; only those called
  std::vector<Step> steps;
  std::vector<const ProgramNode *> blocks; // those that are profiled
  // Zeroed after a program that did not run to its end.
  std::vector<MemoryRange> workspaces;

  // Vertices in their initial state, placed at `vertexOffset` of the memory.
  std::vector<char> vertexImage;
  std::size_t vertexOffset = 0;
  std::vector<Relocation> relocations;
};

class PlanBuilder {
public:
  PlanBuilder(const ExecutableData &executable, const BlockSelector &profiled,
              Plan &plan)
      : executable_(executable), profiled_(profiled), plan_(plan),
        accesses_(executable), explanation_(Explanation::ofEnvironment()),
        facts_{executable.graph, accesses_, profiled,
               FusionSettings::ofEnvironment(), explanation_} {}
  PlanBuilder(const PlanBuilder &) = delete;
  PlanBuilder &operator=(const PlanBuilder &) = delete;

  void build();

  const ExecutableData &executable() const { return executable_; }
  const GraphData &graph() const { return executable_.graph; }
  // Estimates assume that the tiles of one IPU share the work of an operation
  // without vertices evenly.
  unsigned sharingTiles() const {
    return std::max(1u, graph().target.getTilesPerIPU());
  }
  MemoryPlan &memory() { return plan_.memory; }
  // Of the program that is being compiled. A step without a kind is named after
  // the operation.
  StepId addStep(Step step);
  StepId addStep(Step step, const ProgramNode &program);
  InstructionPtr compile(const ProgramPtr &program);
  std::shared_ptr<const ComputeSetPlan>
  planVertices(const ProgramNode &execute);
  const Plan &plan() const { return plan_; }

  // The offset in memory of a view whose elements are consecutive and in order;
  // empty if they are not.
  std::optional<std::size_t> contiguousOffset(const View &view,
                                              std::size_t elementSize) const;

  // The offset in memory of the workspace that an operation makes or may use;
  // empty if it has none. The workspace is zero until it is made. From then on
  // it matches the tensors whenever the user runs: nothing that changes them
  // can run without the maker running again before the user.
  std::optional<std::size_t> workspaceOf(const NativeOp &op) const;

private:
  void planWorkspaces();
  InstructionPtr compileKind(const ProgramNode &program);
  using Children = std::vector<ProgramPtr>;
  InstructionPtr compileSequence(const ProgramNode &program);
  InstructionPtr compileBranchLines(const Children &children, Reach reach);
  InstructionPtr compileRareBranches(const Children &line);
  enum class Branches { run, skipped };
  // One after the other, as far as they are not combined.
  InstructionPtr compileLine(const Children &children,
                             Branches branches = Branches::run);
  InstructionPtr compileUnit(const Unit &unit);
  Chain simplify(Chain chain) const;
  InstructionPtr compileNative(const ProgramNode &program);
  InstructionPtr compileExecute(const ProgramNode &program);
  InstructionPtr compileSwitch(const ProgramNode &program);
  InstructionPtr compileCopy(const ProgramNode &program);
  InstructionPtr compileCrossReplicaCopy(const ProgramNode &program);
  InstructionPtr compileStream(const ProgramNode &program);
  InstructionPtr compileRemote(const ProgramNode &program);
  InstructionPtr compileHostCall(const ProgramNode &program);
  InstructionPtr compilePrint(const ProgramNode &program);
  InstructionPtr compileCall(const ProgramNode &program);
  Predicate predicateOf(const TensorData &tensor) const;
  std::size_t needScratch(const TensorData &tensor);

  const ExecutableData &executable_;
  const BlockSelector &profiled_;
  Plan &plan_;
  const VariableAccesses accesses_;
  Explanation explanation_;
  const FusionFacts facts_;
  const ProgramNode *compiling_ = nullptr;
  // Of operations that are compiled a second time, combined in another way: the
  // steps they had the first time.
  std::unordered_map<const ProgramNode *, std::deque<StepId>> knownSteps_;
  // By operation that makes or uses one: the offset in memory.
  std::unordered_map<const NativeOp *, std::size_t> workspaces_;
  // Keyed by address: the executable keeps all programs alive.
  std::unordered_map<const ProgramNode *, InstructionPtr> compiled_;
  std::vector<std::shared_ptr<const ComputeSetPlan>> computeSets_;
};

} // namespace ipumodel
