#include "poplar/plan/plan_builder.hpp"

#include "poplar/graph/graph_impl.hpp"
#include "poplar/plan/batch_chain.hpp"
#include "poplar/plan/compute_set.hpp"
#include "poplar/plan/fusion/workspace_pass.hpp"
#include "poplar/run/host_instructions.hpp"
#include "poplar/values/type_info.hpp"
#include "poplar/view/layout.hpp"

#include <utility>

namespace ipumodel {

namespace {

using Kind = ProgramNode::Kind;

const InstructionPtr &nothing() {
  static const InstructionPtr instruction =
      std::make_shared<SequenceInstruction>(std::vector<InstructionPtr>());
  return instruction;
}

} // namespace

void PlanBuilder::build() {
  planWorkspaces();
  plan_.vertexOffset = plan_.memory.reserve(0, Buffer::kAlignment);
  plan_.functions.resize(graph().functions.size());
  computeSets_.resize(graph().computeSets.size());
  for (const ProgramPtr &program : executable_.programs)
    plan_.programs.push_back(compile(program));
  plan_.vertexImage.resize(plan_.memory.size() - plan_.vertexOffset);
}

StepId PlanBuilder::addStep(Step step) {
  return addStep(std::move(step), *compiling_);
}

StepId PlanBuilder::addStep(Step step, const ProgramNode &program) {
  const auto known = knownSteps_.find(&program);
  if (known != knownSteps_.end() && !known->second.empty()) {
    const StepId id = known->second.front();
    known->second.pop_front();
    return id;
  }
  if (step.kind.empty() && program.op) {
    step.kind = program.op->what->name();
    step.name = program.name;
  }
  step.program = &program;
  plan_.steps.push_back(std::move(step));
  return static_cast<StepId>(plan_.steps.size() - 1);
}

InstructionPtr PlanBuilder::compile(const ProgramPtr &program) {
  const auto known = compiled_.find(program.get());
  if (known != compiled_.end())
    return known->second;
  const ProgramNode *const parent = std::exchange(compiling_, program.get());
  InstructionPtr instruction = compileKind(*program);
  compiling_ = parent;
  if (instruction != nothing() && profiled_.selects(graph(), *program)) {
    instruction = std::make_shared<BlockInstruction>(
        static_cast<std::uint32_t>(plan_.blocks.size()), instruction);
    plan_.blocks.push_back(program.get());
  }
  compiled_.emplace(program.get(), instruction);
  return instruction;
}

InstructionPtr PlanBuilder::compileKind(const ProgramNode &program) {
  switch (program.kind) {
  case Kind::sequence:
    return compileSequence(program);
  case Kind::execute:
    return compileExecute(program);
  case Kind::repeat:
    return std::make_shared<RepeatInstruction>(program.count,
                                               compile(program.children[0]));
  case Kind::repeatWhileTrue:
  case Kind::repeatWhileFalse:
    return std::make_shared<WhileInstruction>(
        compile(program.children[0]), predicateOf(*program.tensors[0]),
        program.kind == Kind::repeatWhileTrue, compile(program.children[1]));
  case Kind::loop:
    return std::make_shared<EndlessInstruction>(compile(program.children[0]));
  case Kind::branch:
    return std::make_shared<BranchInstruction>(predicateOf(*program.tensors[0]),
                                               compile(program.children[0]),
                                               compile(program.children[1]));
  case Kind::switchCase:
    return compileSwitch(program);
  case Kind::copy:
    return compileCopy(program);
  case Kind::streamToTensor:
  case Kind::tensorToStream:
    return compileStream(program);
  case Kind::remoteToTensor:
  case Kind::tensorToRemote:
    return compileRemote(program);
  case Kind::crossReplicaCopy:
    return compileCrossReplicaCopy(program);
  case Kind::block:
    return compile(program.children[0]);
  case Kind::call:
    return compileCall(program);
  case Kind::callHost:
    return compileHostCall(program);
  case Kind::printTensor:
  case Kind::error:
    return compilePrint(program);
  case Kind::abort:
    return std::make_shared<AbortInstruction>(
        program.text, program.tensors.empty()
                          ? std::nullopt
                          : std::optional(predicateOf(*program.tensors[0])));
  case Kind::cycleStamp:
    return std::make_shared<CycleStampInstruction>(
        addStep({"CycleStamp", program.name}),
        memory().scatter(program.tensors[0]->view,
                         sizeOf(program.tensors[0]->type)));
  case Kind::native:
    return compileNative(program);
  case Kind::functionBufferLoad:
  case Kind::writeUndef:
  case Kind::assumeEqual:
  case Kind::sync:
    return nothing(); // see doesNothing()
  }
  return nothing();
}

std::optional<std::size_t>
PlanBuilder::contiguousOffset(const View &view, std::size_t elementSize) const {
  const std::size_t count = view.numElements();
  if (count == 0)
    return 0;
  const std::optional<Layout> layout = layoutOf(view.flatten());
  if (!layout || (count > 1 && layout->strides[0] != 1))
    return std::nullopt;
  return plan_.memory.offsetOf(layout->variable) +
         static_cast<std::size_t>(layout->offset) * elementSize;
}

Predicate PlanBuilder::predicateOf(const TensorData &tensor) const {
  const std::size_t size = sizeOf(tensor.type);
  return Predicate(contiguousOffset(tensor.view, size).value(), size,
                   nameOf(graph(), tensor));
}

InstructionPtr PlanBuilder::compileSequence(const ProgramNode &program) {
  return compileBranchLines(bringPairsTogether(lineOf(program, facts_), facts_),
                            Reach::transfers);
}

InstructionPtr PlanBuilder::compileBranchLines(const Children &children,
                                               Reach reach) {
  std::vector<InstructionPtr> parts;
  const auto add = [&](InstructionPtr part) {
    if (part != nothing())
      parts.push_back(std::move(part));
  };
  auto at = children.cbegin();
  for (const BranchLine &line : findBranchLines(children, reach, facts_)) {
    add(compileLine({at, line.begin}));
    add(compileRareBranches({line.begin, line.end}));
    at = line.end;
  }
  add(compileLine({at, children.cend()}));
  if (parts.empty())
    return nothing();
  return parts.size() == 1
             ? parts.front()
             : std::make_shared<SequenceInstruction>(std::move(parts));
}

InstructionPtr PlanBuilder::compileRareBranches(const Children &line) {
  std::vector<Predicate> branches;
  for (const ProgramPtr &child : line)
    if (child->kind == Kind::branch)
      branches.push_back(predicateOf(*child->tensors[0]));
  if (explanation_.isOn())
    explanation_.fused(FusionPass::branches,
                       textOf(*line.front()) + " to " + textOf(*line.back()) +
                           " if none of " + std::to_string(branches.size()) +
                           " branches is taken");
  const std::size_t firstStep = plan_.steps.size();
  // Where a branch is taken, the parts between transfers decide for themselves.
  InstructionPtr all =
      std::any_of(line.begin(), line.end(),
                  [](const ProgramPtr &child) { return isTransfer(*child); })
          ? compileBranchLines(line, Reach::operations)
          : compileLine(line);
  for (std::size_t id = firstStep; id < plan_.steps.size(); ++id)
    knownSteps_[plan_.steps[id].program].push_back(static_cast<StepId>(id));
  InstructionPtr withoutBranches = compileLine(line, Branches::skipped);
  knownSteps_.clear();
  return std::make_shared<RareBranchesInstruction>(
      std::move(branches), std::move(all), std::move(withoutBranches));
}

InstructionPtr PlanBuilder::compileLine(const Children &children,
                                        Branches branches) {
  Line line;
  for (const ProgramPtr &child : children)
    line.push_back(
        {child, branches == Branches::skipped && child->kind == Kind::branch});
  line = joinPairs(std::move(line), facts_, *this);
  std::vector<Group> groups = formChains(std::move(line), facts_, *this);
  for (Group &group : groups)
    if (group.chain)
      group.chain.emplace(simplify(std::move(*group.chain)));
  groups = remakeWhatIsCheap(std::move(groups), facts_);
  groups = keepUnread(std::move(groups), facts_);
  std::vector<InstructionPtr> parts;
  for (Group &group : groups)
    if (group.chain) {
      Chain changed = absorbAfterVertices(std::move(*group.chain), facts_);
      Chain trimmed = trim(std::move(changed), facts_);
      parts.push_back(
          lowerChain(elideCopies(std::move(trimmed), facts_), *this));
    } else {
      parts.push_back(compileUnit(group.unit));
    }
  if (parts.empty())
    return nothing();
  return std::make_shared<SequenceInstruction>(std::move(parts));
}

InstructionPtr PlanBuilder::compileUnit(const Unit &unit) {
  if (!unit.joined)
    return compile(unit.program);
  const ProgramNode *const parent =
      std::exchange(compiling_, unit.program.get());
  const NativeOp &op = unit.joined->op;
  InstructionPtr both = op.what->lower(op, unit.program->name, *this);
  compiling_ = parent;
  return std::make_shared<SequenceInstruction>(std::vector<InstructionPtr>{
      std::move(both), std::make_shared<CountInstruction>(
                           addStep(unit.joined->second, *unit.second))});
}

Chain PlanBuilder::simplify(Chain chain) const {
  Chain shorter = leaveOutRepeats(std::move(chain), facts_);
  Chain simpler = absorbEpilogues(std::move(shorter), facts_);
  Chain smaller = keepPrivate(std::move(simpler), facts_);
  Chain summed = absorbSums(std::move(smaller), facts_);
  return absorbGates(std::move(summed), facts_);
}

void PlanBuilder::planWorkspaces() {
  for (const Workspace &edge : findWorkspaces(executable_.programs, facts_)) {
    const auto [known, isNew] = workspaces_.emplace(edge.maker->op.get(), 0);
    if (isNew) {
      known->second = memory().reserve(edge.bytes, Buffer::kAlignment);
      plan_.workspaces.push_back({known->second, edge.bytes});
    }
    workspaces_.emplace(edge.user->op.get(), known->second);
  }
}

std::optional<std::size_t> PlanBuilder::workspaceOf(const NativeOp &op) const {
  const auto found = workspaces_.find(&op);
  return found == workspaces_.end() ? std::nullopt
                                    : std::optional(found->second);
}

InstructionPtr PlanBuilder::compileNative(const ProgramNode &program) {
  if (std::optional<Chain> alone = chainOf(program, *this))
    return lowerChain(std::move(*alone), *this);
  return program.op->what->lower(*program.op, program.name, *this);
}

InstructionPtr PlanBuilder::compileExecute(const ProgramNode &program) {
  std::optional<std::size_t> exitStatus;
  if (!program.tensors.empty())
    exitStatus = contiguousOffset(program.tensors[0]->view, 1);
  return std::make_shared<ExecuteInstruction>(planVertices(program),
                                              exitStatus);
}

// Vertices keep their state between executions, so a compute set has one set
// of objects, however often it is executed.
std::shared_ptr<const ComputeSetPlan>
PlanBuilder::planVertices(const ProgramNode &execute) {
  std::shared_ptr<const ComputeSetPlan> &computeSet = computeSets_[execute.id];
  if (!computeSet)
    computeSet =
        std::make_shared<ComputeSetPlan>(*this, plan_, facts_, execute);
  return computeSet;
}

InstructionPtr PlanBuilder::compileSwitch(const ProgramNode &program) {
  std::vector<SwitchInstruction::Case> cases;
  for (std::size_t i = 0; i < program.cases.size(); ++i)
    cases.push_back({program.cases[i], compile(program.children[i + 1])});
  return std::make_shared<SwitchInstruction>(
      predicateOf(*program.tensors[0]), std::move(cases),
      program.noCase == ProgramNode::NoCase::fail
          ? nullptr
          : compile(program.children[0]),
      program.name);
}

// Functions cannot call themselves, so compiling the body here terminates.
InstructionPtr PlanBuilder::compileCall(const ProgramNode &program) {
  InstructionPtr &body = plan_.functions[program.id];
  if (!body)
    body = compile(graph().functions[program.id].body);
  return body;
}

} // namespace ipumodel
