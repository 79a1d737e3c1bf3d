#include "poplar/plan/native_kernel.hpp"
#include "poplar/program/program_checks.hpp"

#include <poplar/CycleCount.hpp>

#include <cstdint>
#include <cstring>

namespace ipumodel {

namespace {

class SubtractCycles : public NativeInstruction {
public:
  using NativeInstruction::NativeInstruction;

protected:
  void compute(char *const *operands, char *, ThreadPool &) const override {
    std::uint64_t start, end;
    std::memcpy(&start, operands[1], sizeof start);
    std::memcpy(&end, operands[2], sizeof end);
    const std::uint64_t difference = end - start;
    std::memcpy(operands[0], &difference, sizeof difference);
  }
};

// end - start <- start, end; each one 64-bit number.
struct CyclesOperator {
  static constexpr const char *kName = "poplar.subtractCycles";

  InstructionPtr lower(const NativeOp &op, const std::string &name,
                       PlanBuilder &builder) const;
};

InstructionPtr CyclesOperator::lower(const NativeOp &op,
                                     const std::string &name,
                                     PlanBuilder &builder) const {
  ScratchFrame frame(builder.memory());
  const auto operand = [&](const TensorPtr &tensor, Access access) {
    return NativeOperand(tensor->view, sizeof(std::uint32_t), access, builder,
                         frame);
  };
  return std::make_shared<SubtractCycles>(
      builder.addStep({"SubtractCycles", name}),
      std::vector<NativeOperand>{operand(op.outputs.at(0), Access::write),
                                 operand(op.inputs.at(0), Access::read),
                                 operand(op.inputs.at(1), Access::read)});
}

} // namespace

} // namespace ipumodel

namespace poplar {

namespace {

constexpr std::size_t kStampWords = 2; // low word first

} // namespace

Tensor cycleStamp(Graph &graph, program::Sequence &prog, unsigned tile,
                  SyncType syncType, const DebugContext &debugContext) {
  Tensor stamp = graph.addVariable(UNSIGNED_INT, {kStampWords}, debugContext);
  graph.setTileMapping(stamp, tile);
  const ipumodel::ProgramContext context{"cycleStamp", debugContext};
  auto node = context.makeNode(ipumodel::ProgramNode::Kind::cycleStamp);
  node->tensors = {stamp.getImpl()};
  prog.add(program::Sync(syncType, debugContext));
  prog.add(program::Program(std::move(node)));
  return stamp;
}

Tensor cycleCount(Graph &graph, program::Sequence &prog, unsigned tile,
                  SyncType syncType, const DebugContext &debugContext) {
  program::Sequence timed(debugContext);
  const Tensor start = cycleStamp(graph, timed, tile, syncType, debugContext);
  timed.add(prog);
  const Tensor end = cycleStamp(graph, timed, tile, syncType, debugContext);
  Tensor count = graph.addVariable(UNSIGNED_INT, {kStampWords}, debugContext);
  graph.setTileMapping(count, tile);
  ipumodel::addNative(timed, ipumodel::CyclesOperator{}, {count}, {start, end},
                      debugContext);
  prog = timed;
  return count;
}

Tensor cycleCount(Graph &graph, program::Sequence &prog, unsigned tile,
                  const std::string &debugPrefix) {
  return cycleCount(graph, prog, tile, SyncType::INTERNAL,
                    DebugContext(debugPrefix));
}

} // namespace poplar
