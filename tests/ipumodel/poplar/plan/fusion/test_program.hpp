// Programs of operations that declare what fusion may do with them, and are
// never run.
#pragma once

#include "poplar/graph/graph_impl.hpp"
#include "poplar/plan/fusion/chain.hpp"
#include "poplar/plan/fusion/workspace_pass.hpp"
#include "poplar/plan/native_kernel.hpp"

#include <poplar/IPUModel.hpp>
#include <poplar/Program.hpp>

#include <initializer_list>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace ipumodel {

// What an operation declares besides its tensors.
enum class Trait : std::uint8_t {
  none,
  absorbs,   // what follows in place, and gates
  gates,     // lets its first input through where its second one is above zero
  relus,     // replaces each x by max(x, 0)
  adds,      // its first input to its second one
  cheap,     // to make again
  remakes,   // what is cheap, and it reads first
  copies,    // its items can be used where they are
  readsPart, // of each operand: a line of two, four bytes of eight
  readsLine, // of each operand: a line of two, all bytes of it
  readsLeft, // of each operand: both lines, four bytes of eight
  readsFew,  // of each operand: a line of four, two bytes of four
  trims,     // makes only what others read
  knows,     // does not read its last input
  sums,      // over the batch: makes something whole; else it absorbs
  sumsLate,  // sums, and touches what is whole after the items only
  light,     // alone it is not worth groups
  alone      // light, and not done item by item
};

class TestStage : public BatchStage {
public:
  explicit TestStage(Trait trait) : trait_(trait) {}
  bool absorb(const BatchStage &) override { return absorbs(); }
  bool absorbAfterVertices(const BatchStage &) override { return absorbs(); }
  bool isCheap() const override { return trait_ == Trait::cheap; }
  bool canRemake(std::size_t operand, const BatchStage &maker) const override {
    return trait_ == Trait::remakes && operand == 1 && maker.isCheap();
  }
  void remake(std::size_t operand, const BatchStage &) override {
    remade = operand;
  }
  bool repeats(const BatchStage &) override { return trait_ == Trait::sums; }
  bool absorbSum(std::size_t term) override {
    added = term;
    return absorbs();
  }
  bool absorbGate(std::size_t by) override {
    gatedBy = by;
    return absorbs();
  }
  bool absorbGateAfterVertices(std::size_t by) override {
    gatedLateBy = by;
    return absorbs();
  }
  Epilogue epilogue() const override {
    if (trait_ == Trait::relus)
      return {Epilogue::Kind::relu};
    if (trait_ == Trait::adds)
      return {Epilogue::Kind::sum};
    if (trait_ != Trait::gates)
      return {};
    Epilogue gate;
    gate.kind = Epilogue::Kind::gate;
    gate.gated = 1;
    gate.by = 2;
    return gate;
  }
  bool isCopy() const override { return trait_ == Trait::copies; }
  std::optional<ItemPart> partRead(std::size_t) const override {
    switch (trait_) {
    case Trait::readsPart:
      return ItemPart{2, 8, 1, 4};
    case Trait::readsLine:
      return ItemPart{2, 8, 1, 8};
    case Trait::readsLeft:
      return ItemPart{2, 8, 2, 4};
    case Trait::readsFew:
      return ItemPart{4, 4, 1, 2};
    default:
      return std::nullopt;
    }
  }
  bool makeOnly(const ItemPart &part) override {
    if (trait_ != Trait::trims)
      return false;
    made = part;
    return true;
  }
  void run(const BatchItem &) const override {}

  std::optional<ItemPart> made; // if it was asked to make only this
  std::optional<std::size_t> gatedBy, gatedLateBy, added, remade;

private:
  bool absorbs() const {
    return trait_ == Trait::absorbs || trait_ == Trait::sums;
  }

  Trait trait_;
};

// Works on FLOAT batches item by item; inputs of another batch than that of the
// first output, or of the first input of a sum, are read as a whole.
struct ByItems {
  static constexpr const char *kName = "test.byItems";
  Trait trait;
  template <class Io> void fields(Io &io) { io.choice(trait, Trait::alone); }
  StagePtr stage(const NativeOp &op, const std::string & /*name*/,
                 StageOperands &operands) const {
    operands.isLight = trait == Trait::alone || trait == Trait::light;
    if (trait == Trait::alone)
      return operands.refuse("it is alone");
    const bool isLate = trait == Trait::sumsLate;
    const bool isSum = isLate || trait == Trait::sums;
    const auto addWhole = [&](const View &view, Access access) {
      if (isLate)
        operands.addLateWhole(view, access);
      else
        operands.addWhole(view, access);
    };
    const std::size_t batch =
        (isSum ? op.inputs : op.outputs)[0]->view.shape()[0];
    for (const TensorPtr &output : op.outputs)
      if (isSum)
        addWhole(output->view, Access::write);
      else if (!operands.addFloats(output->view, output->type, Access::write))
        return nullptr;
    for (const TensorPtr &input : op.inputs)
      if (input->view.shape()[0] != batch)
        addWhole(input->view, Access::read);
      else if (!operands.addFloats(input->view, input->type, Access::read))
        return nullptr;
    if (trait == Trait::knows)
      operands.markUnread();
    return std::make_shared<TestStage>(trait);
  }
};

struct Other {
  static constexpr const char *kName = "test.other";
  InstructionPtr lower(const NativeOp &, const std::string &,
                       PlanBuilder &) const {
    return nullptr;
  }
};

// Adds its input to its output.
struct Update {
  static constexpr const char *kName = "test.update";
  InstructionPtr lower(const NativeOp &, const std::string &,
                       PlanBuilder &) const {
    return nullptr;
  }
};

// Can be added to what an Update changes.
struct Product {
  static constexpr const char *kName = "test.product";
  InstructionPtr lower(const NativeOp &, const std::string &,
                       PlanBuilder &) const {
    return nullptr;
  }
  JoinedPtr join(const ProgramNode &own, const ProgramNode &next,
                 const PlanBuilder &) const {
    if (!operatorAs<Update>(*next.op))
      return nullptr;
    return std::make_shared<Joined>(
        Joined{{own.op->what, next.op->outputs, own.op->inputs}, Step()});
  }
};

// Uses what an Other with the same first input saves.
struct Saver {
  static constexpr const char *kName = "test.saver";
  InstructionPtr lower(const NativeOp &, const std::string &,
                       PlanBuilder &) const {
    return nullptr;
  }
  std::size_t workspaceFrom(const NativeOp &maker, const NativeOp &own) const {
    return operatorAs<Other>(maker) &&
                   maker.inputs[0]->view == own.inputs[0]->view
               ? 24
               : 0;
  }
};

class TestProgram {
public:
  using Tensors = std::initializer_list<poplar::Tensor>;

  poplar::Tensor add(const std::string &name,
                     const std::vector<std::size_t> &shape = {8, 4},
                     const poplar::Type &type = poplar::FLOAT) {
    const poplar::Tensor t = graph.addVariable(type, shape, name);
    graph.setTileMapping(t, 0);
    return t;
  }
  template <class T>
  void add(T what, const std::string &name, Tensors outputs, Tensors inputs) {
    addNative(prog, std::move(what), outputs, inputs, {name});
  }

  // Before plan(): programs with this name are profiled.
  void profile(const std::string &name) {
    EngineSettings settings;
    settings.programsFilter = name;
    profiled_ = BlockSelector(settings);
  }
  // After this nothing may be added. `others` are programs of the engine, too.
  void plan(const char *fusion = "1",
            std::vector<poplar::program::Sequence> others = {}) {
    executable_.graph = *implOf(graph).data;
    executable_.programs = {prog.getImpl()};
    for (const poplar::program::Sequence &other : others)
      executable_.programs.push_back(other.getImpl());
    plan_.emplace(executable_.graph);
    builder_.emplace(executable_, profiled_, *plan_);
    accesses_.emplace(executable_);
    facts_.emplace(FusionFacts{executable_.graph, *accesses_, profiled_,
                               FusionSettings(fusion), explanation_});
  }
  PlanBuilder &builder() { return *builder_; }
  const FusionFacts &facts() const { return *facts_; }
  const ExecutableData &executable() const { return executable_; }
  const std::vector<Step> &steps() const { return plan_->steps; }
  std::vector<ProgramPtr> line() const {
    return lineOf(*executable_.programs[0], facts());
  }
  Line units() const {
    Line units;
    for (const ProgramPtr &program : line())
      units.push_back({program});
    return units;
  }
  // The only group of the line, which is a chain.
  Chain chain() {
    std::vector<Group> groups = formChains(units(), facts(), builder());
    return std::move(groups.at(0).chain.value());
  }
  std::string explained() const { return text_.str(); }

  poplar::Graph graph{makeTarget()};
  poplar::program::Sequence prog;

private:
  static poplar::Target makeTarget() {
    poplar::IPUModel model;
    model.tilesPerIPU = 4;
    return model.createDevice().getTarget();
  }

  ExecutableData executable_;
  BlockSelector profiled_{EngineSettings()};
  std::optional<Plan> plan_;
  std::optional<PlanBuilder> builder_;
  std::optional<VariableAccesses> accesses_;
  std::ostringstream text_;
  Explanation explanation_{&text_};
  std::optional<FusionFacts> facts_;
};

// What the programs of a line are called.
inline std::vector<std::string> namesOf(const std::vector<ProgramPtr> &line) {
  std::vector<std::string> names;
  for (const ProgramPtr &program : line)
    names.push_back(program->name);
  return names;
}

} // namespace ipumodel
