#include "poplar/plan/plan_builder.hpp"

#include "poplar/estimate/exchange.hpp"
#include "poplar/graph/graph_impl.hpp"
#include "poplar/plan/batch_chain.hpp"
#include "poplar/plan/compute_set.hpp"
#include "poplar/plan/native_kernel.hpp"
#include "poplar/program/program_walk.hpp"
#include "poplar/run/buffer.hpp"
#include "poplar/run/copy_instructions.hpp"
#include "poplar/run/host_instructions.hpp"
#include "poplar/values/type_info.hpp"

#include <poplar/exceptions.hpp>

#include <algorithm>
#include <cstdlib>
#include <iterator>

namespace ipumodel {

namespace {

using Kind = ProgramNode::Kind;

std::size_t bytesOf(const TensorData &tensor) {
  return tensor.view.numElements() * sizeOf(tensor.type);
}

// Cycles to move a tensor to or from the host, assuming that the host link is
// as fast as the exchange.
std::uint64_t hostCycles(const GraphData &graph, std::size_t bytes) {
  return bytes / std::max(1u, graph.target.getExchangeBytesPerCycle()) + 1;
}

const InstructionPtr &nothing() {
  static const InstructionPtr instruction =
      std::make_shared<SequenceInstruction>(std::vector<InstructionPtr>());
  return instruction;
}

} // namespace

bool fusionIsOn() {
  const char *text = std::getenv("IPUMODEL_FUSION");
  if (!text || std::string(text) == "1")
    return true;
  if (std::string(text) == "0")
    return false;
  throw poplar::invalid_option("IPUMODEL_FUSION is '" + std::string(text) +
                               "'; give 0 or 1");
}

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
  case Kind::functionBufferLoad: // code is always resident here
  case Kind::writeUndef:
  case Kind::assumeEqual: // predicates are checked at run time instead
  case Kind::sync:
    return nothing();
  }
  return nothing();
}

std::optional<std::size_t>
PlanBuilder::contiguousOffset(const View &view, std::size_t elementSize) const {
  const std::size_t count = view.numElements();
  if (count == 0)
    return 0;
  const View flat = view.flatten();
  if (flat.blocks().size() != 1)
    return std::nullopt;
  const Block &block = flat.blocks()[0];
  const Loops &loops = block.dims[0].loops;
  if (loops.size() > 1 || (loops.size() == 1 && loops[0].stride != 1))
    return std::nullopt;
  return plan_.memory.offsetOf(block.variable) +
         static_cast<std::size_t>(block.offset) * elementSize;
}

Predicate PlanBuilder::predicateOf(const TensorData &tensor) const {
  const std::size_t size = sizeOf(tensor.type);
  return Predicate(contiguousOffset(tensor.view, size).value(), size,
                   nameOf(graph(), tensor));
}

// Reserves scratch for the whole tensor, at the start of the scratch memory.
std::size_t PlanBuilder::needScratch(const TensorData &tensor) {
  return ScratchFrame(memory()).take(bytesOf(tensor), Buffer::kAlignment);
}

namespace {

bool overlap(const std::vector<TensorPtr> &a, const std::vector<TensorPtr> &b) {
  return std::any_of(a.begin(), a.end(), [&](const TensorPtr &x) {
    return std::any_of(b.begin(), b.end(), [&](const TensorPtr &y) {
      return x->view.overlaps(y->view);
    });
  });
}

} // namespace

InstructionPtr PlanBuilder::compileSequence(const ProgramNode &program) {
  std::vector<ProgramPtr> children;
  flatten(program, children);
  bringPairsTogether(children);
  const BranchLines lines(
      graph(), [this](const ProgramNode &child) { return roleInLine(child); });
  std::vector<InstructionPtr> parts;
  const auto add = [&](InstructionPtr part) {
    if (part != nothing())
      parts.push_back(std::move(part));
  };
  auto at = children.cbegin();
  for (const BranchLines::Line &line : lines.find(children)) {
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

BranchLines::Role PlanBuilder::roleInLine(const ProgramNode &program) {
  if (!isPlain(program))
    return BranchLines::Role::other;
  if (program.kind == Kind::native)
    return BranchLines::Role::operation;
  if (program.kind == Kind::execute)
    return BranchLines::Role::vertices;
  return program.kind == Kind::branch &&
                 compile(program.children[1]) == nothing()
             ? BranchLines::Role::branch
             : BranchLines::Role::other;
}

InstructionPtr PlanBuilder::compileRareBranches(const Children &line) {
  std::vector<Predicate> branches;
  for (const ProgramPtr &child : line)
    if (child->kind == Kind::branch)
      branches.push_back(predicateOf(*child->tensors[0]));
  const std::size_t firstStep = plan_.steps.size();
  InstructionPtr all = compileLine(line);
  for (std::size_t id = firstStep; id < plan_.steps.size(); ++id)
    knownSteps_[plan_.steps[id].program].push_back(static_cast<StepId>(id));
  InstructionPtr withoutBranches = compileLine(line, Branches::skipped);
  knownSteps_.clear();
  return std::make_shared<RareBranchesInstruction>(
      std::move(branches), std::move(all), std::move(withoutBranches));
}

InstructionPtr PlanBuilder::compileLine(const Children &children,
                                        Branches branches) {
  std::vector<InstructionPtr> parts;
  BatchChainBuilder chain(*this, accesses_);
  const auto endChain = [&] {
    if (!chain.empty())
      parts.push_back(chain.finish());
  };
  const auto isSkipped = [&](std::size_t i) {
    return branches == Branches::skipped && children[i]->kind == Kind::branch;
  };
  for (std::size_t i = 0; i < children.size(); ++i) {
    if (isSkipped(i)) {
      chain.skip(children[i]);
      continue;
    }
    if (children[i]->kind == Kind::execute && isPlain(*children[i]) &&
        chain.addVertices(*children[i]))
      continue;
    if (isPlainNative(*children[i])) {
      if (chain.add(*children[i]))
        continue;
      endChain();
      if (chain.add(*children[i]))
        continue;
      std::size_t next = i + 1;
      while (next < children.size() && isSkipped(next))
        ++next;
      if (next < children.size() && isPlainNative(*children[next]))
        if (InstructionPtr pair = compilePair(*children[i], *children[next])) {
          parts.push_back(std::move(pair));
          i = next;
          continue;
        }
    }
    InstructionPtr part = compile(children[i]);
    if (part == nothing())
      continue;
    endChain();
    parts.push_back(std::move(part));
  }
  endChain();
  if (parts.empty())
    return nothing();
  return std::make_shared<SequenceInstruction>(std::move(parts));
}

bool PlanBuilder::isPlain(const ProgramNode &program) const {
  return fuses_ && accesses_.hasOnePlace(program) &&
         !profiled_.selects(graph(), program);
}

bool PlanBuilder::isPlainNative(const ProgramNode &program) const {
  return program.kind == Kind::native && isPlain(program);
}

namespace {

// True unless the program certainly does not run the other one.
bool mayRun(const ProgramNode &program, const ProgramNode &other) {
  return &program == &other || program.kind == Kind::call ||
         std::any_of(
             program.children.begin(), program.children.end(),
             [&](const ProgramPtr &child) { return mayRun(*child, other); });
}

// True if every writer precedes the maker in this straight-line run and the
// user cannot run in between.
bool makerFollowsWriters(const std::vector<const ProgramNode *> &writers,
                         const ProgramNode &maker, const ProgramNode &user,
                         const std::vector<ProgramPtr> &line) {
  const auto placeOf = [&](const ProgramNode &node) {
    return std::find_if(line.begin(), line.end(), [&](const ProgramPtr &other) {
      return other.get() == &node;
    });
  };
  const auto at = placeOf(maker);
  auto first = at;
  for (const ProgramNode *writer : writers) {
    const auto place = placeOf(*writer);
    if (place >= at)
      return false;
    first = std::min(first, place);
  }
  return at != line.end() &&
         std::none_of(first, at, [&](const ProgramPtr &program) {
           return mayRun(*program, user);
         });
}

} // namespace

// True if wherever one of the tensors is written, the maker runs before the
// user can.
bool PlanBuilder::isMadeInTime(
    const ProgramNode &maker, const ProgramNode &user,
    const std::vector<std::vector<ProgramPtr>> &lines) const {
  std::vector<const ProgramNode *> writers;
  for (const auto *tensors : {&maker.op->inputs, &maker.op->outputs})
    for (const TensorPtr &tensor : *tensors) {
      const auto found = accesses_.writersOf(tensor->view);
      if (!found)
        return false;
      std::copy_if(found->begin(), found->end(), std::back_inserter(writers),
                   [&](const ProgramNode *node) { return node != &maker; });
    }
  return writers.empty() ||
         std::any_of(lines.begin(), lines.end(), [&](const auto &line) {
           return makerFollowsWriters(writers, maker, user, line);
         });
}

void PlanBuilder::planWorkspaces() {
  if (!fuses_)
    return;
  std::vector<const ProgramNode *> operations;
  std::vector<std::vector<ProgramPtr>> lines;
  for (const ProgramNode *node :
       nodesOf(rootsOf(graph(), executable_.programs))) {
    if (node->kind == Kind::sequence)
      flatten(*node, lines.emplace_back());
    else if (node->op && accesses_.hasOnePlace(*node))
      operations.push_back(node);
  }
  for (const ProgramNode *user : operations) {
    if (!user->op->what->mayHaveWorkspace())
      continue;
    for (const ProgramNode *maker : operations) {
      const std::size_t size =
          user->op->what->workspaceFrom(*maker->op, *user->op);
      if (size == 0 || !isMadeInTime(*maker, *user, lines))
        continue;
      const auto [known, isNew] = memos_.emplace(maker->op.get(), 0);
      if (isNew) {
        known->second = memory().reserve(size, Buffer::kAlignment);
        plan_.workspaces.push_back({known->second, size});
      }
      memos_.emplace(user->op.get(), known->second);
      break;
    }
  }
}

std::optional<std::size_t> PlanBuilder::workspaceOf(const NativeOp &op) const {
  const auto found = memos_.find(&op);
  return found == memos_.end() ? std::nullopt : std::optional(found->second);
}

// Moves the first operation of a possible pair to just before the second, if
// nothing in between changes its inputs: a gradient is computed long before the
// update that uses it, because the weights are needed until then.
void PlanBuilder::bringPairsTogether(std::vector<ProgramPtr> &children) const {
  std::vector<ProgramPtr> firsts;
  for (const ProgramPtr &child : children)
    if (isPlainNative(*child) && child->op->what->mayJoin())
      firsts.push_back(child);
  for (const ProgramPtr &first : firsts) {
    const NativeOp &op = *first->op;
    const auto from = std::find(children.begin(), children.end(), first);
    for (auto at = from + 1; at != children.end(); ++at) {
      if (!isPlainNative(**at))
        break;
      const NativeOp &other = *(*at)->op;
      if (overlap(op.outputs, other.inputs) ||
          overlap(op.outputs, other.outputs)) {
        if (areOnlyOf(*first, **at))
          std::rotate(from, from + 1, at);
        break;
      }
      if (overlap(op.inputs, other.outputs))
        break;
    }
  }
}

// True if only the second operation uses the first one's output.
bool PlanBuilder::areOnlyOf(const ProgramNode &first,
                            const ProgramNode &second) const {
  return std::all_of(
      first.op->outputs.begin(), first.op->outputs.end(),
      [&](const TensorPtr &output) {
        return accesses_.areOnlyOf({&first, &second}, output->view);
      });
}

void PlanBuilder::flatten(const ProgramNode &sequence,
                          std::vector<ProgramPtr> &children) const {
  for (const ProgramPtr &child : sequence.children) {
    const bool isOnce = child->kind == Kind::sequence ||
                        (child->kind == Kind::repeat && child->count == 1);
    if (isOnce && isPlain(*child))
      flatten(*child, children);
    else
      children.push_back(child);
  }
}

InstructionPtr PlanBuilder::compileNative(const ProgramNode &program) {
  BatchChainBuilder chain(*this, accesses_);
  if (chain.add(program))
    return chain.finish();
  return program.op->what->lower(*program.op, program.name, *this);
}

InstructionPtr PlanBuilder::compilePair(const ProgramNode &first,
                                        const ProgramNode &second) {
  const Operator &what = *first.op->what;
  if (!what.mayJoin() || !areOnlyOf(first, second))
    return nullptr;
  return what.join(first, second, *this);
}

InstructionPtr PlanBuilder::compileExecute(const ProgramNode &program) {
  // Vertices keep their state between executions, so a compute set has one set
  // of objects, however often it is executed.
  std::shared_ptr<const ComputeSetPlan> &computeSet = computeSets_[program.id];
  if (!computeSet)
    computeSet = std::make_shared<ComputeSetPlan>(*this, plan_, program);
  std::optional<std::size_t> exitStatus;
  if (!program.tensors.empty())
    exitStatus = contiguousOffset(program.tensors[0]->view, 1);
  return std::make_shared<ExecuteInstruction>(computeSet, exitStatus);
}

std::shared_ptr<const ComputeSetPlan>
PlanBuilder::planVertices(const ProgramNode &execute,
                          const std::vector<ChainItems> &items) {
  return std::make_shared<ComputeSetPlan>(*this, plan_, execute, items);
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

InstructionPtr PlanBuilder::compileCopy(const ProgramNode &program) {
  const TensorData &src = *program.tensors[0], &dst = *program.tensors[1];
  const std::size_t size = sizeOf(dst.type);
  Exchange exchange(graph());
  exchange.addCopy(dst.view, src.view, size);
  const StepId step =
      addStep({"Copy", program.name, exchange.cycles() + 1, exchange.bytes()});
  if (!dst.view.overlaps(src.view))
    return std::make_shared<CopyInstruction>(
        step, memory().lowerCopy(dst.view, src.view, size));
  needScratch(src);
  return std::make_shared<StagedCopyInstruction>(
      step, memory().gather(src.view, size), memory().scatter(dst.view, size));
}

InstructionPtr
PlanBuilder::compileCrossReplicaCopy(const ProgramNode &program) {
  const TensorData &src = *program.tensors[0], &dst = *program.tensors[1];
  const std::size_t size = sizeOf(dst.type);
  needScratch(src);
  const StepId step = addStep({"CrossReplicaCopy", program.name,
                               hostCycles(graph(), bytesOf(src)),
                               bytesOf(src) * graph().replicationFactor});
  return std::make_shared<CrossReplicaCopyInstruction>(
      step, program.name, memory().gather(src.view, size),
      memory().scatter(dst.view, size), bytesOf(src), program.replicaMap);
}

InstructionPtr PlanBuilder::compileStream(const ProgramNode &program) {
  const TensorData &tensor = *program.tensors[0];
  const std::size_t size = sizeOf(tensor.type);
  const StepId step =
      addStep({"StreamCopy", graph().streams[program.id]->handle,
               hostCycles(graph(), bytesOf(tensor)),
               bytesOf(tensor) * graph().replicationFactor});
  if (program.kind == Kind::streamToTensor)
    return std::make_shared<StreamReadInstruction>(
        step, program.id, memory().scatter(tensor.view, size));
  return std::make_shared<StreamWriteInstruction>(
      step, program.id, memory().gather(tensor.view, size));
}

InstructionPtr PlanBuilder::compileRemote(const ProgramNode &program) {
  using Direction = RemoteCopyInstruction::Direction;
  const bool toDevice = program.kind == Kind::remoteToTensor;
  const TensorData &tensor = *program.tensors[0];
  const RemoteBufferInfo &buffer = *graph().remoteBuffers[program.id];
  const std::size_t size = sizeOf(tensor.type);
  const View flat = tensor.view.flatten();
  std::vector<CopyPlan> rows;
  for (std::size_t at = 0; at < flat.numElements(); at += buffer.numElements) {
    const View row = flat.slice(0, at, at + buffer.numElements);
    rows.push_back(toDevice ? memory().scatter(row, size)
                            : memory().gather(row, size));
  }
  CopyPlan offsets;
  if (program.tensors.size() > 1) {
    needScratch(*program.tensors[1]);
    offsets = memory().gather(program.tensors[1]->view, 4);
  }
  const StepId step = addStep({"RemoteCopy", buffer.handle,
                               hostCycles(graph(), bytesOf(tensor)),
                               bytesOf(tensor) * graph().replicationFactor});
  return std::make_shared<RemoteCopyInstruction>(
      step, program.id, toDevice ? Direction::toDevice : Direction::toHost,
      std::move(rows), std::move(offsets));
}

InstructionPtr PlanBuilder::compileHostCall(const ProgramNode &program) {
  std::vector<CopyPlan> inputs, outputs;
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < program.tensors.size(); ++i) {
    const TensorData &tensor = *program.tensors[i];
    const std::size_t size = sizeOf(tensor.type);
    if (i < program.count)
      inputs.push_back(memory().gather(tensor.view, size));
    else
      outputs.push_back(memory().scatter(tensor.view, size));
    bytes += bytesOf(tensor);
  }
  const std::string &handle = graph().hostFunctions[program.id].handle;
  const StepId step =
      addStep({"HostFunction", handle, hostCycles(graph(), bytes), bytes});
  return std::make_shared<HostCallInstruction>(
      step, program.id, handle, std::move(inputs), std::move(outputs));
}

InstructionPtr PlanBuilder::compilePrint(const ProgramNode &program) {
  const TensorData &tensor = *program.tensors[0];
  needScratch(tensor);
  const bool isError = program.kind == Kind::error;
  TensorPrinter printer(isError ? nameOf(graph(), tensor) : program.text,
                        tensor.type, tensor.view.shape(), program.format,
                        memory().gather(tensor.view, sizeOf(tensor.type)));
  if (isError)
    return std::make_shared<ErrorInstruction>(program.text, std::move(printer));
  return std::make_shared<PrintInstruction>(
      addStep({"PrintTensor", program.text, 0, bytesOf(tensor)}),
      std::move(printer));
}

// Functions cannot call themselves, so compiling the body here terminates.
InstructionPtr PlanBuilder::compileCall(const ProgramNode &program) {
  InstructionPtr &body = plan_.functions[program.id];
  if (!body)
    body = compile(graph().functions[program.id].body);
  return body;
}

} // namespace ipumodel
