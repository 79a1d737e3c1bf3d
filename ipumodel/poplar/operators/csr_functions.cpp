#include "poplar/operators/tile_registers.hpp"
#include "poplar/plan/native_kernel.hpp"

#include <poplar/CSRFunctions.hpp>

#include <cstdint>

namespace ipumodel {

namespace {

class ModifyBits : public NativeInstruction {
public:
  ModifyBits(StepId step, std::vector<NativeOperand> operands,
             std::size_t count, std::uint32_t clear, std::uint32_t set)
      : NativeInstruction(step, std::move(operands)), count_(count),
        clear_(clear), set_(set) {}

protected:
  void compute(char *const *operands, char *, ThreadPool &) const override {
    auto *words = reinterpret_cast<std::uint32_t *>(operands[0]);
    for (std::size_t i = 0; i < count_; ++i)
      words[i] = (words[i] & ~clear_) | set_;
  }

private:
  std::size_t count_;
  std::uint32_t clear_;
  std::uint32_t set_;
};

// Clears and then sets bits of every word of one tensor, in place.
struct BitsOperator {
  static constexpr const char *kName = "poplar.modifyBits";
  std::uint32_t clear, set;

  template <class Io> void fields(Io &io) { io(clear, set); }
  InstructionPtr lower(const NativeOp &op, const std::string &name,
                       PlanBuilder &builder) const;
};

InstructionPtr BitsOperator::lower(const NativeOp &op, const std::string &name,
                                   PlanBuilder &builder) const {
  ScratchFrame frame(builder.memory());
  const View &words = op.outputs.at(0)->view;
  return std::make_shared<ModifyBits>(
      builder.addStep({"ModifyBits", name}),
      std::vector<NativeOperand>{
          {words, sizeof(std::uint32_t), Access::readWrite, builder, frame}},
      words.numElements(), clear, set);
}

} // namespace

} // namespace ipumodel

namespace poplar {

namespace {

constexpr std::uint32_t kInv = 1 << 0;
constexpr std::uint32_t kDiv0 = 1 << 1;
constexpr std::uint32_t kOflo = 1 << 2;
constexpr std::uint32_t kEsr = 1 << 3;
constexpr std::uint32_t kNanoo = 1 << 4;

std::uint32_t bitsOf(const FloatingPointBehaviour &b) {
  return (b.inv ? kInv : 0) | (b.div0 ? kDiv0 : 0) | (b.oflo ? kOflo : 0) |
         (b.esr ? kEsr : 0) | (b.nanoo ? kNanoo : 0);
}

Tensor behaviourOf(const Graph &graph) {
  return ipumodel::tileRegister(graph, "floatingPointBehaviour", 1).flatten();
}

void modify(const Graph &graph, program::Sequence &prog, std::uint32_t clear,
            std::uint32_t set, const DebugContext &debugContext) {
  const Tensor behaviour = behaviourOf(graph);
  ipumodel::addNative(prog, ipumodel::BitsOperator{clear, set}, {behaviour},
                      {behaviour}, debugContext);
}

} // namespace

void setFloatingPointBehaviour(Graph &graph, program::Sequence &prog,
                               const FloatingPointBehaviour &behaviour,
                               const DebugContext &debugContext) {
  modify(graph, prog, ~std::uint32_t(0), bitsOf(behaviour), debugContext);
}

void setFloatingPointBehaviour(Graph &graph, program::Sequence &prog,
                               const Tensor &behaviour,
                               const DebugContext &debugContext) {
  prog.add(program::Copy(behaviour, behaviourOf(graph), false, debugContext));
}

Tensor getAndModifyFloatingPointBehaviour(Graph &graph, program::Sequence &prog,
                                          const FloatingPointBehaviour &clear,
                                          const FloatingPointBehaviour &set,
                                          const DebugContext &debugContext) {
  const Tensor behaviour = behaviourOf(graph);
  Tensor before =
      ipumodel::addTileWords(graph, behaviour.shape(), debugContext);
  prog.add(program::Copy(behaviour, before, false, debugContext));
  modify(graph, prog, bitsOf(clear), bitsOf(set), debugContext);
  return before;
}

void setStochasticRounding(Graph &graph, program::Sequence &prog, bool enable,
                           const DebugContext &debugContext) {
  modify(graph, prog, kEsr, enable ? kEsr : 0, debugContext);
}

} // namespace poplar
