#include "poplar/graph/tensor_checks.hpp"
#include "poplar/program/program_checks.hpp"

#include <poplar/Program.hpp>

using ipumodel::ProgramContext;
using ipumodel::ProgramNode;
using Kind = ipumodel::ProgramNode::Kind;

namespace poplar {
namespace program {

namespace {

// The node of default-constructed and moved-from programs.
const std::shared_ptr<ProgramNode> &emptyNode() {
  static const auto node = std::make_shared<ProgramNode>(Kind::sequence);
  return node;
}

bool isEmptyNode(const ProgramNode &node) {
  if (node.kind != Kind::sequence)
    return false;
  for (const auto &child : node.children)
    if (!isEmptyNode(*child))
      return false;
  return true;
}

// The node, copied first if it is shared.
ProgramNode &own(std::shared_ptr<ProgramNode> &node) {
  if (node.use_count() > 1)
    node = std::make_shared<ProgramNode>(*node);
  return *node;
}

std::shared_ptr<ProgramNode> makeLoop(const char *name, Kind kind,
                                      const Program &condition,
                                      const Tensor &predicate,
                                      const Program &body,
                                      const DebugContext &debugContext) {
  const ProgramContext context{name, debugContext};
  auto node = context.makeNode(kind);
  node->children = {condition.getImpl(), body.getImpl()};
  node->tensors = {context.requirePredicate(predicate)};
  return node;
}

std::shared_ptr<ProgramNode> makeSwitch(const Tensor &control,
                                        const Switch::Cases &cases,
                                        const Program &defaultCase,
                                        const DebugContext &debugContext) {
  const ProgramContext context{"Switch", debugContext};
  auto node = context.makeNode(Kind::switchCase);
  node->tensors = {context.requireControl(control)};
  node->children = {defaultCase.getImpl()};
  for (const auto &[value, body] : cases) {
    node->cases.push_back(value);
    node->children.push_back(body.getImpl());
  }
  return node;
}

std::shared_ptr<ProgramNode> makePrint(StringRef title, const Tensor &t,
                                       const PrintTensorFmt &format,
                                       const DebugContext &debugContext) {
  const ProgramContext context{"PrintTensor", debugContext};
  auto node = context.makeNode(Kind::printTensor);
  node->tensors = {context.requireValid(t, "tensor")};
  node->text = title;
  node->format = format;
  return node;
}

std::shared_ptr<ProgramNode> makeAbort(const char *name,
                                       const std::string &message,
                                       const DebugContext &debugContext) {
  auto node = ProgramContext{name, debugContext}.makeNode(Kind::abort);
  node->text = message;
  return node;
}

} // namespace

Program::Program() : node_(emptyNode()) {}
Program::Program(const Program &) = default;
Program::Program(Program &&other) noexcept : node_(std::move(other.node_)) {
  other.node_ = emptyNode();
}
Program::Program(std::shared_ptr<ProgramNode> node) : node_(std::move(node)) {}
Program &Program::operator=(const Program &) = default;
Program &Program::operator=(Program &&other) noexcept {
  const auto node = std::move(other.node_);
  other.node_ = emptyNode();
  node_ = node;
  return *this;
}
Program::~Program() = default;

bool Program::isEmpty() const { return isEmptyNode(*node_); }

Execute::Execute(ComputeSet cs, const DebugContext &debugContext) {
  node_ = ProgramContext{"Execute", debugContext}.makeNode(Kind::execute);
  node_->id = cs.getId();
}

// NOLINTBEGIN(performance-unnecessary-value-param): Poplar passes tensors by
// value.

Execute::Execute(ComputeSet cs, Tensor exitStatus,
                 const DebugContext &debugContext) {
  const ProgramContext context{"Execute", debugContext};
  const auto status = context.requireWriteable(exitStatus, "exit status");
  if (status->view.numElements() != 1)
    context.fail<graph_connection_error>("the exit status " +
                                         describe(*status) +
                                         " must have exactly one element");
  if (status->type != BOOL)
    context.fail<type_error>("the exit status " + describe(*status) +
                             " is not bool");
  node_ = context.makeNode(Kind::execute);
  node_->id = cs.getId();
  node_->tensors = {status};
}

Sequence::Sequence(const DebugContext &debugContext) {
  node_ = ProgramContext{"Sequence", debugContext}.makeNode(Kind::sequence);
}

Sequence::Sequence(std::initializer_list<Program> programs,
                   const DebugContext &debugContext)
    : Sequence(debugContext) {
  for (const Program &program : programs)
    node_->children.push_back(program.getImpl());
}

void Sequence::add(const Program &program) {
  // Copied first: a sequence may be added to itself.
  auto child = program.getImpl();
  own(node_).children.push_back(std::move(child));
}

Repeat::Repeat(unsigned count, const Program &program,
               const DebugContext &debugContext) {
  node_ = ProgramContext{"Repeat", debugContext}.makeNode(Kind::repeat);
  node_->count = count;
  node_->children = {program.getImpl()};
}

RepeatWhileTrue::RepeatWhileTrue(const Program &condition, Tensor predicate,
                                 const Program &body,
                                 const DebugContext &debugContext)
    : Program(makeLoop("RepeatWhileTrue", Kind::repeatWhileTrue, condition,
                       predicate, body, debugContext)) {}

RepeatWhileFalse::RepeatWhileFalse(const Program &condition, Tensor predicate,
                                   const Program &body,
                                   const DebugContext &debugContext)
    : Program(makeLoop("RepeatWhileFalse", Kind::repeatWhileFalse, condition,
                       predicate, body, debugContext)) {}

Loop::Loop(const Program &body, const DebugContext &debugContext) {
  node_ = ProgramContext{"Loop", debugContext}.makeNode(Kind::loop);
  node_->children = {body.getImpl()};
}

If::If(Tensor predicate, const Program &trueBody, const Program &falseBody,
       const DebugContext &debugContext) {
  const ProgramContext context{"If", debugContext};
  node_ = context.makeNode(Kind::branch);
  node_->children = {trueBody.getImpl(), falseBody.getImpl()};
  node_->tensors = {context.requirePredicate(predicate)};
}

Switch::Switch(Tensor control, const Cases &cases,
               const DebugContext &debugContext)
    : Program(makeSwitch(control, cases, Program(), debugContext)) {}

Switch::Switch(Tensor control, const Cases &cases,
               const Program &defaultCaseBody, const DebugContext &debugContext)
    : Program(makeSwitch(control, cases, defaultCaseBody, debugContext)) {}

Switch::Switch(Tensor control, const DebugContext &debugContext)
    : Program(makeSwitch(control, {}, Program(), debugContext)) {}

Switch::Switch(Tensor control, const Program &defaultCaseBody,
               const DebugContext &debugContext)
    : Program(makeSwitch(control, {}, defaultCaseBody, debugContext)) {}

Switch &Switch::add(std::int32_t value, const Program &body) {
  auto child = body.getImpl();
  ProgramNode &node = own(node_);
  node.cases.push_back(value);
  node.children.push_back(std::move(child));
  return *this;
}

Switch Switch::switchWithBoundsChecking(Tensor control, const Cases &cases,
                                        const DebugContext &debugContext) {
  Switch program(control, cases, debugContext);
  program.node_->noCase = ProgramNode::NoCase::fail;
  return program;
}

Switch Switch::switchWithUnreachableDefault(Tensor control,
                                            const DebugContext &debugContext) {
  return switchWithBoundsChecking(control, {}, debugContext);
}

WriteUndef::WriteUndef(Tensor t, const DebugContext &debugContext) {
  const ProgramContext context{"WriteUndef", debugContext};
  node_ = context.makeNode(Kind::writeUndef);
  node_->tensors = {context.requireWriteable(t, "tensor")};
}

AssumeEqualAcrossReplicas::AssumeEqualAcrossReplicas(
    Tensor t, const DebugContext &debugContext) {
  const ProgramContext context{"AssumeEqualAcrossReplicas", debugContext};
  node_ = context.makeNode(Kind::assumeEqual);
  node_->tensors = {context.requireValid(t, "tensor")};
}

Block::Block(const Program &program, const DebugContext &debugContext) {
  node_ = ProgramContext{"Block", debugContext}.makeNode(Kind::block);
  node_->children = {program.getImpl()};
}

Sync::Sync(SyncType type, const DebugContext &debugContext) {
  node_ = ProgramContext{"Sync", debugContext}.makeNode(Kind::sync);
  node_->count = static_cast<std::uint64_t>(type);
}

Call::Call(Function function, const DebugContext &debugContext) {
  node_ = ProgramContext{"Call", debugContext}.makeNode(Kind::call);
  node_->id = function.getId();
}

Call::Call(HostFunction function, ArrayRef<Tensor> inputs,
           ArrayRef<Tensor> outputs, const DebugContext &debugContext) {
  const ProgramContext context{"Call", debugContext};
  node_ = context.makeNode(Kind::callHost);
  node_->id = function.getId();
  node_->count = inputs.size();
  for (const Tensor &t : inputs)
    node_->tensors.push_back(context.requireValid(t, "input"));
  for (const Tensor &t : outputs)
    node_->tensors.push_back(context.requireWriteable(t, "output"));
}

PrintTensor::PrintTensor(Tensor t, const DebugContext &debugContext)
    : Program(makePrint("", t, PrintTensorFmt(), debugContext)) {}

PrintTensor::PrintTensor(StringRef title, Tensor t,
                         const DebugContext &debugContext)
    : Program(makePrint(title, t, PrintTensorFmt(), debugContext)) {}

PrintTensor::PrintTensor(Tensor t, const PrintTensorFmt &fmt,
                         const DebugContext &debugContext)
    : Program(makePrint("", t, fmt, debugContext)) {}

PrintTensor::PrintTensor(StringRef title, Tensor t, const PrintTensorFmt &fmt,
                         const DebugContext &debugContext)
    : Program(makePrint(title, t, fmt, debugContext)) {}

ErrorProgram::ErrorProgram(StringRef message, Tensor debugTensor,
                           const DebugContext &debugContext) {
  const ProgramContext context{"ErrorProgram", debugContext};
  node_ = context.makeNode(Kind::error);
  node_->text = message;
  node_->tensors = {context.requireValid(debugTensor, "debug tensor")};
}

Abort::Abort(const DebugContext &debugContext)
    : Program(makeAbort("Abort", "", debugContext)) {}

Abort::Abort(const std::string &message, const DebugContext &debugContext)
    : Program(makeAbort("Abort", message, debugContext)) {}

AbortOnCondition::AbortOnCondition(Tensor predicate,
                                   const DebugContext &debugContext)
    : AbortOnCondition(std::move(predicate), std::string(), debugContext) {}

AbortOnCondition::AbortOnCondition(Tensor predicate, const std::string &message,
                                   const DebugContext &debugContext)
    : Program(makeAbort("AbortOnCondition", message, debugContext)) {
  node_->tensors = {
      ProgramContext{"AbortOnCondition", debugContext}.requirePredicate(
          predicate)};
}

// NOLINTEND(performance-unnecessary-value-param)

} // namespace program
} // namespace poplar
