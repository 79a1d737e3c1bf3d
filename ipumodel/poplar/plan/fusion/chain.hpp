// Operations that pass over a batch together, as data: passes change it, then
// it becomes a BatchChain.
#pragma once

#include "poplar/plan/batch_stage.hpp"
#include "poplar/plan/fusion/accumulate_pass.hpp"
#include "poplar/plan/fusion/fusion_facts.hpp"
#include "poplar/plan/item_vertices.hpp"

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <vector>

namespace ipumodel {

constexpr std::size_t kMaxReaders = 8; // of one stage

struct ChainLink {
  const ProgramNode *node = nullptr;
  StagePtr stage;
  std::vector<StageOperands::Item> items;
  std::vector<StageOperands::Whole> wholes;
  Step step;
  ItemVertices *vertices = nullptr; // the stage, if it is one
  bool isLight = false;             // see StageOperands
  bool needsMany = false;
  bool isAbsorbed = false;      // an earlier stage does its work
  bool isAfterVertices = false; // vertices read what it changes before it
};

struct Chain {
  // A program that comes after `position` links, runs nowhere else and not when
  // the chain does: what only it reads of these links is not stored.
  struct Skipped {
    const ProgramNode *node;
    std::size_t position;
  };

  explicit Chain(MemoryPlan &memory) : frame(memory) {}

  ScratchFrame frame;
  std::vector<ChainLink> links;
  std::vector<Skipped> skipped;
  // Operands, known by the offset of item 0 in memory.
  std::set<std::size_t> privates;                   // not stored as a whole
  std::map<std::size_t, const BatchStage *> copies; // at its other place
};

// What is lowered to one instruction: a chain, or else a unit.
struct Group {
  std::optional<Chain> chain;
  Unit unit;
};

// Puts operations, and vertices that each read a single item, into chains.
std::vector<Group> formChains(Line line, const FusionFacts &facts,
                              PlanBuilder &builder);
// An operation alone; empty if it has no stage that works on its tensors where
// they are.
std::optional<Chain> chainOf(const ProgramNode &native, PlanBuilder &builder);

// A stage that would make what an earlier one of the same operands has made
// uses that.
Chain leaveOutRepeats(Chain chain, const FusionFacts &facts);
// A stage that makes an operand also does the work of one that changes it in
// place.
Chain absorbEpilogues(Chain chain, const FusionFacts &facts);
// The same where vertices read the operand before that: else the only stage
// that reads it afterwards does the work on what it reads. It then comes after
// keepUnread.
Chain absorbAfterVertices(Chain chain, const FusionFacts &facts);
// What only the chain uses, and writes before anything reads it, is kept as one
// item per group.
Chain keepPrivate(Chain chain, const FusionFacts &facts);
// What a stage makes cheaply of a tensor that is stored is not stored as well:
// stages that read it make it again.
std::vector<Group> remakeWhatIsCheap(std::vector<Group> groups,
                                     const FusionFacts &facts);
// The same for what other chains of the line, which run later, only name: their
// stages do not read it any more.
std::vector<Group> keepUnread(std::vector<Group> groups,
                              const FusionFacts &facts);
// A stage whose result is only added to something does that itself.
Chain absorbSums(Chain chain, const FusionFacts &facts);
// A stage whose result only a gate uses makes what the gate lets through.
Chain absorbGates(Chain chain, const FusionFacts &facts);
// A stage makes only what others read of a private tensor.
Chain trim(Chain chain, const FusionFacts &facts);
// Private items that are copied unchanged are used at the other place.
Chain elideCopies(Chain chain, const FusionFacts &facts);

} // namespace ipumodel
